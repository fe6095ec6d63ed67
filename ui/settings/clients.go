package settings

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// offerForms reads the forms of other clients and lists them in a menu below their button.
func (p *plane) offerForms() {
	var forms []ClientForm
	p.copyOther.DisableFor("reading")
	p.s.Pump.Go(p.s.ctx, func(context.Context) error {
		var err error
		forms, err = p.s.Plane.ClientForms()
		return err
	}, func(err error) {
		p.copyOther.Enable()
		if err != nil {
			p.end("", err)
			return
		}
		p.listForms(forms)
	})
}

func (p *plane) listForms(forms []ClientForm) {
	driver := fyne.CurrentApp().Driver()
	canvas := driver.CanvasForObject(p.copyOther)
	if canvas == nil { // the window was closed meanwhile
		return
	}
	items := make([]*fyne.MenuItem, len(forms))
	for i, f := range forms {
		items[i] = fyne.NewMenuItem(f.Client, func() {
			p.s.Copy(f.Text)
			p.end(phrase.F("The form for %s was copied. It goes into %s. %s", f.Client, f.Where, f.Note), nil)
		})
	}
	at := driver.AbsolutePositionForObject(p.copyOther)
	widget.ShowPopUpMenuAtPosition(fyne.NewMenu("", items...), canvas, at.AddXY(0, p.copyOther.Size().Height+kit.Step))
}
