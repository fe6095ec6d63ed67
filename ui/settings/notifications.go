package settings

import (
	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/ui/kit"
)

func notificationsPane(f *form) fyne.CanvasObject {
	return kit.Column(kit.Groups, kit.Heading(Notifications), card("When to notify", f.row(pieces.KeyNotifyRequired, "Required input")))
}
