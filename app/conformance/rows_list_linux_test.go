package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fermata/pieces/piecestest"
)

// listed are the rows of list_pieces.
func (p *probe) listed(a args) []object {
	p.Helper()
	return list(p.call("list_pieces", a), "pieces")
}

// places are ways to say that one works in the world's project.
func (p *probe) places() map[string]string {
	p.Helper()
	repo := p.w.repo
	outside, inside := filepath.Join(p.TempDir(), "worktree"), filepath.Join(repo.Path, "in", "worktree")
	repo.Git("worktree", "add", "--quiet", "--detach", outside)
	repo.Git("worktree", "add", "--quiet", "--detach", inside)
	link, nested := filepath.Join(p.TempDir(), "link"), filepath.Join(repo.Path, "nested")
	if err := os.Symlink(repo.Path, link); err != nil {
		p.Fatal(err)
	}
	if _, err := piecestest.MakeRepo(nested); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		repo.Git("worktree", "remove", "--force", outside)
		repo.Git("worktree", "remove", "--force", inside)
		os.RemoveAll(nested)
	})
	return map[string]string{
		"the folder": repo.Path, "a folder below": filepath.Join(repo.Path, "deep"), "a worktree outside": outside,
		"a worktree inside": inside, "a symlink": link, "a repository inside": nested, "a piece's worktree": str(p.get(gammaID), "worktreePath"),
	}
}

func listRows() []row {
	return join(part("000", "list_pieces",
		is("returns {pieces}; every row is a piece or a draft, and drafts follow the pieces", func(p *probe) {
			id := p.file(args{"seed": "a draft to list"})
			o := p.call("list_pieces", nil)
			p.only("the result", o, "pieces")
			rows := list(o, "pieces")
			if len(rows) < 2 || rows[0]["kind"] != "piece" || rows[len(rows)-1]["id"] != id || rows[len(rows)-1]["kind"] != "draft" {
				p.Errorf("rows %v", rows)
			}
			p.drop(id)
		}),
		is("projectId scopes; cwd is used when projectId is absent", func(p *probe) {
			other := piecestest.NewRepo(p)
			theirs := str(p.call("register_project", args{"path": other.Path}), "projectId")
			id := str(p.call("create_draft", args{"seed": "x", "projectId": theirs}), "draftId")
			p.same("theirs", find(p.listed(args{"projectId": theirs}), "id", id)["projectId"], theirs)
			for what, a := range map[string]args{"projectId": {"projectId": p.w.project}, "projectId over cwd": {"projectId": p.w.project, "cwd": other.Path}} {
				if rows := p.listed(a); find(rows, "id", id) != nil || find(rows, "id", gammaID) == nil {
					p.Errorf("%s gives %v", what, rows)
				}
			}
			if find(p.listed(nil), "id", id) == nil {
				p.Error("without a scope it is not listed")
			}
			p.drop(id)
			p.refused("list_pieces", args{"projectId": unknownID}, "Unknown projectId")
		}),
		is("cwd finds the project that contains it", func(p *probe) {
			for what, dir := range p.places() {
				if find(p.listed(args{"cwd": dir}), "id", gammaID) == nil {
					p.Errorf("%s (%s) is not in the project", what, dir)
				}
			}
		}),
		is("a cwd outside every project lists nothing", func(p *probe) {
			for _, dir := range []string{os.TempDir(), "/", "relative", filepath.Join(p.w.repo.Path, "..")} {
				p.same(dir, p.call("list_pieces", args{"cwd": dir}), args{"pieces": []any{}})
			}
		}),
		is("archived pieces are listed with includeArchived alone, drafts either way", func(p *probe) {
			draft := p.file(args{"seed": "x"})
			piece := str(p.released(args{"spec": "# Put away\n\n## Goal\n\nx"}), "id")
			p.put(piece)
			for _, with := range []bool{false, true} {
				rows := p.listed(args{"includeArchived": with})
				if (find(rows, "id", piece) != nil) != with || find(rows, "id", draft) == nil {
					p.Errorf("includeArchived %v lists %v", with, rows)
				}
			}
			p.same("isArchived", p.get(piece)["isArchived"], true)
			p.drop(draft)
		}),
		is("a piece's row carries its fields", func(p *probe) {
			o := find(p.listed(nil), "id", gammaID)
			p.shape("the row", o, pieceFields)
			want := args{
				"kind": "piece", "phase": args{"key": "spec", "display": "Spec"}, "gate": "specReady", "activity": "idle", "taskCount": 0,
				"completedTaskCount": 0, "progress": 0, "prURL": nil, "completedAt": nil, "isArchived": false,
			}
			for field, v := range want {
				p.same(field, o[field], v)
			}
		}),
		is("a draft's row carries its fields", func(p *probe) {
			id := p.file(args{"seed": "x", "title": "Fields", "model": "m-5"})
			o := find(p.listed(nil), "id", id)
			p.shape("the row", o, draftFields)
			want := args{
				"kind": "draft", "name": "Fields", "lane": "manual", "phase": args{"key": "backlog", "display": "Backlog"}, "hasSpec": false,
				"refine": "if_gaps", "modelId": "m-5", "attachmentCount": 0,
			}
			for field, v := range want {
				p.same(field, o[field], v)
			}
			p.drop(id)
		}),
		is("hasSpec tells a spec from a seed", func(p *probe) {
			id := p.file(args{"spec": "# S\n\ns"})
			p.same("hasSpec", find(p.listed(nil), "id", id)["hasSpec"], true)
			p.drop(id)
		}),
		is("a draft without a tracker issue has source null and related empty", func(p *probe) {
			id := p.file(args{"seed": "x"})
			o := find(p.listed(nil), "id", id)
			p.same("source", o["source"], nil)
			p.same("related", o["related"], []any{})
			p.drop(id)
		}),
		is("both kinds of row carry runAt; without a choice it follows the project", func(p *probe) {
			id := p.file(args{"seed": "x"})
			want := args{"choice": nil, "resolved": "thisMac", "echoName": nil, "removed": false}
			p.same("a draft's runAt", find(p.listed(nil), "id", id)["runAt"], want)
			want["choice"] = "thisMac"
			p.same("a piece's runAt", find(p.listed(nil), "id", gammaID)["runAt"], want)
			p.drop(id)
		}),
		is("a local piece's echo is local, with id and name null", func(p *probe) {
			p.same("echo", p.get(gammaID)["echo"], args{"id": nil, "name": nil, "state": "local", "reason": nil})
		}),
		is("releasing a draft turns the row of one id from draft into piece", func(p *probe) {
			id := p.file(asIs(args{"spec": "# Turns\n\n## Goal\n\nx"}))
			p.same("before", find(p.listed(nil), "id", id)["kind"], "draft")
			p.call("release_draft", args{"draftId": id})
			p.same("after", find(p.listed(nil), "id", id)["kind"], "piece")
			p.put(id)
		}),
		later("runAt and echo of a piece on an Echo, and of one whose Echo was removed", "there are no Echoes"),
	), splitRows())
}

func splitRows() []row {
	return part("000", "list_pieces: splits",
		is("a piece without splits carries their empty values", func(p *probe) {
			o := p.get(gammaID)
			for field, want := range (args{"splitProposals": []any{}, "splitLinks": []any{}, "splitHold": nil, "splitPending": nil}) {
				p.same(field, o[field], want)
			}
		}),
		is("splitStart tells the setting as it is now", func(p *probe) {
			for _, on := range []bool{true, false} {
				p.during("pieces.startSplitPiecesAutomatically", map[bool]string{true: "true", false: "false"}[on])
				p.same("splitStart", p.get(gammaID)["splitStart"], args{"startSplitPiecesAutomatically": on, "mode": nil, "waitsForYou": false, "reason": nil})
			}
		}),
		is("a draft's row has no split state", func(p *probe) {
			id := p.file(args{"seed": "x"})
			if _, has := p.get(id)["splitProposals"]; has {
				p.Error("it has")
			}
			p.drop(id)
		}),
	)
}

func getPieceRows() []row {
	return part("000", "get_piece",
		is("needs a piece or a draft; another id fails with \"Unknown pieceId\"", func(p *probe) {
			p.malformed("get_piece", args{}, "'pieceId'", "is required")
			p.same("the sentence", p.refused("get_piece", args{"pieceId": unknownID}), "Unknown pieceId")
			p.refused("get_piece", args{"pieceId": "not an id"}, "Unknown pieceId")
		}),
		is("a piece: everything its row carries, and the detail", func(p *probe) {
			o := p.get(gammaID)
			p.shape("the piece", o, pieceFields)
			p.shape("the piece", o, "branchName string, worktreePath string, config object, tasks array, edges array, sessions array, legalActions array, reviewProgress object?, artifacts object, splitEvents array, interview object?")
			for field, v := range find(p.listed(nil), "id", gammaID) {
				p.same(field, o[field], v)
			}
			p.same("splitEvents", o["splitEvents"], []any{})
		}),
		is("the worktree and its branch are there, and the person's checkout is as it was", func(p *probe) {
			o := p.get(gammaID)
			if _, err := os.Stat(str(o, "worktreePath")); err != nil {
				p.Error(err)
			}
			p.same("the branch", p.w.repo.Git("-C", str(o, "worktreePath"), "branch", "--show-current"), o["branchName"])
			p.same("the checkout", p.w.repo.Git("branch", "--show-current"), "main")
		}),
		is("config carries the piece's settings", func(p *probe) {
			config, _ := p.get(gammaID)["config"].(object)
			p.shape("config", config, "lane string, depth string?, refine string, model string?, effort string?, permissionProfile string, agentsAtOnce int, budgetUSD number?, resumeAfterLimit bool")
		}),
		is("during Spec there is an interview with its unanswered questions", func(p *probe) {
			interview, _ := p.get(gammaID)["interview"].(object)
			p.same("questions", interview["questions"], []any{})
		}),
		is("artifacts says which documents exist", func(p *probe) {
			p.same("artifacts", p.get(gammaID)["artifacts"], args{
				"spec": true, "analysis": true, "strategy": false, "summary": false, "learnings": false, "codeReview": false, "handoff": false, "workReview": false,
			})
		}),
		is("the linked sessions", func(p *probe) {
			sessions := list(p.get(gammaID), "sessions")
			if len(sessions) != 1 || sessions[0]["pieceId"] != gammaID {
				p.Errorf("sessions %v", sessions)
			}
		}),
		is("legalActions are what piece_action accepts right now", func(p *probe) {
			legal := strs(p.get(gammaID), "legalActions")
			p.same("legalActions", toAny(legal), []string{"interviewMessage", "approveSpec", "generateStrategy", "setLane", "archive", "addDependency", "removeDependency"})
			for _, a := range allActions {
				if strings.HasSuffix(a, "Dependency") {
					continue // whether they are accepted hangs on the blocker too
				}
				o := p.act(gammaID, a, needs[a], args{"dryRun": true})
				p.same(a, o["legal"], slices.Contains(legal, a))
			}
		}),
		is("a draft: its row, seed, spec and legalActions", func(p *probe) {
			id := p.file(args{"seed": "the seed", "spec": "# The spec\n\nx"})
			o := p.get(id)
			p.shape("the draft", o, draftFields+", seed string?, spec string?, legalActions array")
			p.same("seed", o["seed"], "the seed")
			p.same("spec", o["spec"], "# The spec\n\nx")
			p.same("legalActions", o["legalActions"], []string{"update_draft", "cancel_draft", "release_draft", "addDependency", "removeDependency"})
			p.during("pieces.dependencies", "false")
			p.same("legalActions with dependencies off", p.get(id)["legalActions"], []string{"update_draft", "cancel_draft", "release_draft"})
			p.drop(id)
		}),
		is("a draft without a spec has spec null", func(p *probe) {
			id := p.file(args{"seed": "x"})
			p.same("spec", p.get(id)["spec"], nil)
			p.drop(id)
		}),
	)
}
