package register

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

func TestFormsMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, f := range Forms(endpoint) {
		name := strings.ToLower(strings.ReplaceAll(f.Client, " ", "-")) + ".txt"
		seen[name] = true
		path, got := filepath.Join("testdata", "forms", name), f.Where+"\n\n"+f.Text+"\n"+f.Note+"\n"
		if *update {
			write(t, path, got, 0o600)
		}
		if want := read(t, path); got != want {
			t.Errorf("%s:\n got %s\nwant %s", f.Client, got, want)
		}
	}
	files, err := os.ReadDir(filepath.Join("testdata", "forms"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !seen[f.Name()] {
			t.Errorf("%s belongs to no form", f.Name())
		}
	}
}

func TestFormsAreWhatTheirFilesTake(t *testing.T) {
	t.Parallel()
	for _, f := range Forms(endpoint) {
		if f.Note == "" || f.Where == "" {
			t.Errorf("%s: nothing says where it goes and how long a call may wait", f.Client)
		}
		if f.Client == "Codex" {
			lines := strings.Split(f.Text, "\n")
			if lines[0] != "[mcp_servers.fermata]" || lines[1] != `url = "`+endpoint+`"` || lines[3] != "tool_timeout_sec = 604800" {
				t.Errorf("Codex: %s", f.Text)
			}
			continue
		}
		var file map[string]map[string]struct {
			URL  string
			Args []string
		}
		if err := json.Unmarshal([]byte(f.Text), &file); err != nil {
			t.Errorf("%s: %v", f.Client, err)
		}
		for _, servers := range file {
			if s := servers[Name]; s.URL != endpoint && (len(s.Args) < 3 || s.Args[2] != endpoint) {
				t.Errorf("%s: the address is missing: %s", f.Client, f.Text)
			}
		}
	}
}
