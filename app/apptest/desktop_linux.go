package apptest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/godbus/dbus/v5"
)

// T is what the harness needs of a test; *testing.T is one. Fatalf does not return.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
	Cleanup(func())
	Failed() bool
}

// Bus says which session bus a desktop has.
type Bus int

// The buses. BusBare starts no service by itself; BusStandard starts those that the machine has installed, such as a
// keyring; with BusNone nothing answers at the bus's address.
const (
	BusBare Bus = iota
	BusStandard
	BusNone
)

// Options choose what a desktop has. The zero value has a window manager and a bare bus, but no tray, no notification
// service and no keyring.
type Options struct {
	Screen          string // width x height in pixels; "1280x800" when empty
	Bus             Bus
	Tray            bool
	Notifications   bool
	Keyring         bool // the Secret Service, with an unlocked empty keyring
	NoWindowManager bool
}

// Desktop is a running desktop. It is safe for concurrent use.
type Desktop struct {
	Display string // such as ":7"
	BusAddr string

	dir       string
	processes []*process
	conn      *dbus.Conn
	tray      watcher
	notices   notices
}

// NewDesktop starts a desktop for the test and ends it with the test.
func NewDesktop(t T, opts Options) *Desktop {
	t.Helper()
	d, err := StartDesktop(opts)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(d.Close)
	return d
}

// StartDesktop starts a desktop that the caller closes. What it starts also ends when this process dies.
func StartDesktop(opts Options) (*Desktop, error) {
	d := &Desktop{}
	if err := d.start(opts); err != nil {
		d.Close()
		return nil, fmt.Errorf("start desktop: %w", err)
	}
	return d, nil
}

func (d *Desktop) start(opts Options) error {
	if err := requirePrograms("Xvfb", "openbox", "dbus-daemon", "xdotool", "import"); err != nil {
		return err
	}
	if opts.Bus == BusNone && (opts.Tray || opts.Notifications || opts.Keyring) {
		return errors.New("tray, notifications and keyring need a bus")
	}
	// Not the test's own folder: its long name would not fit into the address of a socket.
	dir, err := os.MkdirTemp("", "fermata-desktop-")
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	d.dir = dir
	if err := d.startDisplay(opts); err != nil {
		return err
	}
	if err := d.startBus(opts.Bus); err != nil {
		return err
	}
	if opts.Keyring {
		if err := d.startKeyring(); err != nil {
			return err
		}
	}
	if opts.Notifications {
		if err := d.startNotifications(); err != nil {
			return err
		}
	}
	if opts.Tray {
		return d.StartTray()
	}
	return nil
}

// Close ends everything that the desktop started, the latest first.
func (d *Desktop) Close() {
	if d.conn != nil {
		_ = d.conn.Close()
	}
	for i := len(d.processes) - 1; i >= 0; i-- {
		d.processes[i].stop()
	}
	d.processes = nil
	if d.dir != "" {
		_ = os.RemoveAll(d.dir)
	}
}

// Env is the whole environment of a program on this desktop with the given home; the caller may append to it.
func (d *Desktop) Env(home string) []string {
	runtime := filepath.Join(home, ".run")
	// Programs refuse a runtime folder that is missing or open to others; when this fails they say so themselves.
	_ = os.MkdirAll(runtime, 0o700)
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"XDG_CACHE_HOME=" + filepath.Join(home, ".cache"),
		"XDG_DATA_HOME=" + filepath.Join(home, ".local", "share"),
		"XDG_STATE_HOME=" + filepath.Join(home, ".local", "state"),
		"XDG_RUNTIME_DIR=" + runtime,
		"LANG=en_US.UTF-8",
		"LIBGL_ALWAYS_SOFTWARE=1",
		"DISPLAY=" + d.Display,
		"DBUS_SESSION_BUS_ADDRESS=" + d.BusAddr,
	}
}

// Screenshot writes a picture of the whole screen; the path's ending chooses the format.
func (d *Desktop) Screenshot(t T, path string) {
	t.Helper()
	if _, err := d.run("import", "-window", "root", path); err != nil {
		t.Fatalf("take screenshot: %v", err)
	}
}

func (d *Desktop) startDisplay(opts Options) error {
	screen := opts.Screen
	if screen == "" {
		screen = "1280x800"
	}
	cmd := command("Xvfb", "-displayfd", "3", "-screen", "0", screen+"x24", "-nolisten", "tcp", "-noreset")
	p, number, err := firstLine(cmd)
	if err != nil {
		return err
	}
	d.processes = append(d.processes, p)
	d.Display = ":" + number
	if opts.NoWindowManager {
		return nil
	}
	// A window that is mapped while openbox still starts can stay unmanaged for ever, so wait for its own word.
	const ready = "openbox is ready"
	if err := d.spawn(command("openbox", "--sm-disable", "--startup", "echo "+ready)); err != nil {
		return err
	}
	manager := d.processes[len(d.processes)-1]
	manager.out.bell.until(0, func() bool { return strings.Contains(manager.out.String(), ready) || manager.ended() })
	if !strings.Contains(manager.out.String(), ready) {
		return fmt.Errorf("wait for openbox: %s", manager.out)
	}
	return nil
}

// spawn starts a part of the desktop that needs no further word.
func (d *Desktop) spawn(cmd *exec.Cmd) error {
	cmd.Env = d.Env(d.dir)
	p, err := startProcess(cmd)
	if err != nil {
		return err
	}
	d.processes = append(d.processes, p)
	return nil
}
