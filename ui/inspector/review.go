package inspector

import (
	"fmt"
	"path"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/kit/patch"
	"fermata/ui/phrase"
)

// review shows what a piece changed: the work review's verdict, the summary, the changed files and the diff of one.
type review struct {
	model    reviewModel
	piece    string
	selected string // the path whose diff is shown

	verdict *kit.StateDot
	fold    *kit.Button
	details *fyne.Container // what the work review judged, and the summary
	judged  *fyne.Container
	summary *kit.Markdown
	title   *kit.Text
	problem *kit.Paragraph
	files   *fyne.Container
	rows    map[string]*kit.Press
	diff    *diffView
	parsed  map[string][]patch.Line // of the diff, by path
	unread  string                  // why the diff could not be read
	said    *comments
	code    *codeReviewPart
	upper   *container.Scroll
	split   *container.Split
	body    *fyne.Container
}

func newReview(i *Inspector) *review {
	r := &review{
		verdict: kit.NewStateDot(kit.StateIdle, ""), judged: kit.Column(kit.Together), summary: kit.NewMarkdown("", openWeb(i.o.OpenURL)), title: kit.Caption("").Strong().In(kit.ColorText),
		problem: kit.NewParagraph("").In(kit.ColorMuted), files: kit.Column(0), rows: map[string]*kit.Press{},
	}
	r.said = newComments(i, r.showMarks)
	r.diff = newDiffView(func(l patch.Line) { r.said.edit(r.selected, l) }, r.said.body, func() { i.setWhole(!i.whole) }, r.step)
	r.diff.diff.OnEscape = func() {
		if !i.whole {
			kit.GoBack(r.diff.diff)
			return
		}
		i.setWhole(false)
	}
	r.code = newCodeReviewPart(func(path string) { r.choose(path) })
	r.fold = kit.NewButton("reviewDetails", "", kit.Quiet, func() { r.unfold(!r.details.Visible()) })
	r.details = kit.Column(kit.Groups, r.judged, r.summary)
	head := container.NewBorder(nil, nil, nil, r.fold, r.verdict)
	upper := kit.Column(kit.Together, head, r.details, r.code.body, kit.Column(kit.Step, r.title, r.problem, r.files))
	r.upper = container.NewVScroll(kit.Pad(kit.Groups-kit.Step, upper))
	r.split = container.NewVSplit(r.upper, r.diff.body)
	r.split.SetOffset(0.45)
	r.body = container.NewStack(r.split)
	r.diff.setWhole(false)
	return r
}

// setWhole leaves the diff alone on the page, or brings back what stands above it.
func (r *review) setWhole(on bool) {
	r.body.Objects = []fyne.CanvasObject{r.split}
	if on {
		r.body.Objects = []fyne.CanvasObject{r.diff.body}
	}
	r.diff.setWhole(on)
	r.body.Refresh()
}

// step shows the diff of a file some places further on in the list, round its end.
func (r *review) step(by int) {
	files := r.model.diff.Files
	at := slices.IndexFunc(files, func(f pieces.ChangedFile) bool { return f.Path == r.selected })
	if at >= 0 {
		r.choose(files[(at+by+len(files))%len(files)].Path)
	}
}

func (r *review) content() fyne.CanvasObject { return r.body }

func (r *review) show(m model, _ time.Time) {
	fresh := r.piece != m.id
	r.said.show(m.id)
	r.code.show(m.piece.Piece.CodeReview, m.review.code)
	if !fresh && m.review.read.Equal(r.model.read) && m.review.summary == r.model.summary && sameVerdict(m.review.verdict, r.model.verdict) {
		return
	}
	r.piece, r.model = m.id, m.review
	r.summary.Set(m.review.summary)
	show(r.summary, m.review.summary != "")
	passed := r.showVerdict(*m.piece, m.review.verdict)
	show(r.fold, m.review.verdict != nil || m.review.summary != "")
	if fresh || !passed {
		r.unfold(!passed)
	}
	files := m.review.diff.Files
	r.title.Set(changesWords(m.review.diff))
	r.problem.Set(m.review.problem)
	show(r.problem, m.review.problem != "")
	show(r.title, m.review.problem == "")
	r.parse(m.review.diff)
	r.showFiles(files)
	if fresh || !slices.ContainsFunc(files, func(f pieces.ChangedFile) bool { return f.Path == r.selected }) {
		r.selected = ""
		if len(files) > 0 {
			r.selected = files[0].Path
		}
	}
	r.choose(r.selected)
	r.upper.Refresh()
}

func sameVerdict(a, b *pieces.WorkReview) bool {
	return (a == nil) == (b == nil) && (a == nil || a.At.Equal(b.At))
}

func changesWords(d pieces.Diff) string {
	added, deleted := 0, 0
	for _, f := range d.Files {
		added += max(0, f.Added)
		deleted += max(0, f.Deleted)
	}
	if len(d.Files) == 0 {
		return phrase.Of("No file has changed")
	}
	words := phrase.F("%s changed, %s added, %d deleted", count(len(d.Files), "file"), count(added, "line"), deleted)
	if d.Cut {
		words += phrase.Of("; the diff is too large to show in full")
	}
	return words
}

// unfold shows or hides what the work review judged and the summary.
func (r *review) unfold(open bool) {
	show(r.details, open)
	label := phrase.Of("Show criteria and summary")
	if open {
		label = phrase.Of("Hide criteria and summary")
	}
	r.fold.SetLabel(label)
	r.upper.Refresh()
}

// showVerdict draws the criteria that the work review judged, and what it found at which agent. It says whether nothing
// there needs to be read first.
func (r *review) showVerdict(s pieces.Snapshot, w *pieces.WorkReview) (passed bool) {
	r.judged.Objects = nil
	if w == nil {
		r.verdict.Set(kit.StateIdle, "No work review yet")
		return true
	}
	met := 0
	passed = w.Outcome() == pieces.WorkReviewPassed
	state, word := kit.StateFailed, phrase.Of("Work review found problems")
	if passed {
		state, word = kit.StateDone, phrase.Of("Work review passed")
	}
	for _, c := range w.Criteria {
		mark := kit.StateFailed
		if c.Met {
			mark = kit.StateDone
			met++
		}
		words := kit.Column(0, kit.NewParagraph(c.Criterion))
		if c.Evidence != "" {
			words.Add(kit.NewNote(c.Evidence))
		}
		r.judged.Add(newMarked(kit.NewStateDot(mark, ""), words))
	}
	for _, f := range w.Findings {
		r.judged.Add(newMarked(kit.NewStateDot(kit.StateFailed, ""),
			kit.Column(0, kit.NewParagraph(f.Name).Strong(), kit.NewParagraph(f.Finding))))
	}
	if len(w.Criteria) > 0 {
		word += phrase.F(" · %d of %s met", met, criteria(len(w.Criteria)))
	}
	if s.Piece.WorkReview == pieces.WorkReviewNone {
		word += phrase.Of(", before the latest changes")
	}
	r.verdict.Set(state, word)
	r.judged.Refresh()
	return passed
}

func criteria(n int) string {
	return phrase.N(n, "1 criterion", "%d criteria")
}

const filesShown = 200

// showFiles lists the changed files; a press shows the diff of one.
func (r *review) showFiles(files []pieces.ChangedFile) {
	r.files.Objects = nil
	clear(r.rows)
	for i, f := range files {
		if i == filesShown {
			r.files.Add(kit.NewNote(phrase.N(len(files)-i, "1 more file in the diff", "%d more files in the diff")))
			break
		}
		row := kit.NewRow(nil, path.Base(f.Path), path.Dir(f.Path), kit.Caption(fileFacts(f)))
		press := kit.NewPress("file:"+f.Path, row, func() { r.choose(f.Path) })
		r.rows[f.Path] = press
		r.files.Add(press)
	}
	r.files.Refresh()
}

// choose shows the diff of one file.
func (r *review) choose(path string) {
	if before, ok := r.rows[r.selected]; ok {
		before.SetSelected(false)
	}
	r.selected = path
	if now, ok := r.rows[path]; ok {
		now.SetSelected(true)
	}
	lines := r.parsed[path]
	problem := ""
	switch {
	case path == "" || len(lines) > 0:
	case r.unread != "":
		problem = r.unread
	case r.model.diff.Cut:
		problem = phrase.Of("This file's changes lie beyond what is shown of a diff this large.")
	default:
		problem = phrase.Of("There is no text to show for this file.")
	}
	r.diff.show(path, lines, problem)
	r.showMarks()
}

// parse reads the diff into the lines of each file.
func (r *review) parse(d pieces.Diff) {
	files, err := patch.Read(d.Patch, d.Cut)
	r.unread = ""
	if err != nil {
		r.unread = phrase.Of("Fermata could not read this file's changes: ") + phrase.Err(err)
	}
	r.parsed = map[string][]patch.Line{}
	for _, f := range files {
		r.parsed[f.Path] = f.Lines
	}
}

// showMarks marks the lines that the person has commented on.
func (r *review) showMarks() {
	marks := map[int]bool{}
	for _, one := range r.said.list() {
		if at := slices.Index(r.diff.lines, one.line); at >= 0 && one.path == r.selected {
			marks[at] = true
		}
	}
	r.diff.diff.SetMarks(marks)
	r.diff.body.Refresh()
}

func fileFacts(f pieces.ChangedFile) string {
	words := phrase.Of(spaced(f.Status))
	if f.OldPath != "" {
		words += phrase.Of(" from ") + path.Base(f.OldPath)
	}
	if f.Added < 0 {
		return words + phrase.Of(" · binary")
	}
	return fmt.Sprintf("%s · +%d −%d", words, f.Added, f.Deleted)
}
