package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"fermata/ui"
)

// The notification service of Linux desktops.
const (
	notifyName    = "org.freedesktop.Notifications"
	notifyPath    = dbus.ObjectPath("/org/freedesktop/Notifications")
	notifyOpen    = "default" // the action of a click on the notification itself
	notifyTimeout = 5 * time.Second
	notifyWaiting = 256 // requests that wait for a slow service; more are dropped
)

// notifier shows notifications that can be clicked, through the session bus. Everything but its queue belongs to the goroutine
// of run.
type notifier struct {
	log     *slog.Logger
	icon    string // the path of the app's icon
	clicked func(key string)
	// instead shows a notification that the bus could not show.
	instead func(ui.Notice)
	queue   chan func(context.Context)

	bus     *dbus.Conn // nil until it is needed
	signals chan *dbus.Signal
	can     []string          // what the service can do
	ids     map[string]uint32 // of the notifications on the screen, by key
}

func newNotifier(log *slog.Logger, icon string, clicked func(key string), instead func(ui.Notice)) *notifier {
	return &notifier{
		log: log, icon: icon, clicked: clicked, instead: instead,
		queue: make(chan func(context.Context), notifyWaiting), ids: map[string]uint32{},
	}
}

// Notify shows a notification, or replaces the one with its key.
func (n *notifier) Notify(notice ui.Notice) {
	n.put(func(ctx context.Context) {
		if err := n.show(ctx, notice); err != nil {
			n.log.Info("notify through the session bus", "err", err)
			n.instead(notice)
		}
	})
}

// Withdraw takes the notification of a key away.
func (n *notifier) Withdraw(key string) {
	n.put(func(ctx context.Context) {
		id, shown := n.ids[key]
		if !shown || n.bus == nil {
			return
		}
		delete(n.ids, key)
		if err := n.call(ctx, "CloseNotification", id).Err; err != nil {
			n.log.Info("withdraw a notification", "err", err)
		}
	})
}

func (n *notifier) put(do func(context.Context)) {
	select {
	case n.queue <- do:
	default:
		n.log.Warn("the notification service is too slow; a notification is left out")
	}
}

// run carries requests out and hears of clicks until ctx ends.
func (n *notifier) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case do := <-n.queue:
			do(ctx)
		case s, open := <-n.signals:
			if !open {
				n.bus, n.signals = nil, nil
				clear(n.ids)
				continue
			}
			n.hear(s)
		}
	}
}

// hear takes what the service tells of our notifications.
func (n *notifier) hear(s *dbus.Signal) {
	if len(s.Body) == 0 {
		return
	}
	id, ok := s.Body[0].(uint32)
	if !ok {
		return
	}
	for key, of := range n.ids {
		if of != id {
			continue
		}
		switch s.Name {
		case notifyName + ".ActionInvoked":
			if len(s.Body) > 1 && s.Body[1] == any(notifyOpen) {
				n.clicked(key)
			}
		case notifyName + ".NotificationClosed":
			delete(n.ids, key)
		}
		return
	}
}

// connect opens the bus when it is not open, and asks what the service can do until it says so.
func (n *notifier) connect(ctx context.Context) error {
	if n.bus == nil {
		bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
		if err != nil {
			return fmt.Errorf("connect to the session bus: %w", err)
		}
		for _, member := range []string{"ActionInvoked", "NotificationClosed"} {
			err = errors.Join(err, bus.AddMatchSignal(dbus.WithMatchInterface(notifyName), dbus.WithMatchObjectPath(notifyPath), dbus.WithMatchMember(member)))
		}
		if err != nil {
			return fmt.Errorf("listen for clicks on notifications: %w", errors.Join(err, bus.Close()))
		}
		n.bus, n.can, n.signals = bus, nil, make(chan *dbus.Signal, notifyWaiting)
		bus.Signal(n.signals)
	}
	if n.can != nil {
		return nil
	}
	if err := n.call(ctx, "GetCapabilities").Store(&n.can); err != nil {
		return fmt.Errorf("ask what notifications can do: %w", err)
	}
	return nil
}

func (n *notifier) call(ctx context.Context, method string, args ...any) *dbus.Call {
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	return n.bus.Object(notifyName, notifyPath).CallWithContext(ctx, notifyName+"."+method, 0, args...)
}

func (n *notifier) show(ctx context.Context, notice ui.Notice) error {
	if err := n.connect(ctx); err != nil {
		return err
	}
	actions := []string{}
	if slices.Contains(n.can, "actions") {
		actions = append(actions, notifyOpen, "Open")
	}
	body := notice.Body
	if slices.Contains(n.can, "body-markup") {
		body = strings.ReplaceAll(body, "&", "&amp;")
	}
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant(appID), "suppress-sound": dbus.MakeVariant(!notice.Sound)}
	if notice.Sound {
		hints["sound-name"] = dbus.MakeVariant("message-new-instant")
	}
	const desktopDecides = int32(-1)
	var id uint32
	err := n.call(ctx, "Notify", "Fermata", n.ids[notice.Key], n.icon, notice.Title, body, actions, hints, desktopDecides).Store(&id)
	if err != nil {
		return fmt.Errorf("show a notification: %w", err)
	}
	n.ids[notice.Key] = id
	return nil
}
