package project_test

import (
	"testing"

	"fermata/ui/stage"

	"fyne.io/fyne/v2"
)

func TestTheTabKeyReachesAllOfTheWindowInItsOrder(t *testing.T) {
	for id, tabs := range map[string][]string{
		"": {""}, "draft2": {""}, "spec": {"", "spec"}, "planned": {"", "agents", "overview"}, "running": {"", "agents", "sessions"},
		"review": {"", "review", "agents"}, "done": {"overview", "history"}, "failed": {""},
	} {
		for _, tab := range tabs {
			t.Run(id+tab, func(t *testing.T) {
				w := openWindow(t, stage.New(t), usual(), 1280, 800)
				w.sees("card:spec")
				if id != "" {
					w.project.ShowPiece(id)
					w.sees("closeItem")
				}
				if tab != "" {
					w.click("tab:" + tab)
					w.sees("page:" + tab)
				}
				w.Drain()
				stage.Tabs(t, w.Window)
			})
		}
	}
}

func TestTheTabKeyReachesAllOfASheetInItsOrder(t *testing.T) {
	for name, s := range sheets() {
		t.Run(name, func(t *testing.T) {
			e := usual()
			if s.engine != nil {
				s.engine(e)
			}
			w := openWindow(t, stage.New(t), e, 1280, 800)
			w.sees("card:running")
			s.open(w)
			w.sees(s.sees)
			stage.Tabs(t, w.Window)
		})
	}
}

func TestEscGoesBackOneStepFromWhateverHasTheFocus(t *testing.T) {
	for _, id := range []string{"spec", "running", "review", "draft2"} {
		t.Run(id, func(t *testing.T) {
			w := openWindow(t, stage.New(t), usual(), 1280, 800)
			w.sees("card:" + id)
			w.project.ShowPiece(id)
			w.sees("closeItem")
			for _, name := range []string{"closeItem", "tab:overview", "actions", "edit:title", "newDraft"} {
				o, found := stage.Find(w.Window, name)
				if !found {
					continue
				}
				w.Canvas().Focus(o.(fyne.Focusable))
				stage.Press(w.Window, fyne.KeyEscape)
				if w.Canvas().Focused() != nil {
					t.Errorf("after Esc on %s something still has the focus", name)
				}
				if name == "edit:title" { // the first step leaves what is written
					if w.project.Shown() != id {
						t.Error("Esc in an entry closes the item")
					}
					w.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
				}
				if w.project.Shown() != "" {
					t.Errorf("Esc on %s does not leave the item", name)
				}
				w.project.ShowPiece(id)
				w.sees("closeItem")
			}
		})
	}
}
