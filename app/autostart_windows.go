package app

import (
	"errors"
	"strings"
	"syscall"

	"golang.org/x/sys/windows/registry"
)

// runKey holds what Windows starts when this user logs in.
const runKey = `Software\Microsoft\Windows\CurrentVersion\Run`

type registryRun struct{ command string }

// platformAutostart is a value below the Run key of the person's registry.
func platformAutostart(command []string, _ func(string) string) (autostart, error) {
	var quoted []string
	for _, word := range command {
		quoted = append(quoted, syscall.EscapeArg(word))
	}
	return registryRun{strings.Join(quoted, " ")}, nil
}

func (r registryRun) set(on bool) (err error) {
	key, _, err := registry.CreateKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, key.Close()) }()
	if on {
		return key.SetStringValue("Fermata", r.command)
	}
	if err := key.DeleteValue("Fermata"); err != nil && !errors.Is(err, registry.ErrNotExist) {
		return err
	}
	return nil
}
