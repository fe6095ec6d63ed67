package app

import (
	"errors"
	"log/slog"
	"os"
	"runtime"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"github.com/godbus/dbus/v5"

	"fermata/ui/tray"
)

// findTray returns the desktop's tray, or nil where there is none. Without a session bus Fyne's tray panics on quitting,
// so it is left out there.
func findTray(a fyne.App, log *slog.Logger) tray.Host {
	d, ok := a.(desktop.App)
	if !ok {
		return nil
	}
	if runtime.GOOS != "linux" {
		return trayHost{d, log}
	}
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" && os.Getenv("XDG_RUNTIME_DIR") == "" {
		return nil
	}
	bus, err := dbus.ConnectSessionBus()
	if err != nil {
		log.Info("no session bus, so no tray", "err", err)
		return nil
	}
	var owned bool
	err = bus.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, "org.kde.StatusNotifierWatcher").Store(&owned)
	err = errors.Join(err, bus.Close())
	if err != nil || !owned {
		log.Info("no tray host", "err", err)
		return nil
	}
	return trayHost{d, log}
}

type trayHost struct {
	app desktop.App
	log *slog.Logger
}

// SetMenu shows the tray's menu.
func (t trayHost) SetMenu(m *fyne.Menu) {
	defer t.survive()
	t.app.SetSystemTrayMenu(m)
}

// SetIcon shows the tray's icon.
func (t trayHost) SetIcon(r fyne.Resource) {
	defer t.survive()
	t.app.SetSystemTrayIcon(r)
}

// survive keeps the app up when the session bus went away under the tray: the tray's library panics on it.
func (t trayHost) survive() {
	if r := recover(); r != nil {
		t.log.Warn("the tray cannot be drawn any more", "why", r)
	}
}
