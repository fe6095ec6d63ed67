package apptest_test

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "fermata/app/apptest"
)

// stranger is a T that keeps what the harness reports, for tests of failures.
type stranger struct {
	*testing.T
	mu       sync.Mutex
	said     strings.Builder
	cleanups []func()
}

func (s *stranger) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.said, format+"\n", args...)
}
func (s *stranger) Errorf(format string, args ...any) { s.note(format, args...) }
func (s *stranger) Fatalf(format string, args ...any) { s.note(format, args...); runtime.Goexit() }
func (s *stranger) Cleanup(f func())                  { s.cleanups = append(s.cleanups, f) }

func (s *stranger) run(test func()) string {
	done := make(chan struct{})
	go func() {
		defer close(done)
		test()
	}()
	<-done
	for _, f := range slices.Backward(s.cleanups) {
		f()
	}
	return s.said.String()
}

func TestClicksAndKeysReachTheWindow(t *testing.T) {
	t.Parallel()
	for name, bare := range map[string]bool{"window manager": false, "none": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := NewDesktop(t, Options{NoWindowManager: bare})
			a := Start(t, "xev", []string{"-name", "Fermata (test)", "-geometry", "300x200"}, d.Env(t.TempDir()))
			w := d.Window(t, "Fermata (test)")
			if width, height := w.Size(); width != 300 || height != 200 {
				t.Errorf("size %dx%d", width, height)
			}
			w.ClickAt(image.Rect(20, 20, 60, 40))
			a.WaitLog("ButtonPress")
			a.WaitLog("(40,30)")
			w.RightClick(7, 9)
			a.WaitLog("state 0x0, button 3")
			w.Key("Tab")
			a.WaitLog("keysym 0xff09, Tab")
			w.Type("-q")
			a.WaitLog("keysym 0x2d, minus")
			a.WaitLog("keysym 0x71, q")
			w.Scroll(5, 5, 1)
			a.WaitLog("state 0x0, button 5")
			w.Drag(image.Pt(10, 10), image.Pt(50, 90))
			a.WaitLog("(50,90)")
			if bare {
				return
			}
			w.Close()
			a.Wait()
			d.WaitGone(t, "Fermata (test)")
		})
	}
}

func TestScreenshotsShowTheScreen(t *testing.T) {
	t.Parallel()
	d := NewDesktop(t, Options{Screen: "640x480"})
	Start(t, "xev", []string{"-name", "shot", "-geometry", "120x90"}, d.Env(t.TempDir()))
	dir := t.TempDir()
	whole, part := filepath.Join(dir, "whole.png"), filepath.Join(dir, "part.png")
	d.Screenshot(t, whole)
	d.Window(t, "shot").Screenshot(part)
	for path, want := range map[string]image.Point{whole: image.Pt(640, 480), part: image.Pt(120, 90)} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(f)
		f.Close()
		if err != nil || img.Bounds().Size() != want {
			t.Errorf("%s: %v %v", filepath.Base(path), img.Bounds(), err)
		}
	}
}

func TestKeyringIsUnlocked(t *testing.T) {
	t.Parallel()
	d := NewDesktop(t, Options{Keyring: true})
	a := start(t, "keyring", d.Env(t.TempDir()))
	a.WaitLog("got s3cret <nil>")
}

func TestBareBusHasNoKeyring(t *testing.T) {
	t.Parallel()
	for bus, want := range map[Bus]string{BusBare: "org.freedesktop.secrets was not provided", BusNone: "no-bus"} {
		d := NewDesktop(t, Options{Bus: bus})
		a := start(t, "keyring", d.Env(t.TempDir()))
		a.WaitLog(want)
		if code := a.Wait(); code != 1 {
			t.Errorf("exit code %d", code)
		}
	}
}

func TestTrayMenuIsReadAndClicked(t *testing.T) {
	t.Parallel()
	d := NewDesktop(t, Options{Tray: true})
	a := start(t, "tray", d.Env(t.TempDir()))
	item := d.TrayItem(t)
	if deep := item.WaitMenu("Deep"); !deep.Checked {
		t.Errorf("deep line: %+v", deep)
	}
	if got := strings.Join(item.Labels(), ","); got != "Open,More,Deep,Off,Quit" {
		t.Errorf("labels %s", got)
	}
	menu := item.Menu()
	if !menu[1].Separator || !menu[3].Disabled {
		t.Errorf("menu %+v", menu)
	}
	icon := color.NRGBAModel.Convert(item.Icon().At(3, 5))
	if icon != (color.NRGBA{R: 10, G: 20, B: 30, A: 255}) {
		t.Errorf("pixel %v", icon)
	}
	item.Activate()
	a.WaitLog("tapped")
	item.ClickMenu("Deep")
	a.WaitLog("deep clicked")
	item.ClickMenu("Open")
	item.WaitMenu("Opened")
	item.ClickMenu("Quit")
	if code := a.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestTrayItemOfADeadProgramIsNotTaken(t *testing.T) {
	t.Parallel()
	d := NewDesktop(t, Options{})
	if err := d.StartTray(); err != nil {
		t.Fatal(err)
	}
	first := start(t, "tray", d.Env(t.TempDir()))
	d.TrayItem(t).WaitMenu("Open")
	first.Kill()
	second := start(t, "tray", d.Env(t.TempDir()))
	d.TrayItem(t).Activate()
	second.WaitLog("tapped")
}

func TestNotificationIsKeptAndItsActionInvoked(t *testing.T) {
	t.Parallel()
	d := NewDesktop(t, Options{Notifications: true})
	a := start(t, "notify", d.Env(t.TempDir()))
	n := d.WaitNotification(t, func(n Notification) bool { return n.Body == "second" })
	if n.Summary != "A gate" || n.Replaced != 1 || n.Closed || !slices.Equal(n.Actions, []string{"default", "Open"}) {
		t.Errorf("notification %+v", n)
	}
	n.InvokeAction(t, "default")
	a.WaitLog(fmt.Sprintf("ActionInvoked [%d default]", n.ID))
	a.WaitLog(fmt.Sprintf("NotificationClosed [%d 2]", n.ID))
	if all := d.Notifications(); len(all) != 1 || !all[0].Closed {
		t.Errorf("notifications %+v", all)
	}
}

func TestFaultInTheLogFailsTheTest(t *testing.T) {
	t.Parallel()
	s := &stranger{T: t}
	said := s.run(func() { start(s, "faulty", os.Environ()).Wait() })
	if !strings.Contains(said, "Error in Fyne call thread") {
		t.Errorf("reported %q", said)
	}
}

func TestAWidgetThatIsTouchedOffItsThreadFailsTheTest(t *testing.T) {
	t.Parallel()
	d := NewDesktop(t, Options{})
	s := &stranger{T: t}
	said := s.run(func() { start(s, "astray", d.Env(t.TempDir())).Wait() })
	if !strings.Contains(said, "Error in Fyne call thread") {
		t.Errorf("reported %q", said)
	}
}

func TestLogIsNotWaitedForAfterTheEnd(t *testing.T) {
	t.Parallel()
	s := &stranger{T: t}
	began := time.Now()
	said := s.run(func() { start(s, "faulty", os.Environ()).WaitLog("never said") })
	if !strings.Contains(said, `wait for "never said" in the log (ended: true)`) || time.Since(began) > 20*time.Second {
		t.Errorf("reported %q after %v", said, time.Since(began))
	}
}

func TestKillEndsTheProgramAtOnce(t *testing.T) {
	t.Parallel()
	a := start(t, "deaf", os.Environ())
	if !a.Running() {
		t.Error("it ended by itself")
	}
	a.Kill()
	if code := a.Wait(); code != -1 || a.Running() {
		t.Errorf("exit code %d, running %v", code, a.Running())
	}
}

func TestWhatAProgramStartedEndsWithItsTest(t *testing.T) {
	t.Parallel()
	s := &stranger{T: t}
	var all []*os.Process
	if said := s.run(func() {
		a := Start(s, "sh", []string{"-c", "sh -c 'sleep 600 & echo deep; wait' & echo here; wait"}, os.Environ())
		a.WaitLog("here")
		a.WaitLog("deep")
		all = Kin(a.PID())
	}); said != "" {
		t.Error(said)
	}
	if len(all) != 2 {
		t.Fatalf("it had started %d processes, want a shell and its sleep", len(all))
	}
	for _, p := range all {
		if Runs(p.Pid) {
			t.Errorf("process %d lives on", p.Pid)
		}
	}
}

func TestMissingProgramIsNamedWithItsPackage(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := StartDesktop(Options{})
	if err == nil || !strings.Contains(err.Error(), "Xvfb (Debian package xvfb)") {
		t.Fatalf("error %v", err)
	}
}

func TestDesktopDiesWithItsTest(t *testing.T) {
	t.Parallel()
	a := start(t, "desktop", append(os.Environ(), "TMPDIR="+t.TempDir()))
	a.WaitLog("display :")
	children := childrenOf(t, a.PID())
	if len(children) < 3 {
		t.Fatalf("children %v", children)
	}
	a.Kill()
	deadline := time.Now().Add(10 * time.Second)
	for _, pid := range children {
		for Runs(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d lives on", pid)
			}
			runtime.Gosched()
		}
	}
}

func childrenOf(t *testing.T, parent int) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, file := range files {
		if pid, _, ppid := StatOf(file); ppid == parent {
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestTheScreenIsLookedAtAndClicked(t *testing.T) {
	t.Parallel()
	d := NewDesktop(t, Options{})
	s := d.Screen(t)
	whole := image.Rect(0, 0, 1280, 800)
	empty := s.Look(whole)
	a := Start(t, "xev", []string{"-name", "Looked at", "-geometry", "300x200"}, d.Env(t.TempDir()))
	w := d.Window(t, "Looked at")
	for deadline := time.Now().Add(time.Minute); s.Look(whole) == empty; {
		if time.Now().After(deadline) {
			t.Fatal("the window does not change the picture")
		}
	}
	x, y := w.Corner()
	s.Point(image.Pt(x+40, y+30))
	s.Click()
	a.WaitLog("ButtonRelease")
	a.WaitLog("(40,30)")
}
