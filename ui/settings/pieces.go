package settings

import (
	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/ui/kit"
)

func piecesPane(f *form) fyne.CanvasObject {
	return kit.Column(kit.Groups,
		kit.Heading(Pieces),
		card("Runs",
			f.row(pieces.KeyAgentsAtOnce, "Agents at once"),
			f.row(pieces.KeyBudgetUSD, "Budget of a piece"),
			kit.NewNote("Both count for pieces that are released from now on."),
			f.row(pieces.KeyClaudeAtOnce, "Claude Code at once"),
		),
		card("Splits",
			f.row(pieces.KeyAutoSplit, "Auto-split"),
			f.row(pieces.KeyStartSplits, "Start split pieces automatically"),
			kit.NewNote("Both count for pieces on Auto and in the Loop. On Manual you always decide."),
		),
	)
}
