package settings

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

func piecesPane(s *Settings) fyne.CanvasObject {
	f := s.form
	return kit.Column(kit.Groups,
		kit.Heading(phrase.Of(Pieces)),
		card("Runs",
			f.row(pieces.KeyAgentsAtOnce, "Agents at once"),
			f.row(pieces.KeyBudgetUSD, "Budget of a piece"),
			kit.NewNote(phrase.Of("Both count for pieces that are released from now on.")),
			f.row(pieces.KeyClaudeAtOnce, "Claude Code at once"),
		),
		card("Splits",
			f.row(pieces.KeyAutoSplit, "Auto-split"),
			f.row(pieces.KeyStartSplits, "Start split pieces automatically"),
			kit.NewNote(phrase.Of("Both count for pieces on Auto and in the Loop. On Manual you always decide.")),
		),
		card("Models", steps(f), kit.NewNote(phrase.Of("An empty model and “Default” leave the choice to Claude Code. A changed one counts from a step's next session on."))),
		card("Dependencies",
			f.row(pieces.KeyDependencies, "Dependencies"),
			kit.NewNote(phrase.Of("Off, pieces start without waiting and no links are shown. The links are kept.")),
		),
		card("Worktrees",
			kit.NewNote(phrase.Of("What makes a new worktree ready is a project's own: its setup script, in the project's settings, and the ignored files that a .worktreeinclude in its checkout names.")),
			s.projects.worktrees,
		),
	)
}

// steps is a table of the steps with their models and efforts.
func steps(f *form) fyne.CanvasObject {
	names := map[string]string{
		"spec": "Spec", "strategy": "Strategy", "plan": "Plan", "task": "Agents", "workReview": "Work review", "pullRequest": "Pull request",
	}
	list := kit.Column(kit.Together, step(kit.Caption(phrase.Of("Step")).In(kit.ColorText).Strong(), kit.Caption(phrase.Of("Model")).In(kit.ColorText).Strong(),
		kit.Caption(phrase.Of("Effort")).In(kit.ColorText).Strong()))
	for _, name := range pieces.Steps() {
		model, _ := pieces.SettingOf(pieces.ModelKey(name))
		effort, _ := pieces.SettingOf(pieces.EffortKey(name))
		wrong := kit.NewNote("").In(kit.ColorFailed)
		wrong.Hide()
		refused := func(reason string) {
			wrong.Set(reason)
			wrong.Hidden = reason == ""
			list.Refresh()
		}
		list.Add(kit.Column(kit.Step,
			step(kit.Body(phrase.Of(names[name])), f.line(model, refused), f.choice(effort, refused)),
			wrong))
	}
	return list
}

// step is a line of the table of steps: the model takes the room that the others leave.
func step(name, model, effort fyne.CanvasObject) fyne.CanvasObject {
	return container.New(stepLine{}, name, model, effort)
}

type stepLine struct{}

const (
	stepNameWide float32 = 96
	modelLeast   float32 = 96
	modelMost    float32 = 240
)

// MinSize leaves the model some room.
func (stepLine) MinSize(objects []fyne.CanvasObject) fyne.Size {
	high := max(objects[0].MinSize().Height, objects[1].MinSize().Height, objects[2].MinSize().Height)
	return fyne.NewSize(stepNameWide+modelLeast+choiceWide+2*kit.Together, high)
}

// Layout puts the three beside one another.
func (stepLine) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	model := min(modelMost, size.Width-stepNameWide-choiceWide-2*kit.Together)
	left := float32(0)
	for i, width := range []float32{stepNameWide, model, choiceWide} {
		objects[i].Move(fyne.NewPos(left, 0))
		objects[i].Resize(fyne.NewSize(width, size.Height))
		left += width + kit.Together
	}
}
