package control

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Where the README's table of tools stands.
const (
	readmePath  = "../../README.md"
	readmeStart = "<!-- tools -->\n"
	readmeEnd   = "<!-- /tools -->"
)

// readmeTable is the table of tools as the tools themselves make it; an argument in bold is required.
func readmeTable() string {
	var b strings.Builder
	b.WriteString("| tool | | arguments |\n| - | - | - |\n")
	for _, t := range tools {
		kind := "writes"
		if t.reads {
			kind = "reads"
		}
		var args []string
		for _, a := range t.args {
			name := "`" + a.name + "`"
			if a.required {
				name = "**" + name + "**"
			}
			args = append(args, name)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", t.name, kind, strings.Join(args, ", "))
	}
	return b.String()
}

func TestTheReadmesTableOfToolsIsTheTools(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(readmePath)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), readmeStart)
	old, after, closed := strings.Cut(rest, readmeEnd)
	if !ok || !closed {
		t.Fatalf("the README lacks %q and %q", readmeStart, readmeEnd)
	}
	want := readmeTable()
	if old == want {
		return
	}
	if !*update {
		t.Fatal("the README's table of tools is old; run go test ./mcp/control -update and read the difference")
	}
	if err := os.WriteFile(readmePath, []byte(before+readmeStart+want+readmeEnd+after), 0o644); err != nil { //nolint:gosec // a page for everybody
		t.Fatal(err)
	}
}
