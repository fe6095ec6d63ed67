package app

import (
	"strings"
	"testing"

	"fermata/pieces/piecestest"
)

// asks is a rule that answers the words with one question.
func asks(name, words, question string) piecestest.Rule {
	return piecestest.Rule{Name: name, Match: piecestest.Contains(words), Replies: []piecestest.Reply{
		piecestest.Structured(map[string]any{"questions": []any{map[string]any{
			"question": question, "why": "It decides where the code goes.",
			"options": []any{map[string]any{"label": "The client"}, map[string]any{"label": "The server"}},
		}}}),
	}, Repeat: true}
}

func TestTheSpecInterviewIsAnsweredByAClientAndByThePerson(t *testing.T) {
	t.Parallel()
	r := newRig(t, piecestest.Script{
		{Name: "writes", Match: piecestest.Contains("The person answered:\n\nThe server"), Replies: []piecestest.Reply{
			piecestest.Structured(map[string]any{"spec": piecestest.StorySpec, "analysis": piecestest.Analysis()}),
		}, Repeat: true},
		asks("asks on", "The person answered:\n\nBoth uploads.", "Who counts the tries?"),
		asks("asks", "# Step: spec", "Which uploads?"),
	}, fullDesktop())
	r.start()
	r.click("welcome:later")
	m := r.connect(r.serverOn())
	project := m.call("register_project", map[string]any{"path": r.repo.Path})["projectId"].(string)
	id := m.call("create_piece", map[string]any{"prompt": "Try failed uploads again", "cwd": r.repo.Path})["pieceId"].(string)

	p := r.untilGate(m, id, "answerInterview")
	questions := p["interview"].(map[string]any)["questions"].([]any)
	if len(questions) != 1 || questions[0].(map[string]any)["question"] != "Which uploads?" {
		t.Fatalf("asked %v", questions)
	}
	groups := m.call("list_cues", nil)["groups"].([]any)
	cue := groups[0].(map[string]any)["items"].([]any)[0].(map[string]any)
	if cue["label"] != "Answer the interview" || cue["reason"] != "answerInterview" || cue["primaryAction"] != nil {
		t.Errorf("cue %v", cue)
	}
	if text, failed, err := m.try(t.Context(), "piece_action", map[string]any{"pieceId": id, "action": "approveSpec"}); err != nil || !failed || !strings.Contains(text, "interviewMessage") {
		t.Errorf("approving a spec that is not there: %s, %v", text, err)
	}
	if res := m.act(id, "interviewMessage", map[string]any{"prompt": "Both uploads."}); res["gate"] != nil {
		t.Errorf("after the answer: %v", res)
	}

	r.click("project:" + project)
	r.click("card:" + id)
	r.until("the second round", func() bool {
		v := m.call("get_piece", map[string]any{"pieceId": id})["interview"].(map[string]any)
		return v["round"] == 2.0 && len(v["questions"].([]any)) == 1
	})
	r.click("interview:option:1")
	r.click("interview:send")
	p = r.untilGate(m, id, "specReady")
	if p["name"] != "Upload retry" || len(p["sessions"].([]any)) != 1 {
		t.Errorf("the interview ended with %v in %v", p["name"], p["sessions"])
	}
	r.quit()
}
