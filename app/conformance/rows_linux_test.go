package conformance

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the README's table of conformance")

// row is one sentence of the contract.
type row struct {
	seed    string // 000 is the tool reference, 003 the page on consent and safety
	section string
	says    string
	check   func(p *probe)
	later   string // why it cannot be asked yet; such a row is not run and not counted as passed
}

// is is a sentence that can be asked now.
func is(says string, check func(p *probe)) row { return row{says: says, check: check} }

// later is a sentence whose machinery does not exist yet.
func later(says, why string) row { return row{says: says, later: why} }

// part puts rows under a seed's section.
func part(seed, section string, rows ...row) []row {
	for i := range rows {
		rows[i].seed, rows[i].section = seed, section
	}
	return rows
}

func join(parts ...[]row) []row {
	var all []row
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// contract is every row in the order in which it is asked: what a row leaves behind, later ones build on.
func contract() []row {
	return join(
		connectionRows(), generalRows(),
		projectRows(),
		draftRows(), releaseRows(), createPieceRows(),
		listRows(), dependencyRows(), getPieceRows(),
		actionRows(),
		artifactRows(), sessionRows(), cueRows(),
		boundRows(), officialRows(),
		endRows(),
	)
}

// TestConformance asks the running app for every row.
func TestConformance(t *testing.T) {
	rows := contract()
	checkReadme(t, rows)
	w := newWorld(t)
	passed, failed, left := 0, 0, 0
	for _, r := range rows {
		name := fmt.Sprintf("%s %s: %s", r.seed, r.section, r.says)
		if r.check == nil {
			left++
			fmt.Printf("later %s (%s)\n", name, r.later)
			continue
		}
		asked := false // a filter of go test leaves rows out
		ok := t.Run(fmt.Sprintf("%s %s/%s", r.seed, r.section, r.says), func(t *testing.T) {
			asked = true
			r.check(&probe{t, w})
		})
		switch {
		case !asked:
		case ok:
			passed++
			fmt.Printf("ok    %s\n", name)
		default:
			failed++
			fmt.Printf("FAIL  %s\n", name)
		}
	}
	if passed == len(rows)-left {
		for _, lack := range w.covered.lacks() {
			t.Error(lack)
		}
	}
	if left > 0 {
		fmt.Printf("later: %d rows whose machinery does not exist yet\n", left)
	}
	fmt.Printf("conformance: %d passed, %d failed\n", passed, failed)
}

// Marks around the README's table.
const (
	tableStart = "<!-- conformance -->\n"
	tableEnd   = "<!-- /conformance -->"
)

// checkReadme compares the README's table with the rows, or writes it.
func checkReadme(t *testing.T, rows []row) {
	t.Helper()
	path := filepath.Join("..", "..", "README.md")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), tableStart)
	old, after, closed := strings.Cut(rest, tableEnd)
	if !ok || !closed {
		t.Fatalf("the README has no %s … %s", strings.TrimSpace(tableStart), tableEnd)
	}
	now := tableOf(rows)
	if old == now {
		return
	}
	if !*update {
		t.Error("the README's table of conformance is stale: run go test ./app/conformance -run TestReadme -update")
		return
	}
	if err := os.WriteFile(path, []byte(before+tableStart+now+tableEnd+after), 0o644); err != nil { //nolint:gosec // as it was
		t.Fatal(err)
	}
}

// TestReadmeHasTheTableOfConformance is the quick half of TestConformance.
func TestReadmeHasTheTableOfConformance(t *testing.T) { checkReadme(t, contract()) }

// tableOf counts the rows by section.
func tableOf(rows []row) string {
	type line struct{ asked, later int }
	var order []string
	lines := map[string]*line{}
	total := &line{}
	for _, r := range rows {
		key := "| " + r.seed + " | " + r.section
		if lines[key] == nil {
			lines[key] = &line{}
			order = append(order, key)
		}
		for _, l := range []*line{lines[key], total} {
			if r.check == nil {
				l.later++
			} else {
				l.asked++
			}
		}
	}
	var b strings.Builder
	b.WriteString("| seed | section | rows that hold | not there yet |\n| - | - | - | - |\n")
	for _, key := range order {
		fmt.Fprintf(&b, "%s | %d | %d |\n", key, lines[key].asked, lines[key].later)
	}
	fmt.Fprintf(&b, "| | all | %d | %d |\n", total.asked, total.later)
	return b.String()
}
