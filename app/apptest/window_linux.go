package apptest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Window is a program's window on the screen. Coordinates are pixels from the upper left corner of its content.
type Window struct {
	t  T
	d  *Desktop
	id string
}

// Window waits for a visible window with exactly this title.
func (d *Desktop) Window(t T, title string) *Window {
	t.Helper()
	var out string
	var err error
	// The search fails when a window that it looks at goes meanwhile: it may be any other one.
	const tries = 10
	for range tries {
		if out, err = d.run("xdotool", "search", "--sync", "--onlyvisible", "--name", exactly(title)); err == nil || !strings.Contains(err.Error(), "BadWindow") {
			break
		}
	}
	ids := strings.Fields(out)
	if err != nil || len(ids) == 0 {
		t.Fatalf("wait for window %q: %v", title, err)
		return nil
	}
	return &Window{t: t, d: d, id: ids[len(ids)-1]}
}

// Visible says whether a window with exactly this title is on the screen.
func (d *Desktop) Visible(title string) bool {
	out, err := d.run("xdotool", "search", "--onlyvisible", "--name", exactly(title))
	return err == nil && out != ""
}

// WaitGone waits until no window with exactly this title is on the screen.
func (d *Desktop) WaitGone(t T, title string) {
	t.Helper()
	if !new(bell).until(poll, func() bool { return !d.Visible(title) }) {
		t.Fatalf("wait for window %q to go: it stays", title)
	}
}

func exactly(title string) string { return "^" + regexp.QuoteMeta(title) + "$" }

// Click clicks the left button at a point.
func (w *Window) Click(x, y int) {
	w.t.Helper()
	w.mouse(x, y, "click", "1")
}

// ClickAt clicks the left button in the middle of a rectangle.
func (w *Window) ClickAt(r image.Rectangle) {
	w.t.Helper()
	w.Click((r.Min.X+r.Max.X)/2, (r.Min.Y+r.Max.Y)/2)
}

// RightClick clicks the right button at a point.
func (w *Window) RightClick(x, y int) {
	w.t.Helper()
	w.mouse(x, y, "click", "3")
}

// Scroll turns the wheel at a point: down by so many steps, or up when steps is negative.
func (w *Window) Scroll(x, y, steps int) {
	w.t.Helper()
	button := "5"
	if steps < 0 {
		button, steps = "4", -steps
	}
	w.mouse(x, y, "click", "--repeat", strconv.Itoa(steps), "--delay", "20", button)
}

// Drag holds the left button from one point to the other. It moves in steps, because programs start a drag only once the
// pointer has moved.
func (w *Window) Drag(from, to image.Point) {
	w.t.Helper()
	const steps = 8
	w.mouse(from.X, from.Y, "mousedown", "1")
	for i := 1; i <= steps; i++ {
		w.mouse(from.X+(to.X-from.X)*i/steps, from.Y+(to.Y-from.Y)*i/steps)
	}
	w.mouse(to.X, to.Y, "mouseup", "1")
}

// Key presses a key by its X name, such as "Tab" or "ctrl+comma", with the window focused.
func (w *Window) Key(name string) {
	w.t.Helper()
	w.xdotool("windowfocus", "--sync", w.id, "key", name)
}

// Type types a text into the window's focused widget.
func (w *Window) Type(text string) {
	w.t.Helper()
	w.xdotool("windowfocus", "--sync", w.id)
	w.xdotool("type", "--delay", "20", "--", text)
}

// Type types a text into whatever has the focus, as a person does who does not look.
func (d *Desktop) Type(t T, text string) {
	t.Helper()
	if _, err := d.run("xdotool", "type", "--delay", "20", "--", text); err != nil {
		t.Fatalf("%v", err)
	}
}

// Press presses a key by its X name for whatever has the focus.
func (d *Desktop) Press(t T, key string) {
	t.Helper()
	if _, err := d.run("xdotool", "key", key); err != nil {
		t.Fatalf("%v", err)
	}
}

// Focused says whether the window is the one that the keyboard is for; it needs the window manager.
func (w *Window) Focused() bool {
	out, err := w.d.run("xdotool", "getactivewindow")
	return err == nil && out == w.id
}

// Minimise takes the window off the screen as its button does; it needs the window manager.
func (w *Window) Minimise() {
	w.t.Helper()
	w.xdotool("windowminimize", w.id)
}

// OnScreen says whether the window is there and shown.
func (w *Window) OnScreen() bool { return w.onScreen() }

// Activate raises and focuses the window; it needs the window manager.
func (w *Window) Activate() {
	w.t.Helper()
	w.xdotool("windowactivate", "--sync", w.id)
}

// Close closes the window as a person does with the keyboard; it needs the window manager.
func (w *Window) Close() {
	w.t.Helper()
	w.close()
}

// CloseUnderTheMovingPointer closes the window like Close while the pointer moves over it, as it does for a person who
// clicked the window's button and goes on.
func (w *Window) CloseUnderTheMovingPointer() {
	w.t.Helper()
	var then []string
	for at := 20; at < 200; at += 5 {
		then = append(then, "mousemove", "--window", w.id, strconv.Itoa(at), strconv.Itoa(at))
	}
	w.close(then...)
}

// close presses the keys until the window is off the screen: they go nowhere while the window manager moves the focus.
func (w *Window) close(then ...string) {
	w.t.Helper()
	const tries, wait = 5, 2 * time.Second
	for range tries {
		// The window may go in the middle of any of these, which then fail.
		if _, err := w.d.run("xdotool", append([]string{"windowactivate", "--sync", w.id, "key", "alt+F4"}, then...)...); err != nil {
			w.t.Logf("close a window: %v", err)
		}
		if w.goneWithin(wait) {
			return
		}
		w.t.Logf("the window was closed and is still there")
	}
	w.t.Fatalf("the window stays, however often it is closed")
}

func (w *Window) goneWithin(d time.Duration) bool {
	tick, end := time.NewTicker(poll), time.NewTimer(d)
	defer tick.Stop()
	defer end.Stop()
	for w.onScreen() {
		select {
		case <-tick.C:
		case <-end.C:
			return false
		}
	}
	return true
}

// onScreen says whether the window is there and shown.
func (w *Window) onScreen() bool {
	out, err := w.d.run("xwininfo", "-id", w.id)
	return err == nil && strings.Contains(out, "IsViewable")
}

// Size is the size of the window's content in pixels.
func (w *Window) Size() (width, height int) {
	w.t.Helper()
	for line := range strings.Lines(w.xdotool("getwindowgeometry", "--shell", w.id)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		n, err := strconv.Atoi(value)
		switch {
		case err != nil:
		case name == "WIDTH":
			width = n
		case name == "HEIGHT":
			height = n
		}
	}
	return width, height
}

// Corner is where the upper left corner of the window's content is on the screen, in pixels.
func (w *Window) Corner() (x, y int) {
	w.t.Helper()
	// xdotool counts the frame twice.
	out, err := w.d.run("xwininfo", "-id", w.id)
	if err != nil {
		w.t.Fatalf("find the window's corner: %v", err)
	}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		n, err := strconv.Atoi(strings.TrimSpace(value))
		switch {
		case err != nil:
		case name == "Absolute upper-left X":
			x = n
		case name == "Absolute upper-left Y":
			y = n
		}
	}
	return x, y
}

// Resize gives the window's content another size.
func (w *Window) Resize(width, height int) {
	w.t.Helper()
	w.xdotool("windowsize", w.id, strconv.Itoa(width), strconv.Itoa(height))
}

// Screenshot writes a picture of the window's content; the path's ending chooses the format. What covers the window is
// in the picture.
func (w *Window) Screenshot(path string) {
	w.t.Helper()
	if _, err := w.d.run("import", "-window", w.id, path); err != nil {
		w.t.Fatalf("take screenshot: %v", err)
	}
}

func (w *Window) mouse(x, y int, then ...string) {
	w.t.Helper()
	w.xdotool(append([]string{"mousemove", "--window", w.id, strconv.Itoa(x), strconv.Itoa(y)}, then...)...)
}

func (w *Window) xdotool(args ...string) string {
	w.t.Helper()
	out, err := w.d.run("xdotool", args...)
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	return out
}

// run runs a program on the desktop and returns its output.
func (d *Desktop) run(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = d.Env(d.dir), &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w %s", name, strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), nil
}
