package app

import (
	"context"
	"log/slog"
	"os"
	"runtime"
	"sync/atomic"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/systray"
	"github.com/godbus/dbus/v5"

	"fermata/ui/tray"
)

// trayName is who shows the tray on Linux.
const trayName = "org.kde.StatusNotifierWatcher"

// findTray returns the tray of a desktop that can have one, or nil. Where it can come and go, changed is called after each
// change, until ctx ends. Without a session bus Fyne's tray panics on quitting, so it is left out there.
func findTray(ctx context.Context, a fyne.App, log *slog.Logger, changed func()) tray.Host {
	d, ok := a.(desktop.App)
	if !ok {
		return nil
	}
	t := &trayHost{app: d, log: log}
	if runtime.GOOS != "linux" {
		t.present.Store(true)
		return t
	}
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" && os.Getenv("XDG_RUNTIME_DIR") == "" {
		return nil
	}
	bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		log.Info("no session bus, so no tray", "err", err)
		return nil
	}
	if err := t.watch(bus, changed); err != nil {
		log.Info("no tray", "err", err)
		return nil
	}
	return t
}

type trayHost struct {
	app     desktop.App
	log     *slog.Logger
	present atomic.Bool
}

// watch follows who shows the tray: Fyne's own tray registers with whoever comes. It ends with the bus.
func (t *trayHost) watch(bus *dbus.Conn, changed func()) error {
	signals := make(chan *dbus.Signal, 16)
	bus.Signal(signals)
	err := bus.AddMatchSignal(dbus.WithMatchSender("org.freedesktop.DBus"), dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, trayName))
	if err != nil {
		return err
	}
	var owned bool
	if err := bus.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, trayName).Store(&owned); err != nil {
		return err
	}
	t.present.Store(owned)
	if !owned {
		t.log.Info("no tray host yet")
	}
	go func() {
		for s := range signals {
			var name, old, now string
			if dbus.Store(s.Body, &name, &old, &now) != nil || name != trayName {
				continue
			}
			t.set(now != "", changed)
		}
		t.set(false, changed)
	}()
	return nil
}

func (t *trayHost) set(present bool, changed func()) {
	if t.present.Swap(present) != present {
		t.log.Info("tray host", "present", present)
		changed()
	}
}

// Present says whether somebody shows the tray now.
func (t *trayHost) Present() bool { return t.present.Load() }

// SetMenu shows the tray's menu.
func (t *trayHost) SetMenu(m *fyne.Menu) {
	defer t.survive()
	t.app.SetSystemTrayMenu(m)
}

// SetIcon shows the tray's icon.
func (t *trayHost) SetIcon(r fyne.Resource) {
	defer t.survive()
	t.app.SetSystemTrayIcon(r)
}

// SetTooltip says something while the pointer rests on the icon.
func (t *trayHost) SetTooltip(s string) {
	defer t.survive()
	systray.SetTooltip(s)
}

// survive keeps the app up when the session bus went away under the tray: the tray's library panics on it.
func (t *trayHost) survive() {
	if r := recover(); r != nil {
		t.log.Warn("the tray cannot be drawn any more", "why", r)
	}
}
