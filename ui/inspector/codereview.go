package inspector

import (
	"fmt"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// codeReviewPart shows where the last code review stands and what it found, above the changes.
type codeReviewPart struct {
	choose func(path string)

	drawn string
	state *kit.StateDot
	words *fyne.Container // the summary, or why there is none
	found *fyne.Container
	body  *fyne.Container
}

func newCodeReviewPart(choose func(path string)) *codeReviewPart {
	p := &codeReviewPart{choose: choose, state: kit.NewStateDot(kit.StateIdle, ""), words: kit.Column(kit.Together), found: kit.Column(kit.Together)}
	p.body = kit.Column(kit.Together, p.state, p.words, p.found)
	p.body.Hide()
	return p
}

// codeReviewKey changes with all that show draws.
func codeReviewKey(run pieces.CodeReviewRun, record *pieces.CodeReview) string {
	k := fmt.Sprint(run)
	if record != nil {
		k += record.SessionID
	}
	return k
}

// show draws the run's state, and the record of the last review that came to its end.
func (p *codeReviewPart) show(run pieces.CodeReviewRun, record *pieces.CodeReview) {
	show(p.body, run.State != pieces.CodeReviewNone || record != nil)
	k := codeReviewKey(run, record)
	if k == p.drawn {
		return
	}
	p.drawn = k
	p.words.Objects, p.found.Objects = nil, nil
	state, word := codeReviewWords(run, record)
	p.state.Set(state, word)
	if run.State == pieces.CodeReviewFailed {
		p.words.Add(kit.NewParagraph(phrase.Of(run.Failure)).In(kit.ColorFailed))
	}
	if record != nil {
		if run.State != pieces.CodeReviewDone {
			p.words.Add(kit.NewNote(phrase.Of("Below is what the review before it found.")))
		}
		if record.Summary != "" {
			p.words.Add(kit.NewMarkdown(record.Summary, nil))
		}
		for n, f := range record.Findings {
			p.found.Add(p.finding(n, f))
		}
	}
	p.body.Refresh()
}

func codeReviewWords(run pieces.CodeReviewRun, record *pieces.CodeReview) (kit.State, string) {
	switch {
	case run.State == pieces.CodeReviewRunning:
		return kit.StateRunning, phrase.Of("Code review is running, effort ") + run.Level
	case run.State == pieces.CodeReviewFailed:
		return kit.StateFailed, phrase.Of("Code review failed")
	case record == nil || len(record.Findings) == 0:
		return kit.StateDone, phrase.Of("Code review found nothing")
	default:
		return kit.StateWaiting, phrase.Of("Code review · ") + count(len(record.Findings), "finding")
	}
}

// finding is one problem; a press shows the file that it is in.
func (p *codeReviewPart) finding(n int, f pieces.CodeReviewFinding) fyne.CanvasObject {
	state, word := severityOf(f.Severity)
	lines := kit.Column(kit.Step, kit.NewParagraph(f.Title).Strong(), kit.Caption(word))
	if where := placeOf(f); where != "" {
		lines.Objects[1] = kit.NewPress(fmt.Sprintf("finding:%d", n), kit.Caption(word+" · "+where).CutMiddle(), func() { p.choose(f.File) })
	}
	lines.Add(kit.NewParagraph(f.Problem))
	if f.Suggestion != "" {
		lines.Add(kit.NewNote(f.Suggestion))
	}
	return newMarked(kit.NewStateDot(state, ""), lines)
}

func placeOf(f pieces.CodeReviewFinding) string {
	if f.File == "" || f.Line == 0 {
		return f.File
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// severityOf marks how much a finding weighs, by an icon and a word.
func severityOf(s pieces.FindingSeverity) (kit.State, string) {
	switch s {
	case pieces.SeverityHigh:
		return kit.StateFailed, phrase.Of("High")
	case pieces.SeverityMedium:
		return kit.StateWaiting, phrase.Of("Medium")
	default:
		return kit.StateIdle, phrase.Of("Low")
	}
}
