package apptest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/godbus/dbus/v5"
)

const (
	notifyPath  = dbus.ObjectPath("/org/freedesktop/Notifications")
	notifyIface = "org.freedesktop.Notifications"
)

// Notification is one that a program showed, as it stands now.
type Notification struct {
	ID       uint32
	App      string
	Icon     string
	Summary  string
	Body     string
	Actions  []string // key and label in turn
	Timeout  int32    // milliseconds; -1 leaves it to the desktop
	Replaced int      // how often the program replaced it
	Closed   bool     // the program closed it, or an action was invoked

	desktop *Desktop
}

// InvokeAction does what a person's click on one of the notification's actions does; "default" is a click on the
// notification itself.
func (n Notification) InvokeAction(t T, key string) {
	t.Helper()
	conn := n.desktop.conn
	err := conn.Emit(notifyPath, notifyIface+".ActionInvoked", n.ID, key)
	if err == nil {
		n.desktop.notices.close(n.ID)
		err = conn.Emit(notifyPath, notifyIface+".NotificationClosed", n.ID, uint32(2))
	}
	if err != nil {
		t.Fatalf("invoke action %q of notification %q: %v", key, n.Summary, err)
	}
}

// Notifications returns what was shown so far, the oldest first.
func (d *Desktop) Notifications() []Notification { return d.notices.all() }

// WaitNotification returns the first notification, past or to come, that the function takes.
func (d *Desktop) WaitNotification(t T, take func(Notification) bool) Notification {
	t.Helper()
	var got Notification
	found := d.notices.bell.until(0, func() bool {
		for _, n := range d.notices.all() {
			if take(n) {
				got = n
				return true
			}
		}
		return false
	})
	if !found {
		t.Fatalf("wait for a notification: none among %+v", d.notices.all())
	}
	return got
}

func (d *Desktop) startNotifications() error {
	d.notices.desktop = d
	// Only these are on the bus; the other methods are ours.
	methods := map[string]any{
		"Notify":               d.notices.notify,
		"CloseNotification":    d.notices.closeByProgram,
		"GetCapabilities":      func() ([]string, *dbus.Error) { return []string{"actions", "body"}, nil },
		"GetServerInformation": serverInformation,
	}
	if err := d.conn.ExportMethodTable(methods, notifyPath, notifyIface); err != nil {
		return fmt.Errorf("export notifications: %w", err)
	}
	return d.claim(notifyIface)
}

func serverInformation() (name, vendor, version, spec string, err *dbus.Error) {
	return "apptest", "fermata", "1", "1.2", nil
}

// notices is the notification service.
type notices struct {
	desktop *Desktop
	bell    bell
	mu      sync.Mutex
	list    []Notification
}

func (s *notices) notify(app string, replaces uint32, icon, summary, body string, actions []string,
	_ map[string]dbus.Variant, timeout int32,
) (uint32, *dbus.Error) {
	s.mu.Lock()
	n := Notification{
		ID: uint32(len(s.list) + 1), App: app, Icon: icon, Summary: summary, Body: body, Actions: actions,
		Timeout: timeout, desktop: s.desktop,
	}
	if replaces > 0 && int(replaces) <= len(s.list) {
		n.ID, n.Replaced = replaces, s.list[replaces-1].Replaced+1
		s.list[replaces-1] = n
	} else {
		s.list = append(s.list, n)
	}
	s.mu.Unlock()
	s.bell.ring()
	return n.ID, nil
}

func (s *notices) closeByProgram(id uint32) *dbus.Error {
	if s.close(id) {
		_ = s.desktop.conn.Emit(notifyPath, notifyIface+".NotificationClosed", id, uint32(3))
	}
	return nil
}

func (s *notices) close(id uint32) bool {
	s.mu.Lock()
	known := id > 0 && int(id) <= len(s.list)
	if known {
		s.list[id-1].Closed = true
	}
	s.mu.Unlock()
	s.bell.ring()
	return known
}

func (s *notices) all() []Notification {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}
