//go:build soak

package app

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/piecestest"
)

// TestSoakWindowsLeaveTheMemoryFlat opens and closes the home window and the settings again and again on the real screen.
func TestSoakWindowsLeaveTheMemoryFlat(t *testing.T) {
	const rounds, warm = 200, 20
	r := newRig(t, piecestest.Story(piecestest.StoryAgents()), fullDesktop())
	if out, code := r.fermata("settings", "set", pieces.KeyWelcomeDone, "true"); code != 0 {
		t.Fatal(out)
	}
	r.start()
	r.desk.Window(t, "Fermata").Close()
	r.desk.WaitGone(t, "Fermata")
	var before int
	for i := range rounds {
		if i == warm {
			before = r.rested()
		}
		r.desk.TrayItem(t).ClickMenu("Open Fermata")
		r.clickUntil("home:settings", "Fermata Settings")
		for _, title := range []string{"Fermata Settings", "Fermata"} {
			r.until("the window "+title, func() bool { return r.desk.Visible(title) })
			r.desk.Window(t, title).Close()
			r.desk.WaitGone(t, title)
		}
	}
	after := r.rested()
	t.Logf("%d KiB after %d rounds, %d KiB after %d", before, warm, after, rounds)
	if after > before+before/5 {
		t.Errorf("it holds %d KiB after %d rounds, and held %d KiB after %d", after, rounds, before, warm)
	}
	r.quit()
}

// clickUntil clicks a named widget until the window is there that it opens.
func (r *rig) clickUntil(name, title string) {
	r.t.Helper()
	r.until("the window "+title, func() bool {
		if !r.desk.Visible(title) {
			r.click(name)
		}
		return r.desk.Visible(title)
	})
}

// rested is what the app holds once Fyne has forgotten what it keeps for a minute, in KiB.
func (r *rig) rested() int {
	r.t.Helper()
	const forgets, looks = 150 * time.Second, 10 * time.Second
	least := 0
	for range forgets / looks {
		select {
		case <-time.After(looks):
		case <-r.t.Context().Done():
		}
		b, err := os.ReadFile("/proc/" + strconv.Itoa(r.app.PID()) + "/status")
		if err != nil {
			r.t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) > 1 && f[0] == "RssAnon:" {
				if n, err := strconv.Atoi(f[1]); err == nil && (least == 0 || n < least) {
					least = n
				}
			}
		}
	}
	return least
}
