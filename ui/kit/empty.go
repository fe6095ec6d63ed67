package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// emptyWidth is how wide the sentence of an Empty grows.
const emptyWidth float32 = 360

// Empty stands where there is nothing yet: one sentence and one action.
type Empty struct{ composite }

// NewEmpty makes it; action may be nil where there is nothing to do.
func NewEmpty(sentence string, action *Button) *Empty {
	text := NewParagraph(sentence).In(ColorMuted).Centered()
	objects := []fyne.CanvasObject{container.New(&column{least: emptyWidth}, text)}
	if action != nil {
		objects = append(objects, container.NewCenter(action))
	}
	e := &Empty{}
	e.body = container.NewCenter(Column(Groups, objects...))
	e.ExtendBaseWidget(e)
	return e
}
