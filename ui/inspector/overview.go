package inspector

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// overview shows the rail and the facts of a piece.
type overview struct {
	i *Inspector

	rail     *fyne.Container
	progress *kit.Progress
	facts    *fyne.Container
	saved    *savedPart
	waits    *dependencyPart
	drawn    string
	body     *container.Scroll
}

func newOverview(i *Inspector, waits *dependencyPart) *overview {
	o := &overview{i: i, saved: &savedPart{restore: i.restore}, waits: waits, rail: kit.Wrap(), progress: kit.NewProgress(0, 0, "agents"), facts: kit.Column(kit.Together)}
	o.body = scrolled(o.rail, o.progress, o.facts, o.waits.body)
	return o
}

func (o *overview) content() fyne.CanvasObject { return o.body }

func (o *overview) show(m model, now time.Time) {
	s := *m.piece
	done, total := s.AgentCount()
	o.progress.Set(done, total, "agents")
	show(o.progress, total > 0)
	o.waits.show(pieceWaits(s))
	rows := facts(s, now)
	var drawn strings.Builder
	for _, r := range rows {
		drawn.WriteString(r.label + r.value + "\x00")
	}
	state, _ := headline(s)
	if k := string(s.Piece.Phase) + fmt.Sprint(state) + pullRequestKey(s.Piece.PR) + o.saved.key(s.Piece, now) + drawn.String(); k != o.drawn {
		o.drawn = k
		o.showRail(s.Piece.Phase, state)
		o.showFacts(rows, s.Piece, now)
	}
	o.body.Refresh()
}

// pullRequestKey changes with everything that is shown of a pull request, and not with every reading of it.
func pullRequestKey(pr *pieces.PullRequest) string {
	if pr == nil {
		return ""
	}
	return fmt.Sprint(pr.URL, pr.Title, pullRequestWords(*pr), pr.PollNote)
}

// showRail draws the phases: those behind the piece ticked, its own filled.
func (o *overview) showRail(at pieces.Phase, state kit.State) {
	o.rail.Objects = nil
	passed := true
	for _, p := range pieces.Phases() {
		word := pieces.DisplayOf(p, 0, 0)
		color := kit.PhaseColor(string(p))
		switch {
		case p == at:
			passed = false
			o.rail.Add(kit.NewPill(color, state.Icon(), word))
		case passed:
			o.rail.Add(kit.NewStateDot(kit.StateDone, word))
		default:
			o.rail.Add(kit.NewStateDot(kit.StateIdle, word))
		}
	}
	o.rail.Refresh()
}

// fact is one line of the overview.
type fact struct {
	label, value string
	copies       string // the stable name of a value that is copied by a press
}

func facts(s pieces.Snapshot, now time.Time) []fact {
	p := s.Piece
	rows := []fact{{label: phrase.Of("Lane"), value: laneWords(p)}}
	add := func(label, value, copies string) {
		if value != "" {
			rows = append(rows, fact{label: label, value: value, copies: copies})
		}
	}
	add(phrase.Of("Branch"), p.Branch, "branch")
	worktree := p.Worktree
	if worktree == "" {
		worktree = phrase.Of("removed; the branch keeps the commits")
		add(phrase.Of("Worktree"), worktree, "")
	} else {
		add(phrase.Of("Worktree"), worktree, "worktree")
	}
	add(phrase.Of("Base"), baseWords(p.Base, now), "")
	add("", p.Base.Note, "")
	add(phrase.Of("Cost"), kit.Money(p.CostUSD), "")
	if p.Config.BudgetUSD > 0 {
		add(phrase.Of("Budget"), kit.Money(p.Config.BudgetUSD), "")
	}
	add(phrase.Of("Model"), p.Config.Model, "")
	add(phrase.Of("Permissions"), string(p.Config.PermissionProfile), "")
	if p.Source != nil {
		add(phrase.Of("Issue"), p.Source.Key, "")
	}
	for n, e := range p.Splits.Events {
		add(phrase.Of(map[bool]string{true: "Splits"}[n == 0]), e.Summary, "")
	}
	for _, o := range offNow(s) {
		rows = append(rows, fact{label: phrase.Of("Off now"), value: o.words()})
	}
	rows = append(rows, fact{label: phrase.Of("Created"), value: ago(kit.Age(p.CreatedAt, now)) + ", " + kit.Exact(p.CreatedAt)})
	add(phrase.Of("Id"), p.ID, "pieceId")
	return rows
}

func laneWords(p pieces.Piece) string {
	if p.Config.Lane == pieces.LaneAuto && !p.Play {
		return phrase.F("%s, Play not pressed", laneWord(p.Config.Lane))
	}
	return laneWord(p.Config.Lane)
}

// baseWords say which commit the piece starts from and how old it is.
func baseWords(b pieces.Base, now time.Time) string {
	if b.Commit == "" {
		return ""
	}
	words := phrase.F("%s at %s", b.Branch, b.Commit[:min(8, len(b.Commit))])
	if age := kit.Age(b.CommittedAt, now); age != "" {
		words += phrase.Of(", committed ") + ago(age)
	}
	if !b.Fetched {
		words += phrase.Of(", not fetched")
	}
	return words
}

func (o *overview) showFacts(rows []fact, p pieces.Piece, now time.Time) {
	o.facts.Objects = nil
	if p.PR != nil {
		o.facts.Add(o.pullRequest(*p.PR))
	}
	if p.SavedRef != "" {
		o.facts.Add(o.saved.content(p, now))
	}
	for _, r := range rows {
		value := fyne.CanvasObject(kit.Body(r.value).CutEnd())
		if r.copies != "" {
			value = kit.NewCopyable(r.copies, r.value)
		}
		o.facts.Add(container.New(factRow{}, kit.Caption(r.label), value))
		if r.copies != "worktree" {
			continue
		}
		if places := o.i.placeButtons(r.value); len(places.Objects) > 0 && !p.WorktreeMissing {
			o.facts.Add(places)
		}
	}
	o.facts.Refresh()
}

func (o *overview) pullRequest(pr pieces.PullRequest) fyne.CanvasObject {
	words := pullRequestWords(pr)
	lines := kit.Column(kit.Step, kit.NewParagraph(pr.Title).Strong(), kit.NewNote(words))
	if pr.PollNote != "" {
		lines.Add(kit.NewNote(pr.PollNote).In(kit.ColorFailed))
	}
	lines.Add(container.New(factRow{}, kit.Caption(phrase.Of("Address")), kit.NewCopyable("prURL", pr.URL)))
	if webAddress(pr.URL) {
		lines.Add(container.NewHBox(kit.NewButton("openPR", openPRLabel(pr), kit.Normal, func() { o.i.o.OpenURL(pr.URL) })))
	}
	return kit.NewSurface(lines).Inset(kit.Groups - kit.Step)
}

func pullRequestWords(pr pieces.PullRequest) string {
	parts := []string{phrase.F("Pull request %s is %s", numbered(pr), phrase.Of(string(pr.State)))}
	if pr.Draft {
		parts[0] += phrase.Of(" as a draft")
	}
	if pr.Checks != "" {
		parts = append(parts, pr.Checks)
	}
	if pr.Base != "" {
		parts = append(parts, phrase.F("into %s", pr.Base))
	}
	return strings.Join(parts, " · ")
}

// webAddress says whether an address may be handed to the browser: it came from outside.
func webAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// factRow puts a label of one width before its value.
type factRow struct{}

const factLabel float32 = 128

// MinSize is a line.
func (factRow) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(factLabel+96, max(20, o[1].MinSize().Height))
}

// Layout gives the value the rest of the width.
func (factRow) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(fyne.NewSize(factLabel-kit.Together, size.Height))
	o[1].Move(fyne.NewPos(factLabel, 0))
	o[1].Resize(fyne.NewSize(size.Width-factLabel, size.Height))
}
