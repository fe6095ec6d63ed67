// Package apptest is a desktop for tests of the built program on Linux: a display, a session bus, a tray, a notification
// service and a keyring that nobody else uses.
package apptest
