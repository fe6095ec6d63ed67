package project_test

import (
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/stage"
)

// TestPictures draws every screen once; FERMATA_PICTURES keeps what it drew.
func TestPictures(t *testing.T) {
	stage.Both(t, draw)
}

func TestTheProjectSaysNothingThatNoCatalogueHas(t *testing.T) {
	// Session names, tools with what they are given, and what the tests type; the rest of it is the fake engine's.
	stage.Marked(t, draw, "command", "description", "Interview", "Bash rg -n 'template' internal/web", "Edit internal/web/results.go",
		"Fermata", "internal/csv/writer.go:41", "SUP-12 Login with a passkey", "web/list.html:11", "Say what the file is.",
		"Comments on the diff:", "And mine.", "internal/web/results.go")
}

func draw(t *testing.T, word string, s *stage.Stage) {
	t.Helper()
	t.Run("board", func(t *testing.T) {
		w := openWindow(t, s, usual(), 1280, 800)
		w.sees("card:planned")
		s.Keep(w.Window, "board-"+word)
	})
	t.Run("empty", func(t *testing.T) {
		w := openWindow(t, s, newEngine(), 1280, 800)
		w.sees("emptyNewDraft")
		s.Keep(w.Window, "empty-"+word)
	})
	for id, tabs := range map[string][]string{
		"planned": {"", "overview", "history"}, "running": {"", "sessions"}, "spec": {""}, "strategy": {""},
		"failed": {""}, "review": {"", "agents"}, "done": {"overview"}, "draft2": {""},
	} {
		for _, tab := range tabs {
			t.Run(id+tab, func(t *testing.T) {
				w := openWindow(t, s, usual(), 1280, 800)
				w.sees("card:" + id)
				w.project.ShowPiece(id)
				w.sees("closeItem")
				if tab != "" {
					w.click("tab:" + tab)
					w.sees("page:" + tab)
				}
				stage.Settle(w.Window)
				s.Keep(w.Window, "item-"+id+"-"+tab+"-"+word)
			})
		}
	}
	t.Run("splits", func(t *testing.T) {
		for _, of := range []pieces.Snapshot{splitting(), heldBySplit(), codeReviewed(), unpushed()} {
			e := usual()
			e.artifacts[pieces.ArtifactCodeReview] = codeReviewText
			e.list = append(e.list, of)
			w := openWindow(t, s, e, 1280, 800)
			w.sees("card:" + of.Piece.ID)
			w.project.ShowPiece(of.Piece.ID)
			w.sees("closeItem")
			stage.Settle(w.Window)
			s.Keep(w.Window, of.Piece.ID+"-"+word)
		}
	})
	t.Run("dependencies", func(t *testing.T) {
		e := usual()
		on := []pieces.Dependency{
			{ID: "a", Key: "SUP-12", Name: "Login with a passkey", State: "Agents 2/4"},
			{ID: "b", Name: "Rate limits for each key", State: "Done", Standing: pieces.Met},
			{ID: "c", Name: "Smaller images", State: pieces.StateDeleted, Standing: pieces.Wrong},
		}
		e.list = append(e.list, piece("waiter", "Search in notes", pieces.PhaseStrategy, pieces.DependencyBlocked))
		e.list[len(e.list)-1].Flags.Dependencies, e.list[len(e.list)-1].Dependencies = true, on
		e.drafts[1].ReleasedBy, e.on = pieces.ByPerson, map[string][]pieces.Dependency{"draft2": on}
		w := openWindow(t, s, e, 1280, 800)
		w.sees("card:waiter")
		w.project.ShowPiece("waiter")
		w.click("tab:overview")
		w.sees("removeDependency:2")
		stage.Settle(w.Window)
		s.Keep(w.Window, "dependencies-"+word)
		w.project.ShowPiece("draft2")
		w.Until("the draft is shown", func() bool { return stage.Has(w.Window, "saveDraft") })
		stage.Settle(w.Window)
		s.Keep(w.Window, "dependencies-draft-"+word)
	})
	t.Run("comments", func(t *testing.T) {
		w := openWindow(t, s, usual(), 1280, 800)
		w.sees("card:review")
		w.project.ShowPiece("review")
		w.click("file:web/list.html")
		w.comments("<h1>Notes</h1> <a", "Say what the file is.")
		w.click("comments")
		s.Keep(w.Window, "comments-"+word)
		w.click("diffMode")
		s.Keep(w.Window, "diff-split-"+word)
		w.click("sendComments")
		s.Keep(w.Window, "comments-send-"+word)
	})
	t.Run("textEdit", func(t *testing.T) {
		w := openWindow(t, s, usual(), 1280, 800)
		w.sees("card:spec")
		w.project.ShowPiece("spec")
		w.click("text:edit")
		w.filled("text:entry", specText+"\nAnd mine.")
		s.Keep(w.Window, "textEdit-"+word)
	})
	t.Run("change", func(t *testing.T) {
		e := usual()
		e.list[3].Prompts = nil
		w := openWindow(t, s, e, 1280, 800)
		w.sees("card:running")
		w.project.ShowPiece("running")
		w.click("tab:sessions")
		w.click("call:c2")
		s.Keep(w.Window, "change-"+word)
	})
	t.Run("graph", func(t *testing.T) {
		w := openWindow(t, s, withGraph(), 1280, 800)
		w.sees("card:branching")
		w.project.ShowPiece("branching")
		w.sees("node:t6")
		s.Keep(w.Window, "graph-"+word)
	})
	t.Run("small", func(t *testing.T) {
		w := openWindow(t, s, usual(), 720, 480)
		w.sees("card:running")
		w.project.ShowPiece("running")
		w.sees("prompt:allow")
		s.Keep(w.Window, "small-"+word)
	})
	t.Run("crowded", func(t *testing.T) {
		e := usual()
		for range 4 {
			e.list = append(e.list, usual().list...)
		}
		for i := range e.list {
			e.list[i].Piece.ID += string(rune('a' + i))
		}
		w := openWindow(t, s, e, 1024, 700)
		w.sees("card:speca")
		s.Keep(w.Window, "crowded-"+word)
	})
	t.Run("question", func(t *testing.T) {
		e := usual()
		e.list[3].Prompts = []pieces.Prompt{ask()}
		w := openWindow(t, s, e, 1280, 800)
		w.sees("card:running")
		w.project.ShowPiece("running")
		w.click("prompt:option:1")
		s.Keep(w.Window, "question-"+word)
	})
	t.Run("interview", func(t *testing.T) {
		e := usual()
		e.list = append(e.list, interviewing())
		w := openWindow(t, s, e, 1280, 800)
		w.sees("card:asking")
		w.project.ShowPiece("asking")
		w.click("interview:option:0")
		s.Keep(w.Window, "interview-"+word)
	})
	t.Run("projectSettings", func(t *testing.T) {
		w := openWindow(t, s, scripted(), 1280, 800)
		w.sees("card:planned")
		w.click("projectSettings")
		w.sees("project:save")
		s.Keep(w.Window, "projectSettings-"+word)
	})
	t.Run("search", func(t *testing.T) {
		w := openWindow(t, s, usual(), 1280, 800)
		w.sees("card:planned")
		s.Type(w.Window, "board:search", "e t")
		s.Keep(w.Window, "search-"+word)
	})
	t.Run("disk", func(t *testing.T) {
		e := usual()
		e.disk = []engine.DiskUse{
			{PieceID: "running", Piece: "Search by tag", Bytes: 812_000_000, Keeps: "The piece is busy"},
			{PieceID: "review", Piece: "Export to CSV", Bytes: 212_000_000, Keeps: "The piece is not done"},
			{PieceID: "done", Piece: "Dark theme", Bytes: 500_000_000},
			{PieceID: "gone", Bytes: 1_200_000, Keeps: "Its piece is deleted"},
		}
		w := openWindow(t, s, e, 1280, 800)
		w.sees("card:planned")
		w.project.ShowDisk()
		w.sees("disk:release")
		s.Keep(w.Window, "disk-"+word)
	})
	t.Run("delete", func(t *testing.T) {
		e := usual()
		e.effect = pieces.Effect{Lines: []pieces.Sentence{pieces.Say("Deletes the piece with its documents, its history and its sessions. That cannot be taken back."), pieces.Quote("Removes the worktree /home/ada/.local/share/fermata/worktrees/muse/dark-theme; the branch fermata/dark-theme stays."), pieces.Quote("It has 2 changed files that no commit holds (a.css, b.css). They are saved first and can be restored for 30 days."), pieces.Quote("Its pull request #42 stays open.")}, Fingerprint: "f"}
		w := openWindow(t, s, e, 1280, 800)
		w.click("card:done")
		w.click("deletePiece")
		w.sees("effect:ok")
		s.Keep(w.Window, "delete-"+word)
	})
	t.Run("sources", func(t *testing.T) {
		e := usual()
		for i := range e.list {
			e.list[i].Piece.Source = &pieces.Source{Key: "SUP-1234", Kind: "linear"}
		}
		e.drafts[1].ReleasedBy = pieces.ByPerson
		e.on = map[string][]pieces.Dependency{"draft2": {{Name: "Login with a passkey"}}}
		w := openWindow(t, s, e, 1280, 800)
		w.sees("card:planned")
		s.Keep(w.Window, "sources-"+word)
	})
	t.Run("newPiece", func(t *testing.T) {
		w := openWindow(t, s, usual(), 1280, 800)
		w.sees("card:planned")
		w.click("newPiece")
		s.Keep(w.Window, "newPiece-"+word)
	})
	t.Run("newDraft", func(t *testing.T) {
		w := openWindow(t, s, usual(), 1280, 800)
		w.sees("card:planned")
		w.click("newDraft")
		s.Keep(w.Window, "newDraft-"+word)
	})
	t.Run("confirm", func(t *testing.T) {
		e := usual()
		e.effect = pieces.Effect{Lines: []pieces.Sentence{pieces.Quote("Stops 2 running agents: Results page, Keyboard."), pieces.Say("Everything they wrote stays in the worktree; they can be resumed."), pieces.Quote("Cost so far: $1.37.")}, Fingerprint: "f"}
		e.list[3].Prompts = nil
		w := openWindow(t, s, e, 1280, 800)
		w.sees("card:running")
		w.project.ShowPiece("running")
		w.click("action:stopAgents")
		w.sees("confirm:cancel")
		s.Keep(w.Window, "confirm-"+word)
	})
}
