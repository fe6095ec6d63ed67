package app

import (
	"context"
	"strings"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/piecestest"
)

// clickFor clicks a named widget for what it brings, again where the screen moved under the click.
func (r *rig) clickFor(name, brings string) {
	r.t.Helper()
	const tries, wait = 4, 10 * time.Second
	for range tries {
		r.click(name)
		ctx, cancel := context.WithTimeout(r.t.Context(), wait)
		for !r.shown(brings) && ctx.Err() == nil {
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
			}
		}
		cancel()
		if r.shown(brings) {
			return
		}
		r.t.Logf("%s was clicked and did not bring %s", name, brings)
	}
	r.until(brings+" after a click on "+name, func() bool { return r.shown(brings) })
}

func TestAnAgentIsOpenedInTheGraphAndACommentOnALineReachesASession(t *testing.T) {
	t.Parallel()
	feedback := piecestest.Rule{
		Name: "feedback", Match: piecestest.Contains("Comments on the diff:"), Replies: []piecestest.Reply{piecestest.Say("Understood.")}, Repeat: true,
	}
	r := newRig(t, append(piecestest.Script{feedback}, piecestest.Story(piecestest.StoryAgents())...), fullDesktop())
	r.start()
	r.clickAway("welcome:later")
	m := r.connect(r.serverOn())
	id := r.toPlan(m)
	m.act(id, "startExecution")
	p := r.untilGate(m, id, "reviewWork")
	task := p["tasks"].([]any)[0].(map[string]any)
	session := ""
	for _, s := range p["sessions"].([]any) {
		if s := s.(map[string]any); s["taskId"] == task["id"] {
			session = s["id"].(string)
		}
	}
	project := m.call("list_projects", nil)["projects"].([]any)[0].(map[string]any)["id"].(string)
	r.clickFor("project:"+project, "card:"+id)
	r.clickFor("card:"+id, "tab:agents")
	r.clickFor("tab:agents", "node:"+task["id"].(string))
	r.clickFor("node:"+task["id"].(string), "session:"+session)

	r.clickFor("tab:review", "file:retry.txt")
	r.clickFor("file:retry.txt", "diff")
	place := r.place("diff")
	r.click("diff") // its middle is below its last line; the keyboard goes on
	w := r.desk.Window(t, place.Window)
	w.Key("Home")
	w.Key("Return")
	r.place("comment:text")
	w.Type("Say why in the file.")
	r.clickFor("comment:keep", "sendComments")
	r.clickFor("sendComments", "send:ok")
	r.clickAway("send:ok")
	r.until("the session that works on it", func() bool {
		list := m.call("list_sessions", map[string]any{"projectId": project})["sessions"].([]any)
		for _, s := range list {
			s := s.(map[string]any)
			if s["kind"] == string(pieces.SessionFeedback) {
				session = s["id"].(string)
				return s["state"] == string(pieces.SessionCompleted)
			}
		}
		return false
	})
	r.quit()
	_, history := r.database(id)
	note := ""
	for _, h := range history {
		if h.Trigger == pieces.Trigger(pieces.RequestChanges) && h.By == pieces.ByPerson {
			note = h.Note.String()
		}
	}
	if !strings.HasPrefix(note, "Comments on the diff:\n\nretry.txt:1\n> ") || !strings.HasSuffix(note, "\nSay why in the file.") {
		t.Errorf("the store has %q", note)
	}
}
