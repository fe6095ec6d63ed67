// Package settings shows every setting in panes and writes each change at once.
package settings

import (
	"context"
	"errors"
	"image/color"
	"maps"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/kit/sheet"
	"fermata/ui/phrase"
	"fermata/ui/pump"
)

// Title is the title of the settings' window.
const Title = "Fermata Settings"

// The panes, in the order in which they are listed.
const (
	General       = "General"
	Pieces        = "Pieces"
	Permissions   = "Permissions"
	MCP           = "MCP"
	Notifications = "Notifications"
	Edge          = "Edge"
)

// Engine keeps the settings, and the projects with theirs.
type Engine interface {
	Projects(context.Context) ([]pieces.Project, error)
	EditProject(ctx context.Context, id string, edit engine.ProjectEdit) (pieces.Project, error)
	Settings(context.Context) (map[string]string, error)
	SetSetting(ctx context.Context, key, value string) error
	Health(context.Context) (version string, kind pieces.FailureKind, sentence string)
	Watch() (<-chan struct{}, func())
}

// Options is what the settings are made of. All fields are needed.
type Options struct {
	Engine     Engine
	Plane      ControlPlane
	Calls      CallBook
	Pump       *pump.Pump
	Now        func() time.Time
	Copy       func(string) // to the clipboard
	Version    string
	DataFolder string
	// OpenFolder shows a folder in the desktop's file manager, OpenProject a project's window.
	OpenFolder, OpenProject func(string)
}

// Settings is the content of the settings' window. It is touched on the main goroutine only.
type Settings struct {
	Options
	ctx    context.Context // the window's life
	form   *form
	values map[string]string

	panes   map[string]fyne.CanvasObject
	rows    map[string]*kit.Press
	open    string
	scroll  *container.Scroll
	problem *kit.ErrorBar
	layer   *sheet.Layer
	content fyne.CanvasObject
	general *general
	plane   *plane

	projects *projects
}

// New makes the settings and follows the engine until the context ends.
func New(ctx context.Context, o Options) *Settings {
	s := &Settings{Options: o, ctx: ctx, layer: sheet.NewLayer(), panes: map[string]fyne.CanvasObject{}, rows: map[string]*kit.Press{}}
	s.form = &form{write: s.write}
	s.problem = kit.NewErrorBar("settings:problem", kit.Problem{})
	s.problem.Hide()
	s.general, s.plane, s.projects = newGeneral(s), newPlane(s), newProjects(s)
	s.panes[General] = s.general.body
	s.panes[Pieces] = piecesPane(s)
	s.panes[Permissions] = permissionsPane(s)
	s.panes[MCP] = s.plane.body
	s.panes[Notifications] = notificationsPane(s.form)
	s.panes[Edge] = edgePane(s.form)
	s.build()
	s.Open(General)
	s.follow()
	return s
}

// Content is what the window shows.
func (s *Settings) Content() fyne.CanvasObject { return s.content }

func (s *Settings) build() {
	list := kit.Column(0)
	for _, name := range []string{General, Pieces, Permissions, MCP, Notifications, Edge} {
		row := kit.NewPress("pane:"+name, kit.NewRow(nil, phrase.Of(name), "", nil), func() { s.Open(name) })
		s.rows[name] = row
		list.Add(row)
	}
	s.rows[MCP].Hide()
	const listWide = 160
	room := canvas.NewRectangle(color.Transparent)
	room.SetMinSize(fyne.NewSize(listWide, 0))
	side := container.NewBorder(nil, nil, nil, kit.Divider(), container.NewStack(room, kit.Pad(kit.Together, list)))
	shown := container.NewStack(slices.Collect(maps.Values(s.panes))...)
	s.scroll = container.NewVScroll(kit.Pad(kit.Pane, kit.Readable(kit.Column(kit.Groups, s.problem, shown))))
	s.content = container.NewStack(kit.Border(nil, nil, side, nil, kit.Border(nil, s.plane.foot, nil, nil, s.scroll)), s.layer)
}

// Open shows a pane.
func (s *Settings) Open(name string) {
	if s.panes[name] == nil {
		return
	}
	s.open = name
	for other, row := range s.rows {
		row.SetSelected(other == name)
	}
	// The others stay in the window, where a change of theme reaches them.
	for other, pane := range s.panes {
		if other == name {
			pane.Show()
		} else {
			pane.Hide()
		}
	}
	s.plane.foot.Hide()
	s.content.Refresh()
	s.scroll.ScrollToTop()
}

func (s *Settings) follow() {
	wake, stop := s.Engine.Watch()
	context.AfterFunc(s.ctx, stop)
	pump.Follow(s.ctx, s.Pump, wake, s.read, s.show, s.fail)
	s.plane.follow()
}

// stored is what the panes show.
type stored struct {
	values   map[string]string
	projects []pieces.Project
}

func (s *Settings) read(ctx context.Context) (now stored, err error) {
	if now.values, err = s.Engine.Settings(ctx); err != nil {
		return now, err
	}
	now.projects, err = s.Engine.Projects(ctx)
	return now, err
}

// show draws what was read. The engine wakes for every word of an agent, so what is the same is not drawn again.
func (s *Settings) show(now stored) {
	s.problem.Hide()
	s.projects.show(now.projects)
	if !maps.Equal(now.values, s.values) {
		s.draw(now.values)
	}
}

func (s *Settings) draw(values map[string]string) {
	s.values = values
	s.form.show(values)
	s.general.showPath(values[pieces.KeyClaudePath])
	s.rows[MCP].Hidden = !on(values, pieces.KeyEdgeEnabled) || !on(values, pieces.KeyEdgeControlPlane)
	if s.rows[MCP].Hidden && s.open == MCP {
		s.Open(Edge)
	}
	s.content.Refresh()
}

func on(values map[string]string, key string) bool { return values[key] == "true" }

func (s *Settings) fail(err error) {
	s.problem.Set(kit.Problem{What: "The settings could not be read.", Safe: "Nothing was changed.", Details: err.Error()})
	s.problem.Show()
}

// write stores one setting and shows what is stored then; refused is called with the reason when it was not taken, and
// with nothing when it was.
func (s *Settings) write(key, value string, refused func(reason string)) {
	now := s.values
	s.Pump.Go(s.ctx, func(ctx context.Context) error {
		if err := s.Engine.SetSetting(ctx, key, value); err != nil {
			return err
		}
		var err error
		now, err = s.Engine.Settings(ctx)
		return err
	}, func(err error) {
		refused(reason(err))
		if err != nil {
			now = s.values
		}
		s.draw(now)
	})
}

// reason says why something was not done, as a sentence.
func reason(err error) string {
	if err == nil {
		return ""
	}
	if refusal := (*engine.Refusal)(nil); errors.As(err, &refusal) {
		return phrase.Err(err)
	}
	return phrase.Of("This could not be saved: ") + phrase.Err(err)
}
