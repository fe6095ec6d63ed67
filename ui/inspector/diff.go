package inspector

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/ui/kit"
	"fermata/ui/kit/patch"
)

// diffView shows the diff of one file, in one column or two.
type diffView struct {
	path    *kit.Copyable
	mode    *kit.Button
	whole   *kit.Button   // gives the diff the whole window
	steps   []*kit.Button // go from file to file while it has it
	missing *kit.Paragraph
	shown   string // the path
	lines   []patch.Line
	diff    *kit.Diff
	body    *fyne.Container
}

func newDiffView(choose func(patch.Line), below fyne.CanvasObject, widen func(), step func(files int)) *diffView {
	d := &diffView{path: kit.NewCopyable("diffPath", ""), missing: kit.NewParagraph("").In(kit.ColorMuted)}
	d.diff = kit.NewDiff("diff", func(line int) { choose(d.lines[line]) })
	d.mode = kit.NewButton("diffMode", sideBySide, kit.Quiet, d.turn)
	d.whole = kit.NewButton("diffWhole", wholeWindow, kit.Quiet, widen)
	d.steps = []*kit.Button{
		kit.NewButton("diffBefore", "Previous file", kit.Quiet, func() { step(-1) }), kit.NewButton("diffNext", "Next file", kit.Quiet, func() { step(1) }),
	}
	line := kit.Border(nil, nil, nil, kit.Line(0, d.steps[0], d.steps[1], d.mode, d.whole), d.path)
	head := kit.Pad(kit.Together, kit.Column(kit.Step, line, d.missing, below))
	d.body = kit.Border(head, nil, nil, nil, container.NewPadded(d.diff))
	return d
}

// The button that turns the view says what it turns to.
const (
	sideBySide = "Side by side"
	unified    = "Unified"

	wholeWindow = "Whole window"
	backToFiles = "Back to the files"
)

// setWhole says which way its button leads, and offers to go from file to file where their list is not to be seen.
func (d *diffView) setWhole(on bool) {
	d.whole.SetLabel(map[bool]string{true: backToFiles, false: wholeWindow}[on])
	for _, b := range d.steps {
		show(b, on)
	}
	d.body.Refresh()
}

func (d *diffView) turn() {
	d.diff.SetSplit(!d.diff.Split())
	d.mode.SetLabel(map[bool]string{true: unified, false: sideBySide}[d.diff.Split()])
	d.body.Refresh()
}

// show draws a file's lines; problem says why there are none.
func (d *diffView) show(path string, lines []patch.Line, problem string) {
	moved := d.shown != path
	d.shown = path
	d.path.Set(path)
	show(d.path, path != "")
	show(d.mode, len(lines) > 0)
	show(d.whole, path != "")
	d.missing.Set(problem)
	show(d.missing, problem != "")
	if moved || !slices.Equal(lines, d.lines) {
		d.lines = lines
		d.diff.SetLines(lines)
	}
}
