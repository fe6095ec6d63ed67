package apptest

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/introspect"
	"github.com/godbus/dbus/v5/prop"
)

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = dbus.ObjectPath("/StatusNotifierWatcher")
	itemIface   = "org.kde.StatusNotifierItem"
	menuIface   = "com.canonical.dbusmenu"
)

// watcher is the desktop's side of the tray: programs register their items with it.
type watcher struct {
	bell  bell
	mu    sync.Mutex
	items []trayAddress
}

type trayAddress struct {
	owner string
	path  dbus.ObjectPath
}

// StartTray adds a tray to a desktop that was started without one.
func (d *Desktop) StartTray() error {
	methods := map[string]any{
		"RegisterStatusNotifierItem": d.tray.register,
		"RegisterStatusNotifierHost": func(string) *dbus.Error { return nil },
	}
	if err := d.conn.ExportMethodTable(methods, watcherPath, watcherName); err != nil {
		return fmt.Errorf("export tray: %w", err)
	}
	_, err := prop.Export(d.conn, watcherPath, prop.Map{watcherName: {
		"IsStatusNotifierHostRegistered": {Value: true},
		"ProtocolVersion":                {Value: int32(0)},
		"RegisteredStatusNotifierItems":  {Value: []string{}},
	}})
	if err != nil {
		return fmt.Errorf("export tray: %w", err)
	}
	node := introspect.NewIntrospectable(&introspect.Node{})
	if err := d.conn.Export(node, watcherPath, "org.freedesktop.DBus.Introspectable"); err != nil {
		return fmt.Errorf("export tray: %w", err)
	}
	return d.claim(watcherName)
}

// register takes a bus name, or a path on the sender's connection.
func (w *watcher) register(sender dbus.Sender, service string) *dbus.Error {
	item := trayAddress{owner: string(sender), path: "/StatusNotifierItem"}
	if strings.HasPrefix(service, "/") {
		item.path = dbus.ObjectPath(service)
	}
	w.mu.Lock()
	w.items = append(w.items, item)
	w.mu.Unlock()
	w.bell.ring()
	return nil
}

func (w *watcher) latestFirst() []trayAddress {
	w.mu.Lock()
	defer w.mu.Unlock()
	var items []trayAddress
	for i := len(w.items) - 1; i >= 0; i-- {
		items = append(items, w.items[i])
	}
	return items
}

// TrayItem is a program's icon in the tray.
type TrayItem struct {
	t    T
	conn *dbus.Conn
	at   trayAddress
}

// TrayItem waits for a program's item and returns the latest one whose program still runs.
func (d *Desktop) TrayItem(t T) *TrayItem {
	t.Helper()
	item := &TrayItem{t: t, conn: d.conn}
	found := d.tray.bell.until(0, func() bool {
		for _, at := range d.tray.latestFirst() {
			if d.hasOwner(at.owner) {
				item.at = at
				return true
			}
		}
		return false
	})
	if !found {
		t.Fatalf("wait for a tray item: no running program registered one")
	}
	return item
}

// Activate does what a left click on the icon does.
func (i *TrayItem) Activate() {
	i.t.Helper()
	if err := i.object().Call(itemIface+".Activate", 0, int32(0), int32(0)).Err; err != nil {
		i.t.Fatalf("activate tray item: %v", err)
	}
}

// Property reads one of the item's properties, such as "Title" or "Status".
func (i *TrayItem) Property(name string) any {
	i.t.Helper()
	value, err := i.object().GetProperty(itemIface + "." + name)
	if err != nil {
		i.t.Fatalf("read tray property %s: %v", name, err)
	}
	return value.Value()
}

// Icon is the item's picture, the first of the sizes it offers.
func (i *TrayItem) Icon() image.Image {
	i.t.Helper()
	value, err := i.object().GetProperty(itemIface + ".IconPixmap")
	var maps []struct {
		Width, Height int32
		Pixels        []byte // alpha, red, green, blue
	}
	if err == nil {
		err = value.Store(&maps)
	}
	if err != nil || len(maps) == 0 {
		i.t.Fatalf("read tray icon: %d pictures, %v", len(maps), err)
		return nil
	}
	m := maps[0]
	img := image.NewNRGBA(image.Rect(0, 0, int(m.Width), int(m.Height)))
	if len(m.Pixels) != len(img.Pix) {
		i.t.Fatalf("read tray icon: %d bytes for %dx%d", len(m.Pixels), m.Width, m.Height)
	}
	for n := 0; n+3 < len(m.Pixels); n += 4 {
		p := m.Pixels[n : n+4]
		img.SetNRGBA(n/4%int(m.Width), n/4/int(m.Width), color.NRGBA{A: p[0], R: p[1], G: p[2], B: p[3]})
	}
	return img
}

func (i *TrayItem) object() dbus.BusObject { return i.conn.Object(i.at.owner, i.at.path) }
