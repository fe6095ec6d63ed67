package project_test

import (
	"slices"
	"testing"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/stage"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

func TestEachLineOfTheWindowsMenuHasItsKeyAndTheKeyDoesIt(t *testing.T) {
	const ctrl, shift = fyne.KeyModifierShortcutDefault, fyne.KeyModifierShift
	lines := []struct {
		label string
		key   fyne.KeyName
		with  fyne.KeyModifier
		done  func(w *window) bool
	}{
		{"New draft", fyne.KeyN, ctrl, func(w *window) bool { return stage.Has(w.Window, "draft:file") }},
		{"New piece", fyne.KeyN, ctrl | shift, func(w *window) bool { return stage.Has(w.Window, "piece:start") }},
		{"Search", fyne.KeyF, ctrl, func(w *window) bool {
			f, ok := w.Canvas().Focused().(kit.Named)
			return ok && f.Name() == "board:search"
		}},
		{"Play Loop", fyne.KeyL, ctrl, func(w *window) bool { return shows(w, "Pause Loop") }},
		{"Project settings…", fyne.KeyP, ctrl | shift, func(w *window) bool { return stage.Has(w.Window, "project:save") }},
		{"Sessions", fyne.KeyS, ctrl | shift, func(w *window) bool { return w.led == "sessions" }},
		{"Settings", fyne.KeyComma, ctrl, func(w *window) bool { return w.led == "settings" }},
	}
	var labels []string
	for _, l := range lines {
		labels = append(labels, l.label)
		t.Run(l.label, func(t *testing.T) {
			w := openWindow(t, stage.New(t), usual(), 1280, 800)
			w.sees("card:spec")
			w.Canvas().(fyne.Shortcutable).TypedShortcut(&desktop.CustomShortcut{KeyName: l.key, Modifier: l.with})
			w.Until("the key does it", func() bool { return l.done(w) })
		})
	}
	w := openWindow(t, stage.New(t), usual(), 1280, 800)
	w.sees("card:spec")
	w.click("projectMore")
	var shown []string
	keys := 0
	for _, text := range stage.Texts(w.Window) {
		if slices.Contains(labels, text) {
			shown = append(shown, text)
		} else if text != "" {
			keys++
		}
	}
	if !slices.Equal(shown, labels) || keys < len(labels) {
		t.Errorf("the menu says %q, want %q with a key each", stage.Texts(w.Window), labels)
	}
}

func TestEachChoiceOfAPieceHasAKeyInItsMenu(t *testing.T) {
	w := opened(t, usual(), "spec")
	w.click("actions")
	texts := stage.Texts(w.Window)
	if !slices.Contains(texts, "Approve spec") {
		t.Errorf("the menu says %q", texts)
	}
	w.Canvas().Overlays().Remove(w.Canvas().Overlays().Top())
	w.Canvas().(fyne.Shortcutable).TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyReturn, Modifier: fyne.KeyModifierShortcutDefault})
	if r := w.acted(); r.Action != pieces.ApproveSpec {
		t.Errorf("Ctrl+Enter did %q", r.Action)
	}
}
