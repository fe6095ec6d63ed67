package kit

import (
	"embed"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/phrase"
)

// State is what a dot says: a shape of its own and a colour, so that the colour is never alone in saying it.
type State int

// The states.
const (
	StateIdle    State = iota // a ring
	StateRunning              // a triangle
	StatePaused               // two bars
	StateWaiting              // the fermata: the person is waited for
	StateFailed               // a cross
	StateDone                 // a tick
)

//go:embed icons/*.svg
var icons embed.FS

// stateLooks gives each state its drawing and its colour.
var stateLooks = map[State]struct {
	file  string
	color fyne.ThemeColorName
}{
	StateIdle:    {"idle", ColorMuted},
	StateRunning: {"running", ColorSpec},
	StatePaused:  {"paused", ColorMuted},
	StateWaiting: {"waiting", ColorNeedsYou},
	StateFailed:  {"failed", ColorFailed},
	StateDone:    {"done", ColorDone},
}

// Icon is the state's drawing, in black; color it with theme.NewColoredResource.
func (s State) Icon() fyne.Resource {
	file := "icons/" + stateLooks[s].file + ".svg"
	data, err := icons.ReadFile(file)
	if err != nil {
		return theme.QuestionIcon()
	}
	return fyne.NewStaticResource("fermata-"+stateLooks[s].file+".svg", data)
}

// Color is the name of the state's colour.
func (s State) Color() fyne.ThemeColorName {
	if look, known := stateLooks[s]; known {
		return look.color
	}
	return ColorMuted
}

const dotSide float32 = 16

// StateDot shows a state by its icon and a word.
type StateDot struct {
	widget.BaseWidget

	state   State
	color   fyne.ThemeColorName
	picture *canvas.Image
	drawn   dotFace // what picture was made for
	word    *Text
}

// dotFace is what a dot's picture depends on.
type dotFace struct {
	state State
	name  fyne.ThemeColorName
	color color.Color
}

// NewStateDot makes a dot with the word of the catalogue that says the state, such as "Running". The word may be left out only where it
// stands beside the dot anyway.
func NewStateDot(state State, word string) *StateDot {
	d := &StateDot{picture: canvas.NewImageFromResource(nil), word: Caption("").CutEnd()}
	d.picture.FillMode = canvas.ImageFillContain
	d.state, d.color = state, state.Color()
	d.word.Set(phrase.Counted(word))
	d.ExtendBaseWidget(d)
	return d
}

// Set shows another state.
func (d *StateDot) Set(state State, word string) {
	d.state, d.color = state, state.Color()
	d.word.Set(phrase.Counted(word))
	d.Refresh()
}

// In draws the state in another colour, such as that of the phase in which something runs.
func (d *StateDot) In(color fyne.ThemeColorName) *StateDot {
	d.color = color
	d.Refresh()
	return d
}

// Word is what the dot says.
func (d *StateDot) Word() string { return d.word.Text() }

// CreateRenderer is for Fyne alone.
func (d *StateDot) CreateRenderer() fyne.WidgetRenderer {
	return newFace(d, d.measure, d.place, d.paint, d.picture, d.word)
}

func (d *StateDot) measure() fyne.Size {
	if d.word.Text() == "" {
		return fyne.NewSquareSize(dotSide)
	}
	return fyne.NewSize(dotSide+Step+d.word.Natural(), dotSide)
}

func (d *StateDot) place(size fyne.Size) {
	d.picture.Move(fyne.NewPos(0, middle(size.Height, dotSide)))
	d.picture.Resize(fyne.NewSquareSize(dotSide))
	d.word.Move(fyne.NewPos(dotSide+Step, 0))
	d.word.Resize(fyne.NewSize(max(0, size.Width-dotSide-Step), size.Height))
}

func (d *StateDot) paint() {
	// To read a drawing anew takes longer than all the rest of a card.
	if f := (dotFace{d.state, d.color, colorFor(d, d.color)}); f != d.drawn {
		d.drawn = f
		d.picture.Resource = theme.NewColoredResource(d.state.Icon(), d.color)
		d.picture.Refresh()
	}
	d.word.In(d.color)
}
