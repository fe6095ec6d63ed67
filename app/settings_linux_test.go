package app

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fermata/app/apptest"
	"fermata/pieces"
	"fermata/pieces/piecestest"
)

// set waits until a setting has a value.
func (r *rig) set(key, value string) {
	r.t.Helper()
	r.until(key+" to be "+value, func() bool {
		out, code := r.fermata("settings", "get", key)
		return code == 0 && out == value
	})
}

// ground is how bright the top right corner of a window is, from 0 to 1.
func (r *rig) ground(w *apptest.Window) float64 {
	r.t.Helper()
	path := filepath.Join(r.t.TempDir(), "window.png")
	w.Screenshot(path)
	file, err := os.Open(path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer file.Close()
	pic, err := png.Decode(file)
	if err != nil {
		r.t.Fatal(err)
	}
	corner := image.Pt(pic.Bounds().Max.X-8, pic.Bounds().Min.Y+8)
	red, green, blue, _ := pic.At(corner.X, corner.Y).RGBA()
	return float64(red+green+blue) / 3 / 0xFFFF
}

func TestThePersonChangesSettingsInTheirPanes(t *testing.T) {
	t.Parallel()
	desktop := fullDesktop()
	desktop.Screen = "1920x1200" // holds a window that is useful with text of twice the size
	r := newRig(t, piecestest.Story(piecestest.StoryAgents()), desktop)
	r.start()
	r.click("welcome:later")
	r.desk.TrayItem(t).ClickMenu("Settings…")
	r.click("set:" + pieces.KeyStartAtLogin)
	r.set(pieces.KeyStartAtLogin, "true")
	entry := filepath.Join(r.home, ".config", "autostart", appID+".desktop")
	if _, err := os.Stat(entry); err != nil {
		t.Errorf("it does not start at login: %v", err)
	}

	// The theme and the size of text are the window's own at once.
	row := r.place("pane:General")
	w := r.desk.Window(t, row.Window)
	// Where the desktop has no opinion, Fyne's is dark.
	if ground := r.ground(w); ground > 0.2 {
		t.Errorf("the window is light at first: %.2f", ground)
	}
	r.click("set:" + pieces.KeyTheme)
	for range 2 {
		w.Key("Down")
	}
	w.Key("Return")
	r.set(pieces.KeyTheme, pieces.ThemeLight)
	r.until("the window to be light", func() bool { return r.ground(w) > 0.8 })
	wide, high := w.Size()
	if out, code := r.fermata("settings", "set", pieces.KeyTextSize, "200"); code != 0 {
		t.Fatal(out)
	}
	r.until("the text to be twice as large", func() bool { return r.place("pane:General").H >= 2*row.H-2 })
	// It grows as far as it must to be useful, and not with its text.
	r.until("the window to keep its room", func() bool {
		nowWide, nowHigh := w.Size()
		return nowWide < 2*wide && nowHigh < 2*high
	})

	r.click("pane:Pieces")
	r.click("set:" + pieces.KeyDependencies)
	r.set(pieces.KeyDependencies, "false")
	r.click("set:" + pieces.KeyAgentsAtOnce)
	w.Key("ctrl+a")
	w.Type("5")
	w.Key("Return")
	r.set(pieces.KeyAgentsAtOnce, "5")
	r.click("pane:Permissions")
	r.click("set:" + pieces.KeyPermissionProfile)
	w.Key("Down")
	w.Key("Return")
	r.set(pieces.KeyPermissionProfile, string(pieces.ProfileSafe))
	r.desk.TrayItem(t).ClickMenu("Quit")
	if code := r.app.Wait(); code != 0 {
		t.Errorf("quit with %d:\n%s", code, r.app.Log())
	}
}
