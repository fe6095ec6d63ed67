package project_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"fermata/pieces"
)

func task(n int, name string, state pieces.TaskState) pieces.Task {
	return pieces.Task{
		ID: fmt.Sprintf("t%d", n), Ordinal: n, Kind: pieces.TaskAgent, Name: name, State: state, Attempts: 1, CostUSD: 0.21 * float64(n),
		SessionID: fmt.Sprintf("s%d", n),
		Brief:     "Add the retry policy to internal/upload: exponential backoff with jitter, at most five attempts, and a context that ends it. Keep the public API of Client as it is.",
	}
}

func piece(id, name string, p pieces.Phase, a pieces.Activity, tasks ...pieces.Task) pieces.Snapshot {
	return pieces.Snapshot{
		Piece: pieces.Piece{
			ID: id, ProjectID: "p1", Name: name, Phase: p, Activity: a, Branch: "fermata/" + strings.ReplaceAll(strings.ToLower(name), " ", "-"),
			Worktree: "/home/ada/.local/share/fermata/worktrees/muse/" + strings.ReplaceAll(strings.ToLower(name), " ", "-"),
			Base:     pieces.Base{Branch: "main", Commit: "4f1c9e20aa17", CommittedAt: noon.Add(-3 * time.Hour), Fetched: true},
			Config:   pieces.Config{Lane: pieces.LaneManual, PermissionProfile: pieces.ProfileStandard, AgentsAtOnce: 3},
			CostUSD:  1.37, CreatedAt: noon.Add(-50 * time.Hour), UpdatedAt: noon.Add(-12 * time.Minute),
		},
		Tasks: tasks, HistoryID: 4,
	}
}

func planned() pieces.Snapshot {
	s := piece("planned", "Upload retry", pieces.PhaseAgents, pieces.Idle,
		task(1, "Retry policy", pieces.TaskPending), task(2, "Wire the client", pieces.TaskPending),
		task(3, "Tests against a flaky server", pieces.TaskPending), task(4, "Document the settings", pieces.TaskPending))
	for i := range s.Tasks {
		s.Tasks[i].SessionID = ""
	}
	s.Edges = []pieces.Edge{{From: "t1", To: "t2"}, {From: "t2", To: "t3"}}
	return s
}

func running() pieces.Snapshot {
	return piece("running", "Search by tag", pieces.PhaseAgents, pieces.Running,
		task(1, "Index", pieces.TaskCompleted), task(2, "Query parser", pieces.TaskCompleted),
		task(3, "Results page", pieces.TaskRunning), task(4, "Keyboard", pieces.TaskWaiting))
}

func approval() pieces.Prompt {
	input, _ := json.Marshal(map[string]string{"command": "npm install --save-dev left-pad && npm test -- --runInBand", "description": "Install a dependency and run the tests"})
	return pieces.Prompt{
		ID: "q1", SessionID: "s4", PieceID: "running", TaskID: "t4", Kind: pieces.PromptApproval, Tool: "Bash",
		Input: input, Reason: "Install a dependency and run the tests", Rule: "Bash(npm install --save-dev left-pad && npm test -- --runInBand)", At: noon.Add(-4 * time.Minute),
	}
}

func ask() pieces.Prompt {
	return pieces.Prompt{
		ID: "q2", SessionID: "s4", PieceID: "running", TaskID: "t4", Kind: pieces.PromptQuestion, Tool: "AskUserQuestion", At: noon.Add(-2 * time.Minute),
		Questions: []pieces.Question{{
			Text: "Which key opens the search?", Header: "Shortcut", Options: []pieces.QuestionOption{
				{Label: "Slash", Description: "As on the web; types into no field"}, {Label: "Ctrl+K", Description: "As in editors"},
			},
		}},
	}
}

func inReview() pieces.Snapshot {
	s := piece("review", "Export to CSV", pieces.PhaseReview, pieces.Idle,
		task(1, "Writer", pieces.TaskCompleted), task(2, "Download button", pieces.TaskCompleted))
	s.Piece.WorkReview = pieces.WorkReviewPassed
	return s
}

func merged() pieces.Snapshot {
	s := piece("done", "Dark theme", pieces.PhaseComplete, pieces.Idle, task(1, "Palette", pieces.TaskCompleted), task(2, "Contrast", pieces.TaskCompleted))
	s.Piece.PR = &pieces.PullRequest{
		Number: 42, URL: "https://github.com/ada/muse/pull/42", State: pieces.PullRequestOpen, Title: "Dark theme", Base: "main",
		Checks: "3 of 4 checks passed", Host: "github.com",
	}
	return s
}

func failed() pieces.Snapshot {
	s := piece("failed", "Import from Evernote", pieces.PhaseAgents, pieces.Finished,
		task(1, "Parser", pieces.TaskCompleted), task(2, "Attachments", pieces.TaskFailed), task(3, "Progress bar", pieces.TaskBlocked))
	s.Piece.Failure = "The agent “Attachments” failed: its tests do not compile."
	s.Tasks[1].Failure = "The tests do not compile: attachments_test.go:31: undefined: newStore."
	s.Tasks[1].Attempts = 2
	return s
}

func specReady() pieces.Snapshot {
	s := piece("spec", "Rate limits for the public API, per key and per address, with headers that say so", pieces.PhaseSpec, pieces.Idle)
	s.Piece.CostUSD = 0.08
	return s
}

func planning() pieces.Snapshot {
	s := piece("strategy", "Offline mode", pieces.PhaseStrategy, pieces.Planning)
	s.Piece.Config.Lane, s.Piece.Play = pieces.LaneAuto, true
	return s
}

const specText = `# Rate limits for the public API

Requests beyond a limit are answered with **429** and say when to come back.

## Acceptance criteria

1. A key has 600 requests a minute; an address without a key has 60.
2. Every answer carries ` + "`RateLimit-Remaining`" + ` and ` + "`RateLimit-Reset`" + `.
3. Limits are configured in one place and need no restart.

- Counters live in memory; a restart forgets them.
- Requests from the health check are never counted.

` + "```go\ntype Limit struct {\n\tPer   time.Duration\n\tCount int\n}\n```" + `
`

// usual is a project as it is on most days.
func usual() *fakeEngine {
	e := newEngine()
	e.drafts = []pieces.Draft{
		{ID: "draft", ProjectID: "p1", Title: "Keyboard shortcuts", Seed: "Let people remap keys", Lane: pieces.LaneManual, Refine: pieces.RefineIfGaps, Version: 1, UpdatedAt: noon.Add(-26 * time.Hour)},
		{ID: "draft2", ProjectID: "p1", Title: "Smaller images", Spec: "# Smaller images\n\nServe AVIF where it is accepted.\n", Lane: pieces.LaneAuto, Refine: pieces.RefineNone, Version: 1, UpdatedAt: noon.Add(-2 * time.Hour)},
	}
	run := running()
	run.Prompts = []pieces.Prompt{approval(), ask()}
	e.list = []pieces.Snapshot{specReady(), planning(), planned(), run, failed(), inReview(), merged()}
	e.artifacts = map[pieces.ArtifactKind]string{
		pieces.ArtifactSpec: specText, pieces.ArtifactStrategy: "# Strategy\n\nA token bucket for each key, in front of the router.\n",
		pieces.ArtifactSummary:    "## Summary\n\nNotes can be exported as CSV from the list and from a note.\n",
		pieces.ArtifactWorkReview: `{"verdict":"pass","criteria":[{"criterion":"The file opens in a spreadsheet","met":true,"evidence":"csv_test.go reads it back"},{"criterion":"Commas and line breaks are quoted","met":true,"evidence":"TestQuoting"}],"findings":[]}`,
	}
	e.history = []pieces.HistoryRow{
		{ID: 1, At: noon.Add(-50 * time.Hour), Trigger: pieces.OnSpecAsked, By: pieces.ByPerson, From: pieces.State{Phase: pieces.PhaseBacklog, Activity: pieces.Idle}, To: pieces.State{Phase: pieces.PhaseSpec, Activity: pieces.Interviewing}},
		{ID: 2, At: noon.Add(-49 * time.Hour), Trigger: pieces.OnSpecWritten, By: pieces.ByFermata, From: pieces.State{Phase: pieces.PhaseSpec, Activity: pieces.Interviewing}, To: pieces.State{Phase: pieces.PhaseSpec, Activity: pieces.Idle}},
		{ID: 3, At: noon.Add(-3 * time.Hour), Trigger: pieces.Trigger(pieces.ApproveSpec), By: pieces.ByPerson, From: pieces.State{Phase: pieces.PhaseSpec, Activity: pieces.Idle}, To: pieces.State{Phase: pieces.PhaseStrategy, Activity: pieces.Planning}},
		{ID: 4, At: noon.Add(-12 * time.Minute), Trigger: pieces.OnPlanBuilt, By: pieces.ByFermata, From: pieces.State{Phase: pieces.PhaseAgents, Activity: pieces.Decomposing}, To: pieces.State{Phase: pieces.PhaseAgents, Activity: pieces.Idle}, Note: pieces.Count(4, "%d agent", "%d agents")},
	}
	e.sessions = []pieces.Session{
		{ID: "s3", Kind: pieces.SessionTask, Name: "Results page", State: pieces.SessionWorking, Model: "claude-sonnet-4-5", CostUSD: 0.42, CreatedAt: noon.Add(-9 * time.Minute)},
		{ID: "s4", Kind: pieces.SessionTask, Name: "Keyboard", State: pieces.SessionAwaitingApproval, Model: "claude-sonnet-4-5", CostUSD: 0.11, CreatedAt: noon.Add(-8 * time.Minute)},
		{ID: "s0", Kind: pieces.SessionInterview, State: pieces.SessionCompleted, Model: "claude-opus-4-1", CostUSD: 0.3, CreatedAt: noon.Add(-50 * time.Hour)},
	}
	e.messages = transcript()
	e.diff = pieces.Diff{Files: []pieces.ChangedFile{
		{Path: "internal/export/csv.go", Status: "added", Added: 9}, {Path: "web/list.html", Status: "modified", Added: 1, Deleted: 1}, {Path: "docs/csv.png", Status: "added", Added: -1, Deleted: -1},
	}, Patch: patch}
	return e
}

func transcript() []pieces.Message {
	return []pieces.Message{
		{Seq: 1, Role: pieces.RolePerson, Text: "Build the results page. Keep the query in the address."},
		{Seq: 2, Role: pieces.RoleAssistant, Text: "I will look at the **list page** first, then add `results.html`."},
		{Seq: 3, Role: pieces.RoleToolUse, Tool: "Bash", ToolID: "c1", Input: json.RawMessage(`{"command":"rg -n 'template' internal/web","description":"Find the templates"}`)},
		{Seq: 4, Role: pieces.RoleToolResult, Tool: "Bash", ToolID: "c1", Text: "internal/web/list.go:14: t := template.Must(...)"},
		{Seq: 5, Role: pieces.RoleToolUse, Tool: "Edit", ToolID: "c2", Input: json.RawMessage(`{"file_path":"internal/web/results.go","old_string":"a","new_string":"b"}`)},
		{Seq: 6, Role: pieces.RoleToolResult, Tool: "Edit", ToolID: "c2", Text: "File has not been read yet", Error: true},
		{Seq: 7, Role: pieces.RoleNotice, Text: "The session was continued in a new process."},
		{Seq: 8, Role: pieces.RoleAssistant, Text: "The page shows twenty results at once:\n\n- the title with the match marked\n- the tags below\n\nNext I wire the form."},
	}
}

const patch = `diff --git a/internal/export/csv.go b/internal/export/csv.go
new file mode 100644
index 0000000..1b2c3d4
--- /dev/null
+++ b/internal/export/csv.go
@@ -0,0 +1,9 @@
+package export
+
+// Write writes notes as CSV.
+func Write(w io.Writer, notes []Note) error {
+	out := csv.NewWriter(w)
+	defer out.Flush()
+	return out.WriteAll(rows(notes))
+}
+
diff --git a/web/list.html b/web/list.html
index 1..2 100644
--- a/web/list.html
+++ b/web/list.html
@@ -10,3 +10,3 @@
 <header>
-  <h1>Notes</h1>
+  <h1>Notes</h1> <a href="/export.csv">Export</a>
 </header>
`
