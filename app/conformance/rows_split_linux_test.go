package conformance

import (
	"slices"
	"strings"
)

// deltaID is the piece that is split; what is left of it goes on to its review.
const deltaID = "4d4d4d4d-0000-4000-8000-00000000000d"

// splitOff is the piece that delta was split into under a title.
func (p *probe) splitOff(title string) object {
	p.Helper()
	o := find(p.listed(nil), "name", title)
	if o == nil {
		p.Fatalf("there is no piece %q", title)
	}
	return p.get(str(o, "id"))
}

// splitStoryRows follow a piece through a split that the person carries out in the app.
func splitStoryRows() []row {
	return join(part("000", "list_pieces: splits",
		is("splitProposals and splitPending while proposals wait", func(p *probe) {
			p.call("create_draft", asIs(args{"id": deltaID, "spec": deltaSpec, "release": true, "cwd": p.w.repo.Path}))
			p.act(deltaID, "approveSpec", args{"lane": "auto"})
			o := p.gate(deltaID, "reviewSplit")
			proposals := list(o, "splitProposals")
			ids := []string{}
			for _, pr := range proposals {
				p.only("a proposal", pr, "id", "title", "direction", "source", "revisedFrom")
				p.shape("a proposal", pr, "id uuid, title string, direction string, source string, revisedFrom string?")
				ids = append(ids, str(pr, "id"))
			}
			if len(proposals) != 2 || proposals[0]["direction"] != "prerequisite" || proposals[1]["direction"] != "followUp" || proposals[0]["source"] != "agent" {
				p.Fatalf("proposals %v", proposals)
			}
			pending, _ := o["splitPending"].(object)
			p.same("proposalIds", pending["proposalIds"], ids)
			p.holds("the reason", str(pending, "reason"), "Auto-split is off", "Delta first")
			p.refused("piece_action", acting(deltaID, "approveStrategy"), str(pending, "reason"))
			cue := p.cue(deltaID)
			p.same("the cue", args{"label": cue["label"], "primaryAction": cue["primaryAction"]}, args{"label": "Review split", "primaryAction": nil})
		}),
		is("splitLinks on both pieces of a split", func(p *probe) {
			proposals := list(p.get(deltaID), "splitProposals")
			p.call("reveal", args{"pieceId": deltaID})
			p.w.clickUntil(p, "split:apply", "the split", func() bool { return len(list(p.get(deltaID), "splitLinks")) == 2 })
			links := list(p.get(deltaID), "splitLinks")
			for i, title := range []string{"Delta first", "Delta later"} {
				part := p.splitOff(title)
				want := args{"originalID": deltaID, "splitOffID": part["id"], "direction": proposals[i]["direction"], "proposalId": proposals[i]["id"]}
				p.same("the original's link", links[i], want)
				p.same("the part's links", part["splitLinks"], []args{want})
			}
			p.same("splitPending", p.get(deltaID)["splitPending"], nil)
		}),
		is("splitStart of an applied split", func(p *probe) {
			held, _ := p.get(deltaID)["splitStart"].(object)
			p.same("the original's, which a link holds", held, args{"startSplitPiecesAutomatically": false, "mode": "waitsForYou", "waitsForYou": true, "reason": nil})
			part := p.splitOff("Delta first")
			start, _ := part["splitStart"].(object)
			p.same("the part's mode", start["mode"], "waitsForYou")
			p.shape("the part's splitStart", start, "reason string, waitsForYou bool")
			p.same("the part's gate", part["gate"], "specReady")
		}),
		is("splitHold refuses approveSpec and generateStrategy with its reason", func(p *probe) {
			p.until("both wait", func() bool {
				return p.get(deltaID)["activity"] == "waiting" && p.splitOff("Delta later")["activity"] == "waiting"
			})
			later := p.splitOff("Delta later")
			for _, o := range []object{p.get(deltaID), later} {
				p.same("waiting", o["waiting"], true)
				hold, _ := o["splitHold"].(object)
				p.shape("splitHold", hold, "reason string, blockingPieceIds array")
				for _, a := range []string{"approveSpec", "generateStrategy"} {
					p.refused("piece_action", acting(str(o, "id"), a), str(hold, "reason"))
					if slices.Contains(strs(o, "legalActions"), a) {
						p.Errorf("%s is listed as legal", a)
					}
				}
			}
		}),
		is("only Start anyway in Fermata overrides a hold", func(p *probe) {
			p.call("reveal", args{"pieceId": deltaID})
			p.w.click(p, "action:startAnyway")
			o := p.gate(deltaID, "reviewWork") // it is on Auto, and the person moved it on
			p.same("splitHold", o["splitHold"], nil)
			start, _ := o["splitStart"].(object)
			p.same("waitsForYou", start["waitsForYou"], false)
			p.same("ignored", list(o, "dependsOn")[0]["ignored"], true)
			p.same("origin", list(o, "dependsOn")[0]["origin"], "split")
		}),
	), part("000", "get_piece",
		is("splitEvents of a split", func(p *probe) {
			o := p.get(deltaID)
			var kinds []string
			for _, e := range list(o, "splitEvents") {
				p.only("an event", e, "at", "kind", "summary", "startMode", "proposalId")
				p.shape("an event", e, "at time, kind string, summary string, startMode string?, proposalId uuid?")
				p.same("startMode of "+str(e, "kind"), e["startMode"] != nil, e["kind"] == "applied")
				kinds = append(kinds, str(e, "kind"))
			}
			p.same("kinds", strings.Join(kinds, " "), "proposed proposed applied applied startedAnyway")
		}),
	), part("000", "piece_action",
		is("runCodeReview starts a code review", func(p *probe) {
			p.during("edge.codeReview", "true")
			o := p.act(deltaID, "runCodeReview", args{"level": "high"})
			p.acted(o, deltaID, "review")
			p.same("started", o["started"], true)
			p.same("the gate", o["gate"], "reviewWork")
			p.until("the code review", func() bool {
				return p.call("get_artifact", args{"pieceId": deltaID, "kind": "codeReview"})["present"] == true
			})
		}),
	), part("000", "get_artifact",
		is("codeReview's record", func(p *probe) {
			o := p.call("get_artifact", args{"pieceId": deltaID, "kind": "codeReview"})
			record, _ := o["content"].(object)
			p.shape("the record", record, "summary string, findings array, level string, costUSD number, sessionId uuid, head string, cut bool, at time")
			p.same("level", record["level"], "high")
			p.same("the weightiest finding", list(record, "findings")[0]["severity"], "high")
			hidden := func(also bool) object {
				return find(list(p.call("list_sessions", args{"includeHidden": also}), "sessions"), "id", record["sessionId"])
			}
			if s := hidden(true); hidden(false) != nil || s == nil || s["effort"] != "high" {
				p.Errorf("the session is %v", s)
			}
			for _, id := range []string{deltaID, str(p.splitOff("Delta first"), "id"), str(p.splitOff("Delta later"), "id")} {
				p.put(id)
			}
		}),
	))
}
