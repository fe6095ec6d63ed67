package kit

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/phrase"
)

// Problem is what an error tells the person, each part in one or two sentences.
type Problem struct {
	What    string // what happened
	Safe    string // what is safe
	Next    string // the next step
	Details string // the error itself, for the curious and for a report
}

// ErrorBar shows a problem. Its details fold out and are copied by a button.
type ErrorBar struct {
	composite

	problem           Problem
	what, safe, next  *Paragraph
	details           *Code
	fold, copyDetails *Button
	buttons           *fyne.Container
	actions           int
}

// NewErrorBar makes a bar under a stable name; its buttons are named after it, ".details" and ".copy". Actions stand
// under the text, the next step first.
func NewErrorBar(name string, problem Problem, actions ...*Button) *ErrorBar {
	e := &ErrorBar{
		what:    NewParagraph("").Strong(),
		safe:    NewParagraph(""),
		next:    NewParagraph(""),
		details: NewCode(""),
		actions: len(actions),
	}
	e.fold = NewButton(name+".details", "", Quiet, e.turn)
	e.copyDetails = NewButton(name+".copy", "Copy details", Quiet, e.copyAll)
	e.details.Hide()
	e.buttons = Line(Together)
	for _, action := range actions {
		e.buttons.Add(action)
	}
	e.buttons.Add(e.fold)
	e.buttons.Add(e.copyDetails)
	icon := widget.NewIcon(theme.NewColoredResource(StateFailed.Icon(), ColorFailed))
	words := Column(Step, e.what, e.safe, e.next)
	text := container.New(&beside{gap: Together}, container.New(topLeft{}, icon), Column(Together, words, e.buttons, e.details))
	e.body = NewSurface(text).Inset(Groups-Step).In(ColorSurface, ColorFailed)
	e.ExtendBaseWidget(e)
	e.Set(problem)
	return e
}

// Set shows another problem, with its details folded in. Its sentences are captions of the catalogue.
func (e *ErrorBar) Set(problem Problem) {
	problem.What, problem.Safe, problem.Next = phrase.Of(problem.What), phrase.Of(problem.Safe), phrase.Of(problem.Next)
	e.problem = problem
	for text, words := range map[*Paragraph]string{e.what: problem.What, e.safe: problem.Safe, e.next: problem.Next} {
		text.Set(words)
		text.Hidden = words == ""
	}
	e.details.Set(problem.Details)
	e.details.Hide()
	e.showFold()
	e.Refresh()
}

// Unfolded says whether the details are shown.
func (e *ErrorBar) Unfolded() bool { return e.details.Visible() }

func (e *ErrorBar) turn() {
	if e.details.Visible() {
		e.details.Hide()
	} else {
		e.details.Show()
	}
	e.showFold()
	e.Refresh()
}

func (e *ErrorBar) showFold() {
	label := "Show details"
	if e.details.Visible() {
		label = "Hide details"
	}
	e.fold.SetLabel(label)
	e.fold.Hidden = e.problem.Details == ""
	e.copyDetails.Hidden = e.problem.Details == ""
	e.copyDetails.SetLabel("Copy details")
	e.buttons.Hidden = e.problem.Details == "" && e.actions == 0
}

// copyAll copies the whole problem, so that a report says what was seen as well as why.
func (e *ErrorBar) copyAll() {
	parts := []string{e.problem.What, e.problem.Safe, e.problem.Next, "", e.problem.Details}
	fyne.CurrentApp().Clipboard().SetContent(PlainLines(strings.Join(parts, "\n")))
	e.copyDetails.SetLabel("Copied")
}

// beside puts a small object before a large one that gets the remaining width.
type beside struct{ gap float32 }

// MinSize is both beside one another.
func (b *beside) MinSize(objects []fyne.CanvasObject) fyne.Size {
	small, large := objects[0].MinSize(), objects[1].MinSize()
	return fyne.NewSize(small.Width+b.gap+large.Width, max(small.Height, large.Height))
}

// Layout gives the large object the remaining width.
func (b *beside) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	small := objects[0].MinSize().Width
	objects[0].Move(fyne.NewPos(0, 0))
	objects[0].Resize(fyne.NewSize(small, size.Height))
	objects[1].Move(fyne.NewPos(small+b.gap, 0))
	objects[1].Resize(fyne.NewSize(max(0, size.Width-small-b.gap), size.Height))
}

// topLeft leaves an object at its own size in the corner.
type topLeft struct{}

// MinSize is the object's own.
func (topLeft) MinSize(objects []fyne.CanvasObject) fyne.Size { return objects[0].MinSize() }

// Layout leaves the rest of the room empty.
func (topLeft) Layout(objects []fyne.CanvasObject, _ fyne.Size) {
	objects[0].Move(fyne.NewPos(0, 0))
	objects[0].Resize(objects[0].MinSize())
}
