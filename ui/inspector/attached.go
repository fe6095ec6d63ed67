package inspector

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// attachedPart lists the files that a draft takes along. Adding and removing one happens at once, and not with Save.
type attachedPart struct {
	remove  func(name string)
	add     *kit.Button // nil where nobody can choose a file
	removes []*kit.Button
	busy    bool
	rows    *fyne.Container
	body    *fyne.Container
}

// newAttachedPart makes one that shows nothing; browse lets the person choose a file, and is nil where nobody can.
func newAttachedPart(browse func(), remove func(name string)) *attachedPart {
	p := &attachedPart{remove: remove, rows: kit.Column(kit.Step)}
	p.body = kit.Column(kit.Step, kit.Caption(phrase.Of("Attachments")).In(kit.ColorText).Strong(), p.rows)
	if browse != nil {
		p.add = kit.NewButton("edit:attach", "Attach a file…", kit.Normal, browse)
		p.body.Add(kit.Wrap(p.add))
	}
	return p
}

func (p *attachedPart) show(list []pieces.Attachment, browses bool) {
	show(p.body, len(list) > 0 || browses)
	p.rows.Objects, p.removes = nil, nil
	for i, a := range list {
		remove := kit.NewButton(fmt.Sprint("edit:detach:", i), "Remove", kit.Quiet, func() { p.remove(a.Name) })
		p.removes = append(p.removes, remove)
		p.rows.Add(container.NewBorder(nil, nil, nil, kit.Line(kit.Together, kit.Caption(kit.Bytes(a.Bytes)), remove), kit.Body(a.Name).CutMiddle()))
	}
	p.setBusy(p.busy)
	p.rows.Refresh()
	p.body.Refresh()
}

// setBusy turns the buttons off while the draft is being changed: a click would do nothing then.
func (p *attachedPart) setBusy(busy bool) {
	p.busy = busy
	buttons := p.removes
	if p.add != nil {
		buttons = append(slices.Clone(buttons), p.add)
	}
	for _, b := range buttons {
		if busy {
			b.Disable()
		} else {
			b.Enable()
		}
	}
}
