package inspector

import (
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// agents lists the graph of a piece: each agent with its state, its brief and what it cost.
type agents struct {
	open    func(session string)
	approve func(taskID string)
	steer   func(pieces.Action, pieces.Task)

	graph *graphView
	frame fyne.CanvasObject
	rows  *fyne.Container
	press map[string]*kit.Press // the rows, by task
	empty *kit.Paragraph
	drawn string
	folds map[string]bool // whose whole brief is shown
	body  *container.Scroll
	last  model
}

func newAgents(open func(session string), approve func(taskID string), steer func(pieces.Action, pieces.Task)) *agents {
	a := &agents{open: open, approve: approve, steer: steer, rows: kit.Column(kit.Together), empty: kit.NewParagraph("").In(kit.ColorMuted), folds: map[string]bool{}, press: map[string]*kit.Press{}}
	a.graph = newGraphView(a.openTask)
	a.frame = newSideways(a.graph)
	a.body = scrolled(a.empty, a.frame, a.rows)
	return a
}

func (a *agents) content() fyne.CanvasObject { return a.body }

func (a *agents) show(m model, _ time.Time) {
	a.last = m
	s := *m.piece
	show(a.empty, len(s.Tasks) == 0)
	a.empty.Set(phrase.Of("There are no agents yet. They are planned once the strategy is approved."))
	if s.Piece.Activity == pieces.Decomposing {
		a.empty.Set(phrase.Of("Claude Code is splitting the work into agents."))
	}
	show(a.frame, len(s.Tasks) > 1)
	k := fmt.Sprintf("%+v %+v %v %v %v", s.Tasks, s.Edges, s.Legal(pieces.ApproveTask), a.folds, s.Queued)
	for _, t := range s.Tasks {
		k += fmt.Sprint(steers(s, t))
	}
	if k == a.drawn {
		return
	}
	a.drawn = k
	a.graph.show(s)
	a.rows.Objects = nil
	clear(a.press)
	for _, t := range s.Tasks {
		a.rows.Add(a.row(s, t))
	}
	a.rows.Refresh()
	a.body.Refresh()
}

// row draws one agent. A press opens its session; the buttons in it keep their own taps.
func (a *agents) row(s pieces.Snapshot, t pieces.Task) fyne.CanvasObject {
	state, word := taskState(s, t)
	head := container.NewBorder(nil, nil, kit.NewStateDot(state, word), taskTail(t),
		container.New(titleRow{}, kit.Body(t.Name).Strong().CutEnd()))
	lines := kit.Column(kit.Together, head)
	if deps := dependencies(s, t); deps != "" {
		lines.Add(kit.Caption(phrase.Of("After ") + deps).CutEnd())
	}
	if t.Failure != "" {
		lines.Add(kit.NewParagraph(phrase.Of(t.Failure)).In(kit.ColorFailed))
	}
	lines.Add(kit.NewParagraph(a.brief(t)))
	if words := briefWords(t); words != "" {
		lines.Add(kit.NewNote(words))
	}
	if t.Guidance != "" {
		lines.Add(kit.NewNote(phrase.Of("Guidance: ") + t.Guidance))
	}
	if buttons := a.buttons(s, t); len(buttons.Objects) > 0 {
		lines.Add(buttons)
	}
	press := kit.NewPress("task:"+t.ID, kit.NewSurface(lines).Inset(kit.Groups-kit.Step), nil)
	if t.SessionID != "" {
		press.OnTapped(func() { a.open(t.SessionID) })
	}
	a.press[t.ID] = press
	return press
}

// openTask opens what there is of an agent: its session, or its row with the whole brief before it has one.
func (a *agents) openTask(id string) {
	t, ok := a.last.piece.Task(id)
	if !ok {
		return
	}
	if t.SessionID != "" {
		a.open(t.SessionID)
		return
	}
	a.folds[id] = true
	a.show(a.last, time.Time{})
	relayout(a.body.Content.(*fyne.Container))
	for other, row := range a.press {
		row.SetSelected(other == id)
	}
	a.body.ScrollToOffset(fyne.NewPos(0, a.rows.Position().Y+a.press[id].Position().Y))
}

const briefShown = 220

// brief is the beginning of an agent's brief, or all of it once that was asked for.
func (a *agents) brief(t pieces.Task) string {
	if a.folds[t.ID] || len([]rune(t.Brief)) <= briefShown {
		return t.Brief
	}
	return strings.TrimSpace(string([]rune(t.Brief)[:briefShown])) + "…"
}

func (a *agents) buttons(s pieces.Snapshot, t pieces.Task) *fyne.Container {
	line := kit.Wrap()
	if t.Kind == pieces.TaskAgent && !t.Approved && s.Legal(pieces.ApproveTask) {
		line.Add(kit.NewButton("approveTask:"+t.ID, "Approve", kit.Normal, func() { a.approve(t.ID) }))
	}
	for _, action := range steers(s, t) {
		line.Add(kit.NewButton(string(action)+":"+t.ID, steerLabels[action], kit.Normal, func() { a.steer(action, t) }))
	}
	if len([]rune(t.Brief)) > briefShown {
		label := phrase.Of("Show whole brief")
		if a.folds[t.ID] {
			label = phrase.Of("Show less")
		}
		line.Add(kit.NewButton("brief:"+t.ID, label, kit.Quiet, func() {
			a.folds[t.ID] = !a.folds[t.ID]
			a.show(a.last, time.Time{})
		}))
	}
	return line
}

// briefWords say that an agent's brief is not the one that its last session read.
func briefWords(t pieces.Task) string {
	switch {
	case !t.BriefChanged:
		return ""
	case t.BriefBy == pieces.ByClient:
		return phrase.Of("Brief changed over MCP. The agent starts fresh on it.")
	default:
		return phrase.Of("Brief changed. The agent starts fresh on it.")
	}
}

// taskState says where an agent stands.
func taskState(s pieces.Snapshot, t pieces.Task) (kit.State, string) {
	if t.Approved {
		return kit.StateDone, phrase.Of("Approved")
	}
	if s.TaskQueued(t) {
		return kit.StateIdle, phrase.Of("Waits for its turn")
	}
	switch t.State {
	case pieces.TaskRunning:
		return kit.StateRunning, phrase.Of("Running")
	case pieces.TaskWaiting:
		return kit.StateWaiting, phrase.Of("Waits for you")
	case pieces.TaskCompleted:
		return kit.StateDone, phrase.Of("Completed")
	case pieces.TaskFailed:
		return kit.StateFailed, phrase.Of("Failed")
	case pieces.TaskBlocked:
		return kit.StatePaused, phrase.Of("Blocked")
	case pieces.TaskInterrupted:
		return kit.StatePaused, phrase.Of("Interrupted")
	case pieces.TaskCancelled:
		return kit.StatePaused, phrase.Of("Cancelled")
	default:
		return kit.StateIdle, phrase.Of("Pending")
	}
}

// taskTail is what an agent cost, and an arrow where a press leads to its session.
func taskTail(t pieces.Task) fyne.CanvasObject {
	line := kit.Line(kit.Step, kit.Caption(taskFacts(t)))
	if t.SessionID != "" {
		line.Add(kit.Caption(phrase.Of("Session")))
		line.Add(widget.NewIcon(theme.NewColoredResource(theme.NavigateNextIcon(), kit.ColorMuted)))
	}
	return line
}

func taskFacts(t pieces.Task) string {
	var parts []string
	if t.Kind == pieces.TaskReview {
		parts = append(parts, phrase.Of("work review"))
	}
	if t.Attempts > 1 {
		parts = append(parts, phrase.F("attempt %d", t.Attempts))
	}
	if t.CostUSD > 0 {
		parts = append(parts, kit.Money(t.CostUSD))
	}
	return strings.Join(parts, " · ")
}

func dependencies(s pieces.Snapshot, t pieces.Task) string {
	var names []string
	for _, id := range pieces.DependsOn(s.Edges, t.ID) {
		if d, ok := s.Task(id); ok {
			names = append(names, d.Name)
		}
	}
	return strings.Join(names, ", ")
}

// titleRow keeps a distance between a state and the title behind it.
type titleRow struct{}

// MinSize is the title.
func (titleRow) MinSize(o []fyne.CanvasObject) fyne.Size {
	return o[0].MinSize().AddWidthHeight(kit.Together, 0)
}

// Layout leaves the distance on the left.
func (titleRow) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(kit.Together, 0))
	o[0].Resize(size.SubtractWidthHeight(kit.Together, 0))
}
