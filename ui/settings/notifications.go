package settings

import (
	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

func notificationsPane(f *form) fyne.CanvasObject {
	return kit.Column(kit.Groups,
		kit.Heading(phrase.Of(Notifications)),
		card("When to notify",
			f.row(pieces.KeyNotifyRequired, "Required input"),
			f.row(pieces.KeyNotifyReview, "Ready for review"),
			f.row(pieces.KeyNotifyMerge, "Ready to merge"),
			f.row(pieces.KeyNotifyFailures, "Failures")),
		card("How",
			f.row(pieces.KeyNotifySound, "Sound"),
			f.row(pieces.KeyNotifyQuiet, "Quiet hours")),
	)
}
