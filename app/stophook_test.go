package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	fyneapp "fyne.io/fyne/v2/app"
)

func TestWhatFyneDoesOnItsStopIsDoneAfterIt(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	a := fyneapp.NewWithID("run.fermata.stophook")
	hook := takeStopHook(a)
	if l := a.Lifecycle().(interface{ OnStopped() func() }); l.OnStopped() != nil {
		t.Error("Fyne still has something to do while it stops")
	}
	a.Preferences().SetString("window", "remembered")
	hook()
	if got := preferences(t, home); !strings.Contains(got, "remembered") {
		t.Errorf("the preferences are not written: %q", got)
	}
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
