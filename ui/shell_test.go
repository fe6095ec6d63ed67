package ui_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
	"fermata/pieces/signal"
	. "fermata/ui"
	"fermata/ui/settings"
	"fermata/ui/stage"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// app is the test app; it remembers what the desktop was told.
type app struct {
	fyne.App
	mu    sync.Mutex
	sent  []string
	quits int
}

func (a *app) SendNotification(n *fyne.Notification) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent = append(a.sent, n.Title+" / "+n.Content)
}

func (a *app) notified() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.sent)
}

func (a *app) Quit() { a.quits++ }

// world is an engine, a server and a tray; what it embeds is never asked.
type world struct {
	Engine
	settings.ControlPlane
	*testing.T
	*stage.Stage

	app   *app
	shell *Shell
	desk  consent.Desk
	menu  *fyne.Menu

	hub, plane signal.Hub
	mu         sync.Mutex
	values     map[string]string
	projects   []pieces.Project
	list       []pieces.Snapshot
	sessions   []pieces.Session
	status     settings.ServerStatus
	registered []bool
	hidden     bool
	worn       []Look                      // every look that the windows were drawn in
	found      map[string][]pieces.Finding // by project, once it was looked over
	ails       pieces.Finding              // what will be found
	trayGone   bool
	desktop    *desktopDouble // nil: the desktop of Fyne's own notifications
	prompts    []pieces.Prompt
	knows      bool // the pieces are found one by one, and not in the list alone
	snoozed    map[string]bool
	done       []string // what the engine was asked for
}

func (w *world) Examine(_ context.Context, id string) ([]pieces.Finding, error) {
	w.mu.Lock()
	list := []pieces.Finding{w.ails}
	if w.found == nil {
		w.found = map[string][]pieces.Finding{}
	}
	w.found[id] = list
	w.mu.Unlock()
	w.hub.Wake()
	return list, nil
}

func (w *world) Findings(id string) ([]pieces.Finding, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	found, known := w.found[id]
	return found, known
}

func (w *world) Watch() (<-chan struct{}, func()) { return w.hub.Watch() }

func (w *world) Settings(context.Context) (map[string]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.values), nil
}

func (w *world) SetSetting(_ context.Context, key, value string) error {
	w.mu.Lock()
	w.values[key] = value
	if key == pieces.KeyMCPEnabled {
		w.status = settings.ServerStatus{Wanted: true, Running: true, Port: 8787}
	}
	w.mu.Unlock()
	w.hub.Wake()
	w.plane.Wake()
	return nil
}

func (w *world) Health(context.Context) (string, pieces.FailureKind, string) {
	return "2.1.197", "", ""
}

func (w *world) Projects(context.Context) ([]pieces.Project, error) { return w.projects, nil }

func (w *world) Project(_ context.Context, id string) (pieces.Project, error) {
	for _, p := range w.projects {
		if p.ID == id {
			return p, nil
		}
	}
	return pieces.Project{}, &engine.Refusal{Sentence: pieces.Say("Unknown projectId")}
}

func (w *world) Drafts(context.Context, string) ([]pieces.Draft, error) { return nil, nil }

func (w *world) Dependencies(context.Context) (map[string][]pieces.Dependency, error) {
	return nil, nil
}

func (w *world) Pieces(context.Context, pieces.PieceFilter) ([]pieces.Snapshot, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list), nil
}

func (w *world) Piece(_ context.Context, id string) (pieces.Snapshot, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.list {
		if w.knows && s.Piece.ID == id {
			return s, nil
		}
	}
	return pieces.Snapshot{}, fmt.Errorf("read piece %s: %w", id, pieces.ErrNotFound)
}

func (w *world) History(context.Context, string) ([]pieces.HistoryRow, error) { return nil, nil }

func (w *world) Draft(context.Context, string) (pieces.Draft, error) {
	return pieces.Draft{}, pieces.ErrNotFound
}

func (w *world) Artifact(context.Context, string, pieces.ArtifactKind, string) (pieces.Artifact, bool, error) {
	return pieces.Artifact{}, false, nil
}

// server is the world's control plane.
type server struct{ *world }

// callBook is an audit book without a row.
type callBook struct{}

func (callBook) Calls(context.Context, int) ([]settings.Call, error) { return nil, nil }
func (callBook) Check(context.Context) (settings.Chain, error)       { return settings.Chain{}, nil }
func (callBook) Watch() (<-chan struct{}, func())                    { return nil, func() {} }

func (s server) Status() settings.ServerStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

func (s server) Watch() (<-chan struct{}, func()) { return s.plane.Watch() }

func (s server) Register(_ context.Context, replace bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.registered = append(s.registered, replace)
	return nil
}

func (s server) Registered(context.Context) (bool, error) { return false, nil }

func (s server) Health(context.Context) (int, error) { return 18, nil }

func (w *world) SetMenu(m *fyne.Menu) { w.menu = m }

func (w *world) SetIcon(fyne.Resource) {}

func (w *world) SetTooltip(string) {}

func (w *world) Present() bool { return !w.trayGone }

func (w *world) Prompts(string) []pieces.Prompt {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.prompts)
}

// Cues are those of the pieces in their order, and the pieces at which agents work.
func (w *world) Cues(context.Context, string) (engine.Cues, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all engine.Cues
	for _, s := range w.list {
		p := s.Piece
		if c, ok := s.Cue(); ok && !w.snoozed[p.ID] {
			all.Items = append(all.Items, engine.Cue{
				Target: engine.Target{Kind: engine.TargetPiece, ID: p.ID}, Group: c.Group, Reason: string(c.Gate), Label: c.Label, Title: p.Name,
				ProjectID: p.ProjectID, ProjectName: w.nameOf(p.ProjectID), Since: s.HistoryAt, Fingerprint: c.Fingerprint, Primary: c.Primary,
			})
		}
		if p.Activity == pieces.Running {
			all.Running = append(all.Running, engine.Running{PieceID: p.ID, Title: p.Name, ProjectID: p.ProjectID, ProjectName: w.nameOf(p.ProjectID), Agents: true})
		}
	}
	all.Items = append(all.Items, w.sessionCues()...)
	return all, nil
}

func (w *world) nameOf(id string) string {
	for _, p := range w.projects {
		if p.ID == id {
			return p.Name
		}
	}
	return ""
}

func (w *world) Snooze(_ context.Context, t engine.Target, _ string) (int, error) {
	w.mu.Lock()
	w.snoozed[t.ID] = true
	w.mu.Unlock()
	w.hub.Wake()
	return 1, nil
}

func (w *world) Act(_ context.Context, r engine.Request) (engine.Result, error) {
	w.did(fmt.Sprintf("%s %s", r.Action, r.PieceID))
	return engine.Result{}, nil
}

func (w *world) AnswerPrompt(_ context.Context, id string, a pieces.PromptAnswer) error {
	w.did(fmt.Sprintf("answer %s %v", id, a.Answers))
	return nil
}

func (w *world) PlayLoop(_ context.Context, id string, _ pieces.Actor) (pieces.Project, error) {
	w.did("play " + id)
	return pieces.Project{}, nil
}

func (w *world) PauseLoop(_ context.Context, id string, _ pieces.Actor) (pieces.Project, error) {
	w.did("pause " + id)
	return pieces.Project{}, nil
}

func (w *world) LoopStanding(context.Context, string) (pieces.LoopStanding, error) {
	return pieces.LoopStanding{}, nil
}

func (w *world) did(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done = append(w.done, what)
}

// untilDone waits until the engine was asked for something.
func (w *world) untilDone(what string) {
	w.Helper()
	w.Until(what, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return slices.Contains(w.done, what)
	})
}

func start(t *testing.T, withTray bool, prepare func(*world)) *world {
	t.Helper()
	return startIn(t, stage.New(t), withTray, prepare)
}

func startIn(t *testing.T, s *stage.Stage, withTray bool, prepare func(*world)) *world {
	t.Helper()
	w := &world{T: t, Stage: s, values: map[string]string{}, snoozed: map[string]bool{}}
	for _, s := range pieces.Settings() {
		w.values[s.Key] = s.Default
	}
	w.values[pieces.KeyWelcomeDone] = "true"
	w.projects = []pieces.Project{{ID: "m", Name: "muse", Path: "/src/muse", Branch: "main"}, {ID: "c", Name: "clio", Path: "/src/clio"}}
	w.app = &app{App: w.App}
	if prepare != nil {
		prepare(w)
	}
	o := Options{App: w.app, Engine: w, Desk: &w.desk, Plane: server{w}, Calls: callBook{}, Pump: w.Pump, Log: slog.New(slog.DiscardHandler), Version: "0.1.0", DataFolder: "/data", Look: LookOf(w.values), Wear: w.wear, Hidden: w.hidden}
	if withTray {
		o.Tray = w
	}
	if w.desktop != nil {
		o.Placer, o.Notifier = w.desktop, w.desktop
	}
	w.shell = New(o)
	w.shell.Start(t.Context())
	t.Cleanup(w.shell.Close)
	return w
}

func (w *world) wear(l Look) { w.worn = append(w.worn, l) }

func (w *world) window(title string) fyne.Window {
	for _, o := range w.App.Driver().AllWindows() {
		if o.Title() == title {
			return o
		}
	}
	return nil
}

func (w *world) wait(title string) fyne.Window {
	w.Helper()
	w.Until(title+" is open", func() bool { return w.window(title) != nil })
	return w.window(title)
}

func (w *world) waitFor(title, name string) fyne.Window {
	w.Helper()
	o := w.wait(title)
	w.Until(name+" is shown", func() bool { return stage.Has(o, name) })
	return o
}

func TestFirstStartWelcomesAndTheAnswerIsKept(t *testing.T) {
	w := start(t, true, func(w *world) { w.values[pieces.KeyWelcomeDone] = "false" })
	o := w.waitFor("Welcome to Fermata", "welcome:register")
	w.Tap(o, "welcome:register")
	w.wait("Fermata")
	if w.window("Welcome to Fermata") != nil {
		t.Error("the welcome window stays")
	}
	if w.values[pieces.KeyWelcomeDone] != "true" || w.values[pieces.KeyMCPEnabled] != "true" || !slices.Equal(w.registered, []bool{false}) {
		t.Errorf("welcome %s, server %s, registered %v", w.values[pieces.KeyWelcomeDone], w.values[pieces.KeyMCPEnabled], w.registered)
	}
}

func TestHomeLooksTheProjectsOverOnceAndShowsWhatIsFound(t *testing.T) {
	w := start(t, true, func(w *world) {
		w.ails = pieces.Finding{Key: pieces.FindingDetached, What: pieces.Say("HEAD is detached."), Fix: pieces.Say("Switch.")}
	})
	w.waitFor("Fermata", "examine:m")
	w.waitFor("Fermata", "examine:c")
}

func TestClosingTheLastWindowQuitsOnlyWithoutATray(t *testing.T) {
	for withTray, want := range map[bool]int{true: 0, false: 1} {
		w := start(t, withTray, nil)
		home := w.waitFor("Fermata", "project:m")
		w.Tap(home, "project:m")
		muse := w.wait("Fermata: muse")
		home.Close()
		if w.app.quits != 0 {
			t.Errorf("tray %v: it quits while a window is open", withTray)
		}
		muse.Close()
		if w.app.quits != want {
			t.Errorf("tray %v: %d quits, want %d", withTray, w.app.quits, want)
		}
	}
}

func TestMissingTrayIsSaidOnce(t *testing.T) {
	w := start(t, false, nil)
	home := w.wait("Fermata")
	if !stage.Has(home, "home:hideNotice") {
		t.Fatal("nothing says that there is no tray")
	}
	w.Tap(home, "home:hideNotice")
	w.shell.Show()
	again := New(Options{App: w.app, Engine: w, Desk: &w.desk, Plane: server{w}, Calls: callBook{}, Pump: w.Pump, Log: slog.New(slog.DiscardHandler), Look: LookOf(w.values), Wear: w.wear})
	home.Close()
	again.Start(t.Context())
	t.Cleanup(again.Close)
	if stage.Has(w.wait("Fermata"), "home:hideNotice") {
		t.Error("it is said again")
	}
}

func TestWindowsAreOpenedOnceAndRememberTheirSize(t *testing.T) {
	w := start(t, true, nil)
	home := w.waitFor("Fermata", "project:m")
	w.Tap(home, "project:m")
	w.wait("Fermata: muse")
	w.Tap(home, "project:m")
	w.shell.Show()
	w.Drain()
	titles := map[string]int{}
	for _, o := range w.App.Driver().AllWindows() {
		titles[o.Title()]++
	}
	if titles["Fermata"] != 1 || titles["Fermata: muse"] != 1 {
		t.Errorf("windows %v, want one of each", titles)
	}
	muse := w.window("Fermata: muse")
	muse.Resize(fyne.NewSize(1000, 700))
	muse.Close()
	w.Tap(home, "project:m")
	if got := w.wait("Fermata: muse").Canvas().Size(); got != fyne.NewSize(1000, 700) {
		t.Errorf("it opens with %v, want the size that it had", got)
	}
}

func (w *world) click(path ...string) {
	w.Helper()
	items := w.menu.Items
	for i, label := range path {
		at := slices.IndexFunc(items, func(m *fyne.MenuItem) bool { return m.Label == label })
		if at < 0 {
			w.Fatalf("the tray has no line %q", label)
		}
		if i == len(path)-1 {
			items[at].Action()
			return
		}
		items = items[at].ChildMenu.Items
	}
}

func (w *world) trayHas(label string) func() bool {
	return func() bool {
		return w.menu != nil && slices.ContainsFunc(w.menu.Items, func(m *fyne.MenuItem) bool { return m.Label == label })
	}
}

func TestTrayOpensEverything(t *testing.T) {
	w := start(t, true, nil)
	w.Until("the tray has the projects", w.trayHas("muse"))
	w.wait("Fermata").Close()
	w.click("Open Fermata")
	w.wait("Fermata")
	w.click("muse")
	w.wait("Fermata: muse")
	w.click("Settings…")
	w.wait("Fermata Settings")
	w.click("New draft…", "In clio")
	w.waitFor("Fermata: clio", "draft:title")
	w.click("Quit")
	if w.app.quits != 1 {
		t.Errorf("%d quits", w.app.quits)
	}
}

func specReady(id, project string) pieces.Snapshot {
	return pieces.Snapshot{
		Piece:     pieces.Piece{ID: id, ProjectID: project, Name: "Retry <b>uploads</b>", Phase: pieces.PhaseSpec, Activity: pieces.Idle, Branch: "fermata/x", Worktree: "/w"},
		HistoryID: 1, HistoryAt: time.Now(), Has: []pieces.ArtifactKind{pieces.ArtifactSpec},
	}
}

func (w *world) setPieces(list ...pieces.Snapshot) {
	w.mu.Lock()
	w.list = list
	w.mu.Unlock()
	w.hub.Wake()
}

func TestCueIsShownEverywhereAndOpensItsPiece(t *testing.T) {
	w := start(t, true, func(w *world) { w.list = []pieces.Snapshot{specReady("p", "m")} })
	home := w.waitFor("Fermata", "cue:p")
	w.Until("the tray counts it", w.trayHas("1 decision waits for you"))
	if len(w.app.notified()) != 0 {
		t.Errorf("notified %q of what was there at the start", w.app.notified())
	}
	w.Tap(home, "cue:p")
	w.wait("Fermata: muse")
}

func TestNewCueIsNotifiedOnceUnlessItsWindowIsOpen(t *testing.T) {
	w := start(t, true, nil)
	home := w.waitFor("Fermata", "project:c")
	w.Tap(home, "project:c")
	w.wait("Fermata: clio")
	w.setPieces(specReady("p", "m"), specReady("q", "c"))
	w.Until("it is notified", func() bool { return len(w.app.notified()) > 0 })
	w.setPieces(specReady("p", "m"), specReady("q", "c"), specReady("r", "c"))
	w.Until("the third is shown", func() bool { return stage.Has(home, "cue:r") })
	w.Drain()
	if want := []string{"Spec ready / Retry ‹b›uploads‹/b› (muse)"}; !slices.Equal(w.app.notified(), want) {
		t.Errorf("notified %q, want %q", w.app.notified(), want)
	}
}

func (w *world) ask(project string) <-chan consent.Reply {
	end := make(chan consent.Reply, 1)
	go func() {
		end <- w.desk.Ask(w.Context(), consent.Question{ProjectID: project, Title: pieces.Say("Allow the MCP client to stop agents?"), Body: pieces.Say("An external MCP client wants to stop agents on 'x' (muse)."), Danger: true})
	}()
	return end
}

func TestQuestionOfAClosedProjectIsNotifiedAndAskedWhenItOpens(t *testing.T) {
	w := start(t, true, nil)
	home := w.waitFor("Fermata", "project:m")
	home.Close()
	end := w.ask("m")
	w.Until("it is notified", func() bool { return len(w.app.notified()) > 0 })
	if got := w.app.notified()[0]; !strings.HasSuffix(got, "An external MCP client wants to stop agents on 'x' (muse).") {
		t.Errorf("notified %q", got)
	}
	w.Until("the tray counts it", w.trayHas("1 decision waits for you"))
	w.shell.OpenProject("m")
	muse := w.waitFor("Fermata: muse", "card:allow")
	var place Place
	w.Until("it can be answered", func() bool { p, err := w.shell.Locate("card:allow"); place = p; return err == nil })
	if place.Window != "Fermata: muse" || place.W <= 0 || place.H <= 0 {
		t.Errorf("the button is at %+v", place)
	}
	w.Tap(muse, "card:allow")
	if r := <-end; r.Outcome != consent.Allowed {
		t.Errorf("outcome %v", r.Outcome)
	}
	w.Until("the tray counts it no more", func() bool { return !w.trayHas("1 decision waits for you")() })
}

func TestKeysOfTheWindowDoNothingBelowAQuestion(t *testing.T) {
	w := start(t, true, nil)
	w.wait("Fermata")
	w.shell.OpenProject("m")
	muse := w.waitFor("Fermata: muse", "newDraft")
	end := w.ask("m")
	w.Until("it can be answered", func() bool { _, err := w.shell.Locate("card:deny"); return err == nil })
	newDraft := func() {
		muse.Canvas().(fyne.Shortcutable).TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyN, Modifier: fyne.KeyModifierShortcutDefault})
	}
	newDraft()
	if stage.Has(muse, "draft:title") {
		t.Fatal("Ctrl+N opened the form below the question")
	}
	w.Tap(muse, "card:deny")
	<-end
	newDraft()
	if !stage.Has(muse, "draft:title") {
		t.Error("Ctrl+N opens no form after the answer")
	}
}

func TestQuestionIsNotNotifiedWhenTheSwitchIsOff(t *testing.T) {
	w := start(t, true, func(w *world) { w.values[pieces.KeyNotifyRequired] = "false" })
	home := w.wait("Fermata")
	w.ask("m")
	w.Until("home asks", func() bool { return stage.Has(home, "card:deny") })
	w.Until("it could have been notified", func() bool { _, err := w.shell.Locate("card:deny"); return err == nil })
	if len(w.app.notified()) != 0 {
		t.Errorf("notified %q", w.app.notified())
	}
}

func TestLocateSaysWhatIsNotThereOrTakesNoInput(t *testing.T) {
	w := start(t, true, nil)
	w.waitFor("Fermata", "project:m")
	if p, err := w.shell.Locate("project:m"); err != nil || p.Window != "Fermata" || p.X <= 0 || p.Y <= 0 {
		t.Errorf("the project's row is at %+v, %v", p, err)
	}
	if _, err := w.shell.Locate("nothing"); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("error %v for a name that nothing has", err)
	}
}

func TestLocateScrollsIntoTheWindow(t *testing.T) {
	w := start(t, true, func(w *world) {
		for i := range 60 {
			w.projects = append(w.projects, pieces.Project{ID: fmt.Sprint(i), Name: fmt.Sprint("project ", i)})
		}
	})
	home := w.waitFor("Fermata", "project:59")
	stage.Settle(home)
	p, err := w.shell.Locate("project:59")
	if err != nil || p.Y < 0 || float32(p.Y+p.H) > home.Canvas().Size().Height {
		t.Errorf("the last project is at %+v of a window %v high, %v", p, home.Canvas().Size().Height, err)
	}
}

func TestSettingsCloseWithEsc(t *testing.T) {
	w := start(t, true, nil)
	w.Until("the tray is there", w.trayHas("Settings…"))
	w.click("Settings…")
	o := w.wait("Fermata Settings")
	o.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
	w.Until("Esc closes the settings", func() bool { return w.window("Fermata Settings") == nil })
}

func TestAWindowThatIsOpenedAgainWhileItLeavesStays(t *testing.T) {
	w := start(t, true, nil)
	w.Until("the tray is there", w.trayHas("Settings…"))
	w.click("Settings…")
	o := w.wait("Fermata Settings")
	closed := false
	left := make(chan struct{})
	o.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
	w.click("Settings…")
	time.AfterFunc(300*time.Millisecond, func() { w.Pump.Do(func() { close(left) }) })
	w.Until("the time to leave is over", func() bool {
		select {
		case <-left:
			closed = w.window("Fermata Settings") == nil
			return true
		default:
			return false
		}
	})
	if closed {
		t.Error("it was closed although it was opened again")
	}
}

func TestWindowsAreDrawnAsTheSettingsSay(t *testing.T) {
	w := start(t, true, nil)
	home := w.waitFor("Fermata", "project:m")
	if len(w.worn) != 0 {
		t.Errorf("the windows were drawn anew as %v though nothing had changed", w.worn)
	}
	before := home.Canvas().Size()
	w.mu.Lock()
	w.values[pieces.KeyTheme], w.values[pieces.KeyTextSize] = pieces.ThemeDark, "200"
	w.mu.Unlock()
	w.hub.Wake()
	want := Look{Theme: pieces.ThemeDark, TextSize: 200}
	w.Until("the windows are drawn dark and large", func() bool { return slices.Contains(w.worn, want) })
	const useful = 720
	if after := home.Canvas().Size(); after.Width >= before.Width || after.Width < useful {
		t.Errorf("the window is %v wide, it was %v", after.Width, before.Width)
	}
	// The window's size is remembered as it is at the usual size of text.
	kept := home.Canvas().Size().Width * 2
	home.Close()
	if got := w.App.Preferences().FloatList("window.home"); len(got) != 2 || float32(got[0]) != kept {
		t.Errorf("remembered %v, want a width of %v", got, kept)
	}
}

func TestAWindowThatIsOpenedAnewSpeaksAsTheSettingsSay(t *testing.T) {
	stage.Speak(t, pieces.LanguageEnglish) // and again at the end
	w := start(t, true, nil)
	home := w.waitFor("Fermata", "project:m")
	stage.Translated(t, home, nil, "Projects")
	w.mu.Lock()
	w.values[pieces.KeyLanguage] = pieces.LanguageGerman
	w.mu.Unlock()
	w.hub.Wake()
	w.Until("the look is changed", func() bool {
		return slices.ContainsFunc(w.worn, func(l Look) bool { return l.Language == pieces.LanguageGerman })
	})
	home.Close()
	w.shell.Show()
	home = w.waitFor("Fermata", "project:m")
	stage.Translated(t, home, nil, "Projekte", "Projekt hinzufügen…")
	if quit := w.menu.Items[len(w.menu.Items)-1].Label; quit != "Beenden" {
		t.Errorf("the tray says %q", quit)
	}
}

func TestHiddenStartOpensNoWindowWhereThereIsATray(t *testing.T) {
	for _, tray := range []bool{true, false} {
		w := start(t, tray, func(w *world) { w.hidden = true })
		if !tray {
			w.wait("Fermata")
			continue
		}
		w.Until("the projects are in the tray's menu", func() bool { return w.menu != nil && len(w.menu.Items) > 4 })
		w.Drain()
		if w.window("Fermata") != nil {
			t.Error("a window is open")
		}
	}
}
