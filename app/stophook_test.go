package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	fyneapp "fyne.io/fyne/v2/app"
)

// stopHome names the home of a child that plays Fyne's stop. It needs a process of its own: what watches Fyne's files
// makes their folder again as long as the process lives.
const stopHome = "STOPHOOK_HOME"

func TestWhatFyneDoesOnItsStopIsDoneAfterIt(t *testing.T) {
	if os.Getenv(stopHome) != "" {
		stopFyne(t)
		return
	}
	t.Parallel()
	home := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.count", "1")
	child.Env = append(os.Environ(), stopHome+"="+home, "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"))
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := preferences(t, home); !strings.Contains(got, "remembered") {
		t.Errorf("the preferences are not written: %q", got)
	}
}

func stopFyne(t *testing.T) {
	t.Helper()
	a := fyneapp.NewWithID("run.fermata.stophook")
	hook := takeStopHook(a)
	if l := a.Lifecycle().(interface{ OnStopped() func() }); l.OnStopped() != nil {
		t.Error("Fyne still has something to do while it stops")
	}
	a.Preferences().SetString("window", "written by itself")
	a.Preferences().SetString("window", "remembered") // so soon after the other it waits for the stop
	hook()
}

// preferences are what all of Fyne's files of preferences below a folder say.
func preferences(t *testing.T, home string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != "preferences.json" {
			return err
		}
		data, err := os.ReadFile(path)
		all.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
