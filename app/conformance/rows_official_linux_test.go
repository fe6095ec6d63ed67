package conformance

import "slices"

// officialRows let what the protocol's authors publish ask the app.
func officialRows() []row {
	return part("MCP", "The official suite and inspector",
		is("every scenario that needs no fixture passes", func(p *probe) { runSuite(p.T, p.w.wire.url, "as-it-is.yml") }),
		is("the inspector lists the tools, and finds none that another client could not read", func(p *probe) {
			o := officialInspect(p.T, p.w.wire.url, "--method", "tools/list", "--strict")
			var names []string
			for _, t := range list(o, "tools") {
				names = append(names, str(t, "name"))
			}
			p.same("tools", toAny(names), slices.Sorted(slices.Values(append(slices.Clone(readTools), writeTools...))))
		}),
		is("the inspector calls a tool", func(p *probe) {
			o := officialInspect(p.T, p.w.wire.url, "--method", "tools/call", "--tool-name", "get_piece", "--tool-arg", "pieceId="+gammaID)
			content := list(o, "content")
			if len(content) != 1 {
				p.Fatalf("it printed %v", o)
			}
			p.holds("the result", str(content[0], "text"), `"id":"`+gammaID+`"`, `"kind":"piece"`)
		}),
		is("the inspector reads resources and prompts", func(p *probe) {
			if n := len(list(officialInspect(p.T, p.w.wire.url, "--method", "resources/list"), "resources")); n == 0 {
				p.Error("no resource is listed")
			}
			if n := len(list(officialInspect(p.T, p.w.wire.url, "--method", "prompts/list"), "prompts")); n != 3 {
				p.Errorf("%d prompts are listed", n)
			}
		}),
	)
}
