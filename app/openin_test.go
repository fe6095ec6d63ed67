package app

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/ui/inspector"
)

func TestTheCommandThatOpensAFolderIsThePersonsOrTheFirstThatIsThere(t *testing.T) {
	t.Parallel()
	const folder = "/w/a b"
	for name, row := range map[string]struct {
		system, set string
		installed   []string
		place       inspector.Place
		want        string // or the error's words
	}{
		"own with the folder in it":   {"linux", "ed --dir={} -n", []string{"ed", "code"}, inspector.PlaceEditor, `["/bin/ed" "--dir=/w/a b" "-n"]`},
		"own without":                 {"linux", "ed -n", []string{"ed"}, inspector.PlaceEditor, `["/bin/ed" "-n" "/w/a b"]`},
		"own path with a blank":       {"linux", "/opt/my ed", []string{"/opt/my ed"}, inspector.PlaceEditor, `["/bin//opt/my ed" "/w/a b"]`},
		"own terminal":                {"linux", "term -x", []string{"term"}, inspector.PlaceTerminal, `["/bin/term" "-x"]`},
		"own that is missing":         {"linux", "nano", []string{"code"}, inspector.PlaceEditor, "the command nano (the setting app.editor) was not found"},
		"first editor":                {"linux", "", []string{"kate", "codium"}, inspector.PlaceEditor, `["/bin/codium" "/w/a b"]`},
		"first terminal":              {"linux", "", []string{"xterm", "konsole"}, inspector.PlaceTerminal, `["/bin/konsole" "--workdir" "/w/a b"]`},
		"no terminal":                 {"linux", "", nil, inspector.PlaceTerminal, "no terminal was found; name its command in the setting app.terminal"},
		"files":                       {"linux", "", []string{"xdg-open"}, inspector.PlaceFiles, `["/bin/xdg-open" "/w/a b"]`},
		"no files":                    {"linux", "", nil, inspector.PlaceFiles, "no command that opens a folder"},
		"macOS":                       {"darwin", "", []string{"open"}, inspector.PlaceTerminal, `["/bin/open" "-a" "Terminal" "/w/a b"]`},
		"Windows":                     {"windows", "", []string{"wt.exe"}, inspector.PlaceTerminal, `["/bin/wt.exe" "-d" "/w/a b"]`},
		"Windows' file manager":       {"windows", "", []string{"explorer.exe"}, inspector.PlaceFiles, `["/bin/explorer.exe" "/w/a b"]`},
		"a setting is for its place":  {"linux", "", []string{"foot"}, inspector.PlaceTerminal, `["/bin/foot"]`},
		"blanks are no command named": {"linux", "  ", []string{"zed"}, inspector.PlaceEditor, `["/bin/zed" "/w/a b"]`},
	} {
		o := &opener{
			system: row.system,
			setting: func(key string) string {
				if key == settingOf[row.place] {
					return row.set
				}
				return "wrong " + key
			},
			look: func(n string) (string, error) {
				for _, i := range row.installed {
					if i == n {
						return "/bin/" + n, nil
					}
				}
				return "", exec.ErrNotFound
			},
		}
		argv, err := o.command(row.place, folder)
		got := fmt.Sprintf("%q", argv)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, row.want) {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

func TestAProgramIsStartedInTheFolderAndItsFailureIsTold(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it runs shell scripts")
	}
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	folder := filepath.Join(dir, "the worktree")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	set := ""
	o := newOpener(func(key string) string {
		if key == pieces.KeyEditor {
			return set
		}
		return ""
	}, func() []string {
		return []string{"PATH=" + os.Getenv("PATH"), "FERMATA_DATA_DIR=/secret", "GIT_DIR=/other"}
	})

	set = script("good editor", `{ pwd; echo "$1"; env; } > "$PWD/said"`)
	if err := o.open(t.Context(), inspector.PlaceEditor, folder); err != nil {
		t.Fatal(err)
	}
	said, err := os.ReadFile(filepath.Join(folder, "said"))
	if err != nil || !strings.HasPrefix(string(said), folder+"\n"+folder+"\n") || strings.Contains(string(said), "FERMATA_") || strings.Contains(string(said), "GIT_DIR") {
		t.Errorf("it was started with %q, %v", said, err)
	}
	set = script("bad", "echo 'no display' >&2; exit 3")
	err = o.open(t.Context(), inspector.PlaceEditor, folder)
	if err == nil || !strings.Contains(err.Error(), "bad could not open "+folder) || !strings.Contains(err.Error(), "no display") {
		t.Errorf("a program that failed: %v", err)
	}
	if err := o.open(t.Context(), inspector.PlaceEditor, filepath.Join(dir, "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is gone: %v", err)
	}
}
