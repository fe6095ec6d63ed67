package inspector

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// attachedPart lists the files that a draft takes along. Adding and removing one happens at once, and not with Save.
type attachedPart struct {
	remove func(name string)
	rows   *fyne.Container
	body   *fyne.Container
}

// newAttachedPart makes one that shows nothing; browse lets the person choose a file, and is nil where nobody can.
func newAttachedPart(browse func(), remove func(name string)) *attachedPart {
	p := &attachedPart{remove: remove, rows: kit.Column(kit.Step)}
	p.body = kit.Column(kit.Step, kit.Caption(phrase.Of("Attachments")).In(kit.ColorText).Strong(), p.rows)
	if browse != nil {
		p.body.Add(kit.Wrap(kit.NewButton("edit:attach", "Attach a file…", kit.Normal, browse)))
	}
	return p
}

func (p *attachedPart) show(list []pieces.Attachment, browses bool) {
	show(p.body, len(list) > 0 || browses)
	p.rows.Objects = nil
	for i, a := range list {
		remove := kit.NewButton(fmt.Sprint("edit:detach:", i), "Remove", kit.Quiet, func() { p.remove(a.Name) })
		p.rows.Add(container.NewBorder(nil, nil, nil, kit.Line(kit.Together, kit.Caption(kit.Bytes(a.Bytes)), remove), kit.Body(a.Name).CutMiddle()))
	}
	p.rows.Refresh()
	p.body.Refresh()
}
