package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// betaID is the piece that is stopped, fails and is marked done; its rows share it.
const betaID = "aaaaaaaa-0000-4000-8000-000000000002"

// betaRows hold a build agent on the safe profile at its first tool approval, and use the wait for the cards of stopAgents.
func betaRows() []row {
	return join(part("003", "Ask before runs: releases",
		is("Allow on release_draft runs the piece unattended", func(p *probe) {
			p.during("pieces.permissionProfile", "safe")
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			p.call("create_draft", asIs(args{"id": betaID, "spec": betaSpec, "lane": "auto", "cwd": p.w.repo.Path}))
			o := p.allowed("release_draft", args{"draftId": betaID}, "release the draft and run it on Auto")
			p.same("id", o["id"], betaID)
			p.same("kind", o["kind"], "piece")
		}),
	), part("003", "What a client can never do",
		is("get past a gate: a build agent on Safe raises its approvals inside Fermata", func(p *probe) {
			p.gate(betaID, "agentWaiting")
			t := p.task(betaID, "Maker")
			waits, _ := t["waitsFor"].(object)
			p.same("waitsFor.kind", waits["kind"], "approval")
			s := p.call("get_session", args{"sessionId": t["sessionId"]})
			p.same("awaitingApproval", s["awaitingApproval"], true)
			p.same("state", s["state"], "awaitingApproval")
		}),
		is("answer a tool approval", func(p *probe) {
			p.unchanged(betaID, func() {
				p.refused("piece_action", acting(betaID, "answerTaskQuestion", args{"taskId": p.task(betaID, "Maker")["id"], "text": "yes"}), "approval", "person")
			})
		}),
		is("take a piece on Manual past a phase", func(p *probe) { p.same("gamma's gate", p.get(gammaID)["gate"], "specReady") }),
	), cardRows(), stopRows(), retryRows())
}

func cardRows() []row {
	stop := acting(betaID, "stopAgents")
	return part("003", "The cards",
		is("the card names the action, the piece and the project", func(p *probe) {
			c, n := p.begin("piece_action", stop)
			p.same("the title", n.title, "Allow the MCP client to stop agents?")
			p.same("the body", n.body, "An external MCP client wants to stop agents on 'Beta: stopped and done' ("+p.projectName()+").")
			p.w.click(p, "card:deny")
			p.end(c)
		}),
		is("a denied card fails the call and changes nothing", func(p *probe) {
			p.unchanged(betaID, func() { p.denied("piece_action", stop, "stop agents") })
		}),
		is("a client that cancels takes its card away, and nothing changes", func(p *probe) {
			p.unchanged(betaID, func() {
				c, _ := p.begin("piece_action", stop)
				if err := p.w.wire.withdraw(p.Context(), c); err != nil {
					p.Fatal(err)
				}
				p.until("the card to go", func() bool { return !p.w.shown(p, "card:deny") })
				if o := p.end(c); !o.failed && o.err == nil && o.code == 0 {
					p.Errorf("the call came to %s", o)
				}
			})
		}),
		is("a client that hangs up takes its card away, and nothing changes", func(p *probe) {
			p.unchanged(betaID, func() {
				c, _ := p.begin("piece_action", stop)
				c.cancel()
				p.until("the card to go", func() bool { return !p.w.shown(p, "card:deny") })
			})
		}),
		is("one client cannot cancel another's call", func(p *probe) {
			c, _ := p.begin("piece_action", stop)
			other := &wire{url: p.w.wire.url}
			if _, err := other.hello(p.Context(), "other"); err != nil {
				p.Fatal(err)
			}
			if err := other.withdraw(p.Context(), c); err != nil {
				p.Fatal(err)
			}
			p.w.click(p, "card:deny")
			p.sentence("the call", p.end(c), "denied")
		}),
		is("one card shows at a time, the next presents when you answer", func(p *probe) {
			c, _ := p.begin("piece_action", stop)
			other := &wire{url: p.w.wire.url}
			if _, err := other.hello(p.Context(), "other"); err != nil {
				p.Fatal(err)
			}
			second := other.begin("piece_action", stop)
			p.Cleanup(second.cancel)
			p.until("the second call to wait", func() bool { return len(second.heard) > 0 })
			p.w.click(p, "card:deny")
			p.sentence("the first", p.end(c), "denied")
			select {
			case o := <-second.done:
				p.Fatalf("the second call ended with the first: %s", o)
			default:
			}
			p.w.click(p, "card:deny")
			p.sentence("the second", p.end(second), "denied")
		}),
		is("a waiting card has no timeout: the client waits and is told so", func(p *probe) {
			c, _ := p.begin("piece_action", stop)
			for range 2 { // at once, and after 15 seconds
				select {
				case m := <-c.heard:
					p.same("what is heard", m.Method, "notifications/progress")
					p.same("under its token", m.Params["progressToken"], "p")
				case o := <-c.done:
					p.Fatalf("the call ended: %s", o)
				case <-time.After(patience):
					p.Fatal("nothing is heard")
				}
			}
			p.w.click(p, "card:deny")
			p.sentence("the call", p.end(c), "denied")
		}),
		is("with the project's window closed, a notification carries the sentence, and the card is there once the window opens", func(p *probe) {
			c, n := p.begin("piece_action", stop)
			p.holds("the notification", n.body, "wants to stop agents on")
			p.w.click(p, "card:deny")
			p.end(c)
		}),
		is("that notification follows the Required input switch", func(p *probe) {
			p.during("notifications.requiredInput", "false")
			before := len(p.w.desk.Notifications())
			c := p.w.wire.begin("piece_action", stop)
			p.Cleanup(c.cancel)
			p.w.click(p, "card:deny")
			p.sentence("the call", p.end(c), "denied")
			if n := len(p.w.desk.Notifications()); n != before {
				p.Errorf("%d notifications came", n-before)
			}
		}),
		later("a card for a piece with no project shows in every open project window", "no call makes a piece without a project"),
	)
}

func stopRows() []row {
	return part("000", "piece_action",
		is("stopAgents always waits for a card; Allow cancels running agents and parks the run paused", func(p *probe) {
			p.acted(p.allowed("piece_action", acting(betaID, "stopAgents"), "stop agents"), betaID, "agents")
			p.gate(betaID, "paused")
			p.same("the agent", p.task(betaID, "Maker")["state"], "cancelled")
			p.same("its session", p.call("get_session", args{"sessionId": p.task(betaID, "Maker")["sessionId"]})["state"], "cancelled")
		}),
	)
}

func retryRows() []row {
	return join(part("000", "piece_action",
		is("retryFailedAgents refuses an agent that did not fail, listing the one that did", func(p *probe) {
			p.refused("piece_action", acting(betaID, "retryFailedAgents", args{"taskIds": []string{unknownID}}), "did not fail", str(p.task(betaID, "Maker"), "id"))
		}),
		is("editTaskBrief is refused for the review step and without a brief", func(p *probe) {
			p.refused("piece_action", acting(betaID, "editTaskBrief", args{"taskId": p.task(betaID, "Work review")["id"], "prompt": "x"}), "review step")
			p.refused("piece_action", acting(betaID, "editTaskBrief", args{"taskId": unknownID, "prompt": "x"}), "Unknown taskId")
		}),
		is("editTaskBrief waits for a card with the setting on, rewrites the brief and starts nothing; it returns next and message", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			a := acting(betaID, "editTaskBrief", args{"taskId": p.task(betaID, "Maker")["id"], "prompt": betterBrief})
			p.unchanged(betaID, func() { p.denied("piece_action", a, "change a task's brief") })
			o := p.allowed("piece_action", a, "change a task's brief")
			p.acted(o, betaID, "agents")
			if next := str(o, "next"); next != "retryFailedAgents" && next != "resumeAgents" {
				p.Errorf("next is %s", next)
			}
			p.shape("the result", o, "message string")
			t := p.task(betaID, "Maker")
			p.same("brief", t["brief"], betterBrief)
			p.same("briefChanged", t["briefChanged"], true)
			p.same("gate", p.get(betaID)["gate"], "paused")
		}),
		is("retryFailedAgents waits for a card with the setting on; Deny changes nothing", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			p.unchanged(betaID, func() { p.denied("piece_action", acting(betaID, "retryFailedAgents"), "recover the failed agents") })
		}),
	), part("003", "What a client can never do",
		is("act in the wrong phase: the phase is checked again after the card is answered", func(p *probe) {
			c, _ := p.begin("piece_action", acting(betaID, "stopAgents"))
			p.acted(p.act(betaID, "retryFailedAgents", args{"guidance": failWish}), betaID, "agents")
			p.gate(betaID, "agentsFailed")
			p.w.click(p, "card:allow")
			legal := strs(p.get(betaID), "legalActions")
			p.sentence("the call", p.end(c), append(legal, "moved on while the card waited", "stopAgents is not legal now")...)
			p.same("gate", p.get(betaID)["gate"], "agentsFailed")
		}),
	), part("000", "piece_action",
		is("retryFailedAgents gives every agent it touches the guidance", func(p *probe) {
			p.holds("the agent's prompt", p.w.asked(p, "fails", 0).LastWords(), failWish)
		}),
		is("an agent whose brief changed starts fresh", func(p *probe) {
			p.holds("the agent's prompt", p.w.asked(p, "fails", 0).LastWords(), "# Step: agent 1", betterBrief)
		}),
		is("an agent that failed says why, and so does its session", func(p *probe) {
			t := p.task(betaID, "Maker")
			p.same("state", t["state"], "failed")
			p.shape("the agent", t, "failure string")
			s := p.call("get_session", args{"sessionId": t["sessionId"]})
			p.same("the session's state", s["state"], "failed")
			p.shape("the session", s, "error string")
		}),
		is("messageTask waits for a card with the setting on; the failed agent runs again with the turn, and its attempts follow", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			before := p.task(betaID, "Maker")
			a := acting(betaID, "messageTask", args{"taskId": before["id"], "text": "Once more. " + failWish})
			p.unchanged(betaID, func() { p.denied("piece_action", a, "message a task's agent") })
			o := p.allowed("piece_action", a, "message a task's agent")
			p.acted(o, betaID, "agents")
			p.shape("the result", o, "next string?, message string?")
			p.gate(betaID, "agentsFailed")
			after := p.task(betaID, "Maker")
			n, _ := before["attempts"].(float64)
			p.same("attempts", after["attempts"], n+1)
			p.same("the session", after["sessionId"], before["sessionId"])
			p.same("state", after["state"], "failed")
		}),
		is("continueToReview leaves unfinished agents as they are", func(p *probe) {
			p.acted(p.act(betaID, "continueToReview"), betaID, "review")
			p.same("the agent", p.task(betaID, "Maker")["state"], "failed")
		}),
		is("approveTask accepts the piece without the work of one that did not complete", func(p *probe) {
			o := p.act(betaID, "approveTask", args{"taskId": p.task(betaID, "Maker")["id"]})
			p.same("gate", o["gate"], "openPullRequest")
		}),
	))
}

func betaEndRows() []row {
	return join(part("000", "piece_action",
		is("markDone always waits for a card; Deny removes nothing", func(p *probe) {
			tree := str(p.get(betaID), "worktreePath")
			if err := os.WriteFile(filepath.Join(tree, "mine.txt"), []byte("mine"), 0o600); err != nil {
				p.Fatal(err)
			}
			p.unchanged(betaID, func() {
				c, n := p.begin("piece_action", acting(betaID, "markDone"))
				p.same("the title", n.title, "Allow the MCP client to mark the piece done?")
				p.holds("the body", n.body, "mark the piece done on 'Beta: stopped and done'")
				p.w.click(p, "card:deny")
				p.sentence("markDone", p.end(c), "denied")
			})
			if _, err := os.Stat(filepath.Join(tree, "mine.txt")); err != nil {
				p.Error(err)
			}
		}),
		is("markDone removes the worktree and completes the piece; branch and changes are kept", func(p *probe) {
			before := p.get(betaID)
			p.acted(p.allowed("piece_action", acting(betaID, "markDone"), "mark the piece done"), betaID, "complete")
			after := p.get(betaID)
			p.same("phase", after["phase"], args{"key": "complete", "display": "Done"})
			p.same("worktreePath", after["worktreePath"], nil)
			p.same("branchName", after["branchName"], before["branchName"])
			p.shape("the piece", after, "completedAt time")
			if _, err := os.Stat(str(before, "worktreePath")); !os.IsNotExist(err) {
				p.Errorf("the worktree is there: %v", err)
			}
			saved := p.w.repo.Git("for-each-ref", "--format=%(refname)", "refs/fermata/saved/"+betaID)
			if saved == "" || p.w.repo.Git("show", strings.Fields(saved)[0]+":mine.txt") != "mine" {
				p.Errorf("what was not committed is not in %q", saved)
			}
		}),
		is("confirmDone acknowledges it, with closing feedback", func(p *probe) {
			p.same("gate", p.get(betaID)["gate"], "confirmDone")
			o := p.act(betaID, "confirmDone", args{"text": strings.Repeat("Thank you. ", 300)})
			p.acted(o, betaID, "complete")
			p.same("gate", o["gate"], nil)
		}),
		is("archive takes the piece off the board and returns isArchived", func(p *probe) {
			o := p.act(betaID, "archive")
			p.acted(o, betaID, "complete")
			p.same("isArchived", o["isArchived"], true)
			p.same("listed", find(p.listed(nil), "id", betaID) == nil, true)
			p.same("legalActions", p.get(betaID)["legalActions"], []string{"unarchive"})
			p.refused("piece_action", acting(betaID, "archive"), "archive is not legal now", "unarchive")
		}),
		is("unarchive brings it back", func(p *probe) {
			p.same("isArchived", p.act(betaID, "unarchive")["isArchived"], false)
			p.same("listed", find(p.listed(nil), "id", betaID) != nil, true)
		}),
	))
}

func workspaceRows() []row {
	return part("000", "open_piece_workspace",
		is("needs a piece", func(p *probe) {
			p.malformed("open_piece_workspace", args{}, "'pieceId'", "is required")
			p.refused("open_piece_workspace", args{"pieceId": unknownID}, "Unknown pieceId")
		}),
		is("returns worktree, branch, phase, pull request, agents, spec, strategy and agentInstruction", func(p *probe) {
			o := p.call("open_piece_workspace", args{"pieceId": alphaID})
			p.shape("the result", o, "worktreePath string, branchName string, phase object, prURL string?, tasks array, spec string?, strategy string?, agentInstruction string")
			p.same("spec", o["spec"], alphaSpec)
			p.same("prURL", o["prURL"], p.get(alphaID)["prURL"])
			p.holds("strategy", str(o, "strategy"), "Ask, then write.")
		}),
		is("does not move the session: the client is told to ask before changing directory", func(p *probe) {
			p.holds("agentInstruction", str(p.call("open_piece_workspace", args{"pieceId": alphaID}), "agentInstruction"), "ask the person before you change directory")
		}),
		is("makes the worktree again from the branch if it was removed", func(p *probe) {
			o := p.call("open_piece_workspace", args{"pieceId": betaID})
			tree := str(o, "worktreePath")
			p.same("the branch", p.w.repo.Git("-C", tree, "branch", "--show-current"), p.get(betaID)["branchName"])
		}),
	)
}

func bulkRows() []row {
	return part("000", "Opening pull requests for many pieces",
		is("there is no bulk tool: list_pieces tells which are complete without a prURL", func(p *probe) {
			var left []string
			for _, o := range p.listed(args{"projectId": p.w.project}) {
				phase, _ := o["phase"].(object)
				if phase["key"] == "complete" && o["prURL"] == nil {
					left = append(left, str(o, "id"))
				}
			}
			p.same("left", toAny(left), []string{betaID})
		}),
		is("a failure on one piece leaves it as it was", func(p *probe) {
			p.w.github.Refuse(403, "Resource not accessible")
			before := p.get(betaID)
			p.refused("piece_action", acting(betaID, "createPR"))
			after := p.get(betaID)
			for _, field := range []string{"phase", "gate", "activity", "prURL"} {
				p.same(field, after[field], before[field])
			}
		}),
	)
}
