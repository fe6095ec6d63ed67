// Package tray draws what waits and what runs into the desktop's tray.
package tray

import (
	"fmt"
	"reflect"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/systray"

	"fermata/assets"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// Host is the desktop's tray. Its methods are called on the main goroutine.
type Host interface {
	SetMenu(*fyne.Menu)
	SetIcon(fyne.Resource)
	SetTooltip(string)
	// Present says whether the desktop shows the tray now.
	Present() bool
}

// CuesShown is how many cues the menu lists.
const CuesShown = 5

// Cue is a cue's line of the menu.
type Cue struct {
	Target       engine.Target
	ProjectID    string
	Title, Label string
}

// Project is one line of the menu.
type Project struct {
	ID        string
	Name      string
	Cues      int // decisions that wait in it
	LoopPlays bool
}

// Model is what the tray shows.
type Model struct {
	Running  int    // pieces at which something works
	Line     string // what runs, such as "2 running in muse"; empty when nothing does
	Waiting  int    // cues and questions that wait for the person
	Cues     []Cue  // the first of them, at most CuesShown
	Projects []Project
	Dark     bool // the panel is dark
}

// Actions is what the tray's lines do. They are called on the main goroutine.
type Actions struct {
	Show        func()
	Cues        func() // shows or hides the popover
	OpenCue     func(t engine.Target, projectID string)
	PlayLoop    func(projectID string, play bool)
	OpenProject func(id string)
	NewDraft    func(projectID string)
	Settings    func()
	Quit        func()
}

// Options is what a Tray is made of.
type Options struct {
	Host    Host
	Actions Actions
	// OnMain queues a function for the main goroutine.
	OnMain func(func())
	// OnTapped tells the desktop what a left click does. It is called from a goroutine of the desktop's, so what it is
	// given only queues. Fyne's systray when nil.
	OnTapped func(func())
}

// Tray is touched on the main goroutine only.
type Tray struct {
	Options
	menu  *fyne.Menu
	shown *Model // nil before the first
}

// New makes a tray that shows nothing until Show.
func New(o Options) *Tray {
	if o.OnTapped == nil {
		o.OnTapped = systray.SetOnTapped
	}
	t := &Tray{Options: o, menu: fyne.NewMenu("Fermata")}
	// Fyne's own way to open a window from the tray touches it off the main goroutine.
	o.OnTapped(func() { o.OnMain(o.Actions.Cues) })
	return t
}

// Show draws the tray anew, unless nothing in it changed: each drawing gives the menu's lines new ids, and a click that
// is under way would miss.
func (t *Tray) Show(m Model) {
	m.Projects, m.Cues = slices.Clone(m.Projects), slices.Clone(m.Cues)
	if t.shown != nil && reflect.DeepEqual(*t.shown, m) {
		return
	}
	before := t.shown
	t.shown = &m
	state := assets.TrayIdle
	if m.Running > 0 {
		state = assets.TrayWorking
	}
	if before == nil || before.Waiting != m.Waiting || (before.Running > 0) != (m.Running > 0) || before.Dark != m.Dark {
		t.Host.SetIcon(fyne.NewStaticResource(assets.TrayName(state, m.Waiting, m.Dark), assets.Tray(state, m.Waiting, m.Dark)))
	}
	if tip := tooltip(m); before == nil || tooltip(*before) != tip {
		t.Host.SetTooltip(tip)
	}
	// It is always the same menu: the desktop takes the first one it was given once more when the tray is ready.
	t.menu.Items = t.items(m)
	t.Host.SetMenu(t.menu)
}

// Again draws what is shown once more, in the language that is spoken now.
func (t *Tray) Again() {
	if m := t.shown; m != nil {
		t.shown = nil
		t.Show(*m)
	}
}

func (t *Tray) items(m Model) []*fyne.MenuItem {
	items := []*fyne.MenuItem{line(phrase.Of("Open Fermata"), t.Actions.Show), off(running(m))}
	if m.Waiting > 0 {
		items = append(items, fyne.NewMenuItemSeparator(), line(waiting(m.Waiting), t.Actions.Cues))
	}
	for _, c := range m.Cues {
		label := phrase.Of(c.Label) + ": " + kit.MiddleCut(kit.Plain(c.Title), nameLong)
		items = append(items, line(label, func() { t.Actions.OpenCue(c.Target, c.ProjectID) }))
	}
	items = append(items, fyne.NewMenuItemSeparator())
	for _, p := range m.Projects {
		label := kit.MiddleCut(kit.Plain(p.Name), nameLong)
		if p.Cues > 0 {
			label = fmt.Sprintf("%s (%d)", label, p.Cues)
		}
		items = append(items, line(label, func() { t.Actions.OpenProject(p.ID) }))
	}
	if len(m.Projects) > 0 {
		items = append(items, fyne.NewMenuItemSeparator(), t.newDraft(m.Projects), t.loops(m.Projects))
	}
	quit := line(phrase.Of("Quit"), t.Actions.Quit)
	quit.IsQuit = true
	return append(items, line(phrase.Of("Settings…"), t.Actions.Settings), fyne.NewMenuItemSeparator(), quit)
}

// nameLong is how much of a project's name the menu shows, in characters.
const nameLong = 40

// newDraft asks for the project where there is more than one.
func (t *Tray) newDraft(projects []Project) *fyne.MenuItem {
	label := phrase.Of("New draft…")
	if len(projects) == 1 {
		return line(label, func() { t.Actions.NewDraft(projects[0].ID) })
	}
	item := fyne.NewMenuItem(label, nil)
	item.ChildMenu = fyne.NewMenu(label)
	for _, p := range projects {
		item.ChildMenu.Items = append(item.ChildMenu.Items, line(phrase.F("In %s", kit.MiddleCut(kit.Plain(p.Name), nameLong)), func() { t.Actions.NewDraft(p.ID) }))
	}
	return item
}

func line(label string, do func()) *fyne.MenuItem { return fyne.NewMenuItem(label, do) }

func off(label string) *fyne.MenuItem {
	item := fyne.NewMenuItem(label, nil)
	item.Disabled = true
	return item
}

// loops plays or pauses the Loop of each project.
func (t *Tray) loops(projects []Project) *fyne.MenuItem {
	turn := func(p Project, one bool) *fyne.MenuItem {
		word := phrase.Of(map[bool]string{true: "Pause the Loop", false: "Play the Loop"}[p.LoopPlays])
		if !one {
			of := map[bool]string{true: "Pause the Loop of %s", false: "Play the Loop of %s"}[p.LoopPlays]
			word = phrase.F(of, kit.MiddleCut(kit.Plain(p.Name), nameLong))
		}
		return line(word, func() { t.Actions.PlayLoop(p.ID, !p.LoopPlays) })
	}
	if len(projects) == 1 {
		return turn(projects[0], true)
	}
	item := fyne.NewMenuItem(phrase.Of("Loop"), nil)
	item.ChildMenu = fyne.NewMenu("Loop")
	for _, p := range projects {
		item.ChildMenu.Items = append(item.ChildMenu.Items, turn(p, false))
	}
	return item
}

const nothingRuns = "Nothing runs"

func running(m Model) string {
	if m.Line == "" {
		return phrase.Of(nothingRuns)
	}
	return kit.Plain(m.Line)
}

// tooltip is what the icon says when the pointer rests on it.
func tooltip(m Model) string {
	words := "Fermata: " + running(m)
	if m.Waiting > 0 {
		words += ", " + waiting(m.Waiting)
	}
	return words
}

func waiting(n int) string {
	return phrase.N(n, "1 decision waits for you", "%d decisions wait for you")
}
