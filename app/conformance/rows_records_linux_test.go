package conformance

import (
	"os"
	"path/filepath"
	"slices"

	"fermata/pieces/piecestest"
)

const sessionFields = "id uuid, name string, kind string, projectId uuid?, pieceId uuid?, taskId uuid?, state string, awaitingApproval bool, model string?, effort string?, " +
	"branch string?, worktree string?, costUSD number, error string?, createdAt time, updatedAt time, endedAt time?"

func artifactRows() []row {
	const tool = "get_artifact"
	of := func(kind string) args { return args{"pieceId": alphaID, "kind": kind} }
	return part("000", tool,
		is("needs pieceId and kind, one of eight", func(p *probe) {
			p.malformed(tool, args{"kind": "spec"}, "'pieceId'", "is required")
			p.malformed(tool, args{"pieceId": alphaID}, "'kind'", "is required")
			p.malformed(tool, of("diff"), "'kind'", "spec, strategy, summary, learnings, analysis, codeReview, handoff, workReview")
			p.refused(tool, args{"pieceId": unknownID, "kind": "spec"}, "Unknown pieceId")
		}),
		is("taskId is for handoff, and needed there", func(p *probe) {
			p.malformed(tool, of("handoff"), "'taskId'", "is required")
			p.malformed(tool, args{"pieceId": alphaID, "kind": "spec", "taskId": unknownID}, "'taskId'")
			p.refused(tool, args{"pieceId": alphaID, "kind": "handoff", "taskId": unknownID}, "Unknown taskId")
		}),
		is("returns {pieceId, kind, present, format, content}", func(p *probe) {
			o := p.call(tool, of("spec"))
			p.shape("the result", o, "pieceId uuid, kind string, present bool, format string, content string")
			p.same("pieceId", o["pieceId"], alphaID)
			p.same("kind", o["kind"], "spec")
			p.same("content", o["content"], alphaSpec)
		}),
		is("the four documents come back as markdown", func(p *probe) {
			for kind, words := range map[string]string{"spec": "# Alpha", "strategy": "# Strategy", "summary": "# Summary", "learnings": "# Learnings"} {
				o := p.call(tool, of(kind))
				p.same("format of "+kind, o["format"], "markdown")
				p.holds(kind, str(o, "content"), words)
			}
		}),
		is("the others come back as JSON", func(p *probe) {
			o := p.call(tool, args{"pieceId": alphaID, "kind": "handoff", "taskId": p.task(alphaID, "Fence")["id"]})
			p.shape("the handoff", o, "present bool, format string, content object")
			p.same("format", o["format"], "json")
			o = p.call(tool, args{"pieceId": gammaID, "kind": "analysis"})
			p.shape("the analysis", o, "content object")
			p.same("format", o["format"], "json")
			p.same("format", p.call(tool, of("codeReview"))["format"], "json")
		}),
		is("one that does not exist yet is present false with null content, and no error", func(p *probe) {
			for _, kind := range []string{"strategy", "summary", "learnings", "codeReview", "workReview"} {
				o := p.call(tool, args{"pieceId": gammaID, "kind": kind})
				p.same("present of "+kind, o["present"], false)
				p.same("content of "+kind, o["content"], nil)
			}
		}),
		is("a piece with no work review says so", func(p *probe) {
			p.same("message", p.call(tool, args{"pieceId": gammaID, "kind": "workReview"})["message"], "This piece has no work review yet.")
		}),
		is("workReview: verdict, criteria, cost, outcome and failedTasks", func(p *probe) {
			record, _ := p.call(tool, of("workReview"))["content"].(object)
			p.shape("the record", record, "verdict string, criteria array, costUSD number, outcome string, failedTasks array")
			p.same("outcome", record["outcome"], "pass")
			p.same("failedTasks", record["failedTasks"], []any{})
			if len(list(record, "criteria")) != 1 {
				p.Errorf("criteria %v", record["criteria"])
			}
		}),
	)
}

func sessionRows() []row {
	sessions := func(p *probe, a args) []object { p.Helper(); return list(p.call("list_sessions", a), "sessions") }
	return join(part("000", "list_sessions",
		is("rows with state, piece, model, effort, branch, worktree, timestamps, cost and the approval flag", func(p *probe) {
			rows := sessions(p, nil)
			if len(rows) < 3 {
				p.Fatalf("rows %v", rows)
			}
			for _, o := range rows {
				p.shape("the row", o, sessionFields)
			}
		}),
		is("projectId scopes, else cwd; a cwd outside every project lists nothing", func(p *probe) {
			all := len(sessions(p, nil))
			for what, a := range map[string]args{"projectId": {"projectId": p.w.project}, "cwd": {"cwd": filepath.Join(p.w.repo.Path, "deep")}} {
				if n := len(sessions(p, a)); n != all {
					p.Errorf("%s lists %d of %d", what, n, all)
				}
			}
			p.same("outside", p.call("list_sessions", args{"cwd": os.TempDir()}), args{"sessions": []any{}})
			p.refused("list_sessions", args{"projectId": unknownID}, "Unknown projectId")
		}),
		is("spec-interview sessions are hidden unless includeHidden is true", func(p *probe) {
			hidden := str(list(p.get(gammaID), "sessions")[0], "id")
			p.same("listed by default", find(sessions(p, nil), "id", hidden) != nil, false)
			if find(sessions(p, args{"includeHidden": true}), "id", hidden) == nil {
				p.Error("includeHidden does not show it")
			}
		}),
		is("error says why a failed session failed, and is null for any other", func(p *probe) {
			failed := 0
			for _, o := range sessions(p, args{"includeHidden": true}) {
				if (o["error"] != nil) != (o["state"] == "failed") {
					p.Errorf("a session that is %v has the error %v", o["state"], o["error"])
				}
				if o["state"] == "failed" {
					failed++
				}
			}
			if failed == 0 {
				p.Error("no session failed")
			}
		}),
		later("code-review sessions are hidden too", "code review does not exist yet"),
	), part("000", "get_session",
		is("needs a session", func(p *probe) {
			p.malformed("get_session", args{}, "'sessionId'", "is required")
			p.refused("get_session", args{"sessionId": unknownID}, "Unknown sessionId")
		}),
		is("transcriptLimit is 0 to 200", func(p *probe) {
			id := p.task(alphaID, "Fence")["sessionId"]
			for _, bad := range []any{-1, 201, 1.5, "5"} {
				p.malformed("get_session", args{"sessionId": id, "transcriptLimit": bad}, "'transcriptLimit'")
			}
			p.call("get_session", args{"sessionId": id, "transcriptLimit": 200})
		}),
		is("returns its list_sessions row; no transcript by default", func(p *probe) {
			row := sessions(p, nil)[0]
			o := p.call("get_session", args{"sessionId": row["id"]})
			for field, v := range row {
				p.same(field, o[field], v)
			}
			p.same("transcript", o["transcript"], []any{})
		}),
		is("transcriptLimit gives the latest messages in order", func(p *probe) {
			id := p.task(alphaID, "Fence")["sessionId"]
			all := list(p.call("get_session", args{"sessionId": id, "transcriptLimit": 200}), "transcript")
			two := list(p.call("get_session", args{"sessionId": id, "transcriptLimit": 2}), "transcript")
			if len(all) < 3 || len(two) != 2 {
				p.Fatalf("%d and %d messages", len(all), len(two))
			}
			p.same("the last of two", two[1]["seq"], all[len(all)-1]["seq"])
			p.same("the first of two", two[0]["seq"], all[len(all)-2]["seq"])
		}),
	))
}

// cue is the item of list_cues about a piece.
func (p *probe) cue(id string) object {
	p.Helper()
	for _, g := range list(p.call("list_cues", nil), "groups") {
		for _, i := range list(g, "items") {
			if target, _ := i["target"].(object); target["id"] == id {
				return i
			}
		}
	}
	p.Fatalf("there is no cue of %s", id)
	return nil
}

func cueRows() []row {
	cues := func(p *probe, a args) object { p.Helper(); return p.call("list_cues", a) }
	return join(part("000", "list_cues",
		is("returns {schema, project, count, groups, multiProject, snoozedCount, running}", func(p *probe) {
			o := cues(p, nil)
			p.only("the result", o, "schema", "project", "count", "groups", "multiProject", "snoozedCount", "running")
			p.shape("the result", o, "count int, groups array, multiProject bool, snoozedCount int, running object")
			p.same("project without cwd", o["project"], nil)
		}),
		is("groups holds all three in the popover's order, empty ones too", func(p *probe) {
			for what, a := range map[string]args{"all": nil, "nowhere": {"cwd": os.TempDir()}} {
				var names []string
				for _, g := range list(cues(p, a), "groups") {
					p.only("a group", g, "key", "title", "items")
					names = append(names, str(g, "key"), str(g, "title"))
				}
				p.same(what, toAny(names), []string{"requiresApproval", "Requires approval", "readyForReview", "Ready for review", "readyToMerge", "Ready to merge"})
			}
		}),
		is("an item carries its fields", func(p *probe) {
			o := p.cue(gammaID)
			p.shape("the item", o, "target object, group string, reason string, label string, title string, projectName string?, sourceRef string?, prNumber int?, prChecksLine string?, since time, fingerprint string, primaryAction string?, confirmAvailable bool, legalActions array")
			for field, want := range (args{
				"target": args{"kind": "piece", "id": gammaID}, "group": "requiresApproval", "reason": "specReady", "label": "Spec ready",
				"title": "Gamma: from an idea", "projectName": p.projectName(), "primaryAction": "approveSpec", "confirmAvailable": false,
			}) {
				p.same(field, o[field], want)
			}
		}),
		is("legalActions is what get_piece lists", func(p *probe) {
			p.same("legalActions", p.cue(gammaID)["legalActions"], p.get(gammaID)["legalActions"])
		}),
		is("an item in Ready to merge has primaryAction null", func(p *probe) {
			o := p.cue(alphaID)
			p.same("group", o["group"], "readyToMerge")
			p.same("primaryAction", o["primaryAction"], nil)
			p.same("prNumber", o["prNumber"], 1)
			p.same("confirmAvailable", o["confirmAvailable"], false)
		}),
		is("a cwd in a project scopes every field to it", func(p *probe) {
			for what, dir := range p.places() {
				o := cues(p, args{"cwd": dir})
				p.same("project of "+what, o["project"], args{"id": p.w.project, "name": p.projectName()})
				p.same("multiProject", o["multiProject"], false)
				p.same("count", o["count"], cues(p, nil)["count"])
			}
		}),
		is("multiProject is true when the items come from more than one project", func(p *probe) {
			p.same("of one", cues(p, nil)["multiProject"], false)
			theirs := str(p.call("register_project", args{"path": piecestest.NewRepo(p).Path}), "projectId")
			id := str(p.call("create_draft", asIs(args{"spec": "# Theirs\n\n## Goal\n\nx", "projectId": theirs, "release": true})), "id")
			p.same("of two", cues(p, nil)["multiProject"], true)
			p.same("of the one that is asked for", cues(p, args{"cwd": p.w.repo.Path})["multiProject"], false)
			p.put(id)
		}),
		is("a cwd in no project gives an empty result, and never an error", func(p *probe) {
			for _, dir := range []string{os.TempDir(), "/nowhere/at/all", "relative", ""} {
				o := cues(p, args{"cwd": dir})
				if dir == "" {
					continue // says nothing: as without it
				}
				p.same("count", o["count"], 0)
				p.same("project", o["project"], nil)
			}
		}),
		is("count leaves out running work and what is snoozed", func(p *probe) {
			n := 0
			o := cues(p, nil)
			for _, g := range list(o, "groups") {
				n += len(list(g, "items"))
			}
			p.same("count", o["count"], n)
		}),
		later("an item of kind session", "sessions on the canvas do not exist yet"),
		later("sourceRef of a piece with a tracker issue", "no tracker can be linked yet"),
	), part("000", "snooze_cue",
		is("needs target and fingerprint", func(p *probe) {
			p.malformed("snooze_cue", args{"fingerprint": "x"}, "'target'", "is required")
			p.malformed("snooze_cue", args{"target": args{"kind": "piece", "id": gammaID}}, "'fingerprint'", "is required")
			p.malformed("snooze_cue", args{"target": args{"kind": "project", "id": gammaID}, "fingerprint": "x"}, "'target'", "piece, session")
		}),
		is("an item that changed fails with \"This cue changed; refresh\", and nothing is snoozed", func(p *probe) {
			p.same("the sentence", p.refused("snooze_cue", args{"target": args{"kind": "piece", "id": gammaID}, "fingerprint": "old"}), "This cue changed; refresh")
			p.same("snoozedCount", cues(p, nil)["snoozedCount"], 0)
		}),
		is("hides the item everywhere and returns {snoozed, snoozedCount}", func(p *probe) {
			before := cues(p, nil)
			i := p.cue(gammaID)
			o := p.call("snooze_cue", args{"target": i["target"], "fingerprint": i["fingerprint"]})
			p.same("the result", o, args{"snoozed": true, "snoozedCount": 1})
			after := cues(p, args{"cwd": p.w.repo.Path})
			p.same("snoozedCount", after["snoozedCount"], 1)
			n, _ := before["count"].(float64)
			p.same("count", after["count"], n-1)
		}),
		is("it comes back when its state changes", func(p *probe) {
			p.act(gammaID, "interviewMessage", args{"prompt": "Again."})
			p.gate(gammaID, "specReady")
			p.same("reason", p.cue(gammaID)["reason"], "specReady")
			p.same("snoozedCount", cues(p, nil)["snoozedCount"], 0)
		}),
	), part("000", "reveal",
		is("takes one of pieceId and sessionId", func(p *probe) {
			p.malformed("reveal", args{}, "'pieceId'", "'sessionId'")
			p.malformed("reveal", args{"pieceId": gammaID, "sessionId": unknownID}, "'sessionId'", "'pieceId'")
			p.refused("reveal", args{"pieceId": unknownID}, "Unknown pieceId")
			p.refused("reveal", args{"sessionId": unknownID}, "Unknown sessionId")
		}),
		is("opens a piece in Fermata and returns {revealed: true}", func(p *probe) {
			p.same("the result", p.call("reveal", args{"pieceId": gammaID}), args{"revealed": true})
			title, _ := p.w.place(p, "card:"+gammaID)
			p.holds("the window", title, p.projectName())
		}),
		is("opens a session", func(p *probe) {
			p.same("the result", p.call("reveal", args{"sessionId": p.task(alphaID, "Fence")["sessionId"]}), args{"revealed": true})
		}),
	))
}

// boundRows are what the page on consent says of the whole.
func boundRows() []row {
	return part("003", "What runs on the call",
		is("everything that reads runs on the call, whatever is set", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			for tool, a := range map[string]args{
				"list_projects": nil, "list_echoes": nil, "list_pieces": nil, "list_sessions": nil, "list_cues": nil, "get_piece": {"pieceId": gammaID},
				"get_artifact": {"pieceId": gammaID, "kind": "spec"}, "get_session": {"sessionId": p.task(alphaID, "Fence")["sessionId"]},
			} {
				p.call(tool, a)
			}
		}),
		is("filing, editing, cancelling, creating and archiving run on the call, whatever is set", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			id := p.file(asIs(args{"spec": "# Ten\n\n## Goal\n\nx", "lane": "auto"}))
			p.call("update_draft", args{"draftId": id, "lane": "manual"})
			p.call("release_draft", args{"draftId": id})
			p.put(id)
			p.drop(p.file(args{"seed": "x"}))
		}),
		is("the actions that wait by themselves are stopAgents and markDone alone", func(p *probe) {
			// Of what is legal somewhere now, a dry run says whether a card would show.
			for _, id := range []string{alphaID, betaID, gammaID} {
				for _, a := range strs(p.get(id), "legalActions") {
					o := p.act(id, a, needs[a], args{"dryRun": true})
					p.same("card of "+a, o["card"], slices.Contains([]string{"stopAgents", "markDone"}, a))
				}
			}
		}),
	)
}
