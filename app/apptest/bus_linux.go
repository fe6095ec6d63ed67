package apptest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/godbus/dbus/v5"
)

// bareBus is a configuration without service folders: nothing is started because somebody asks for it.
const bareBus = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=%s</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

func (d *Desktop) startBus(bus Bus) error {
	if bus == BusNone {
		d.BusAddr = "unix:path=" + filepath.Join(d.dir, "no-bus")
		return nil
	}
	config := "--session"
	if bus == BusBare {
		path := filepath.Join(d.dir, "bus.conf")
		if err := os.WriteFile(path, fmt.Appendf(nil, bareBus, d.dir), 0o600); err != nil {
			return fmt.Errorf("write the bus's configuration: %w", err)
		}
		config = "--config-file=" + path
	}
	cmd := command("dbus-daemon", config, "--nofork", "--nopidfile", "--print-address=3")
	cmd.Env = d.Env(d.dir)
	p, address, err := firstLine(cmd)
	if err != nil {
		return err
	}
	d.processes = append(d.processes, p)
	d.BusAddr = address
	if d.conn, err = dbus.Connect(address); err != nil {
		return fmt.Errorf("connect to the bus: %w", err)
	}
	return nil
}

// claim takes a name on the bus.
func (d *Desktop) claim(name string) error {
	reply, err := d.conn.RequestName(name, dbus.NameFlagDoNotQueue)
	if err != nil {
		return fmt.Errorf("claim %s: %w", name, err)
	}
	if reply != dbus.RequestNameReplyPrimaryOwner {
		return fmt.Errorf("claim %s: taken", name)
	}
	return nil
}

func (d *Desktop) startKeyring() error {
	if err := requirePrograms("gnome-keyring-daemon"); err != nil {
		return err
	}
	const name = "org.freedesktop.secrets"
	changes := make(chan *dbus.Signal, 16)
	d.conn.Signal(changes)
	defer d.conn.RemoveSignal(changes)
	match := []dbus.MatchOption{
		dbus.WithMatchInterface("org.freedesktop.DBus"), dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, name),
	}
	if err := d.conn.AddMatchSignal(match...); err != nil {
		return fmt.Errorf("watch for %s: %w", name, err)
	}
	defer func() { _ = d.conn.RemoveMatchSignal(match...) }()

	cmd := command("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets")
	cmd.Stdin = strings.NewReader("\n") // an empty password; no input at all would leave the keyring locked
	if err := d.spawn(cmd); err != nil {
		return err
	}
	keyring := d.processes[len(d.processes)-1]
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for !d.hasOwner(name) {
		select {
		case <-changes:
		case <-keyring.done:
			return fmt.Errorf("start keyring: it ended: %s", keyring.out)
		case <-ctx.Done():
			return fmt.Errorf("start keyring: %w: %s", ctx.Err(), keyring.out)
		}
	}
	return nil
}

func (d *Desktop) hasOwner(name string) bool {
	var owned bool
	err := d.conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, name).Store(&owned)
	return err == nil && owned
}
