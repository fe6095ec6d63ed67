package settings

import (
	"context"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// claude is how Claude Code stands.
type claude struct {
	version  string
	sentence string // why it cannot run; empty when it can
}

// general is the pane of everything that belongs to no other.
type general struct {
	s     *Settings
	body  fyne.CanvasObject
	state *kit.StateDot
	row   *kit.Row
	words *kit.Paragraph
	mend  *kit.Copyable
	check *kit.Button
	path  string // the path that the health was asked for
	asked bool
}

func newGeneral(s *Settings) *general {
	g := &general{
		s: s, state: kit.NewStateDot(kit.StateIdle, ""), words: kit.NewParagraph("").In(kit.ColorFailed),
		mend: kit.NewCopyable("claude:mend", ""),
	}
	g.row = kit.NewRow(g.state, phrase.Of("Asking Claude Code …"), "", nil)
	g.row.SetName("claude:health")
	g.check = kit.NewButton("claude:check", "Check again", kit.Normal, func() { g.ask(g.path) })
	g.words.Hide()
	g.mend.Hide()
	g.body = kit.Column(kit.Groups,
		kit.Heading(phrase.Of(General)),
		card("Claude Code", kit.Column(kit.Together, flush(g.row), g.words, g.mend), s.form.row(pieces.KeyClaudePath, "Path of the claude command"), container.NewHBox(g.check)),
		card("Appearance", s.form.row(pieces.KeyTheme, "Theme"), s.form.row(pieces.KeyTextSize, "Text size"), s.form.row(pieces.KeyLanguage, "Language")),
		card("Start", s.form.row(pieces.KeyStartAtLogin, "Start at login")),
		card("Open worktrees in", s.form.row(pieces.KeyEditor, "Editor"), s.form.row(pieces.KeyTerminal, "Terminal")),
		card("GitHub", s.form.row(pieces.KeyGitHubAPIURL, "Address of the API")),
		card("About",
			kit.Body("Fermata "+s.Version),
			kit.Column(kit.Step, kit.Caption(phrase.Of("Data folder")).In(kit.ColorText).Strong(), kit.NewCopyable("general:dataFolder", s.DataFolder),
				kit.NewNote(phrase.Of("All that Fermata keeps is here: the database, the worktrees, the log and the book of calls"))),
			container.NewHBox(kit.NewButton("general:openDataFolder", "Open folder", kit.Normal, func() { s.OpenFolder(s.DataFolder) })),
		),
	)
	return g
}

// showPath asks how Claude Code stands, at first and whenever its path was changed.
func (g *general) showPath(path string) {
	if !g.asked || path != g.path {
		g.ask(path)
	}
}

func (g *general) ask(path string) {
	g.asked, g.path = true, path
	var found claude
	g.check.DisableFor("asking Claude Code")
	g.s.Pump.Go(g.s.ctx, func(ctx context.Context) error {
		found.version, _, found.sentence = g.s.Engine.Health(ctx)
		return nil
	}, func(error) { g.show(found) })
}

func (g *general) show(c claude) {
	g.check.Enable()
	title := phrase.Of("Claude Code")
	if c.version != "" {
		title += " " + c.version
	}
	command := commandIn(c.sentence)
	g.words.Set(c.sentence)
	g.words.Hidden = c.sentence == ""
	g.mend.Set(command)
	g.mend.Hidden = command == ""
	if c.sentence == "" {
		g.state.Set(kit.StateDone, "Ready")
	} else {
		g.state.Set(kit.StateFailed, "Needs you")
	}
	g.row.SetText(title, "")
	g.body.Refresh()
}

// commandIn is the command that a sentence names between backquotes; empty when it names none.
func commandIn(sentence string) string {
	_, rest, _ := strings.Cut(sentence, "`")
	command, _, closed := strings.Cut(rest, "`")
	if !closed {
		return ""
	}
	return command
}
