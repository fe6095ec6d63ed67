package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/ui/phrase"
)

// emptyWidth is how wide the sentence of an Empty grows.
const emptyWidth float32 = 360

// Empty stands where there is nothing yet: one sentence and one action.
type Empty struct{ composite }

// NewEmpty makes it; action may be nil where there is nothing to do. The sentence is a caption of the catalogue.
func NewEmpty(sentence string, action *Button) *Empty {
	text := NewParagraph(phrase.Of(sentence)).In(ColorMuted).Centered()
	objects := []fyne.CanvasObject{container.New(&column{least: emptyWidth}, text)}
	if action != nil {
		objects = append(objects, container.NewCenter(action))
	}
	e := &Empty{}
	e.body = container.NewCenter(Column(Groups, objects...))
	e.ExtendBaseWidget(e)
	return e
}
