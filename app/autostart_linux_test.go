package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fermata/pieces"
)

func TestStartAtLoginIsAnEntryOfTheAutostartFolder(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	env := func(key string) string {
		return map[string]string{"XDG_CONFIG_HOME": config, "XDG_DATA_HOME": "/home/ada/data"}[key]
	}
	path := filepath.Join(config, "autostart", appID+".desktop")
	for _, c := range []struct {
		folder folder
		data   bool
	}{{"/home/ada/data/fermata", false}, {"/srv/100 % \"mine\"", true}} {
		login, err := newAtLogin(c.folder, env)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // it is safe to repeat
			if err := login.StartAtLogin(true); err != nil {
				t.Fatal(err)
			}
		}
		entry, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		exec := line(string(entry), "Exec=")
		if !strings.Contains(exec, `"--hidden"`) || strings.Contains(exec, "--data-dir") != c.data {
			t.Errorf("with the data folder %s the entry runs %s", c.folder, exec)
		}
		if c.data && !strings.HasSuffix(exec, `"/srv/100 %% \\"mine\\""`) {
			t.Errorf("the folder's name is quoted as %s", exec)
		}
	}
	login, err := newAtLogin("/home/ada/data/fermata", env)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := login.StartAtLogin(false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the entry is still there: %v", err)
	}
}

// line is the rest of the line that begins so.
func line(text, begin string) string {
	for l := range strings.Lines(text) {
		if rest, found := strings.CutPrefix(strings.TrimSpace(l), begin); found {
			return rest
		}
	}
	return ""
}

// TestEntryOfStartAtLoginIsValid asks the desktop's own checker, where there is one.
func TestEntryOfStartAtLoginIsValid(t *testing.T) {
	t.Parallel()
	checker, err := exec.LookPath("desktop-file-validate")
	if err != nil {
		t.Fatal("there is no desktop-file-validate, which .ci/setup test installs")
	}
	config := t.TempDir()
	login, err := newAtLogin("/a b/$c", func(key string) string { return map[string]string{"XDG_CONFIG_HOME": config}[key] })
	if err != nil {
		t.Fatal(err)
	}
	if err := login.StartAtLogin(true); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(checker, filepath.Join(config, "autostart", appID+".desktop")).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func TestCommandLineSetsStartAtLoginWithoutTheApp(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	f := folder(t.TempDir())
	path := filepath.Join(config, "autostart", appID+".desktop")
	for _, on := range []bool{true, false} {
		value := map[bool]string{true: "true", false: "false"}[on]
		if err := setSetting(t.Context(), f, pieces.KeyStartAtLogin, value, new(strings.Builder)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); (err == nil) != on {
			t.Errorf("set to %s, the entry: %v", value, err)
		}
	}
	// What cannot be done is not kept as if it had been.
	if err := os.RemoveAll(filepath.Join(config, "autostart")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "autostart"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := setSetting(t.Context(), f, pieces.KeyStartAtLogin, "true", new(strings.Builder)); err == nil {
		t.Error("it was set though nothing could be written")
	}
	all, err := readSettings(t.Context(), f)
	if err != nil || all[pieces.KeyStartAtLogin] != "false" {
		t.Errorf("it is %q now: %v", all[pieces.KeyStartAtLogin], err)
	}
}
