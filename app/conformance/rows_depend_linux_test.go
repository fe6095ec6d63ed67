package conformance

import "fermata/pieces/piecestest"

const linkFields = "id uuid?, key string?, name string?, origin string, state string, ignored bool"

// linked is one link as rows show it.
func (p *probe) linked(o object) object {
	p.Helper()
	links := list(o, "dependsOn")
	if len(links) != 1 {
		p.Fatalf("it has the links %v", links)
	}
	p.shape("the link", links[0], linkFields)
	return links[0]
}

// free checks that a row waits on nothing.
func (p *probe) free(o object) {
	p.Helper()
	for field, want := range (args{"dependsOn": []any{}, "waiting": false, "blockingKeys": []any{}}) {
		p.same(field, o[field], want)
	}
}

// blockedID is a draft on Auto that waits for gamma; its rows share it.
const blockedID = "aaaaaaaa-0000-4000-8000-000000000004"

func dependencyRows() []row {
	const seed = "it waits"
	return join(part("000", "list_pieces: dependencies",
		is("both kinds of row carry dependsOn, waiting and blockingKeys", func(p *probe) {
			id := p.file(args{"seed": "x"})
			p.free(p.get(id))
			p.free(p.get(gammaID))
			p.drop(id)
		}),
	), part("000", "create_draft: dependencies",
		is("dependsOn makes the draft wait, and the result adds its dependsOn rows", func(p *probe) {
			o := p.call("create_draft", asIs(args{"id": blockedID, "spec": "# Blocked\n\n## Goal\n\nstory-blocked", "lane": "auto", "cwd": p.w.repo.Path, "dependsOn": []string{gammaID}}))
			p.same("title", o["title"], "Blocked")
			link := p.linked(o)
			for field, want := range (args{"id": gammaID, "key": nil, "name": "Gamma: from an idea", "origin": "manual", "state": "Spec", "ignored": false}) {
				p.same(field, link[field], want)
			}
		}),
		is("one that names an item of another project fails the call and files nothing", func(p *probe) {
			theirs := str(p.call("register_project", args{"path": piecestest.NewRepo(p).Path}), "projectId")
			id := str(p.call("create_draft", args{"seed": "x", "projectId": theirs}), "draftId")
			p.filesNothing(func() {
				p.refused("create_draft", args{"seed": seed, "cwd": p.w.repo.Path, "dependsOn": []string{id}}, "another project")
			})
			p.drop(id)
		}),
		is("every entry is resolved before anything is filed", func(p *probe) {
			p.filesNothing(func() {
				p.refused("create_draft", args{"seed": seed, "cwd": p.w.repo.Path, "dependsOn": []string{gammaID, "SUP-404"}}, "SUP-404")
			})
		}),
		is("with release, a held release succeeds and says what it waits on", func(p *probe) {
			o := p.call("create_draft", asIs(args{"spec": "# Held\n\n## Goal\n\nx", "lane": "auto", "release": true, "cwd": p.w.repo.Path, "dependsOn": []string{gammaID}}))
			p.shape("the result", o, "ok bool, draftId uuid, title string, lane string, released bool, waiting bool, waitsOn array, dependsOn array")
			for field, want := range (args{"ok": true, "released": false, "waiting": true, "waitsOn": []string{gammaID}, "lane": "auto"}) {
				p.same(field, o[field], want)
			}
			p.same("kind", p.get(str(o, "draftId"))["kind"], "draft")
			p.drop(str(o, "draftId"))
		}),
		later("a draft filed from an issue takes the issue's own blocked-by links", "no tracker can be linked yet"),
	), part("000", "release_draft",
		is("a draft that dependencies hold is no error: released false, waiting true, waitsOn, dependsOn", func(p *probe) {
			o := p.call("release_draft", args{"draftId": blockedID})
			for field, want := range (args{"ok": true, "draftId": blockedID, "title": "Blocked", "lane": "auto", "released": false, "waiting": true, "waitsOn": []string{gammaID}}) {
				p.same(field, o[field], want)
			}
			p.linked(o)
		}),
	), part("000", "list_pieces: dependencies",
		is("waiting is true while dependencies hold the item, and blockingKeys say what is unmet", func(p *probe) {
			o := find(p.listed(nil), "id", blockedID)
			p.same("waiting", o["waiting"], true)
			p.same("blockingKeys", o["blockingKeys"], []string{gammaID})
		}),
		is("a Manual item is never waiting, though its link is unmet", func(p *probe) {
			id := p.file(args{"seed": "x", "dependsOn": []string{gammaID}})
			o := p.get(id)
			p.same("waiting", o["waiting"], false)
			p.same("blockingKeys", o["blockingKeys"], []string{gammaID})
			p.drop(id)
		}),
		is("a blocker that is a draft is in state Backlog, a deleted one in state deleted", func(p *probe) {
			blocker := p.file(args{"seed": "the blocker"})
			id := p.file(args{"seed": "x", "dependsOn": []string{blocker}})
			p.same("state", p.linked(p.get(id))["state"], "Backlog")
			p.drop(blocker)
			p.same("state", p.linked(p.get(id))["state"], "deleted")
			p.drop(id)
		}),
		is("while dependencies are off every row reports none; links are kept", func(p *probe) {
			p.setting("pieces.dependencies", "false")
			for _, o := range p.listed(nil) {
				p.free(o)
			}
			p.setting("pieces.dependencies", "true")
			p.linked(p.get(blockedID))
		}),
		later("a link's key and the state open or closed of a tracker issue", "no tracker can be linked yet"),
	), linkRows())
}

func linkRows() []row {
	link := func(action, id, blocker string) args { return acting(id, action, args{"blocker": blocker}) }
	return part("000", "piece_action: dependencies",
		is("addDependency on a draft returns {ok, pieceId, kind, dependsOn, waiting, blockingKeys}", func(p *probe) {
			id := p.file(args{"seed": "x"})
			o := p.call("piece_action", link("addDependency", id, gammaID))
			p.only("the result", o, "ok", "pieceId", "kind", "dependsOn", "waiting", "blockingKeys")
			p.same("kind", o["kind"], "draft")
			p.same("origin", p.linked(o)["origin"], "manual")
			p.linked(p.get(id))
			p.drop(id)
		}),
		is("addDependency on a piece adds phase and gate", func(p *probe) {
			id := p.file(args{"seed": "the blocker"})
			o := p.call("piece_action", link("addDependency", gammaID, id))
			p.only("the result", o, "ok", "pieceId", "kind", "dependsOn", "waiting", "blockingKeys", "phase", "gate")
			p.same("kind", o["kind"], "piece")
			p.call("piece_action", link("removeDependency", gammaID, id))
			p.drop(id)
		}),
		is("adding a link that exists changes nothing", func(p *probe) {
			before := p.get(blockedID)
			p.call("piece_action", link("addDependency", blockedID, gammaID))
			p.same("the draft", p.get(blockedID), before)
		}),
		is("a link that would create a loop is refused", func(p *probe) {
			p.same("the sentence", p.refused("piece_action", link("addDependency", gammaID, blockedID)), "That link would create a loop.")
			p.refused("piece_action", link("addDependency", gammaID, gammaID), "loop")
		}),
		is("a blocker in another project is refused, and an unknown one", func(p *probe) {
			theirs := str(p.call("register_project", args{"path": piecestest.NewRepo(p).Path}), "projectId")
			id := str(p.call("create_draft", args{"seed": "x", "projectId": theirs}), "draftId")
			p.refused("piece_action", link("addDependency", gammaID, id), "another project")
			p.drop(id)
			p.refused("piece_action", link("addDependency", gammaID, "SUP-404"), "SUP-404")
		}),
		is("removeDependency accepts what blockingKeys lists; a waiting Auto item whose last link this was starts on its own", func(p *probe) {
			key := strs(p.get(blockedID), "blockingKeys")[0]
			p.free(p.call("piece_action", link("removeDependency", blockedID, key)))
			p.until("the draft to start", func() bool { return p.get(blockedID)["kind"] == "piece" })
			p.gate(blockedID, "strategyFailed")
			p.put(blockedID)
		}),
		is("removing a link that is not there is refused", func(p *probe) {
			p.refused("piece_action", link("removeDependency", gammaID, blockedID), "does not wait on")
		}),
		is("both are refused while dependencies are off", func(p *probe) {
			p.during("pieces.dependencies", "false")
			for _, a := range []string{"addDependency", "removeDependency"} {
				p.refused("piece_action", link(a, gammaID, blockedID), a+" is not legal now")
			}
		}),
	)
}

// codeReviewRows are what an Edge feature that is off refuses; splitStoryRows turn it on.
func codeReviewRows() []row {
	return part("000", "piece_action",
		is("runCodeReview is refused while its Edge feature is off", func(p *probe) {
			p.unchanged(alphaID, func() {
				p.refused("piece_action", acting(alphaID, "runCodeReview"), strs(p.get(alphaID), "legalActions")...)
			})
		}),
	)
}
