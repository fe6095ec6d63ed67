package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"fermata/pieces"
	"fermata/ui/inspector"
)

// opener opens a folder in a program of the desktop's. What it starts is the person's own: it runs beside the app, in no
// agent's host, and lives on when the app ends.
type opener struct {
	setting func(key string) string
	environ func() []string
	system  string // GOOS
	look    func(name string) (string, error)
}

func newOpener(setting func(string) string, environ func() []string) *opener {
	return &opener{setting: setting, environ: environ, system: runtime.GOOS, look: exec.LookPath}
}

// programs are the commands that are tried where the person named none; "{}" stands for the folder.
var programs = map[inspector.Place]map[string][]string{
	inspector.PlaceEditor: {
		"linux":   {"code {}", "codium {}", "cursor {}", "zed {}", "subl {}", "idea {}", "kate {}", "gnome-text-editor {}", "gedit {}"},
		"darwin":  {"code {}", "cursor {}", "zed {}", "subl {}", "idea {}", "open -a Xcode {}"},
		"windows": {"code.cmd {}", "cursor.cmd {}", "subl.exe {}", "notepad++.exe -openFoldersAsWorkspace {}"},
	},
	inspector.PlaceTerminal: {
		"linux": {
			"x-terminal-emulator", "gnome-terminal --working-directory={}", "konsole --workdir {}", "xfce4-terminal --working-directory={}",
			"kitty --directory {}", "alacritty --working-directory {}", "foot", "wezterm start --cwd {}", "xterm",
		},
		"darwin":  {"open -a Terminal {}"},
		"windows": {"wt.exe -d {}", "cmd.exe /c start cmd.exe"},
	},
	inspector.PlaceFiles: {
		"linux": {"xdg-open {}", "gio open {}"}, "darwin": {"open {}"}, "windows": {"explorer.exe {}"},
	},
}

// settingOf is the key under which the person names a program.
var settingOf = map[inspector.Place]string{inspector.PlaceEditor: pieces.KeyEditor, inspector.PlaceTerminal: pieces.KeyTerminal}

// open opens a folder. It says what is wrong in a sentence for the person.
func (o *opener) open(ctx context.Context, place inspector.Place, folder string) error {
	if at, err := os.Stat(folder); err != nil || !at.IsDir() {
		return fmt.Errorf("the folder %s is not there: %w", folder, errors.Join(err, os.ErrNotExist))
	}
	argv, err := o.command(place, folder)
	if err != nil {
		return err
	}
	return o.start(ctx, argv, folder)
}

// command is what opens a folder: the person's own, or the first that is installed.
func (o *opener) command(place inspector.Place, folder string) ([]string, error) {
	key := settingOf[place]
	if key != "" {
		if set := strings.TrimSpace(o.setting(key)); set != "" {
			argv := o.own(set)
			path, err := o.look(argv[0])
			if err != nil {
				return nil, fmt.Errorf("the command %s (the setting %s) was not found: %w", argv[0], key, err)
			}
			argv[0] = path
			if filled, placed := fill(argv, folder); placed || place == inspector.PlaceTerminal {
				return filled, nil
			}
			return append(argv, folder), nil
		}
	}
	for _, line := range programs[place][o.system] {
		argv := strings.Fields(line)
		if path, err := o.look(argv[0]); err == nil {
			argv[0] = path
			filled, _ := fill(argv, folder)
			return filled, nil
		}
	}
	if key == "" {
		return nil, errors.New("this desktop has no command that opens a folder, such as xdg-open")
	}
	return nil, fmt.Errorf("no %s was found; name its command in the setting %s", place, key)
}

// own reads a command that the person named: a path, which may have blanks in it, or a command with arguments.
func (o *opener) own(set string) []string {
	if _, err := o.look(set); err == nil {
		return []string{set}
	}
	return strings.Fields(set)
}

func fill(argv []string, folder string) (filled []string, placed bool) {
	for _, a := range argv {
		placed = placed || strings.Contains(a, "{}")
		filled = append(filled, strings.ReplaceAll(a, "{}", folder))
	}
	return filled, placed
}

// openedSoon is how long a program may take to say that it cannot open the folder. One that still runs then has opened it.
const openedSoon = 3 * time.Second

func (o *opener) start(ctx context.Context, argv []string, folder string) error {
	// The program outlives whoever asked for it, so the context does not end it.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), argv[0], argv[1:]...) //nolint:gosec // the person chose it
	said := &lastWords{}
	cmd.Dir, cmd.Env, cmd.Stderr = folder, outside(o.environ(), folder), said
	detach(cmd)
	name := filepath.Base(argv[0])
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // it ends with the program, which it keeps from becoming a zombie
	select {
	case err := <-ended:
		if err == nil || o.system == "windows" { // explorer.exe ends with 1 when all is well
			return nil
		}
		return fmt.Errorf("%s could not open %s: %w. %s", name, folder, err, said.text())
	case <-time.After(openedSoon):
	case <-ctx.Done():
	}
	return nil
}

// outside is the app's environment without what is Fermata's own and what binds git to a repository.
func outside(environ []string, folder string) []string {
	var kept []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case strings.HasPrefix(name, "FERMATA_"), name == "PWD", name == "GIT_DIR", name == "GIT_WORK_TREE", name == "GIT_INDEX_FILE":
		default:
			kept = append(kept, entry)
		}
	}
	return append(kept, "PWD="+folder)
}

// lastWords keeps the beginning of what a program says. Only the goroutine that copies writes, and it has ended when the
// text is read.
type lastWords struct{ buffer bytes.Buffer }

// Write keeps what there is room for.
func (l *lastWords) Write(p []byte) (int, error) {
	const most = 500
	if room := most - l.buffer.Len(); room > 0 {
		l.buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (l *lastWords) text() string { return strings.TrimSpace(l.buffer.String()) }
