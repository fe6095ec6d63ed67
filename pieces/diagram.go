package pieces

import (
	"fmt"
	"strings"
)

// Diagram draws the rail as a Mermaid state diagram. Moves that stay where they are, and those that every state has, are
// left out.
func Diagram() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n  [*] --> spec_idle : released\n  [*] --> spec_interviewing : specAsked\n")
	for _, p := range Phases() {
		fmt.Fprintf(&b, "  state %q as %s {\n", DisplayOf(p, 0, 0), p)
		for _, s := range stations {
			if s.Phase == p {
				fmt.Fprintf(&b, "    state %q as %s\n", string(s.Activity), node(s.State))
			}
		}
		b.WriteString("  }\n")
	}
	for _, m := range moves {
		if m.To.Phase == "" || m.From.Phase == PhaseBacklog || m.To == m.From {
			continue
		}
		to := node(m.To)
		if m.To.Activity == "" {
			to = string(m.To.Phase)
		}
		label := string(m.On)
		if m.Guard.Name != "" {
			label += " [" + m.Guard.Name + "]"
		}
		fmt.Fprintf(&b, "  %s --> %s : %s\n", node(m.From), to, label)
	}
	return b.String()
}

func node(s State) string { return string(s.Phase) + "_" + string(s.Activity) }
