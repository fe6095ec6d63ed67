package control

import (
	"context"
	"errors"
	"slices"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
)

const otherProject = "77777777-7777-4777-8777-777777777777"

// cuedRig has a cue in each group, one of them in another project and one about a session.
func cuedRig(t *testing.T, change ...func(o *Options)) *rig {
	t.Helper()
	k := newRigWith(t, func(o *Options) {
		for _, c := range change {
			c(o)
		}
	})
	k.engine.cues = engine.Cues{
		Snoozed: 2,
		Running: []engine.Running{
			{PieceID: pieceID, Title: "upload-retry", ProjectName: "muse", Progress: 0.5, Agents: true},
			{PieceID: draftID, Title: "Balanced controls", ProjectName: "lyre"},
		},
		Items: []engine.Cue{
			{
				Target: engine.Target{Kind: engine.TargetSession, ID: sessionID}, Group: pieces.RequiresApproval, Reason: "awaitingApproval",
				Label: "A session asks for your approval", Title: "retry", ProjectID: projectID, ProjectName: "muse", Since: day(5), Fingerprint: "s1",
			},
			{
				Target: engine.Target{Kind: engine.TargetPiece, ID: pieceID}, Group: pieces.ReadyForReview, Reason: "openPullRequest",
				Label: "Open pull request", Title: "upload-retry", ProjectID: projectID, ProjectName: "muse", Since: day(6), Fingerprint: "p1",
				Source: &pieces.Source{Key: "SUP-12"}, Primary: pieces.CreatePR, Confirmable: true, Legal: []pieces.Action{pieces.CreatePR, pieces.MarkDone},
			},
			{
				Target: engine.Target{Kind: engine.TargetPiece, ID: reviewID}, Group: pieces.ReadyToMerge, Reason: "mergePullRequest",
				Label: "Ready to merge", Title: "tune", ProjectID: otherProject, ProjectName: "lyre", Since: day(7), Fingerprint: "m1",
				PR: &pieces.PullRequest{Number: 7, Checks: "3 of 4 checks passed"}, Legal: []pieces.Action{},
			},
		},
	}
	return k
}

const wantSessionCue = `{"target": {"kind": "session", "id": "` + sessionID + `"}, "group": "requiresApproval", "reason": "awaitingApproval",
	"label": "A session asks for your approval", "title": "retry", "projectName": "muse", "sourceRef": null, "prNumber": null, "prChecksLine": null,
	"since": "2026-03-05T11:00:00.000Z", "fingerprint": "s1", "primaryAction": null, "confirmAvailable": false, "legalActions": []}`

const wantReviewCue = `{"target": {"kind": "piece", "id": "` + pieceID + `"}, "group": "readyForReview", "reason": "openPullRequest",
	"label": "Open pull request", "title": "upload-retry", "projectName": "muse", "sourceRef": "SUP-12", "prNumber": null, "prChecksLine": null,
	"since": "2026-03-06T11:00:00.000Z", "fingerprint": "p1", "primaryAction": "createPR", "confirmAvailable": true, "legalActions": ["createPR", "markDone"]}`

const wantMergeCue = `{"target": {"kind": "piece", "id": "` + reviewID + `"}, "group": "readyToMerge", "reason": "mergePullRequest",
	"label": "Ready to merge", "title": "tune", "projectName": "lyre", "sourceRef": null, "prNumber": 7, "prChecksLine": "3 of 4 checks passed",
	"since": "2026-03-07T11:00:00.000Z", "fingerprint": "m1", "primaryAction": null, "confirmAvailable": false, "legalActions": []}`

const wantRunning = `"running": {"line": "1 running, 1 advancing in muse and lyre", "running": 1, "advancing": 1, "projectNames": ["muse", "lyre"], "pieces": [
	{"pieceId": "` + pieceID + `", "title": "upload-retry", "projectName": "muse", "progress": 0.5},
	{"pieceId": "` + draftID + `", "title": "Balanced controls", "projectName": "lyre", "progress": 0}]}`

func TestCuesAreGroupedAsThePopoverGroupsThem(t *testing.T) {
	t.Parallel()
	same(t, cuedRig(t).ok("list_cues", values{}), `{"schema": 1, "project": null, "count": 3, "multiProject": true, "snoozedCount": 2, "groups": [
		{"key": "requiresApproval", "title": "Requires approval", "items": [`+wantSessionCue+`]},
		{"key": "readyForReview", "title": "Ready for review", "items": [`+wantReviewCue+`]},
		{"key": "readyToMerge", "title": "Ready to merge", "items": [`+wantMergeCue+`]}], `+wantRunning+`}`)
}

func TestCwdScopesTheCuesToItsProject(t *testing.T) {
	t.Parallel()
	got := cuedRig(t).ok("list_cues", values{"cwd": "/home/ada/muse/web"}).(map[string]any)
	same(t, got["project"], `{"id": "`+projectID+`", "name": "muse"}`)
	same(t, got["count"], `2`)
	same(t, got["multiProject"], `false`)
	if groups := got["groups"].([]any); len(groups) != 3 || len(groups[2].(map[string]any)["items"].([]any)) != 0 {
		t.Errorf("groups %v", groups)
	}
	same(t, cuedRig(t).ok("list_cues", values{"cwd": "/home/ada/elsewhere"}), `{"schema": 1, "project": null, "count": 0, `+wantNoCues+`,
		"multiProject": false, "snoozedCount": 0, `+wantNothingRuns+`}`)
}

func TestASnoozeIsBoundToWhatWasRead(t *testing.T) {
	t.Parallel()
	k := cuedRig(t)
	target := values{"kind": "piece", "id": pieceID}
	if got := k.refused("snooze_cue", values{"target": target, "fingerprint": "old"}); got != "This cue changed; refresh" {
		t.Errorf("a stale snooze says %q", got)
	}
	same(t, k.ok("snooze_cue", values{"target": target, "fingerprint": "p1"}), `{"snoozed": true, "snoozedCount": 1}`)
	if want := []engine.Target{{Kind: engine.TargetPiece, ID: pieceID}}; !slices.Equal(k.engine.snoozed, want) {
		t.Errorf("snoozed %v", k.engine.snoozed)
	}
}

func TestRevealShowsExactlyOneThing(t *testing.T) {
	t.Parallel()
	var shown [][2]string
	k := cuedRig(t, func(o *Options) {
		o.Reveal = func(_ context.Context, piece, session string) error {
			shown = append(shown, [2]string{piece, session})
			return nil
		}
	})
	same(t, k.ok("reveal", values{"pieceId": pieceID, "sessionId": ""}), `{"revealed": true}`)
	same(t, k.ok("reveal", values{"sessionId": sessionID}), `{"revealed": true}`)
	if want := [][2]string{{pieceID, ""}, {"", sessionID}}; !slices.Equal(shown, want) {
		t.Errorf("shown %v", shown)
	}
	if got := cuedRig(t).refused("reveal", values{"pieceId": pieceID}); got != "Fermata has no window here to show it in." {
		t.Errorf("without windows it says %q", got)
	}
	k = cuedRig(t, func(o *Options) {
		o.Reveal = func(context.Context, string, string) error { return errors.New("no display") }
	})
	if got := k.refused("reveal", values{"pieceId": pieceID}); got != sentenceFault {
		t.Errorf("a fault says %q", got)
	}
}
