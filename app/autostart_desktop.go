//go:build !darwin && !windows

package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// platformAutostart is an entry of the desktop's autostart folder, as the XDG page on autostart says.
func platformAutostart(command []string, env func(string) string) (autostart, error) {
	config := env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("find the autostart folder: %w", err)
		}
		config = filepath.Join(home, ".config")
	}
	var quoted []string
	for _, word := range command {
		quoted = append(quoted, desktopWord(word))
	}
	content := "[Desktop Entry]\nType=Application\nName=Fermata\nExec=" + strings.Join(quoted, " ") + "\nTerminal=false\nX-GNOME-Autostart-enabled=true\n"
	return startFile{filepath.Join(config, "autostart", appID+".desktop"), []byte(content)}, nil
}

// desktopWord quotes one word of an Exec line. The string itself has its backslashes doubled once more.
func desktopWord(word string) string {
	word = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", `$`, `\$`, `%`, `%%`).Replace(word)
	return `"` + strings.ReplaceAll(word, `\`, `\\`) + `"`
}
