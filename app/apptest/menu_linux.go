package apptest

import (
	"fmt"

	"github.com/godbus/dbus/v5"
)

// MenuItem is one line of a tray menu.
type MenuItem struct {
	Label     string
	Separator bool
	Disabled  bool
	Checked   bool
	Sub       []MenuItem

	id int32 // changes whenever the program redraws its menu
}

// Menu reads the item's menu as it stands now.
func (i *TrayItem) Menu() []MenuItem {
	i.t.Helper()
	menu, err := i.readMenu()
	if err != nil {
		i.t.Fatalf("read tray menu: %v", err)
	}
	return menu
}

// Labels lists the labels of the menu and its submenus, from the top.
func (i *TrayItem) Labels() []string {
	i.t.Helper()
	return labels(i.Menu())
}

// WaitMenu waits for an enabled line with the label, in the menu or a submenu, and returns it.
func (i *TrayItem) WaitMenu(label string) MenuItem {
	i.t.Helper()
	var item MenuItem
	var menu []MenuItem
	var err error
	// A menu may change without a word, so it is read again and again.
	found := new(bell).until(poll, func() bool {
		if menu, err = i.readMenu(); err != nil {
			return false
		}
		line := find(menu, label)
		if line != nil {
			item = *line
		}
		return line != nil && !line.Disabled
	})
	if !found {
		i.t.Fatalf("wait for tray menu line %q: none among %q (%v)", label, labels(menu), err)
	}
	return item
}

// ClickMenu waits for an enabled line with the label and clicks it.
func (i *TrayItem) ClickMenu(label string) {
	i.t.Helper()
	line := i.WaitMenu(label)
	object, err := i.menuObject()
	if err == nil {
		err = object.Call(menuIface+".Event", 0, line.id, "clicked", dbus.MakeVariant(0), uint32(0)).Err
	}
	if err != nil {
		i.t.Fatalf("click tray menu line %q: %v", label, err)
	}
}

func (i *TrayItem) menuObject() (dbus.BusObject, error) {
	value, err := i.object().GetProperty(itemIface + ".Menu")
	if err != nil {
		return nil, err
	}
	path, ok := value.Value().(dbus.ObjectPath)
	if !ok {
		return nil, fmt.Errorf("the menu's path is %v", value)
	}
	return i.conn.Object(i.at.owner, path), nil
}

// layout is dbusmenu's (ia{sv}av).
type layout struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

func (i *TrayItem) readMenu() ([]MenuItem, error) {
	object, err := i.menuObject()
	if err != nil {
		return nil, err
	}
	var revision uint32
	var root layout
	err = object.Call(menuIface+".GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &root)
	if err != nil {
		return nil, err
	}
	return menuItems(root.Children)
}

func menuItems(children []dbus.Variant) ([]MenuItem, error) {
	var items []MenuItem
	for _, child := range children {
		var l layout
		if err := dbus.Store([]any{child.Value()}, &l); err != nil {
			return nil, fmt.Errorf("read menu line: %w", err)
		}
		sub, err := menuItems(l.Children)
		if err != nil {
			return nil, err
		}
		item := MenuItem{id: l.ID, Sub: sub}
		item.Label, _ = l.Properties["label"].Value().(string)
		kind, _ := l.Properties["type"].Value().(string)
		item.Separator = kind == "separator"
		if enabled, ok := l.Properties["enabled"].Value().(bool); ok {
			item.Disabled = !enabled
		}
		state, _ := l.Properties["toggle-state"].Value().(int32)
		item.Checked = state == 1
		items = append(items, item)
	}
	return items, nil
}

func find(items []MenuItem, label string) *MenuItem {
	for i := range items {
		if items[i].Label == label {
			return &items[i]
		}
		if sub := find(items[i].Sub, label); sub != nil {
			return sub
		}
	}
	return nil
}

func labels(items []MenuItem) []string {
	var all []string
	for _, item := range items {
		if item.Label != "" {
			all = append(all, item.Label)
		}
		all = append(all, labels(item.Sub)...)
	}
	return all
}
