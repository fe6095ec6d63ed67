package tray_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fermata/pieces/engine"
	. "fermata/ui/tray"

	"fyne.io/fyne/v2"
)

type host struct {
	menu  *fyne.Menu
	menus int
	icons []string
	tips  []string
}

func (h *host) SetTooltip(s string) { h.tips = append(h.tips, s) }

func (h *host) Present() bool { return true }

func (h *host) SetMenu(m *fyne.Menu) { h.menu = m; h.menus++ }

func (h *host) SetIcon(r fyne.Resource) { h.icons = append(h.icons, r.Name()) }

func (h *host) labels() string {
	var all []string
	for _, item := range h.menu.Items {
		label := item.Label
		if item.IsSeparator {
			label = "-"
		}
		all = append(all, label)
	}
	return strings.Join(all, "|")
}

func (h *host) click(t *testing.T, labels ...string) {
	t.Helper()
	items := h.menu.Items
	for i, label := range labels {
		at := slices.IndexFunc(items, func(m *fyne.MenuItem) bool { return m.Label == label })
		if at < 0 {
			t.Fatalf("there is no line %q", label)
		}
		if i == len(labels)-1 {
			items[at].Action()
			return
		}
		items = items[at].ChildMenu.Items
	}
}

func newTray(h *host) (tray *Tray, done *[]string, tap func()) {
	done = &[]string{}
	note := func(what string) func() { return func() { *done = append(*done, what) } }
	tray = New(Options{
		Host: h, OnMain: func(f func()) { *done = append(*done, "queued"); f() }, OnTapped: func(f func()) { tap = f },
		Actions: Actions{
			Show: note("show"), Settings: note("settings"), Quit: note("quit"),
			Cues:        note("cues"),
			OpenCue:     func(t engine.Target, project string) { note("cue " + t.ID + " of " + project)() },
			PlayLoop:    func(id string, play bool) { note(fmt.Sprint("loop ", id, " ", play))() },
			OpenProject: func(id string) { note("open " + id)() },
			NewDraft:    func(id string) { note("draft " + id)() },
		},
	})
	return tray, done, tap
}

var two = Model{
	Running: 2, Line: "2 running in muse", Waiting: 3,
	Cues:     []Cue{{Target: engine.Target{Kind: engine.TargetPiece, ID: "p"}, ProjectID: "m", Title: "Upload retry", Label: "Plan ready"}},
	Projects: []Project{{ID: "m", Name: "muse", Cues: 3, LoopPlays: true}, {ID: "c", Name: "clio"}},
}

func TestEveryLineDoesWhatItSays(t *testing.T) {
	h := &host{}
	tray, done, tap := newTray(h)
	tray.Show(two)
	const want = "Open Fermata|2 running in muse|-|3 decisions wait for you|Plan ready: Upload retry|-|muse (3)|clio|-|New draft…|Loop|Settings…|-|Quit"
	if got := h.labels(); got != want {
		t.Errorf("menu %s, want %s", got, want)
	}
	h.click(t, "Open Fermata")
	h.click(t, "3 decisions wait for you")
	h.click(t, "Plan ready: Upload retry")
	h.click(t, "muse (3)")
	h.click(t, "New draft…", "In clio")
	h.click(t, "Loop", "Pause the Loop of muse")
	h.click(t, "Loop", "Play the Loop of clio")
	h.click(t, "Settings…")
	h.click(t, "Quit")
	tap()
	if want := []string{"show", "cues", "cue p of m", "open m", "draft c", "loop m false", "loop c true", "settings", "quit", "queued", "cues"}; !slices.Equal(*done, want) {
		t.Errorf("done %q, want %q", *done, want)
	}
}

func TestOneProjectNeedsNoChoiceAndNoneOffersNoDraft(t *testing.T) {
	h := &host{}
	tray, done, _ := newTray(h)
	tray.Show(Model{Projects: []Project{{ID: "m", Name: "muse"}}})
	h.click(t, "New draft…")
	h.click(t, "Play the Loop")
	if !slices.Equal(*done, []string{"draft m", "loop m true"}) {
		t.Errorf("done %q", *done)
	}
	tray.Show(Model{})
	if got, want := h.labels(), "Open Fermata|Nothing runs|-|Settings…|-|Quit"; got != want {
		t.Errorf("menu %s, want %s", got, want)
	}
}

func TestTrayIsDrawnOnlyWhenSomethingChanged(t *testing.T) {
	h := &host{}
	tray, _, _ := newTray(h)
	tray.Show(two)
	first := h.menu
	tray.Show(two)
	if want := []string{"Fermata: 2 running in muse, 3 decisions wait for you"}; !slices.Equal(h.tips, want) {
		t.Errorf("tooltips %q, want %q", h.tips, want)
	}
	if h.menus != 1 || len(h.icons) != 1 {
		t.Errorf("%d menus and %d icons after the same twice", h.menus, len(h.icons))
	}
	more := two
	more.Running = 3
	tray.Show(more)
	if h.menus != 2 || len(h.icons) != 1 || h.menu != first {
		t.Errorf("%d menus and %d icons, same menu %v, want a new drawing of the same menu with the same icon", h.menus, len(h.icons), h.menu == first)
	}
	more.Waiting = 0
	tray.Show(more)
	if len(h.icons) != 2 || h.icons[0] == h.icons[1] {
		t.Errorf("icons %q, want another for another count", h.icons)
	}
}

func TestNamesOfProjectsAreHarmless(t *testing.T) {
	h := &host{}
	tray, _, _ := newTray(h)
	tray.Show(Model{
		Line: "1 running in a\u202eb\nQuit", Cues: []Cue{{Title: "a\u202eb\nQuit", Label: "Plan ready"}},
		Projects: []Project{{ID: "x", Name: "a\u202eb\nQuit" + strings.Repeat("long", 40)}},
	})
	if got := h.labels(); strings.ContainsAny(got, "\u202e\n") || len([]rune(got)) > 240 {
		t.Errorf("menu %q", got)
	}
}
