package app

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fermata/pieces"
	"fermata/pieces/piecestest"
)

func TestThePersonOpensASessionInAWorktreeAllowsAToolTalksStopsAndHidesIt(t *testing.T) {
	t.Parallel()
	talk := piecestest.Script{
		{Name: "first", Match: piecestest.Contains("Look around"), Replies: []piecestest.Reply{
			piecestest.Use("Bash", map[string]any{"command": "mkdir -p seen", "description": "Make a folder"}), piecestest.Say("I looked."),
		}},
		{Name: "second", Match: piecestest.Contains("And now"), Replies: []piecestest.Reply{piecestest.Say("Nothing more.")}},
	}
	r := newRig(t, append(talk, piecestest.Story(piecestest.StoryAgents())...), fullDesktop())
	r.start()
	r.clickAway("welcome:later")
	m := r.connect(r.serverOn())
	id := r.fileDraft(m)
	m.call("release_draft", map[string]any{"draftId": id})
	p := r.untilGate(m, id, "specReady")
	project := m.call("list_projects", nil)["projects"].([]any)[0].(map[string]any)["id"].(string)
	r.clickFor("project:"+project, "card:"+id)
	r.clickFor("card:"+id, "tab:overview")
	r.clickFor("tab:overview", "open:session")
	r.clickFor("open:session", "canvas:prompt")
	r.click("canvas:prompt")
	r.desk.Window(t, r.place("canvas:prompt").Window).Type("Look around")
	r.clickAway("canvas:start")

	var session map[string]any
	state := func(want pieces.SessionState) {
		t.Helper()
		r.until("the session to be "+string(want), func() bool {
			for _, s := range m.call("list_sessions", map[string]any{"projectId": project})["sessions"].([]any) {
				if s := s.(map[string]any); s["kind"] == string(pieces.SessionCanvas) {
					session = s
				}
			}
			return session["state"] == string(want)
		})
	}
	state(pieces.SessionAwaitingApproval)
	if session["pieceId"] != nil || session["worktree"] != p["worktreePath"] || session["awaitingApproval"] != true {
		t.Errorf("the session is %v in the worktree %v", session, p["worktreePath"])
	}
	cue := ""
	for _, g := range m.call("list_cues", nil)["groups"].([]any) {
		for _, c := range g.(map[string]any)["items"].([]any) {
			if c := c.(map[string]any); c["reason"] == "awaitingApproval" {
				cue = c["target"].(map[string]any)["id"].(string)
			}
		}
	}
	if cue != session["id"] {
		t.Errorf("the cue is about %q, the session is %v", cue, session["id"])
	}
	r.clickAway("prompt:allow")
	state(pieces.SessionIdle)
	if _, err := os.Stat(filepath.Join(session["worktree"].(string), "seen")); err != nil {
		t.Errorf("what was allowed: %v", err)
	}
	r.click("canvas:message")
	r.desk.Window(t, r.place("canvas:message").Window).Type("And now")
	r.click("canvas:send")
	if _, err := r.model.Wait(t.Context(), piecestest.AnsweredBy("second")); err != nil {
		t.Fatal(err)
	}
	state(pieces.SessionIdle)
	r.clickAway("canvas:stop")
	state(pieces.SessionCancelled)

	listed := func(hidden bool) bool {
		list := m.call("list_sessions", map[string]any{"projectId": project, "includeHidden": hidden})["sessions"].([]any)
		return slices.ContainsFunc(list, func(s any) bool { return s.(map[string]any)["id"] == session["id"] })
	}
	r.clickFor("canvas:hide", "canvas:first")
	if listed(false) || !listed(true) {
		t.Errorf("hidden, it is listed: %v, with the hidden ones: %v", listed(false), listed(true))
	}
	r.clickFor("canvas:hidden", "canvas:show")
	r.clickFor("canvas:show", "canvas:hide")
	if !listed(false) {
		t.Error("shown again, it is not listed")
	}
	r.quit()
}
