package app

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// platformAutostart is an agent of the person's launchd, which reads its folder at each login.
func platformAutostart(command []string, _ func(string) string) (autostart, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("find the LaunchAgents folder: %w", err)
	}
	var words strings.Builder
	for _, word := range command {
		words.WriteString("\t\t<string>")
		if err := xml.EscapeText(&words, []byte(word)); err != nil {
			return nil, fmt.Errorf("write the launch agent: %w", err)
		}
		words.WriteString("</string>\n")
	}
	content := `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + appID + `</string>
	<key>ProgramArguments</key>
	<array>
` + words.String() + `	</array>
	<key>RunAtLoad</key>
	<true/>
	<key>ProcessType</key>
	<string>Interactive</string>
</dict>
</plist>
`
	return startFile{filepath.Join(home, "Library", "LaunchAgents", appID+".plist"), []byte(content)}, nil
}
