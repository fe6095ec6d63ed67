package project_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

// fresh is a piece about which nothing is known yet.
func fresh() *fakeEngine {
	e := newEngine()
	s := piece("piece", "Upload retry", pieces.PhaseSpec, pieces.Interviewing)
	s.Piece.CostUSD = 0
	e.list = []pieces.Snapshot{s}
	return e
}

// everyday is a piece as it stands before its review.
func everyday() *fakeEngine {
	e := usual()
	s := inReview()
	s.Piece.ID = "piece"
	e.list = append(e.list, s)
	return e
}

// full is a piece with far more of everything than most have.
func full() *fakeEngine {
	e := usual()
	tasks := make([]pieces.Task, 18)
	for n := range tasks {
		tasks[n] = task(n+1, fmt.Sprintf("Part %d of the rate limits, with a name that goes on for longer than a row", n+1), pieces.TaskCompleted)
		tasks[n].Brief = strings.Repeat(tasks[n].Brief+" ", 4)
	}
	s := piece("piece", "Rate limits for the public API, per key and per address, with headers that say so", pieces.PhaseReview, pieces.Idle, tasks...)
	for n := 1; n < len(tasks); n++ {
		s.Edges = append(s.Edges, pieces.Edge{From: fmt.Sprint("t", (n+1)/2), To: fmt.Sprint("t", n+1)})
	}
	s.Flags.CodeReview, s.Flags.Dependencies = true, true
	s.Piece.CodeReview = pieces.CodeReviewRun{State: pieces.CodeReviewDone, Level: "max", SessionID: "r1"}
	s.Piece.WorkReview, s.Piece.CostUSD = pieces.WorkReviewPassed, 132.07
	s.Piece.Source = &pieces.Source{Key: "SUP-12345", Kind: "linear"}
	s.Piece.Config.Model, s.Piece.Config.BudgetUSD = "claude-opus-4-1-20250805", 250
	for n := range 6 {
		s.Dependencies = append(s.Dependencies, pieces.Dependency{ID: fmt.Sprint(n), Key: fmt.Sprint("SUP-", n), Name: fmt.Sprintf("Something that has to be done before, number %d, and be merged", n), State: "Agents 2/4"})
		s.Piece.Splits.Events = append(s.Piece.Splits.Events, pieces.SplitEvent{Kind: pieces.SplitApplied, Summary: fmt.Sprintf("Split off “Part %d of what was too much for one piece”. It lands before this piece.", n)})
	}
	e.list = append(e.list, s)
	e.artifacts[pieces.ArtifactSpec] = strings.Repeat(specText+"\n", 12)
	e.artifacts[pieces.ArtifactStrategy] = strings.Repeat(specText+"\n", 12)
	e.artifacts[pieces.ArtifactCodeReview] = codeReviewText
	e.artifacts[pieces.ArtifactSummary] = strings.Repeat(e.artifacts[pieces.ArtifactSummary], 6)
	var rows []pieces.HistoryRow
	for n := range 20 {
		for _, row := range e.history {
			row.ID, row.At = int64(len(rows)+1), noon.Add(time.Duration(n-24)*time.Hour)
			rows = append(rows, row)
		}
	}
	e.history = rows
	for n := range 30 {
		one := e.sessions[n%3]
		one.ID, one.Name = fmt.Sprint("more", n), fmt.Sprintf("Part %d of the rate limits, with a name that goes on for longer than a row", n+1)
		e.sessions = append(e.sessions, one)
	}
	for n := range 80 {
		m := transcript()[n%8]
		m.Seq = int64(n + 9)
		e.messages = append(e.messages, m)
	}
	var text strings.Builder
	text.WriteString(patch)
	for n := range 60 {
		path := fmt.Sprintf("internal/a/package/that/is/deep/in/the/tree/file_%02d_with_a_long_name.go", n)
		e.diff.Files = append(e.diff.Files, pieces.ChangedFile{Path: path, Status: "modified", Added: 120 + n, Deleted: 3 * n})
		fmt.Fprintf(&text, "diff --git a/%[1]s b/%[1]s\nindex 1..2 100644\n--- a/%[1]s\n+++ b/%[1]s\n@@ -10,3 +10,123 @@\n package tree\n", path)
		for line := range 120 {
			fmt.Fprintf(&text, "+\tresult%d, err := limiter.Allow(ctx, key, address, now) // a line that is longer than what most windows have room for, number %d\n", line, line)
		}
	}
	e.diff.Patch = text.String()
	return e
}

func TestPicturesOfEachPage(t *testing.T) {
	stage.Both(t, func(t *testing.T, word string, s *stage.Stage) {
		t.Helper()
		for _, of := range []struct {
			state string
			world func() *fakeEngine
			size  fyne.Size
		}{
			{"empty", fresh, fyne.NewSize(1280, 800)},
			{"usual", everyday, fyne.NewSize(1280, 800)},
			{"crowded", full, fyne.NewSize(1280, 800)},
			{"small", full, fyne.NewSize(720, 480)},
		} {
			t.Run(of.state, func(t *testing.T) {
				w := openWindow(t, s, of.world(), of.size.Width, of.size.Height)
				w.sees("card:piece")
				w.project.ShowPiece("piece")
				for _, tab := range []string{"overview", "spec", "strategy", "agents", "sessions", "review", "history"} {
					w.click("tab:" + tab)
					w.sees("page:" + tab)
					stage.Settle(w.Window)
					s.Keep(w.Window, "page-"+tab+"-"+of.state+"-"+word)
				}
			})
		}
	})
}

func TestPicturesOfTheSheets(t *testing.T) {
	long := "A draft about something that has a title which goes on for longer than the field that it is written into, and on"
	fill := func(w *window) {
		for n := range 6 {
			w.project.DropFiles([]string{fmt.Sprintf("/tmp/a-file-with-a-long-name-%d.txt", n)})
		}
		w.filled("draft:title", long)
		w.filled("draft:seed", strings.Repeat("A rough idea. ", 60))
		w.filled("draft:spec", strings.Repeat(specText, 3))
	}
	many := func() *fakeEngine {
		e := full()
		e.on = map[string][]pieces.Dependency{}
		e.project.SetupScript = strings.Repeat("npm ci && npm run build --workspaces --if-present\n", 12)
		for n := range 24 {
			e.project.AllowedCommands = append(e.project.AllowedCommands, fmt.Sprintf("Bash(npm run task-%d --workspace packages/a-package-with-a-long-name:*)", n))
		}
		for n := range 40 {
			e.disk = append(e.disk, engine.DiskUse{PieceID: fmt.Sprint(n), Piece: fmt.Sprintf("A piece with quite a long name, number %d", n), Bytes: int64(n) * 31_000_000, Keeps: []string{"The piece is busy", ""}[n%2]})
		}
		return e
	}
	stage.Both(t, func(t *testing.T, word string, s *stage.Stage) {
		t.Helper()
		for name, of := range map[string]struct {
			world func() *fakeEngine
			open  func(w *window)
			sees  string
		}{
			"newDraft-empty":          {usual, (*window).newDraft, "draft:file"},
			"newDraft-crowded":        {many, func(w *window) { w.newDraft(); fill(w) }, "draft:file"},
			"newPiece-empty":          {usual, func(w *window) { w.click("newPiece") }, "piece:start"},
			"newPiece-crowded":        {many, func(w *window) { w.click("newPiece"); w.filled("piece:prompt", strings.Repeat("What to build. ", 90)) }, "piece:start"},
			"newPiece-refused":        {usual, func(w *window) { w.click("newPiece"); w.click("piece:start") }, "piece:start"},
			"projectSettings-empty":   {usual, func(w *window) { w.project.ShowSettings() }, "project:save"},
			"projectSettings-usual":   {scripted, func(w *window) { w.project.ShowSettings() }, "project:save"},
			"projectSettings-crowded": {many, func(w *window) { w.project.ShowSettings() }, "project:save"},
			"disk-empty": {usual, func(w *window) {
				w.project.ShowDisk()
				w.Until("it is measured", func() bool { return shows(w, "No piece of this project has a worktree.") })
			}, "disk:close"},
			"disk-crowded": {many, func(w *window) { w.project.ShowDisk(); w.sees("disk:release") }, "disk:close"},
			"moveFolder":   {usual, func(w *window) { w.project.MoveFolder() }, "move:ok"},
		} {
			for state, size := range map[string]fyne.Size{"": fyne.NewSize(1280, 800), "-small": fyne.NewSize(720, 480)} {
				t.Run(name+state, func(t *testing.T) {
					w := openWindow(t, s, of.world(), size.Width, size.Height)
					w.sees("card:planned")
					of.open(w)
					w.sees(of.sees)
					stage.Settle(w.Window)
					o, _ := stage.Find(w.Window, of.sees)
					x, y, wide, high := kit.Rect(o)
					if x < 0 || y < 0 || x+wide > size.Width || y+high > size.Height {
						t.Errorf("%q is at %v,%v, outside of %v", of.sees, x, y, size)
					}
					s.Keep(w.Window, name+state+"-"+word)
				})
			}
		}
	})
}

func (w *window) newDraft() { w.click("newDraft") }

func TestPicturesOfSmallWindows(t *testing.T) {
	stage.Both(t, func(t *testing.T, word string, s *stage.Stage) {
		t.Helper()
		for name, open := range map[string]func(w *window){
			"board":    func(*window) {},
			"planned":  func(w *window) { w.project.ShowPiece("planned"); w.sees("closeItem") },
			"failed":   func(w *window) { w.project.ShowPiece("failed"); w.sees("closeItem") },
			"draft":    func(w *window) { w.project.ShowPiece("draft2"); w.sees("saveDraft") },
			"textEdit": func(w *window) { w.project.ShowPiece("spec"); w.click("text:edit") },
			"review":   func(w *window) { w.project.ShowPiece("review"); w.sees("file:web/list.html") },
			"whole":    func(w *window) { w.project.ShowPiece("review"); w.click("file:web/list.html"); w.click("diffWhole") },
			"split":    func(w *window) { w.project.ShowPiece("review"); w.click("file:web/list.html"); w.click("diffMode") },
		} {
			t.Run(name, func(t *testing.T) {
				w := openWindow(t, s, usual(), 720, 480)
				w.sees("card:planned")
				open(w)
				stage.Settle(w.Window)
				s.Keep(w.Window, "small-"+name+"-"+word)
			})
		}
	})
}

// TestPicturesOfAHugeWindow draws what a large screen shows: 4K at 200 % is a window of this size with text of twice the size.
func TestPicturesOfAHugeWindow(t *testing.T) {
	stage.Both(t, func(t *testing.T, word string, s *stage.Stage) {
		t.Helper()
		w := openWindow(t, s, full(), 1920, 1080)
		w.sees("card:piece")
		s.Keep(w.Window, "huge-board-"+word)
		w.project.ShowPiece("piece")
		w.sees("page:review")
		stage.Settle(w.Window)
		s.Keep(w.Window, "huge-review-"+word)
		w.click("diffMode")
		s.Keep(w.Window, "huge-split-"+word)
		w.click("diffWhole")
		s.Keep(w.Window, "huge-whole-"+word)
	})
}

func TestPicturesOfRestore(t *testing.T) {
	stage.Both(t, func(t *testing.T, word string, s *stage.Stage) {
		t.Helper()
		e := usual()
		done := merged()
		done.Piece.ID, done.Piece.Worktree = "restore", ""
		done.Piece.SavedRef = "refs/fermata/saved/restore/20260503T101500Z"
		e.list = append(e.list, done)
		w := openWindow(t, s, e, 1280, 800)
		w.sees("card:restore")
		w.project.ShowPiece("restore")
		w.click("tab:overview")
		w.sees("restoreSaved")
		s.Keep(w.Window, "restore-"+word)
		w.click("restoreSaved")
		w.Until("it is back", func() bool { return shows(w, "It is back") })
		s.Keep(w.Window, "restore-done-"+word)
	})
}
