package settings_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/signal"
	"fermata/ui/kit"
	. "fermata/ui/settings"
	"fermata/ui/stage"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
)

// world is an engine and a server that remember what they were asked for.
type world struct {
	*testing.T
	*stage.Stage
	w fyne.Window

	engine, plane, booked signal.Hub
	mu                    sync.Mutex
	values                map[string]string
	status                ServerStatus
	registered            bool
	ill                   error
	sentence              string
	asked                 []string
	copied                string
	calls                 []Call
	chain                 Chain
	unbooked              error
	projects              []pieces.Project
	opened                []string // folders and projects
}

func open(t *testing.T, s *stage.Stage, values map[string]string, prepare func(*world)) *world {
	t.Helper()
	w := &world{T: t, Stage: s, values: map[string]string{}}
	for _, row := range pieces.Settings() {
		w.values[row.Key] = row.Default
	}
	maps.Copy(w.values, values)
	if w.values[pieces.KeyMCPEnabled] == "true" {
		w.status = ServerStatus{Wanted: true, Running: true, Port: 8787}
	}
	w.status.TokenPlace = "The token is kept in your keychain."
	if prepare != nil {
		prepare(w)
	}
	set := New(t.Context(), Options{
		Engine: w, Plane: server{w}, Calls: callBook{w}, Pump: s.Pump, Now: func() time.Time { return noon }, Copy: func(text string) { w.copied = text },
		Version: "0.1.0", DataFolder: "/home/ada/.local/share/fermata",
		OpenFolder: func(path string) { w.opened = append(w.opened, path) }, OpenProject: func(id string) { w.opened = append(w.opened, id) },
	})
	w.w = s.Open(set.Content(), 860, 1340)
	w.Until("the settings are shown", func() bool { return w.did("health") && stage.Has(w.w, "set:"+pieces.KeyClaudePath) })
	return w
}

// now changes what the other side is like while the screen reads it.
func (w *world) now(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

func (w *world) illness() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ill
}

func (w *world) ask(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, fmt.Sprintf(format, args...))
}

func (w *world) did(what string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Contains(w.asked, what)
}

func (w *world) waitFor(what string) {
	w.Helper()
	w.Until(what+" was asked for", func() bool { return w.did(what) })
}

func (w *world) Settings(context.Context) (map[string]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.values), nil
}

func (w *world) Projects(context.Context) ([]pieces.Project, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.projects), nil
}

func (w *world) EditProject(_ context.Context, id string, edit engine.ProjectEdit) (pieces.Project, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := slices.IndexFunc(w.projects, func(p pieces.Project) bool { return p.ID == id })
	p := w.projects[at]
	if slices.Contains(edit.AllowCommands, "*") {
		return p, &engine.Refusal{Sentence: pieces.Say("Write how the command begins.")}
	}
	p.AllowedCommands = slices.DeleteFunc(slices.Clone(p.AllowedCommands), func(c string) bool { return slices.Contains(edit.ForgetCommands, c) })
	p.AllowedCommands = append(p.AllowedCommands, edit.AllowCommands...)
	w.projects[at] = p
	w.engine.Wake()
	return p, nil
}

func (w *world) allowed() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.projects[0].AllowedCommands
}

func (w *world) SetSetting(_ context.Context, key, value string) error {
	w.ask("%s=%s", key, value)
	row, _ := pieces.SettingOf(key)
	value, err := row.Check(value)
	if err != nil {
		return &engine.Refusal{Sentence: pieces.Said(err)}
	}
	w.mu.Lock()
	w.values[key] = value
	w.mu.Unlock()
	w.engine.Wake()
	return nil
}

func (w *world) Health(context.Context) (string, pieces.FailureKind, string) {
	w.ask("health")
	w.mu.Lock()
	defer w.mu.Unlock()
	return "2.1.197", pieces.FailureNone, w.sentence
}

func (w *world) Watch() (<-chan struct{}, func()) { return w.engine.Watch() }

type server struct{ w *world }

func (s server) Status() ServerStatus {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.w.status
}

func (s server) Watch() (<-chan struct{}, func()) { return s.w.plane.Watch() }

func (s server) Health(context.Context) (int, error) { return 18, s.w.illness() }

func (s server) Retry(context.Context) error { s.w.ask("retry"); return s.w.illness() }

func (s server) RegenerateToken(context.Context) error { s.w.ask("regenerate"); return nil }

func (s server) Registered(context.Context) (bool, error) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.w.registered, nil
}

func (s server) Register(_ context.Context, replace bool) error {
	s.w.ask("register %v", replace)
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if s.w.registered && !replace {
		return ErrRegistered
	}
	s.w.registered = true
	return nil
}

func (s server) Unregister(context.Context) error { s.w.ask("unregister"); return nil }

func (s server) Instructions() (string, error) { return "claude mcp add fermata", nil }

func (s server) InlineConfig() (string, error) { return `{"mcpServers":{}}`, nil }

func (s server) ClientForms() ([]ClientForm, error) {
	return []ClientForm{
		{Client: "Cursor", Where: "~/.cursor/mcp.json", Text: "{cursor}", Note: "Cursor waits."},
		{Client: "Codex", Where: "~/.codex/config.toml", Text: "[codex]", Note: "Codex waits a week."},
	}, s.w.illness()
}

var edgeOn = map[string]string{pieces.KeyEdgeEnabled: "true", pieces.KeyEdgeControlPlane: "true", pieces.KeyMCPEnabled: "true"}

func (w *world) title(name string) string {
	w.Helper()
	o, found := stage.Find(w.w, name)
	if !found {
		w.Fatalf("there is no %q", name)
	}
	return o.(*kit.Row).Title()
}

// panes says where each setting is changed. What is not in it has no row: see TestEverySettingHasARow.
var panes = map[string][]string{
	General: {
		pieces.KeyTheme, pieces.KeyTextSize, pieces.KeyStartAtLogin, pieces.KeyEditor, pieces.KeyTerminal, pieces.KeyClaudePath,
		pieces.KeyGitHubAPIURL,
	},
	Pieces:      {pieces.KeyAgentsAtOnce, pieces.KeyBudgetUSD, "pieces.autoSplit", "pieces.startSplitPiecesAutomatically", pieces.KeyDependencies},
	Permissions: {pieces.KeyPermissionProfile},
	Notifications: {
		pieces.KeyNotifyRequired, pieces.KeyNotifyReview, pieces.KeyNotifyMerge, pieces.KeyNotifyFailures, pieces.KeyNotifySound,
		pieces.KeyNotifyQuiet,
	},
	MCP:  {pieces.KeyMCPEnabled, pieces.KeyMCPAskBefore, pieces.KeyMCPPreferredPort},
	Edge: {pieces.KeyEdgeEnabled, pieces.KeyEdgeControlPlane},
}

// another is a value that the setting takes and that is not the one it has, and bad one that it does not take.
func another(s pieces.Setting, now string) (value, bad string) {
	switch s.Kind {
	case pieces.SettingBool:
		return map[string]string{"true": "false", "false": "true"}[now], ""
	case pieces.SettingInt:
		return strconv.Itoa(s.Min + 1), strconv.Itoa(s.Min - 1)
	case pieces.SettingMoney:
		return "12.5", "much"
	case pieces.SettingChoice:
		for _, c := range s.Choices {
			if c != now {
				return c, ""
			}
		}
	case pieces.SettingHours:
		return "22:00-07:00", "night"
	case pieces.SettingAddress:
		return "https://github.example/api/v3", "github.example"
	case pieces.SettingText:
	}
	return "/opt/other", strings.Repeat("long", 1025)
}

// TestEverySettingOfAPaneIsWrittenAtOnceAndReadBack changes each setting by its row; a value that does not fit is refused
// with its sentence, is not stored, and stays in the field.
func TestEverySettingOfAPaneIsWrittenAtOnceAndReadBack(t *testing.T) {
	for pane, keys := range panes {
		for _, step := range pieces.Steps() {
			if pane == Pieces {
				keys = append(keys, pieces.ModelKey(step), pieces.EffortKey(step))
			}
		}
		for _, key := range keys {
			t.Run(key, func(t *testing.T) {
				w := open(t, stage.New(t), edgeOn, nil)
				w.Tap(w.w, "pane:"+pane)
				w.changes(key)
			})
		}
	}
}

// changes writes another value with the row of a setting, and one that does not fit before it.
func (w *world) changes(key string) {
	w.Helper()
	s, _ := pieces.SettingOf(key)
	value, bad := another(s, w.stored(key))
	o, found := stage.Find(w.w, "set:"+key)
	if !found {
		w.Fatalf("the pane has no row for %s", key)
	}
	if bad != "" {
		w.Type(w.w, "set:"+key, "")
		o.(interface{ SetText(string) }).SetText(bad) // typing a long text letter by letter takes long
		stage.Press(w.w, fyne.KeyReturn)
		_, why := s.Check(bad)
		w.Until("the refusal is shown", func() bool { return shows(w.w, why.Error()) })
		if got := o.(interface{ Written() string }).Written(); got != bad {
			w.Errorf("the field holds %q, want what was typed", got)
		}
		if got := w.stored(key); got == bad {
			w.Error("the refused value is stored")
		}
	}
	read := func() string { return o.(interface{ Written() string }).Written() }
	switch s.Kind {
	case pieces.SettingBool:
		w.Tap(w.w, "set:"+key)
		read = func() string { return strconv.FormatBool(o.(*kit.Check).Checked) }
	case pieces.SettingChoice:
		choose := o.(*kit.Select)
		choose.SetSelectedIndex(slices.Index(s.Choices, value))
		read = func() string { return s.Choices[choose.SelectedIndex()] }
	default:
		w.Type(w.w, "set:"+key, value)
		stage.Press(w.w, fyne.KeyReturn)
	}
	w.Until(key+" is stored", func() bool { return w.stored(key) == value })
	w.Until(key+" is read back", func() bool { return read() == value })
	// What somebody else changes is shown too.
	if s.Kind == pieces.SettingText {
		if err := w.SetSetting(w.Context(), key, "/usr/bin/elsewhere"); err != nil {
			w.Fatal(err)
		}
		w.Until("the other value is shown", func() bool { return read() == "/usr/bin/elsewhere" })
	}
}

func (w *world) stored(key string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.values[key]
}

// TestEverySettingHasARow fails when a setting is added that no pane shows.
func TestEverySettingHasARow(t *testing.T) {
	w := open(t, stage.New(t), edgeOn, nil)
	// These have no row: what the app notes for itself, and what nothing follows from yet.
	rows := map[string]bool{
		pieces.KeyWelcomeDone: true, pieces.KeyEdgeCodeReview: true, "edge.echoes": true, "edge.loopIntake": true, "linear.apiUrl": true,
	}
	for _, pane := range []string{General, Pieces, Permissions, Notifications, MCP, Edge} {
		w.Tap(w.w, "pane:"+pane)
		for _, s := range pieces.Settings() {
			rows[s.Key] = rows[s.Key] || stage.Has(w.w, "set:"+s.Key)
		}
	}
	for _, s := range pieces.Settings() {
		if !rows[s.Key] {
			t.Errorf("no pane has a row for %s", s.Key)
		}
		if s.Sentence == "" {
			t.Errorf("%s has no sentence", s.Key)
		}
	}
}

func TestWhatAProjectAllowsIsChanged(t *testing.T) {
	w := open(t, stage.New(t), nil, func(w *world) {
		w.projects = []pieces.Project{{ID: "m", Name: "muse", AllowedCommands: []string{"go test", "Bash(make)"}}, {ID: "c", Name: "clio"}}
	})
	w.Tap(w.w, "pane:"+Permissions)
	w.Until("the commands are listed", func() bool { return stage.Has(w.w, "forget:m:1") })
	w.Tap(w.w, "forget:m:0")
	w.Until("it is forgotten", func() bool { return slices.Equal(w.allowed(), []string{"Bash(make)"}) && !stage.Has(w.w, "forget:m:1") })
	w.Type(w.w, "allow:m", "*")
	w.Tap(w.w, "allow:add:m")
	w.Until("it is refused", func() bool { return shows(w.w, "Write how the command begins.") })
	if o, _ := stage.Find(w.w, "allow:m"); o.(*kit.Entry).Text != "*" {
		t.Error("what was typed is gone")
	}
	w.Type(w.w, "allow:m", "npm run lint")
	stage.Press(w.w, fyne.KeyReturn)
	w.Until("it is allowed", func() bool { return slices.Equal(w.allowed(), []string{"Bash(make)", "npm run lint"}) })
	w.Until("the field is empty", func() bool { o, _ := stage.Find(w.w, "allow:m"); return o.(*kit.Entry).Text == "" })
}

func TestFolderAndProjectsOpen(t *testing.T) {
	w := open(t, stage.New(t), nil, func(w *world) { w.projects = []pieces.Project{{ID: "m", Name: "muse", SetupScript: "npm ci"}} })
	w.Tap(w.w, "general:openDataFolder")
	w.Tap(w.w, "pane:"+Pieces)
	w.Until("the project is listed", func() bool { return stage.Has(w.w, "worktrees:open:m") })
	w.w.Resize(fyne.NewSize(800, 1600)) // the row is far down
	w.Tap(w.w, "worktrees:open:m")
	if !slices.Equal(w.opened, []string{"/home/ada/.local/share/fermata", "m"}) {
		t.Errorf("opened %q", w.opened)
	}
}

func TestTextIsWrittenWhenTheFocusLeavesAndNotBefore(t *testing.T) {
	w := open(t, stage.New(t), nil, nil)
	w.Type(w.w, "set:claude.path", "/opt/claude")
	if w.did("claude.path=/opt/claude") {
		t.Fatal("written while it is typed")
	}
	w.w.Canvas().Unfocus()
	w.waitFor("claude.path=/opt/claude")
}

func TestRefusedValueSaysWhyAndEscBringsTheStoredOneBack(t *testing.T) {
	w := open(t, stage.New(t), edgeOn, nil)
	w.Tap(w.w, "pane:"+MCP)
	w.Type(w.w, "set:mcp.preferredPort", "80")
	stage.Press(w.w, fyne.KeyReturn)
	o, _ := stage.Find(w.w, "set:mcp.preferredPort")
	refused := func() bool { return shows(w.w, `mcp.preferredPort takes a whole number from 1024 to 65535, not "80"`) }
	w.Until("the reason is shown", refused)
	e := o.(interface{ TypedKey(*fyne.KeyEvent) })
	e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if refused() {
		t.Error("the reason stays after Esc")
	}
	if got := w.values[pieces.KeyMCPPreferredPort]; got != "8787" {
		t.Errorf("port %s is stored", got)
	}
}

func TestMCPPaneIsThereOnlyWhileBothSwitchesAreOn(t *testing.T) {
	w := open(t, stage.New(t), nil, nil)
	if stage.Has(w.w, "pane:MCP") {
		t.Fatal("the pane is there while both are off")
	}
	w.Tap(w.w, "pane:"+Edge)
	w.Tap(w.w, "set:edge.enabled")
	w.waitFor("edge.enabled=true")
	if stage.Has(w.w, "pane:MCP") {
		t.Fatal("the pane is there while the control plane is off")
	}
	w.Tap(w.w, "set:edge.controlPlane")
	w.Until("the pane is there", func() bool { return stage.Has(w.w, "pane:MCP") })
	w.Tap(w.w, "pane:"+MCP)
	if err := w.SetSetting(t.Context(), pieces.KeyEdgeEnabled, "false"); err != nil {
		t.Fatal(err)
	}
	w.Until("the pane is gone", func() bool { return !stage.Has(w.w, "pane:MCP") && !stage.Has(w.w, "mcp:status") })
}

func TestAPaneTurnsLightThoughAnotherIsShown(t *testing.T) {
	draw := func(t *testing.T, pane string, first fyne.ThemeVariant) image.Image {
		t.Helper()
		s := stage.New(t, first)
		w := open(t, s, nil, nil)
		w.Tap(w.w, "pane:"+Permissions)
		profile, _ := stage.Find(w.w, "set:"+pieces.KeyPermissionProfile)
		w.Until("the values are shown", func() bool { return profile.(*kit.Select).Selected == string(pieces.ProfileStandard) })
		w.Tap(w.w, "pane:"+General)
		s.Wear(theme.VariantLight)
		w.Tap(w.w, "pane:"+pane)
		stage.Settle(w.w)
		return stage.Picture(w.w)
	}
	for _, pane := range []string{Pieces, Permissions, Notifications, Edge} {
		t.Run(pane, func(t *testing.T) {
			if !reflect.DeepEqual(draw(t, pane, theme.VariantLight), draw(t, pane, theme.VariantDark)) {
				t.Error("a part of the pane is drawn in the theme of before")
			}
		})
	}
}

func TestServerIsShownAsItStands(t *testing.T) {
	w := open(t, stage.New(t), edgeOn, nil)
	w.Tap(w.w, "pane:"+MCP)
	w.Until("it answers", func() bool { return w.title("mcp:health") == "Answering (18 tools)" })
	if got := w.title("mcp:status"); got != "Running on 127.0.0.1" {
		t.Errorf("status %q", got)
	}
	w.mu.Lock()
	w.status = ServerStatus{Wanted: true, Problem: "The server could not start: no port is free"}
	w.mu.Unlock()
	w.plane.Wake()
	w.Until("it does not run", func() bool { return w.title("mcp:status") == "Not running" })
	if b, _ := stage.Find(w.w, "mcp:register"); !b.(*kit.Button).Disabled() {
		t.Error("a server that does not run can be registered")
	}
}

func TestServerThatDoesNotAnswerSaysSo(t *testing.T) {
	w := open(t, stage.New(t), edgeOn, func(w *world) { w.ill = errors.New("connection refused") })
	w.Tap(w.w, "pane:"+MCP)
	w.Until("it does not answer", func() bool { return w.title("mcp:health") == "Not answering" })
	w.Tap(w.w, "mcp:retry")
	w.waitFor("retry")
	w.Until("the problem is shown", func() bool { return shows(w.w, "connection refused") })
}

func TestRegisterAsksBeforeItReplaces(t *testing.T) {
	w := open(t, stage.New(t), edgeOn, func(w *world) { w.registered = true })
	w.Tap(w.w, "pane:"+MCP)
	w.Until("it can be registered", func() bool {
		b, found := stage.Find(w.w, "mcp:register")
		return found && !b.(*kit.Button).Disabled()
	})
	w.Tap(w.w, "mcp:register")
	w.Until("it asks", func() bool { return stage.Has(w.w, "confirm:ok") })
	if !shows(w.w, "Replace the Fermata entry in Claude Code?") {
		t.Error("the question is another")
	}
	w.Tap(w.w, "confirm:cancel")
	if w.did("register true") {
		t.Fatal("Cancel replaced the entry")
	}
	w.Tap(w.w, "mcp:register")
	w.Until("it asks", func() bool { return stage.Has(w.w, "confirm:ok") })
	w.Tap(w.w, "confirm:ok")
	w.waitFor("register true")
}

func TestEveryButtonOfTheServerDoesWhatItSays(t *testing.T) {
	w := open(t, stage.New(t), edgeOn, nil)
	w.Tap(w.w, "pane:"+MCP)
	w.Until("it runs", func() bool { return w.title("mcp:status") == "Running on 127.0.0.1" })
	w.Tap(w.w, "mcp:copyInstructions")
	w.Until("it is copied", func() bool { return w.copied == "claude mcp add fermata" })
	w.Tap(w.w, "mcp:copyInline")
	w.Until("it is copied", func() bool { return w.copied == `{"mcpServers":{}}` })
	if !shows(w.w, "The inline config was copied.") {
		t.Error("nothing says that it was copied")
	}
	w.Keep(w.w, "settings-copied")
	w.Tap(w.w, "mcp:register")
	w.waitFor("register false")
	w.Tap(w.w, "mcp:unregister")
	w.waitFor("unregister")
	w.Tap(w.w, "mcp:retry")
	w.waitFor("retry")
	w.Tap(w.w, "mcp:regenerate")
	if !shows(w.w, "Regenerate the MCP token?") || w.did("regenerate") {
		t.Error("the token is regenerated without the question")
	}
	w.Tap(w.w, "confirm:ok")
	w.waitFor("regenerate")
}

func TestTheFormOfEachOtherClientCanBeCopied(t *testing.T) {
	w := open(t, stage.New(t), edgeOn, nil)
	w.Tap(w.w, "pane:"+MCP)
	w.Until("it runs", func() bool { return w.title("mcp:status") == "Running on 127.0.0.1" })
	for i, want := range []struct{ text, said string }{
		{"{cursor}", "The form for Cursor was copied. It goes into ~/.cursor/mcp.json. Cursor waits."},
		{"[codex]", "The form for Codex was copied. It goes into ~/.codex/config.toml. Codex waits a week."},
	} {
		w.Tap(w.w, "mcp:copyOther")
		w.Until("the clients are listed", func() bool { return w.w.Canvas().Overlays().Top() != nil })
		if i == 0 {
			w.Keep(w.w, "settings-clients")
		}
		for range i + 1 {
			stage.Press(w.w, fyne.KeyDown)
		}
		stage.Press(w.w, fyne.KeyReturn)
		if w.copied != want.text || !shows(w.w, want.said) {
			t.Errorf("copied %q, and does not say %q", w.copied, want.said)
		}
	}
	w.now(func() { w.ill = errors.New("the server is off") })
	w.Tap(w.w, "mcp:copyOther")
	w.Until("it says why not", func() bool { return shows(w.w, "the server is off") })
}

func TestClaudeCodeThatCannotRunShowsTheCommandThatMendsIt(t *testing.T) {
	w := open(t, stage.New(t), nil, func(w *world) {
		w.sentence = "Claude Code is not logged in: run `claude /login`, then start again."
	})
	w.Until("the command is there", func() bool { return stage.Has(w.w, "claude:mend") })
	o, _ := stage.Find(w.w, "claude:mend")
	if got := o.(*kit.Copyable).Shown(); got != "claude /login" {
		t.Errorf("command %q", got)
	}
	w.now(func() { w.sentence = "" })
	w.Tap(w.w, "claude:check")
	w.Until("it is well again", func() bool { return !stage.Has(w.w, "claude:mend") })
}

// shows says whether a text stands somewhere in a window.
func shows(w fyne.Window, text string) bool {
	root := w.Content()
	if top := w.Canvas().Overlays().Top(); top != nil {
		root = top
	}
	return shownIn(root, text)
}

func shownIn(o fyne.CanvasObject, text string) bool {
	if o == nil || !o.Visible() {
		return false
	}
	if p, ok := o.(interface{ Text() string }); ok && p.Text() == text {
		return true
	}
	var below []fyne.CanvasObject
	switch o := o.(type) {
	case *fyne.Container:
		below = o.Objects
	case interface{ Children() []fyne.CanvasObject }:
		below = o.Children()
	case *container.Scroll:
		below = []fyne.CanvasObject{o.Content}
	}
	return slices.ContainsFunc(below, func(c fyne.CanvasObject) bool { return shownIn(c, text) })
}

func TestSettingsPictures(t *testing.T) { stage.Both(t, pictures) }

func TestTheSettingsSayNothingThatNoCatalogueHas(t *testing.T) {
	stage.Marked(t, pictures, "muse", "clio", "Fermata 0.1.0", "/home/ada/.local/share/fermata", pieces.ProfileSafe, pieces.ProfileStandard, pieces.ProfileTrusted,
		"go test", "Bash(make)", "npm test", "A project with a name that goes on for longer than a row, number 0",
		"Bash(npm run task-0 --workspace packages/a-package-with-a-long-name:*)")
}

func pictures(t *testing.T, word string, s *stage.Stage) {
	t.Helper()
	w := open(t, s, edgeOn, func(w *world) {
		w.projects = []pieces.Project{{ID: "m", Name: "muse", AllowedCommands: []string{"go test", "Bash(make)"}, SetupScript: "npm ci"}, {ID: "c", Name: "clio"}}
	})
	w.Until("it is well", func() bool { o, _ := stage.Find(w.w, "claude:check"); return !o.(*kit.Button).Disabled() })
	for _, pane := range []string{General, Pieces, Permissions, Notifications, Edge, MCP} {
		w.Tap(w.w, "pane:"+pane)
		w.Drain()
		w.Keep(w.w, "settings-"+pane+"-"+word)
	}
	w.Tap(w.w, "mcp:regenerate")
	w.Keep(w.w, "settings-confirm-"+word)
	stage.Press(w.w, fyne.KeyEscape)
	w.w.Resize(fyne.NewSize(720, 480))
	for _, pane := range []string{General, Pieces, Permissions, Notifications, Edge, MCP} {
		w.Tap(w.w, "pane:"+pane)
		w.Drain()
		w.Keep(w.w, "settings-"+pane+"-small-"+word)
	}
	w = open(t, s, map[string]string{}, func(w *world) {
		w.ill = errors.New("Claude Code is not installed, or not on the PATH of this session.")
	})
	w.Until("the health is told", func() bool { o, _ := stage.Find(w.w, "claude:check"); return !o.(*kit.Button).Disabled() })
	for _, pane := range []string{General, Pieces, Permissions, Edge} {
		w.Tap(w.w, "pane:"+pane)
		w.Drain()
		w.Keep(w.w, "settings-"+pane+"-empty-"+word)
	}
	w = open(t, s, edgeOn, func(w *world) {
		for i := range 12 {
			p := pieces.Project{ID: fmt.Sprint("p", i), Name: fmt.Sprintf("A project with a name that goes on for longer than a row, number %d", i), SetupScript: "npm ci"}
			for n := range 6 {
				p.AllowedCommands = append(p.AllowedCommands, fmt.Sprintf("Bash(npm run task-%d --workspace packages/a-package-with-a-long-name:*)", n))
			}
			w.projects = append(w.projects, p)
		}
	})
	for _, pane := range []string{Pieces, Permissions} {
		w.Tap(w.w, "pane:"+pane)
		w.Drain()
		w.Keep(w.w, "settings-"+pane+"-crowded-"+word)
	}
}

func TestTheSettingsSpeakGerman(t *testing.T) {
	stage.Speak(t, pieces.LanguageGerman)
	w := open(t, stage.New(t), edgeOn, nil)
	w.Until("it is well", func() bool { o, _ := stage.Find(w.w, "claude:check"); return !o.(*kit.Button).Disabled() })
	for pane, want := range map[string][]string{
		General: {"Darstellung", "Sprache", "Erneut prüfen", "Wie der Desktop"}, Pieces: {"Agenten zugleich", "Prüfung"},
		Permissions: {"Rechteprofil"}, Notifications: {"Ruhezeiten"}, Edge: {"MCP-Steuerung"}, MCP: {"Bevorzugter Port", "Eintragen"},
	} {
		w.Tap(w.w, "pane:"+pane)
		w.Drain()
		stage.Translated(t, w.w, nil, want...)
	}
	w.Tap(w.w, "pane:"+MCP)
	w.Drain()
	w.Tap(w.w, "mcp:regenerate")
	stage.Translated(t, w.w, nil, "Das MCP-Token erneuern?", "Abbrechen")
}
