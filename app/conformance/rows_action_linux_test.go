package conformance

import (
	"slices"
	"strings"
)

// allActions are the contract's, in its order.
var allActions = []string{
	"interviewMessage", "approveSpec", "generateStrategy", "approveStrategy", "decompose", "startExecution", "pauseAgents", "resumeAgents",
	"stopAgents", "retryFailedAgents", "editTaskBrief", "messageTask", "answerTaskQuestion", "continueToReview", "approveTask", "runCodeReview",
	"createPR", "markDone", "confirmDone", "setLane", "requestChanges", "sendBackToAgents", "resumeTask", "archive", "unarchive",
	"addDependency", "removeDependency",
}

// needs are the arguments that the contract wants for single actions.
var needs = map[string]args{
	"interviewMessage": {"prompt": "x"}, "setLane": {"lane": "auto"}, "approveTask": {"taskId": unknownID}, "resumeTask": {"taskId": unknownID},
	"editTaskBrief": {"taskId": unknownID, "prompt": "x"}, "messageTask": {"taskId": unknownID, "text": "x"},
	"answerTaskQuestion": {"taskId": unknownID, "text": "x"}, "requestChanges": {"text": "x"},
	"addDependency": {"blocker": unknownID}, "removeDependency": {"blocker": unknownID},
}

// tasks are a piece's agents by name.
func (p *probe) task(id, name string) object {
	p.Helper()
	t := find(list(p.get(id), "tasks"), "name", name)
	if t == nil {
		p.Fatalf("there is no agent %s", name)
	}
	return t
}

// acted checks what every action returns.
func (p *probe) acted(o object, id, phase string) {
	p.Helper()
	p.shape("the result", o, "ok bool, pieceId uuid, phase object, gate string?")
	p.same("ok", o["ok"], true)
	p.same("pieceId", o["pieceId"], id)
	now, _ := o["phase"].(object)
	p.same("phase.key", now["key"], phase)
}

// unchanged runs work that must leave a piece as it is.
func (p *probe) unchanged(id string, work func()) {
	p.Helper()
	before := p.get(id)
	work()
	after := p.get(id)
	for _, field := range []string{"updatedAt", "phase", "gate", "activity", "worktreePath", "isArchived", "prURL"} {
		p.same(field, after[field], before[field])
	}
}

func actionRows() []row {
	return join(actionArgumentRows(), alphaRows(), fenceRows(), alphaEndRows(), betaRows(), betaEndRows(), codeReviewRows(), splitStoryRows(), loopRows(), workspaceRows(), bulkRows())
}

func actionArgumentRows() []row {
	return part("000", "piece_action: arguments",
		is("takes the 27 actions", func(p *probe) {
			schema, _ := find(p.tools(), "name", "piece_action")["inputSchema"].(object)
			properties, _ := schema["properties"].(object)
			action, _ := properties["action"].(object)
			p.same("enum", action["enum"], allActions)
			p.malformed("piece_action", args{"pieceId": gammaID, "action": "explode"}, "'action'", "must be one of", "markDone")
		}),
		is("pieceId and action are required", func(p *probe) {
			p.malformed("piece_action", args{"action": "archive"}, "'pieceId'", "is required")
			p.malformed("piece_action", args{"pieceId": gammaID}, "'action'", "is required")
		}),
		is("each action's own arguments are required", func(p *probe) {
			for _, a := range allActions {
				for name := range needs[a] {
					lacking := acting(gammaID, a, needs[a])
					delete(lacking, name)
					p.malformed("piece_action", lacking, "'"+name+"'", "is required for the action "+a)
				}
			}
		}),
		is("requestChanges refuses taskId", func(p *probe) {
			p.malformed("piece_action", acting(gammaID, "requestChanges", args{"text": "x", "taskId": unknownID}), "'taskId'", "requestChanges")
		}),
		is("text for messageTask and answerTaskQuestion is at most 2,000 characters", func(p *probe) {
			for _, a := range []string{"messageTask", "answerTaskQuestion"} {
				p.malformed("piece_action", acting(gammaID, a, args{"taskId": unknownID, "text": strings.Repeat("é", 2001)}), "'text'", "2,000")
				p.refused("piece_action", acting(gammaID, a, args{"taskId": unknownID, "text": strings.Repeat("é", 2000)}))
			}
		}),
		is("guidance is at most 2,000 characters", func(p *probe) {
			for _, a := range []string{"sendBackToAgents", "resumeTask", "retryFailedAgents"} {
				p.malformed("piece_action", acting(gammaID, a, needs[a], args{"guidance": strings.Repeat("x", 2001)}), "'guidance'", "2,000")
			}
		}),
		is("level is high or max, isDraft true or false, taskIds an array", func(p *probe) {
			p.malformed("piece_action", acting(gammaID, "runCodeReview", args{"level": "low"}), "'level'", "high, max")
			p.malformed("piece_action", acting(gammaID, "createPR", args{"isDraft": "no"}), "'isDraft'", "true or false")
			p.malformed("piece_action", acting(gammaID, "retryFailedAgents", args{"taskIds": "all"}), "'taskIds'", "array of strings")
		}),
		is("approveSpec refuses the lane loop", func(p *probe) {
			p.malformed("piece_action", acting(gammaID, "approveSpec", args{"lane": "loop"}), "'lane'", "manual or auto")
		}),
		is("an unknown piece is refused, and so is a draft", func(p *probe) {
			p.refused("piece_action", acting(unknownID, "archive"), "Unknown pieceId")
			id := p.file(args{"seed": "x"})
			p.refused("piece_action", acting(id, "archive"), "draft", "release_draft")
			p.drop(id)
		}),
		is("an illegal action fails and names the actions that are legal now, as get_piece lists them", func(p *probe) {
			legal := strs(p.get(gammaID), "legalActions")
			for _, a := range allActions {
				if !slices.Contains(legal, a) {
					p.unchanged(gammaID, func() { p.refused("piece_action", acting(gammaID, a, needs[a]), legal...) })
				}
			}
		}),
	)
}

// alphaID is the piece that goes to a pull request; its rows share it.
const alphaID = "aaaaaaaa-0000-4000-8000-000000000001"

func alphaRows() []row {
	return part("000", "piece_action",
		is("approveSpec on Manual runs on the call and goes on to the strategy, though the setting is on", func(p *probe) {
			p.during("pieces.permissionProfile", "trusted")
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			p.call("create_draft", asIs(args{"id": alphaID, "spec": alphaSpec, "release": true, "cwd": p.w.repo.Path}))
			p.acted(p.act(alphaID, "approveSpec", args{"lane": "manual"}), alphaID, "strategy")
			p.gate(alphaID, "strategyReady")
		}),
		is("approveSpec on Auto waits for a card with the setting on; Deny changes nothing", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			p.unchanged(gammaID, func() {
				p.denied("piece_action", acting(gammaID, "approveSpec", args{"lane": "auto"}), "approve the spec and run Auto")
			})
		}),
		is("setLane moves the piece to another lane and starts nothing", func(p *probe) {
			for _, lane := range []string{"auto", "loop", "manual"} {
				p.acted(p.act(gammaID, "setLane", args{"lane": lane}), gammaID, "spec")
				o := p.get(gammaID)
				config, _ := o["config"].(object)
				p.same("config.lane", config["lane"], lane)
				p.same("gate", o["gate"], "specReady")
			}
		}),
		is("interviewMessage moves the spec along", func(p *probe) {
			p.acted(p.act(gammaID, "interviewMessage", args{"prompt": "Say more."}), gammaID, "spec")
			p.gate(gammaID, "specReady")
		}),
		is("generateStrategy writes the strategy again", func(p *probe) {
			p.acted(p.act(alphaID, "generateStrategy"), alphaID, "strategy")
			p.same("gate", p.gate(alphaID, "strategyReady")["gate"], "strategyReady")
		}),
		is("approveStrategy splits the work into agents", func(p *probe) {
			p.acted(p.act(alphaID, "approveStrategy"), alphaID, "agents")
			o := p.gate(alphaID, "planReady")
			p.same("taskCount", o["taskCount"], 2)
			p.same("phase", o["phase"], args{"key": "agents", "display": "Agents 0/2"})
			if len(list(o, "tasks")) != 3 || len(list(o, "edges")) != 3 {
				p.Errorf("the graph is %v, %v", o["tasks"], o["edges"])
			}
		}),
		is("decompose splits the work into agents again", func(p *probe) {
			before := p.task(alphaID, "Fence")["id"]
			p.acted(p.act(alphaID, "decompose"), alphaID, "agents")
			p.gate(alphaID, "planReady")
			if p.task(alphaID, "Fence")["id"] == before {
				p.Error("the graph is the old one")
			}
		}),
		is("a dry run says what an action would do, and does nothing", func(p *probe) {
			p.unchanged(alphaID, func() {
				o := p.act(alphaID, "startExecution", args{"dryRun": true})
				p.same("legal", o["legal"], true)
				p.same("card", o["card"], false)
				p.during("mcp.askBeforeRunsAndPullRequests", "true")
				p.same("card with the setting on", p.act(alphaID, "startExecution", args{"dryRun": true})["card"], true)
			})
		}),
		is("startExecution waits for a card with the setting on: Deny changes nothing, Allow starts the agents", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			p.unchanged(alphaID, func() { p.denied("piece_action", acting(alphaID, "startExecution"), "start agents") })
			p.acted(p.allowed("piece_action", acting(alphaID, "startExecution"), "start agents"), alphaID, "agents")
			p.w.asked(p, "fence", 0)
			p.same("activity", p.get(alphaID)["activity"], "running")
		}),
		is("list_cues counts running work in running alone", func(p *probe) {
			running, _ := p.call("list_cues", nil)["running"].(object)
			p.shape("running", running, "line string?, running int, advancing int, projectNames array, pieces array")
			work := find(list(running, "pieces"), "pieceId", alphaID)
			p.shape("the piece", work, "pieceId uuid, title string, projectName string?, progress number")
			p.same("running", running["running"], 1)
		}),
		is("messageTask is refused while the session is working", func(p *probe) {
			p.refused("piece_action", acting(alphaID, "messageTask", args{"taskId": p.task(alphaID, "Fence")["id"], "text": "x"}), "working")
		}),
		is("editTaskBrief is refused while agents run", func(p *probe) {
			p.refused("piece_action", acting(alphaID, "editTaskBrief", args{"taskId": p.task(alphaID, "Question")["id"], "prompt": "x"}), "editTaskBrief is not legal now")
		}),
		is("addDependency is refused once building has started", func(p *probe) {
			p.refused("piece_action", acting(alphaID, "addDependency", args{"blocker": gammaID}), "addDependency is not legal now")
		}),
		is("what belongs before building is refused once agents run, and the legal actions are named", func(p *probe) {
			for _, a := range []string{"interviewMessage", "approveSpec", "generateStrategy", "setLane", "archive"} {
				p.unchanged(alphaID, func() {
					p.refused("piece_action", acting(alphaID, a, needs[a]), append(strs(p.get(alphaID), "legalActions"), a+" is not legal now")...)
				})
			}
		}),
		is("pauseAgents starts no new agent and lets the running one finish its turn", func(p *probe) {
			p.acted(p.act(alphaID, "pauseAgents"), alphaID, "agents")
			p.same("activity", p.get(alphaID)["activity"], "pausing")
			close(p.w.stories.first)
			p.gate(alphaID, "paused")
			p.same("the first agent", p.task(alphaID, "Fence")["state"], "completed")
			p.same("the second agent", p.task(alphaID, "Question")["state"], "pending")
		}),
		is("resumeAgents waits for a card with the setting on, and resumes", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			p.unchanged(alphaID, func() { p.denied("piece_action", acting(alphaID, "resumeAgents"), "resume agents") })
			p.acted(p.allowed("piece_action", acting(alphaID, "resumeAgents"), "resume agents"), alphaID, "agents")
			p.gate(alphaID, "agentWaiting")
		}),
		is("an agent that waits shows its question, and its session awaits input", func(p *probe) {
			t := p.task(alphaID, "Question")
			waits, _ := t["waitsFor"].(object)
			p.same("waitsFor.kind", waits["kind"], "question")
			s := p.call("get_session", args{"sessionId": t["sessionId"]})
			p.same("state", s["state"], "awaitingInput")
			p.same("awaitingApproval", s["awaitingApproval"], false)
		}),
		is("answerTaskQuestion is refused for an agent that asked nothing", func(p *probe) {
			p.refused("piece_action", acting(alphaID, "answerTaskQuestion", args{"taskId": p.task(alphaID, "Fence")["id"], "text": "x"}), "not waiting on a question")
			p.refused("piece_action", acting(alphaID, "answerTaskQuestion", args{"taskId": unknownID, "text": "x"}), "Unknown taskId")
		}),
		is("answerTaskQuestion waits for a card with the setting on, and answers; it returns next and message", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			a := acting(alphaID, "answerTaskQuestion", args{"taskId": p.task(alphaID, "Question")["id"], "text": "SQLite"})
			o := p.allowed("piece_action", a, "answer a task's question")
			p.acted(o, alphaID, "agents")
			p.shape("the result", o, "next string?, message string?")
			p.holds("what the agent read", strings.Join(p.w.read(p, "question", 0), "\n"), "SQLite")
			p.gate(alphaID, "workReviewFailed")
		}),
		is("sendBackToAgents refuses an agent that did not fail, listing the one that did", func(p *probe) {
			failed := p.task(alphaID, "Question")
			p.refused("piece_action", acting(alphaID, "sendBackToAgents", args{"taskIds": []any{p.task(alphaID, "Fence")["id"]}}), str(failed, "id"), "did not fail")
		}),
		is("resumeTask is refused for an agent that did not fail", func(p *probe) {
			p.refused("piece_action", acting(alphaID, "resumeTask", args{"taskId": p.task(alphaID, "Fence")["id"]}), "did not fail")
		}),
		is("resumeTask waits for a card with the setting on, and answers on start with started and message", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			a := acting(alphaID, "resumeTask", args{"taskId": p.task(alphaID, "Question")["id"], "guidance": "Write it twice."})
			p.unchanged(alphaID, func() { p.denied("piece_action", a, "resume a task") })
			before := p.task(alphaID, "Question")
			o := p.allowed("piece_action", a, "resume a task")
			p.acted(o, alphaID, "agents")
			p.same("started", o["started"], true)
			p.shape("the result", o, "message string")
			words := p.w.asked(p, "again", 0)
			p.holds("the agent's own session", words.LastWords(), finding, "Write it twice.")
			p.same("its id", words.SessionID, before["sessionId"])
		}),
		is("one resume runs per piece at a time, a second one is refused with the reason", func(p *probe) {
			p.refused("piece_action", acting(alphaID, "resumeTask", args{"taskId": p.task(alphaID, "Question")["id"]}), "one resume runs per piece at a time")
		}),
		is("once the resumed agent commits, the work review runs again", func(p *probe) {
			close(p.w.stories.again)
			p.gate(alphaID, "workReviewFailed")
			p.same("the agent's attempts", p.task(alphaID, "Question")["attempts"], 2)
		}),
		is("sendBackToAgents lands paused and names resumeAgents next; the agent gets the findings and the guidance", func(p *probe) {
			o := p.act(alphaID, "sendBackToAgents", args{"guidance": thirdWish})
			p.acted(o, alphaID, "agents")
			p.same("next", o["next"], "resumeAgents")
			p.shape("the result", o, "message string")
			p.same("gate", o["gate"], "paused")
		}),
		is("resumeAgents runs on the call with the setting off: it is read on every call", func(p *probe) {
			p.acted(p.act(alphaID, "resumeAgents"), alphaID, "agents")
			p.holds("the agent's prompt", p.w.asked(p, "third", 0).LastWords(), finding, thirdWish)
			p.gate(alphaID, "reviewWork")
		}),
	)
}

func alphaEndRows() []row {
	return join(part("000", "list_cues",
		is("confirmAvailable is true for an item ready for review without open findings", func(p *probe) {
			o := p.cue(alphaID)
			for field, want := range (args{"group": "readyForReview", "reason": "reviewWork", "label": "Ready for review", "confirmAvailable": true, "primaryAction": nil}) {
				p.same(field, o[field], want)
			}
		}),
	), part("000", "get_piece",
		is("the agent graph as tasks and edges", func(p *probe) {
			o := p.get(alphaID)
			for _, t := range list(o, "tasks") {
				p.shape("a task", t, "id uuid, ordinal int, kind string, name string, brief string, state string, failure string?, waitsFor object?, dependsOn array, attempts int, sessionId uuid?, branch string?, worktree string?, approved bool, startedAt time?, endedAt time?")
			}
			edge := args{"from": p.task(alphaID, "Fence")["id"], "to": p.task(alphaID, "Question")["id"]}
			if find(list(o, "edges"), "to", edge["to"])["from"] != edge["from"] {
				p.Errorf("edges %v lack %v", o["edges"], edge)
			}
		}),
	), part("000", "piece_action",
		is("reviewProgress shows during review", func(p *probe) {
			p.same("reviewProgress", p.get(alphaID)["reviewProgress"], args{"approved": 0, "total": 2})
			p.same("gamma's", p.get(gammaID)["reviewProgress"], nil)
		}),
		is("approveTask approves one agent, with a note", func(p *probe) {
			p.acted(p.act(alphaID, "approveTask", args{"taskId": p.task(alphaID, "Fence")["id"], "text": "Fine."}), alphaID, "review")
			p.same("approved", p.task(alphaID, "Fence")["approved"], true)
			p.same("reviewProgress", p.get(alphaID)["reviewProgress"], args{"approved": 1, "total": 2})
			p.refused("piece_action", acting(alphaID, "approveTask", args{"taskId": unknownID}), "Unknown taskId")
			o := p.act(alphaID, "approveTask", args{"taskId": p.task(alphaID, "Question")["id"]})
			p.same("gate", o["gate"], "openPullRequest")
		}),
		is("requestChanges starts a feedback session in the piece's worktree and returns its sessionId", func(p *probe) {
			o := p.act(alphaID, "requestChanges", args{"text": change})
			p.acted(o, alphaID, "review")
			p.shape("the result", o, "sessionId uuid")
			p.holds("its prompt", p.w.asked(p, "changes", 0).LastWords(), change)
			s := p.call("get_session", args{"sessionId": o["sessionId"]})
			p.same("its worktree", s["worktree"], p.get(alphaID)["worktreePath"])
			p.until("the changes to be there", func() bool { return p.get(alphaID)["activity"] == "idle" })
			p.same("the commit", p.w.repo.Git("log", "-1", "--format=%s", str(p.get(alphaID), "branchName")), "Add louder.txt")
		}),
		is("a pull request that is refused leaves the piece in its phase", func(p *probe) {
			p.w.github.Refuse(422, "The head branch is protected")
			p.refused("piece_action", acting(alphaID, "createPR", args{"title": "T"}), "protected")
			o := p.gate(alphaID, "openPullRequest")
			p.same("phase", o["phase"], args{"key": "review", "display": "Review"})
			p.same("prURL", o["prURL"], nil)
		}),
		is("createPR waits for a card with the setting on: Deny opens nothing", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			p.unchanged(alphaID, func() { p.denied("piece_action", acting(alphaID, "createPR"), "create a pull request") })
			if n := len(p.w.github.Pulls()); n != 0 {
				p.Errorf("there are %d pull requests", n)
			}
		}),
		is("createPR without title and body has Fermata write them; it returns prURL and the piece is Done", func(p *probe) {
			o := p.act(alphaID, "createPR")
			p.acted(o, alphaID, "complete")
			pulls := p.w.github.Pulls()
			if len(pulls) != 1 || pulls[0].Title != "Try failed uploads again" || pulls[0].Body == "" || pulls[0].Draft {
				p.Fatalf("pull requests %+v", pulls)
			}
			p.holds("prURL", str(o, "prURL"), "/pull/1")
			p.same("get_piece's prURL", p.get(alphaID)["prURL"], o["prURL"])
			p.same("progress", p.get(alphaID)["progress"], 1)
		}),
		is("createPR is illegal while the piece has an open pull request", func(p *probe) {
			p.refused("piece_action", acting(alphaID, "createPR"), "createPR is not legal now")
		}),
	))
}
