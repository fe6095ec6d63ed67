package settings

import (
	"fermata/ui/kit"
	"fermata/ui/kit/sheet"
)

// confirm asks over the window before something is done that cannot be taken back. The focus starts on Cancel.
func (s *Settings) confirm(question, effect, label string, do func()) {
	const sheetWide = 420
	cancel := kit.NewButton("confirm:cancel", "Cancel", kit.Normal, s.layer.Close)
	act := kit.NewButton("confirm:ok", label, kit.Destructive, func() {
		s.layer.Close()
		do()
	})
	s.layer.Ask(sheet.Sheet{Title: question, Body: kit.NewParagraph(effect), Buttons: []*kit.Button{cancel, act}, Width: sheetWide})
}
