package ui_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"fermata/pieces"
	"fermata/pieces/consent"
	. "fermata/ui"
	"fermata/ui/kit"
	"fermata/ui/popover"
	"fermata/ui/stage"

	"fyne.io/fyne/v2"
)

// desktopDouble is a desktop that places the popover and shows notifications.
type desktopDouble struct {
	focus func(bool)
	mu    sync.Mutex
	told  []string
	shown map[string]Notice
}

func (d *desktopDouble) Place(_ fyne.Window, focus func(bool)) { d.focus = focus }

func (d *desktopDouble) Notify(n Notice) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.told = append(d.told, n.Key+" "+n.Title)
	d.shown[n.Key] = n
}

func (d *desktopDouble) Withdraw(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.shown, key)
}

func (d *desktopDouble) shows(key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, there := d.shown[key]
	return there
}

func (d *desktopDouble) tells() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.told)
}

// startOn starts the shell on a desktop.
func startOn(t *testing.T, prepare func(*world)) (*world, *desktopDouble) {
	t.Helper()
	d := &desktopDouble{shown: map[string]Notice{}}
	return start(t, true, func(w *world) {
		w.desktop = d
		if prepare != nil {
			prepare(w)
		}
	}), d
}

// cues opens the popover from the tray's menu.
func (w *world) cues(label string) fyne.Window {
	w.Helper()
	w.Until("the tray has "+label, w.trayHas(label))
	w.click(label)
	o := w.wait(popover.Title)
	w.Until("it is shown", func() bool { return w.popped() })
	return o
}

// popped says whether the popover can be seen.
func (w *world) popped() bool {
	p, err := w.shell.Locate("popover:list")
	return err == nil && p.Window == popover.Title
}

func running(id string) pieces.Snapshot {
	return pieces.Snapshot{Piece: pieces.Piece{ID: id, ProjectID: "m", Name: "Work " + id, Phase: pieces.PhaseAgents, Activity: pieces.Running}, HistoryID: 1}
}

func TestThePopoverActsThroughTheEngineAndASnoozeHidesEverywhere(t *testing.T) {
	w, _ := startOn(t, func(w *world) { w.list = []pieces.Snapshot{specReady("p", "m")} })
	home := w.waitFor("Fermata", "cue:p")
	pop := w.cues("1 decision waits for you")
	w.Tap(pop, "primary:piece:p")
	w.untilDone("approveSpec p")
	w.Until("the action has ended", func() bool { _, err := w.shell.Locate("snooze:piece:p"); return err == nil })
	w.Tap(pop, "snooze:piece:p")
	w.Until("home forgets it", func() bool { return !stage.Has(home, "cue:p") })
	w.Until("the popover forgets it", func() bool { return !stage.Has(pop, "snooze:piece:p") })
	if w.trayHas("1 decision waits for you")() {
		t.Error("the tray counts it still")
	}
	w.Tap(pop, "popover:home")
	if w.popped() {
		t.Error("the popover stays over the window that it opened")
	}
}

func TestThePopoverGoesWhenItLosesTheFocusItHad(t *testing.T) {
	w, d := startOn(t, func(w *world) { w.list = []pieces.Snapshot{specReady("p", "m")} })
	pop := w.cues("1 decision waits for you")
	d.focus(false) // it never had it: a word about the time before
	d.focus(true)
	d.focus(false)
	d.focus(true) // the desktop took it for a moment
	w.Tap(pop, "primary:piece:p")
	w.untilDone("approveSpec p")
	if !w.popped() {
		t.Fatal("it went while it had the focus")
	}
	d.focus(false)
	w.Until("it goes", func() bool { return !w.popped() })
}

func TestAnAgentIsAnsweredInThePopover(t *testing.T) {
	w, _ := startOn(t, func(w *world) {
		s := running("p")
		s.Prompts = []pieces.Prompt{{ID: "q", PieceID: "p", Kind: pieces.PromptQuestion, Questions: []pieces.Question{{Text: "Which port?", Options: []pieces.QuestionOption{{Label: "80"}}}}}}
		w.list = []pieces.Snapshot{s}
	})
	pop := w.cues("1 decision waits for you")
	w.Tap(pop, "primary:piece:p")
	if f := pop.Canvas().Focused(); f == nil {
		t.Error("the form has no focus")
	}
	w.Tap(pop, "prompt:option:0")
	w.Tap(pop, "prompt:send")
	w.untilDone("answer q map[Which port?:80]")
	w.setPieces(running("p"))
	w.Until("the form goes", func() bool { return !stage.Has(pop, "prompt:send") })
}

func TestAClientIsAnsweredInThePopover(t *testing.T) {
	w, d := startOn(t, nil)
	end := w.ask("m")
	pop := w.cues("1 decision waits for you")
	id := w.desk.Pending()[0].ID
	w.Until("it is notified", func() bool { return d.shows("card:" + id) })
	w.Tap(pop, "primary:card:"+id)
	w.Tap(pop, "popover:allow")
	if r := <-end; r.Outcome != consent.Allowed {
		t.Errorf("outcome %v", r.Outcome)
	}
	w.Until("its notification goes", func() bool { return !d.shows("card:" + id) })
}

func TestClickOnANotificationOpensWhatItIsAboutAndItGoesWithItsCue(t *testing.T) {
	w, d := startOn(t, nil)
	w.waitFor("Fermata", "project:m")
	w.setPieces(specReady("p", "m"))
	w.Until("it is notified", func() bool { return d.shows("piece:p") })
	w.shell.OpenNotice("piece:p") // the engine of this test knows no piece: home tells more
	w.Until("home is there", func() bool { return w.window("Fermata") != nil })
	next := specReady("p", "m")
	next.HistoryID = 2
	w.setPieces(next)
	w.Until("the next cue is told under the same key", func() bool {
		return slices.Equal(d.tells(), []string{"piece:p Spec ready", "piece:p Spec ready"})
	})
	w.setPieces()
	w.Until("it goes", func() bool { return !d.shows("piece:p") })
	w.setPieces(running("r"))
	w.Drain()
	end := w.ask("c")
	w.Until("the question is notified", func() bool { return len(d.tells()) == 3 })
	w.shell.OpenNotice(strings.Fields(d.tells()[2])[0])
	clio := w.waitFor("Fermata: clio", "card:deny")
	w.Until("it can be answered", func() bool { _, err := w.shell.Locate("card:deny"); return err == nil })
	w.Tap(clio, "card:deny")
	<-end
}

func TestACueBehindOtherAppsIsNotifiedAlthoughItsWindowIsOpen(t *testing.T) {
	w, d := startOn(t, nil)
	w.Tap(w.waitFor("Fermata", "project:m"), "project:m")
	w.wait("Fermata: muse")
	w.shell.Foreground(false)
	w.setPieces(specReady("p", "m"))
	w.Until("it is notified", func() bool { return d.shows("piece:p") })
}

func TestQuitAsksWhileWorkRuns(t *testing.T) {
	w := start(t, true, func(w *world) { w.list = []pieces.Snapshot{running("r")} })
	w.wait("Fermata")
	w.Until("the tray says what runs", w.trayHas("1 running in muse"))
	w.click("Quit")
	o := w.waitFor("Quit Fermata?", "quit:now")
	if w.app.quits != 0 {
		t.Fatal("it quits before it asks")
	}
	w.Tap(o, "quit:keep")
	w.Until("the question goes", func() bool { return w.window("Quit Fermata?") == nil })
	w.click("Quit")
	w.Tap(w.waitFor("Quit Fermata?", "quit:now"), "quit:now")
	if w.app.quits != 1 {
		t.Errorf("%d quits", w.app.quits)
	}
}

func TestQuitPictures(t *testing.T) {
	stage.Both(t, func(t *testing.T, word string, s *stage.Stage) {
		t.Helper()
		for state, n := range map[string]int{"usual": 1, "crowded": 40} {
			t.Run(state, func(t *testing.T) {
				w := startIn(t, s, true, func(w *world) {
					for i := range n {
						w.list = append(w.list, running(fmt.Sprint("that has a name which goes on for longer than a line of this window, number ", i)))
					}
				})
				w.wait("Fermata")
				w.Until("the tray says what runs", w.trayHas(fmt.Sprintf("%d running in muse", n)))
				w.click("Quit")
				o := w.waitFor("Quit Fermata?", "quit:now")
				w.Keep(o, "quit-"+state+"-"+word)
				if b, _ := stage.Find(o, "quit:now"); b != nil {
					if _, y, _, high := kit.Rect(b); y+high > o.Canvas().Size().Height {
						t.Errorf("the button ends at %v of a window %v high", y+high, o.Canvas().Size().Height)
					}
				}
				w.Tap(o, "quit:keep") // the stage is shared: the next one looks for a window of this title
				w.Until("the question goes", func() bool { return w.window("Quit Fermata?") == nil })
			})
		}
	})
}

func TestWithoutATrayTheLastWindowAsksWhileWorkRuns(t *testing.T) {
	w := start(t, false, func(w *world) { w.list = []pieces.Snapshot{running("r")} })
	home := w.waitFor("Fermata", "work:r")
	home.Close()
	w.Tap(w.waitFor("Quit Fermata?", "quit:keep"), "quit:keep")
	w.Until("home comes back", func() bool { return w.window("Fermata") != nil })
	if w.app.quits != 0 {
		t.Errorf("%d quits", w.app.quits)
	}
}

func TestATrayThatGoesLeavesAWindowAndOneThatComesIsUsed(t *testing.T) {
	w := start(t, true, nil)
	w.wait("Fermata").Close()
	w.trayGone = true
	w.shell.TrayChanged()
	home := w.wait("Fermata")
	if !stage.Has(home, "home:hideNotice") {
		t.Error("nothing says that there is no tray")
	}
	w.trayGone = false
	w.shell.TrayChanged()
	if stage.Has(home, "home:hideNotice") {
		t.Error("it still says that there is no tray")
	}
	home.Close()
	if w.app.quits != 0 {
		t.Errorf("%d quits although there is a tray", w.app.quits)
	}
}

func TestTheTrayPlaysAndPausesLoops(t *testing.T) {
	w := start(t, true, func(w *world) { w.projects[1].LoopPlaying = true })
	w.Until("the tray has the projects", w.trayHas("muse"))
	w.click("Loop", "Play the Loop of muse")
	w.untilDone("play m")
	w.click("Loop", "Pause the Loop of clio")
	w.untilDone("pause c")
}
