package inspector

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// splitBox shows the parts that are proposed to become pieces of their own, and takes the person's decision about each.
type splitBox struct {
	decide func([]pieces.SplitAnswer)
	grown  func() // the box has come to need another height

	shown string // which proposals are drawn; empty while none wait
	busy  bool
	rows  []splitRow
	since *kit.Text
	note  *kit.Paragraph
	form  *fyne.Container
	apply *kit.Button
	body  *kit.Surface
}

type splitRow struct {
	id    string
	take  *kit.Check
	title *kit.Entry
}

func newSplitBox(decide func([]pieces.SplitAnswer), grown func()) *splitBox {
	b := &splitBox{decide: decide, grown: grown, since: kit.Caption(""), note: kit.NewNote(""), form: kit.Column(kit.Groups - kit.Step)}
	b.apply = kit.NewButton("split:apply", "", kit.Primary, b.give)
	head := newHead(kit.NewStateDot(kit.StateWaiting, ""), kit.Title(phrase.Of("Which parts become pieces of their own?")).CutEnd(), b.since)
	b.body = kit.NewSurface(kit.Column(kit.Together, head, b.note, b.form, container.NewHBox(b.apply))).
		Inset(kit.Groups-kit.Step).In(kit.ColorSurface, kit.ColorNeedsYou)
	b.body.Hide()
	return b
}

// show draws the proposals that wait. While they are the same, what the person chose and typed stays.
func (b *splitBox) show(s pieces.Snapshot, since, now time.Time) {
	if s.Gate() != pieces.GateReviewSplit {
		b.shown = ""
		show(b.body, false)
		return
	}
	b.since.Set(sinceWords(since, now))
	b.note.Set(splitNote(s))
	list := s.Piece.Splits.Proposals
	if k := proposalsKey(s.Piece.ID, list); b.shown != k {
		b.shown, b.busy, b.rows, b.form.Objects = k, false, nil, nil
		for n, p := range list {
			b.form.Add(b.row(n, p))
		}
		b.count()
		b.form.Refresh()
	}
	show(b.body, true)
	b.body.Refresh()
}

// proposalsKey tells whether two lists of proposals look the same. When they were made is not shown, and prints otherwise once
// it was read back from the store.
func proposalsKey(pieceID string, list []pieces.SplitProposal) string {
	list = slices.Clone(list)
	for i := range list {
		list[i].At = time.Time{}
	}
	return fmt.Sprintf("%s %+v", pieceID, list)
}

// splitNote says what becomes of the new pieces.
func splitNote(s pieces.Snapshot) string {
	words := phrase.Of("Each part you take gets a branch and a worktree of its own, and its own pull request. What you leave stays in this piece.")
	if !s.Flags.AutoSplit && s.Piece.Config.Lane != pieces.LaneManual && !s.SplitPending().Empty() {
		return phrase.Of("Auto-split is off, so this piece stopped here. ") + words
	}
	return words
}

// row is one proposal: whether it is taken, under which title, and what it is.
func (b *splitBox) row(n int, p pieces.SplitProposal) fyne.CanvasObject {
	take := kit.NewCheck(fmt.Sprintf("split:take:%d", n), directionWords(p), func(bool) { b.count() })
	take.Checked = true
	title := kit.NewEntry(fmt.Sprintf("split:title:%d", n))
	title.SetText(kit.Plain(p.Title))
	b.rows = append(b.rows, splitRow{p.ID, take, title})
	lines := kit.Column(kit.Step, container.NewHBox(take), title)
	if p.Why != "" {
		lines.Add(kit.NewParagraph(p.Why))
	}
	lines.Add(kit.NewNote(sourceWords(p)))
	spec := kit.NewMarkdown(p.Spec, nil)
	spec.Hide()
	var fold *kit.Button
	fold = kit.NewButton(fmt.Sprintf("split:spec:%d", n), "Show its spec", kit.Quiet, func() {
		show(spec, !spec.Visible())
		fold.SetLabel(map[bool]string{true: "Hide its spec", false: "Show its spec"}[spec.Visible()])
		b.body.Refresh()
		b.grown()
	})
	lines.Add(container.NewHBox(fold))
	lines.Add(spec)
	return kit.NewSurface(lines).Inset(kit.Groups - kit.Step)
}

func directionWords(p pieces.SplitProposal) string {
	if p.Direction == pieces.SplitPrerequisite {
		return phrase.Of("Split it off: a prerequisite, lands before this piece")
	}
	return phrase.Of("Split it off: a follow-up, comes after this piece")
}

func sourceWords(p pieces.SplitProposal) string {
	words := phrase.Of("Proposed by the strategy.")
	if p.Source == pieces.SplitByPerson {
		words = phrase.Of("Proposed by you.")
	}
	if from := p.RevisedFrom(); from != "" {
		words += phrase.F(" First shown as “%s”.", from)
	}
	return words
}

// count names on the button what it does.
func (b *splitBox) count() {
	n := 0
	for _, r := range b.rows {
		if r.take.Checked {
			n++
		}
		if r.take.Checked {
			r.title.Enable()
		} else {
			r.title.Disable()
		}
	}
	label := phrase.F("Split off %s", count(n, "piece"))
	if n == 0 {
		label = phrase.Of("Keep it one piece")
	}
	b.apply.SetLabel(label)
}

// give hands the decision on, once.
func (b *splitBox) give() {
	if b.busy {
		return
	}
	b.busy = true
	var list []pieces.SplitAnswer
	for _, r := range b.rows {
		list = append(list, pieces.SplitAnswer{ProposalID: r.id, Accept: r.take.Checked, Title: r.title.Text})
	}
	b.decide(list)
}

// free lets the person decide again after a decision that was refused.
func (b *splitBox) free() { b.busy = false }

// decideSplit carries out what the person decided about the proposals of the piece that is shown.
func (i *Inspector) decideSplit(list []pieces.SplitAnswer) {
	r := engine.SplitReview{PieceID: i.last.id, Answers: list, By: pieces.ByPerson}
	i.splits.apply.DisableFor("the worktrees are being made")
	i.background(func(ctx context.Context) error {
		_, err := i.o.Engine.ReviewSplit(ctx, r)
		return err
	}, func(err error) {
		i.splits.apply.Enable()
		if err != nil {
			i.splits.free()
		}
		i.showProblem("split the piece", err)
	})
}

// splitChoices lists what the person can do about splits besides what is legal for a client.
func splitChoices(s pieces.Snapshot) []choice {
	var list []choice
	if reason, _ := s.SplitHold(); !reason.Empty() {
		list = append(list, choice{name: "action:startAnyway", label: "Start anyway", way: startingAnyway})
	}
	if g := s.Gate(); g == pieces.GateStrategyReady || g == pieces.GateReviewSplit {
		list = append(list, choice{name: "action:proposeSplit", label: "Propose a split", kind: kit.Quiet, way: splitting})
	}
	return list
}

// startAnyway lets the piece go on that its split holds.
func (i *Inspector) startAnyway(c choice) {
	i.carryOut(c, func(ctx context.Context, id string) error {
		_, err := i.o.Engine.StartAnyway(ctx, id, pieces.ByPerson)
		return err
	})
}

// askSplit asks for a part that the person wants as a piece of its own. Nothing is split before the proposal is taken.
func (i *Inspector) askSplit(c choice) {
	id := i.last.id
	title, spec := kit.NewEntry("proposal:title"), kit.NewMultiEntry("proposal:spec", 7)
	title.OnEscape, spec.OnEscape = i.sheets.Close, i.sheets.Close
	order := kit.NewSelect("proposal:direction", []string{phrase.Of("It comes after this piece"), phrase.Of("It lands before this piece")}, nil)
	order.SetSelectedIndex(0)
	named := kit.NewField("Title", title, "")
	worded := kit.NewField("Spec", spec, "What the new piece is to do, and how one sees that it is done.")
	i.askSheet(c.label, kit.Column(kit.Together, named, kit.NewField("Order", order, ""), worded),
		kit.NewButton("proposal:add", c.label, kit.Primary, func() {
			switch {
			case strings.TrimSpace(kit.Plain(title.Text)) == "":
				named.Refuse("It needs a title.")
			case strings.TrimSpace(kit.Plain(spec.Text)) == "":
				worded.Refuse("It needs a spec.")
			default:
				p := pieces.ProposedSplit{Title: title.Text, Spec: spec.Text, Direction: []pieces.SplitDirection{pieces.SplitFollowUp, pieces.SplitPrerequisite}[order.SelectedIndex()]}
				i.sheets.Close()
				i.propose(c, id, p)
				return
			}
			i.sheets.Fits()
		}), title)
}

func (i *Inspector) propose(c choice, id string, p pieces.ProposedSplit) {
	i.background(func(ctx context.Context) error {
		_, err := i.o.Engine.ProposeSplit(ctx, id, p, pieces.ByPerson)
		return err
	}, func(err error) { i.showProblem(c.label, err) })
}
