package conformance

import (
	"os"

	"github.com/google/uuid"
)

const pieceFields = "kind string, id uuid, name string, projectId uuid?, phase object, gate string?, activity string, taskCount int, completedTaskCount int, " +
	"progress number, prURL string?, createdAt time, updatedAt time, completedAt time?, isArchived bool, dependsOn array, waiting bool, blockingKeys array, " +
	"splitProposals array, splitLinks array, splitHold object?, splitPending object?, splitStart object, runAt object, echo object"

// asIs has a draft's spec taken as it is written, so that releasing it runs no session.
func asIs(a args) args {
	a["refine"] = "none"
	return a
}

// released files a draft and releases it, and returns the piece's row.
func (p *probe) released(a args) object {
	p.Helper()
	return p.call("release_draft", args{"draftId": p.file(asIs(a))})
}

// put archives a piece that was made for one row, so that it is out of the way.
func (p *probe) put(id string) {
	p.Helper()
	p.act(id, "archive")
}

func releaseRows() []row {
	return join(part("000", "release_draft",
		is("starts the draft and returns the piece's row; the id stays", func(p *probe) {
			id := p.file(asIs(args{"spec": "# One\n\n## Goal\n\nOne."}))
			p.same("kind before", p.get(id)["kind"], "draft")
			o := p.call("release_draft", args{"draftId": id})
			p.shape("the row", o, pieceFields)
			p.same("id", o["id"], id)
			p.same("kind", o["kind"], "piece")
			p.same("kind after", p.get(id)["kind"], "piece")
			p.put(id)
		}),
		is("resending returns that piece and starts nothing", func(p *probe) {
			id := str(p.released(args{"spec": "# Two\n\n## Goal\n\nTwo."}), "id")
			before := p.get(id)
			p.filesNothing(func() { p.same("id", p.call("release_draft", args{"draftId": id})["id"], id) })
			p.same("updatedAt", p.get(id)["updatedAt"], before["updatedAt"])
			p.put(id)
		}),
		is("model is written onto the draft first", func(p *probe) {
			id := p.file(asIs(args{"spec": "# Three\n\n## Goal\n\nThree."}))
			p.call("release_draft", args{"draftId": id, "model": "m-3"})
			config, _ := p.get(id)["config"].(object)
			p.same("config.model", config["model"], "m-3")
			p.put(id)
		}),
		is("a manual and a loop draft run their spec step, and no further", func(p *probe) {
			for _, lane := range []string{"manual", "loop"} {
				o := p.released(args{"spec": "# Four\n\n## Goal\n\nFour.", "lane": lane})
				p.same("phase", o["phase"], args{"key": "spec", "display": "Spec"})
				p.same("gate", o["gate"], "specReady")
				p.put(str(o, "id"))
			}
		}),
		is("a released draft is not affected by cancel_draft", func(p *probe) {
			id := str(p.released(args{"spec": "# Five\n\n## Goal\n\nFive."}), "id")
			p.refused("cancel_draft", args{"draftId": id}, "Unknown draftId")
			p.same("kind", p.get(id)["kind"], "piece")
			p.put(id)
		}),
		is("needs a draft", func(p *probe) {
			p.malformed("release_draft", args{}, "'draftId'", "is required")
			p.refused("release_draft", args{"draftId": unknownID}, "Unknown draftId")
		}),
	), part("000", "create_draft: release",
		is("release releases in the same call and returns the piece's row with released true", func(p *probe) {
			o := p.call("create_draft", asIs(args{"spec": "# Six\n\n## Goal\n\nSix.", "release": true, "cwd": p.w.repo.Path}))
			p.shape("the row", o, pieceFields+", released bool")
			p.same("released", o["released"], true)
			p.same("kind", o["kind"], "piece")
			p.put(str(o, "id"))
		}),
		is("release is false by default", func(p *probe) {
			id := p.file(args{"spec": "# Seven\n\n## Goal\n\nSeven."})
			p.same("kind", p.get(id)["kind"], "draft")
			p.drop(id)
		}),
		is("a resend after the release returns {ok, draftId, pieceId, released}", func(p *probe) {
			a := asIs(args{"id": uuid.NewString(), "spec": "# Eight\n\n## Goal\n\nEight.", "cwd": p.w.repo.Path})
			p.call("create_draft", a)
			p.call("release_draft", args{"draftId": a["id"]})
			want := args{"ok": true, "draftId": a["id"], "pieceId": a["id"], "released": true}
			p.filesNothing(func() {
				p.same("the resend", p.call("create_draft", a), want)
				a["release"] = true
				p.same("the resend with release", p.call("create_draft", a), want)
			})
			p.put(str(a, "id"))
		}),
	), part("003", "Ask before runs: releases",
		is("the setting is off by default", func(p *probe) {
			if out, _ := p.w.cli("settings", "get", "mcp.askBeforeRunsAndPullRequests"); out != "false" {
				p.Errorf("it is %s", out)
			}
		}),
		is("with it on, a manual or loop draft still runs on the call", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			for _, lane := range []string{"manual", "loop"} {
				p.put(str(p.released(args{"spec": "# Nine\n\n## Goal\n\nNine.", "lane": lane}), "id"))
			}
		}),
		is("with it on, create_draft with release on Auto asks before anything is filed; Deny leaves nothing behind", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			branches := p.w.repo.Git("branch", "--list")
			p.filesNothing(func() {
				before := p.items()
				c, n := p.begin("create_draft", args{"spec": betaSpec, "lane": "auto", "release": true, "cwd": p.w.repo.Path})
				p.same("the title", n.title, "Allow the MCP client to release the draft and run it on Auto?")
				p.holds("the body", n.body, "Beta: stopped and done", "("+p.projectName()+")")
				if now := p.items(); now != before {
					p.Errorf("while the card waits there are %d items, before there were %d", now, before)
				}
				p.w.click(p, "card:deny")
				p.sentence("create_draft", p.end(c), "denied")
			})
			p.same("branches", p.w.repo.Git("branch", "--list"), branches)
		}),
		is("with it on, release_draft on Auto asks; Deny leaves the draft", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			id := p.file(args{"spec": betaSpec, "lane": "auto"})
			before := p.get(id)
			p.denied("release_draft", args{"draftId": id}, "release the draft and run it on Auto")
			p.same("the draft", p.get(id), before)
			p.drop(id)
		}),
	))
}

func (p *probe) projectName() string {
	p.Helper()
	return str(list(p.call("list_projects", nil), "projects")[0], "name")
}

// gamma is the piece that create_piece makes; its rows share the id.
const gammaID = "aaaaaaaa-0000-4000-8000-000000000003"

func createPieceRows() []row {
	return part("000", "create_piece",
		is("needs a prompt", func(p *probe) {
			p.malformed("create_piece", args{"cwd": p.w.repo.Path}, "'prompt'", "is required")
			p.malformed("create_piece", args{"prompt": " ", "cwd": p.w.repo.Path}, "'prompt'", "must not be empty")
		}),
		is("depth is quick, balanced or thorough", func(p *probe) {
			p.malformed("create_piece", args{"prompt": "x", "depth": "deep"}, "'depth'", "quick, balanced, thorough")
		}),
		is("an Echo in runAt fails the call before anything is created", func(p *probe) {
			p.filesNothing(func() {
				p.refused("create_piece", args{"prompt": "x", "cwd": p.w.repo.Path, "runAt": "studio"}, "Echoes is off")
			})
		}),
		is("without a project it fails with a sentence", func(p *probe) {
			p.refused("create_piece", args{"prompt": "x"}, "projectId", "cwd")
			p.refused("create_piece", args{"prompt": "x", "cwd": os.TempDir()}, "register_project")
		}),
		is("returns {ok, pieceId, name, phase} and works on in the background", func(p *probe) {
			o := p.call("create_piece", args{"id": gammaID, "prompt": "An idea\nin two lines", "name": "Working name", "depth": "quick", "model": "m-4", "runAt": "thisMac", "cwd": p.w.repo.Path})
			p.same("the result", o, args{"ok": true, "pieceId": gammaID, "name": "Working name", "phase": args{"key": "spec", "display": "Spec"}})
			p.w.asked(p, "spec", 0)
			now := p.get(gammaID)
			p.same("activity", now["activity"], "interviewing")
			config, _ := now["config"].(object)
			p.same("config.depth", config["depth"], "quick")
			p.same("config.model", config["model"], "m-4")
		}),
		is("gate is null while the machine works", func(p *probe) { p.same("gate", p.get(gammaID)["gate"], nil) }),
		is("setLane is refused while an interview turn runs", func(p *probe) {
			p.refused("piece_action", acting(gammaID, "setLane", args{"lane": "auto"}), "setLane is not legal now")
		}),
		is("an id of the client's makes a retry create nothing twice", func(p *probe) {
			p.filesNothing(func() {
				o := p.call("create_piece", args{"id": gammaID, "prompt": "An idea\nin two lines", "cwd": p.w.repo.Path})
				p.same("pieceId", o["pieceId"], gammaID)
			})
		}),
		is("depth is balanced by default, the name comes from the prompt", func(p *probe) {
			o := p.call("create_piece", args{"prompt": "Another idea", "projectId": p.w.project})
			p.same("name", o["name"], "Another idea")
			config, _ := p.get(str(o, "pieceId"))["config"].(object)
			p.same("config.depth", config["depth"], "balanced")
			close(p.w.stories.spec)
			p.gate(str(o, "pieceId"), "answerInterview")
			p.put(str(o, "pieceId"))
		}),
		is("the interview's questions are read with get_piece", func(p *probe) {
			interview, _ := p.gate(gammaID, "answerInterview")["interview"].(object)
			questions := list(interview, "questions")
			if len(questions) != 1 || questions[0]["question"] != specQuestion {
				p.Errorf("questions %v", questions)
			}
		}),
		is("approveSpec is illegal while questions are open", func(p *probe) {
			p.refused("piece_action", acting(gammaID, "approveSpec"), "approveSpec is not legal now", "interviewMessage")
		}),
		is("they are answered with piece_action interviewMessage", func(p *probe) {
			p.acted(p.act(gammaID, "interviewMessage", args{"prompt": "In the client."}), gammaID, "spec")
			p.gate(gammaID, "specReady")
			p.holds("the interview's prompt", p.w.asked(p, "writes", 0).LastWords(), "In the client.")
		}),
		is("the spec's title replaces the working name", func(p *probe) { p.same("name", p.get(gammaID)["name"], "Gamma: from an idea") }),
		later("runAt is fixed once agents start on an Echo", "there are no Echoes"),
	)
}
