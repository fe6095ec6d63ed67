package settings

import "fermata/ui/kit"

// confirm asks over the window before something is done that cannot be taken back. The focus starts on Cancel.
func (s *Settings) confirm(question, effect, label string, do func()) {
	const sheetWide = 420
	cancel := kit.NewButton("confirm:cancel", "Cancel", kit.Normal, s.layer.Close)
	act := kit.NewButton("confirm:ok", label, kit.Destructive, func() {
		s.layer.Close()
		do()
	})
	// The padding keeps room for the focus ring.
	s.layer.Ask(kit.Pad(kit.Step, kit.Column(kit.Groups,
		kit.NewParagraph(question).Strong(), kit.NewParagraph(effect), kit.Line(kit.Together, cancel, act),
	)), sheetWide, cancel)
}
