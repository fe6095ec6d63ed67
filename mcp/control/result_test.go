package control

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"fermata/pieces"
)

const wantLinks = `"dependsOn": [], "waiting": false, "blockingKeys": []`

const wantDraftFields = `
	"kind": "draft", "id": "` + draftID + `", "name": "Balanced controls", "projectId": "` + projectID + `", "lane": "auto",
	"phase": {"key": "backlog", "display": "Backlog"}, "createdAt": "2026-03-03T11:00:00.000Z", "hasSpec": true, "refine": "if_gaps",
	"modelId": "claude-opus-4-5", "source": null, "related": [], "attachmentCount": 0, ` + wantLinks + `,
	"runAt": {"choice": null, "resolved": "thisMac", "echoName": null, "removed": false}`

const wantSplits = `"splitProposals": [], "splitLinks": [], "splitHold": null, "splitPending": null,
	"splitStart": {"startSplitPiecesAutomatically": false, "mode": null, "waitsForYou": false, "reason": null}`

const wantPlace = `"runAt": {"choice": null, "resolved": "thisMac", "echoName": null, "removed": false},
	"echo": {"id": null, "name": null, "state": "local", "reason": null}`

const wantPieceFields = `
	"kind": "piece", "id": "` + pieceID + `", "name": "upload-retry", "projectId": "` + projectID + `",
	"phase": {"key": "agents", "display": "Agents 0/1"}, "gate": null, "activity": "running", "taskCount": 1, "completedTaskCount": 0,
	"progress": 0, "prURL": null, "createdAt": "2026-03-01T11:00:00.000Z", "updatedAt": "2026-03-02T11:00:00.000Z", "completedAt": null,
	"isArchived": false, ` + wantLinks + `, ` + wantSplits + `, ` + wantPlace

const wantTasks = `
				{"id": "` + taskID + `", "ordinal": 1, "kind": "agent", "name": "retry", "brief": "Do it <now>", "state": "running", "failure": null,
					"waitsFor": null, "dependsOn": [], "attempts": 1, "sessionId": "` + sessionID + `", "branch": null, "worktree": null, "approved": false,
					"approvalNote": null, "briefChanged": false, "hasHandoff": false, "costUSD": 0, "startedAt": "2026-03-04T11:00:00.000Z", "endedAt": null},
				{"id": "` + reviewID + `", "ordinal": 2, "kind": "review", "name": "Work review", "brief": "", "state": "pending", "failure": null,
					"waitsFor": null, "dependsOn": ["` + taskID + `"], "attempts": 0, "sessionId": null, "branch": null, "worktree": null, "approved": false,
					"approvalNote": null, "briefChanged": false, "hasHandoff": false, "costUSD": 0, "startedAt": null, "endedAt": null}`

const wantNoCues = `"groups": [{"key": "requiresApproval", "title": "Requires approval", "items": []},
	{"key": "readyForReview", "title": "Ready for review", "items": []}, {"key": "readyToMerge", "title": "Ready to merge", "items": []}]`

const wantNothingRuns = `"running": {"line": null, "running": 0, "advancing": 0, "projectNames": [], "pieces": []}`

const wantSession = `
	"id": "` + sessionID + `", "name": "retry", "kind": "task", "projectId": "` + projectID + `", "pieceId": "` + pieceID + `",
	"taskId": "` + taskID + `", "state": "awaitingApproval", "awaitingApproval": true, "model": "claude-opus-4-5", "effort": null,
	"branch": "fermata/upload-retry", "worktree": null, "costUSD": 0.25, "error": null,
	"createdAt": "2026-03-04T11:00:00.000Z", "updatedAt": "2026-03-05T11:00:00.000Z", "endedAt": null`

const wantReleasedFields = `
	"kind": "piece", "id": "` + draftID + `", "name": "Balanced controls", "projectId": "` + projectID + `",
	"phase": {"key": "spec", "display": "Spec"}, "gate": "specReady", "activity": "idle", "taskCount": 0, "completedTaskCount": 0,
	"progress": 0, "prURL": null, "createdAt": "2026-03-07T11:00:00.000Z", "updatedAt": "2026-03-07T11:00:00.000Z", "completedAt": null,
	"isArchived": false, ` + wantLinks + `, ` + wantSplits + `, ` + wantPlace

func TestResultsHaveEveryField(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, tool string
		args       values
		want       string
	}{
		{"projects", "list_projects", values{}, `{"projects": [{"id": "` + projectID + `", "name": "muse", "path": "/home/ada/muse", "branch": "main"}]}`},
		{"echoes", "list_echoes", values{}, `{"echoes": []}`},
		{"a new project", "register_project", values{"path": "/home/ada/lyre"}, `{"ok": true, "projectId": "` + reviewID + `", "name": "lyre", "path": "/home/ada/lyre", "alreadyRegistered": false}`},
		{"a known project", "register_project", values{"path": "/home/ada/muse"}, `{"ok": true, "projectId": "` + projectID + `", "name": "muse", "path": "/home/ada/muse", "alreadyRegistered": true}`},
		{"pieces then drafts", "list_pieces", values{}, `{"pieces": [{` + wantPieceFields + `}, {` + wantDraftFields + `}]}`},
		{"pieces of a folder", "list_pieces", values{"cwd": "/home/ada/muse/web"}, `{"pieces": [{` + wantPieceFields + `}, {` + wantDraftFields + `}]}`},
		{"pieces of no project", "list_pieces", values{"cwd": "/home/ada/other"}, `{"pieces": []}`},
		{"the project wins over the folder", "list_pieces", values{"projectId": projectID, "cwd": "/elsewhere"}, `{"pieces": [{` + wantPieceFields + `}, {` + wantDraftFields + `}]}`},
		{"a draft", "get_piece", values{"pieceId": draftID}, `{` + wantDraftFields + `, "seed": null, "spec": "# Balanced controls\n", "legalActions": ["update_draft", "cancel_draft", "release_draft", "addDependency", "removeDependency"]}`},
		{"a piece", "get_piece", values{"pieceId": strings.ToUpper(pieceID)}, `{` + wantPieceFields + `,
			"branchName": "fermata/upload-retry", "worktreePath": "/data/worktrees/muse/upload-retry",
			"config": {"lane": "manual", "depth": "balanced", "refine": "if_gaps", "model": null, "effort": null, "permissionProfile": "standard",
				"agentsAtOnce": 3, "budgetUSD": null, "resumeAfterLimit": true},
			"failure": null, "costUSD": 0.25,
			"tasks": [` + wantTasks + `],
			"edges": [{"from": "` + taskID + `", "to": "` + reviewID + `"}], "sessions": [{` + wantSession + `}],
			"legalActions": ["pauseAgents", "stopAgents", "messageTask"], "reviewProgress": null,
			"artifacts": {"spec": true, "strategy": false, "summary": false, "learnings": false, "analysis": false, "codeReview": false, "handoff": false, "workReview": false},
			"splitEvents": [], "interview": null}`},
		{"a document", "get_artifact", values{"pieceId": pieceID, "kind": "spec"}, `{"pieceId": "` + pieceID + `", "kind": "spec", "present": true, "format": "markdown", "content": "# Upload retry", "message": null}`},
		{"an absent document", "get_artifact", values{"pieceId": pieceID, "kind": "strategy"}, `{"pieceId": "` + pieceID + `", "kind": "strategy", "present": false, "format": "markdown", "content": null, "message": null}`},
		{"an absent handoff", "get_artifact", values{"pieceId": pieceID, "kind": "handoff", "taskId": taskID}, `{"pieceId": "` + pieceID + `", "kind": "handoff", "present": false, "format": "json", "content": null, "message": null}`},
		{"no work review", "get_artifact", values{"pieceId": pieceID, "kind": "workReview"}, `{"pieceId": "` + pieceID + `", "kind": "workReview", "present": false, "format": "json", "content": null, "message": "This piece has no work review yet."}`},
		{"sessions", "list_sessions", values{}, `{"sessions": [{` + wantSession + `}]}`},
		{"sessions of no project", "list_sessions", values{"cwd": "/"}, `{"sessions": []}`},
		{"a session", "get_session", values{"sessionId": sessionID}, `{` + wantSession + `, "transcript": []}`},
		{"the end of a transcript", "get_session", values{"sessionId": sessionID, "transcriptLimit": 1}, `{` + wantSession + `, "transcript": [
			{"seq": 2, "role": "toolUse", "text": null, "tool": "Bash", "toolId": "t1", "input": {"command": "ls"}, "error": false, "at": "2026-03-05T11:00:00.000Z"}]}`},
		{"a filed draft", "create_draft", values{"spec": "# New", "cwd": "/home/ada/muse"}, `{"ok": true, "draftId": "` + reviewID + `", "title": "New", "lane": "manual"}`},
		{"an edited draft", "update_draft", values{"draftId": draftID, "keys": []string{}}, `{` + wantDraftFields + `}`},
		{"a new piece", "create_piece", values{"prompt": "Retry uploads\nmore", "cwd": "/home/ada/muse"}, `{"ok": true, "pieceId": "` + reviewID + `", "name": "Retry uploads",
			"phase": {"key": "spec", "display": "Spec"}}`},
		{"a workspace", "open_piece_workspace", values{"pieceId": pieceID}, `{"ok": true, "pieceId": "` + pieceID + `", "name": "upload-retry", "projectId": "` + projectID + `",
			"worktreePath": "/data/worktrees/muse/upload-retry", "branchName": "fermata/upload-retry", "recreated": true,
			"phase": {"key": "agents", "display": "Agents 0/1"}, "gate": null, "prURL": null, "tasks": [` + wantTasks + `],
			"spec": "# Upload retry", "strategy": null,
			"agentInstruction": "The worktree of 'upload-retry' is ready at /data/worktrees/muse/upload-retry, on the branch fermata/upload-retry. Your session has not moved: ask the person before you change directory to it. There, stay on that branch and commit what you do; do not remove the worktree. Fermata is working on this piece right now: read, but change nothing before it has paused or stopped."}`},
		{"no cues", "list_cues", values{}, `{"schema": 1, "project": null, "count": 0, ` + wantNoCues + `, "multiProject": false, "snoozedCount": 0, ` + wantNothingRuns + `}`},
		{"cues of no project", "list_cues", values{"cwd": "relative"}, `{"schema": 1, "project": null, "count": 0, ` + wantNoCues + `, "multiProject": false, "snoozedCount": 0, ` + wantNothingRuns + `}`},
		{"a legal action tried out", "piece_action", act("stopAgents", "dryRun", true), `{"ok": true, "pieceId": "` + pieceID + `", "action": "stopAgents", "legal": true, "reason": null,
			"card": true, "effect": ["Ends 1 running agent."], "legalActions": ["pauseAgents", "stopAgents", "messageTask"]}`},
		{"an action without a card tried out", "piece_action", act("pauseAgents", "dryRun", true), `{"ok": true, "pieceId": "` + pieceID + `", "action": "pauseAgents", "legal": true, "reason": null,
			"card": false, "effect": ["Ends 1 running agent."], "legalActions": ["pauseAgents", "stopAgents", "messageTask"]}`},
		{"an illegal action tried out", "piece_action", act("markDone", "dryRun", true), `{"ok": true, "pieceId": "` + pieceID + `", "action": "markDone", "legal": false,
			"reason": "markDone is not legal now.", "card": false, "effect": [], "legalActions": ["pauseAgents", "stopAgents", "messageTask"]}`},
		{"a deleted draft", "cancel_draft", values{"draftId": draftID}, `{"ok": true, "draftId": "` + draftID + `"}`},
		{"a released draft", "release_draft", values{"draftId": draftID}, `{` + wantReleasedFields + `}`},
		{"an action", "piece_action", act("pauseAgents"), `{"ok": true, "pieceId": "` + pieceID + `", "phase": {"key": "agents", "display": "Agents 0/1"}, "gate": null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			same(t, newRig(t).ok(c.tool, c.args), c.want)
		})
	}
}

func TestWorkReviewTellsItsOutcome(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.artifacts[pieces.ArtifactWorkReview] = `{"verdict":"fail","criteria":[{"criterion":"c","met":false,"evidence":"e"}],
		"findings":[{"taskId":"` + taskID + `","ordinal":1,"name":"retry","finding":"no test"}],"costUSD":0.5,"sessionId":"s","at":"2026-03-01T00:00:00Z"}`
	same(t, k.ok("get_artifact", values{"pieceId": pieceID, "kind": "workReview"}), `{
		"pieceId": "`+pieceID+`", "kind": "workReview", "present": true, "format": "json", "message": null, "content": {
			"verdict": "fail", "criteria": [{"criterion": "c", "met": false, "evidence": "e"}],
			"findings": [{"taskId": "`+taskID+`", "ordinal": 1, "name": "retry", "finding": "no test"}], "costUSD": 0.5, "sessionId": "s", "at": "2026-03-01T00:00:00Z",
			"outcome": "fail", "failedTasks": [{"taskId": "`+taskID+`", "ordinal": 1, "name": "retry"}]}}`)
}

func TestPieceShowsWhatItsPhaseAdds(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	question := pieces.Question{Text: "Which one?", Header: "Choice", Options: []pieces.QuestionOption{{Label: "A"}}}
	p := &k.engine.pieces[0]
	p.Prompts = []pieces.Prompt{{ID: "p", TaskID: taskID, Kind: pieces.PromptQuestion, Questions: []pieces.Question{question}, At: day(5)}}
	got := k.ok("get_piece", values{"pieceId": pieceID}).(map[string]any)
	same(t, got["tasks"].([]any)[0].(map[string]any)["waitsFor"], `{"kind": "question", "tool": null, "since": "2026-03-05T11:00:00.000Z",
		"questions": [{"question": "Which one?", "header": "Choice", "options": [{"label": "A", "description": ""}], "multiSelect": false}]}`)
	same(t, got["gate"], `"agentWaiting"`)

	p.Piece.Phase, p.Piece.Activity, p.Prompts = pieces.PhaseReview, pieces.Idle, nil
	got = k.ok("get_piece", values{"pieceId": pieceID}).(map[string]any)
	same(t, got["reviewProgress"], `{"approved": 0, "total": 1}`)
	p.Tasks[0].Approved = true
	got = k.ok("get_piece", values{"pieceId": pieceID}).(map[string]any)
	same(t, got["reviewProgress"], `{"approved": 1, "total": 1}`)
	same(t, got["gate"], `"openPullRequest"`)

	p.Piece.Phase, p.Piece.Activity = pieces.PhaseSpec, pieces.Interviewing
	got = k.ok("get_piece", values{"pieceId": pieceID}).(map[string]any)
	same(t, got["interview"], `{"working": true, "questions": [], "round": 0, "maxRounds": 3}`)
	question.Why = "It decides the rest."
	p.Piece.Activity, p.Piece.Interview = pieces.Idle, pieces.Interview{}.Ask([]pieces.Question{question, {Text: "When?"}}, day(5))
	got = k.ok("get_piece", values{"pieceId": pieceID}).(map[string]any)
	same(t, got["interview"], `{"working": false, "round": 1, "maxRounds": 3, "questions": [
		{"question": "Which one?", "header": "Choice", "options": [{"label": "A", "description": ""}], "multiSelect": false, "why": "It decides the rest."},
		{"question": "When?", "header": "", "options": [], "multiSelect": false}]}`)
	same(t, got["gate"], `"answerInterview"`)

	k.engine.settings[pieces.KeyStartSplits] = "true"
	got = k.ok("get_piece", values{"pieceId": pieceID}).(map[string]any)
	same(t, got["splitStart"], `{"startSplitPiecesAutomatically": true, "mode": null, "waitsForYou": false, "reason": null}`)
}

func TestArchivedPiecesAreListedOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.pieces[0].Piece.Archived = true
	for args, want := range map[*values]int{{}: 1, {"includeArchived": true}: 2} {
		if got := k.ok("list_pieces", *args).(map[string]any)["pieces"].([]any); len(got) != want {
			t.Errorf("%v lists %d rows, not %d", *args, len(got), want)
		}
	}
}

func TestFailedSessionTellsWhy(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.sessions[0].State, k.engine.sessions[0].Error = pieces.SessionFailed, "claude is not logged in"
	got := k.ok("get_session", values{"sessionId": sessionID}).(map[string]any)
	same(t, got["error"], `"claude is not logged in"`)
	same(t, got["awaitingApproval"], `false`)
}

func TestUnknownIDsAreToolErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool string
		args values
		want string
	}{
		{"get_piece", values{"pieceId": "nope"}, "Unknown pieceId"},
		{"get_artifact", values{"pieceId": draftID, "kind": "spec"}, "Unknown pieceId"},
		{"get_artifact", values{"pieceId": pieceID, "kind": "handoff", "taskId": "nope"}, "Unknown taskId"},
		{"get_session", values{"sessionId": "nope"}, "Unknown sessionId"},
		{"list_pieces", values{"projectId": "nope"}, "Unknown projectId"},
		{"list_sessions", values{"projectId": "nope"}, "Unknown projectId"},
		{"create_draft", values{"seed": "x", "projectId": "nope"}, "Unknown projectId"},
		{"update_draft", values{"draftId": pieceID, "title": "x"}, "Unknown draftId"},
		{"cancel_draft", values{"draftId": pieceID}, "Unknown draftId"},
		{"release_draft", values{"draftId": "nope"}, "Unknown draftId"},
		{"create_piece", values{"prompt": "x", "projectId": "nope"}, "Unknown projectId"},
		{"open_piece_workspace", values{"pieceId": "nope"}, "Unknown pieceId"},
		{"open_piece_workspace", values{"pieceId": draftID}, draftID + " is a draft in the Backlog, not a piece yet: it takes update_draft, cancel_draft and release_draft."},
		{"reveal", values{"pieceId": "nope"}, "Unknown pieceId"},
		{"reveal", values{"sessionId": "nope"}, "Unknown sessionId"},
		{"piece_action", values{"pieceId": "nope", "action": "stopAgents"}, "Unknown pieceId"},
		{"piece_action", values{"pieceId": "nope", "action": "stopAgents", "dryRun": true}, "Unknown pieceId"},
		{"piece_action", values{"pieceId": draftID, "action": "stopAgents"}, draftID + " is a draft in the Backlog, not a piece yet: it takes update_draft, cancel_draft and release_draft."},
		{"register_project", values{"path": "/no/repository"}, "/no/repository is not a git repository: run git init there."},
	} {
		if got := newRig(t).refused(c.tool, c.args); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.tool, c.args, got, c.want)
		}
	}
}

func TestFaultsAreLoggedAndToldInGeneralWords(t *testing.T) {
	t.Parallel()
	for _, tool := range tools {
		t.Run(tool.name, func(t *testing.T) {
			t.Parallel()
			if tool.name == "list_echoes" || tool.name == "register_project" || tool.name == "cancel_draft" {
				t.Skip("asks nothing of the fake that can fail")
			}
			args := values{}
			for name, v := range map[string]any{"pieceId": pieceID, "draftId": draftID, "sessionId": sessionID, "action": "stopAgents", "kind": "spec"} {
				for _, d := range tool.args {
					if d.name == name && d.required {
						args[name] = v
					}
				}
			}
			switch tool.name {
			case "create_draft":
				args = values{"seed": "x", "projectId": projectID}
			case "create_piece":
				args = values{"prompt": "x", "projectId": projectID}
			case "snooze_cue":
				args = values{"target": values{"kind": "piece", "id": pieceID}, "fingerprint": "f"}
			case "reveal":
				args["pieceId"] = pieceID
			}
			if tool.name == "update_draft" {
				args["title"] = "x"
			}
			k := newRig(t)
			k.engine.err = errors.New("database disk image is malformed")
			if got := k.refused(tool.name, args); got != sentenceFault {
				t.Errorf("a fault says %q", got)
			}
			wants(t, k.logged(), "database disk image is malformed", tool.name)

			k.engine.err, k.engine.panics = nil, true
			if got := k.refused(tool.name, args); got != sentenceFault {
				t.Errorf("a panic says %q", got)
			}
			wants(t, k.logged(), "the fake was told to")
		})
	}
}

func TestLostRaceIsSaidAsOne(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.err = fmt.Errorf("write piece: %w", pieces.ErrStale)
	if got := k.refused("get_piece", values{"pieceId": pieceID}); got != sentenceStale {
		t.Errorf("a lost race says %q", got)
	}
}
