package conformance

import (
	"fmt"
	"strings"
	"testing"

	"fermata/pieces"
)

// coverage notes which actions of the table were carried out, and which were refused with the actions that are legal.
type coverage struct{ done, illegal map[string]bool }

func actionOf(tool string, a args) (string, bool) {
	name, ok := a["action"].(string)
	return name, ok && tool == "piece_action" && a["dryRun"] == nil
}

// carried notes a call that succeeded.
func (c *coverage) carried(tool string, a args) {
	if name, ok := actionOf(tool, a); ok {
		if c.done == nil {
			c.done = map[string]bool{}
		}
		c.done[name] = true
	}
}

// refused notes a call whose refusal names the legal actions.
func (c *coverage) refused(tool string, a args, sentence string) {
	if name, ok := actionOf(tool, a); ok && strings.Contains(sentence, "Legal now: ") {
		if c.illegal == nil {
			c.illegal = map[string]bool{}
		}
		c.illegal[name] = true
	}
}

// lacks says which rows of the table no story has carried out, or used where they are illegal.
func (c *coverage) lacks() []string {
	var lacks []string
	for _, r := range pieces.Rules() {
		if name := string(r.Action); !c.done[name] {
			lacks = append(lacks, fmt.Sprintf("no story carries %s out", name))
		} else if !c.illegal[name] {
			lacks = append(lacks, fmt.Sprintf("no story uses %s where it is illegal", name))
		}
	}
	return lacks
}

// TestCoverageTellsWhatIsLeftOut makes sure that the check of the stories can fail.
func TestCoverageTellsWhatIsLeftOut(t *testing.T) {
	var c coverage
	c.carried("piece_action", args{"action": "archive", "dryRun": true})
	c.refused("piece_action", args{"action": "archive"}, "Unknown pieceId")
	if n := len(c.lacks()); n != len(pieces.Rules()) {
		t.Errorf("%d rows are left out, want all", n)
	}
	for _, r := range pieces.Rules() {
		c.carried("piece_action", args{"action": string(r.Action)})
		c.refused("piece_action", args{"action": string(r.Action)}, "No. Legal now: archive.")
	}
	if lacks := c.lacks(); len(lacks) > 0 {
		t.Errorf("left out: %v", lacks)
	}
}
