package settings_test

import (
	"testing"

	"fermata/pieces"
	. "fermata/ui/settings"
	"fermata/ui/stage"

	"fyne.io/fyne/v2"
)

func TestTheTabKeyReachesAllOfEachPaneInItsOrder(t *testing.T) {
	for _, pane := range []string{General, Pieces, Permissions, MCP, Notifications, Edge} {
		t.Run(pane, func(t *testing.T) {
			w := open(t, stage.New(t), edgeOn, func(w *world) {
				w.projects = []pieces.Project{{ID: "p1", Name: "muse", AllowedCommands: []string{"npm test", "make lint"}}}
			})
			w.Tap(w.w, "pane:"+pane)
			w.w.Resize(fyne.NewSize(800, 640)) // as it is opened, so that long panes scroll
			if reached := stage.Tabs(t, w.w); len(reached) < 7 {
				t.Errorf("it reached only %q", reached)
			}
		})
	}
}
