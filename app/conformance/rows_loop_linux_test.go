package conformance

// playing runs work while the project's Loop plays, which the person lets it do in the project's window.
func (p *probe) playing(work func()) {
	p.Helper()
	here := str(p.released(args{"spec": "# Here\n\n## Goal\n\nHere."}), "id")
	p.call("reveal", args{"pieceId": here})
	p.put(here)
	p.w.click(p, "playLoop")
	p.w.place(p, "pauseLoop")
	defer func() {
		p.w.click(p, "pauseLoop")
		p.w.place(p, "playLoop")
	}()
	work()
}

// looped waits until the Loop brought a draft to where it stops, and puts the piece away.
func (p *probe) looped(id string) {
	p.Helper()
	p.until("the Loop's piece", func() bool { return p.get(id)["kind"] == "piece" })
	p.put(str(p.gate(id, "strategyFailed"), "id")) // the story's strategy always fails
}

// loopRows follow drafts of the Loop's lane while it plays.
func loopRows() []row {
	const spec = "# Looped\n\n## Goal\n\nstory-blocked"
	return join(part("000", "create_draft",
		is("a loop draft starts at once while the Loop plays", func(p *probe) {
			p.playing(func() {
				o := p.call("create_draft", asIs(args{"spec": spec, "lane": "loop", "cwd": p.w.repo.Path}))
				p.shape("the result", o, "ok bool, draftId uuid, title string, lane string")
				p.looped(str(o, "draftId"))
			})
		}),
	), part("000", "update_draft",
		is("moving it to loop while the Loop plays starts it", func(p *probe) {
			id := p.file(asIs(args{"spec": spec}))
			p.playing(func() {
				o := p.call("update_draft", args{"draftId": id, "lane": "loop"})
				p.shape("the new piece's row", o, pieceFields)
				p.same("id", o["id"], id)
				p.looped(id)
			})
		}),
	), part("000", "piece_action",
		is("setLane hands the piece to the Loop that plays", func(p *probe) {
			id := str(p.released(args{"spec": spec}), "id")
			p.playing(func() {
				p.act(id, "setLane", args{"lane": "loop"})
				p.looped(id)
			})
		}),
	))
}
