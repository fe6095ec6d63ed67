package conformance

import (
	"slices"
	"strings"
)

func fenceRows() []row {
	return join(part("000", "Fermata's own agents",
		is("every write tool is refused to a build agent with the sentence", func(p *probe) {
			results := p.w.read(p, "fence", 0)
			if len(results) != len(writeTools) || refusals(results) != len(writeTools) {
				p.Errorf("the agent read %q", results)
			}
		}),
		is("under another server name too, which is stricter than the contract", func(p *probe) {
			if results := p.w.read(p, "fence", 1); refusals(results) != len(writeTools) {
				p.Errorf("the agent read %q", results)
			}
		}),
		is("by curl too", func(p *probe) {
			if results := p.w.read(p, "fence", 2); refusals(results) != 1 {
				p.Errorf("the agent read %q", results)
			}
		}),
		is("the read tools stay available", func(p *probe) {
			for _, r := range p.w.read(p, "fence", 3) {
				p.holds("a read tool", r, p.w.repo.Path)
			}
		}),
		is("the planning passes have the write tools removed", func(p *probe) {
			offered := p.w.asked(p, "plans behind the fence", 0).Tools
			for _, tool := range writeTools {
				if slices.Contains(offered, "mcp__fermata__"+tool) {
					p.Errorf("the pass is offered %s", tool)
				}
			}
			if results := p.w.read(p, "plans behind the fence", 0); strings.Contains(strings.Join(results, "\n"), `"ok":true`) {
				p.Errorf("the pass read %q", results)
			}
		}),
		is("nothing that an agent tried was done", func(p *probe) {
			for _, o := range p.listed(args{"includeArchived": true}) {
				if strings.Contains(str(o, "name"), "Forbidden") {
					p.Errorf("there is %v", o)
				}
			}
		}),
		later("reviews, feedback sessions and sessions on the canvas", "clients cannot start them yet; the same door refuses them"),
	), part("003", "Fermata's own agents can read, not drive",
		is("a Claude Code that the person started drives", func(p *probe) {
			script := p.w.script()
			p.w.model.SetScript(append(script, p.w.person()))
			said := p.w.claude(p, "-p", "[[person]] file a draft", "--allowedTools", "mcp__fermata__create_draft")
			p.w.model.SetScript(script)
			p.holds("it", said, `"title":"From a terminal"`)
			p.drop(str(find(p.listed(nil), "name", "From a terminal"), "id"))
		}),
	))
}
