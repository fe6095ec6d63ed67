package settings

import (
	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

func edgePane(f *form) fyne.CanvasObject {
	return kit.Column(kit.Groups,
		kit.Heading(phrase.Of(Edge)),
		f.row(pieces.KeyEdgeEnabled, "Enable Edge features"),
		card("Features",
			f.row(pieces.KeyEdgeControlPlane, "MCP control plane"),
			kit.NewNote(phrase.Of("The MCP pane is there while both are on. Turning either off stops the server and denies the cards that wait.")),
			f.row(pieces.KeyEdgeCodeReview, "Code review"),
		),
	)
}
