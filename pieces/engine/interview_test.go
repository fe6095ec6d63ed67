package engine_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// asking is the answer of an interview turn that asks the person.
func asking(texts ...string) piecestest.Reply {
	var list []any
	for _, text := range texts {
		list = append(list, map[string]any{
			"question": text, "why": "It decides where the code goes.",
			"options": []any{map[string]any{"label": "In the client", "description": "Where uploads start"}, map[string]any{"label": "In the server"}},
		})
	}
	return piecestest.Structured(map[string]any{"questions": list})
}

// writing is the answer of an interview turn that ends with a spec.
func writing(spec string) piecestest.Reply {
	return piecestest.Structured(map[string]any{"spec": spec, "analysis": piecestest.Analysis()})
}

// rule answers the latest message of the person that has all of the words.
func rule(name string, reply []piecestest.Reply, words ...string) piecestest.Rule {
	var all []func(piecestest.Request) bool
	for _, w := range words {
		all = append(all, piecestest.Contains(w))
	}
	return piecestest.Rule{Name: name, Match: piecestest.All(all...), Replies: reply, Repeat: true}
}

func once(r piecestest.Reply) []piecestest.Reply { return []piecestest.Reply{r} }

// curious asks in every turn that may, and writes the spec when none may any more.
func curious() piecestest.Script {
	return piecestest.Script{
		rule("revises", once(writing("# Upload retry, twice\n\n## Goal\n\nTwice.\n")), "Only twice, please."),
		// It asks once more, and writes when that is sent back.
		rule("writes", []piecestest.Reply{asking("One more?"), writing(piecestest.StorySpec)}, "# Step: interview", "Nobody can answer further questions"),
		rule("asks on", once(asking("What else?")), "# Step: interview"),
		rule("asks", once(asking("Where?", "How often?")), "# Step: spec"),
	}
}

func (w *world) say(id, words string) pieces.Snapshot {
	w.t.Helper()
	return w.act(id, pieces.InterviewMessage, func(r *engine.Request) { r.Prompt = words }).Piece
}

// interviews are the piece's interview sessions.
func (w *world) interviews(id string) []pieces.Session {
	w.t.Helper()
	list, err := w.engine.Sessions(w.t.Context(), pieces.SessionFilter{PieceID: id, IncludeHidden: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return slices.DeleteFunc(list, func(s pieces.Session) bool { return s.Kind != pieces.SessionInterview })
}

// heard says whether a request of the rule carries the words in what was said to the model.
func (w *world) heard(rule, words string) bool {
	return slices.ContainsFunc(w.model.Requests(), func(r piecestest.Request) bool {
		return r.Rule == rule && slices.ContainsFunc(r.Messages, func(m piecestest.Message) bool {
			return m.Role == "user" && strings.Contains(m.Text, words)
		})
	})
}

func (w *world) document(id string, k pieces.ArtifactKind) string {
	w.t.Helper()
	a, _, err := w.engine.Artifact(w.t.Context(), id, k, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Content
}

func TestAnInterviewAsksAsOftenAsItsDepthAllowsInOneConversation(t *testing.T) {
	t.Parallel()
	for depth, rounds := range map[string]int{pieces.DepthQuick: 1, pieces.DepthBalanced: 3, pieces.DepthThorough: 6} {
		t.Run(depth, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, curious())
			s, err := w.engine.CreatePiece(t.Context(), engine.NewPiece{ProjectID: w.id, Prompt: "Retry uploads", Depth: depth, By: pieces.ByClient})
			if err != nil {
				t.Fatal(err)
			}
			id := s.Piece.ID
			if _, err := w.engine.Act(t.Context(), engine.Request{PieceID: id, Action: pieces.InterviewMessage, Prompt: "now"}); err == nil {
				t.Error("a message went into a turn that runs")
			}
			session := ""
			for n := range rounds {
				s = w.untilGate(id, pieces.GateAnswerInterview)
				v := s.Piece.Interview
				if n == 0 && (len(v.Questions) != 2 || v.Questions[0].Text != "Where?" || v.Questions[0].Why == "" || v.Questions[0].Options[0].Label != "In the client") {
					t.Fatalf("asked %+v", v.Questions)
				}
				if n > 0 && v.SessionID != session {
					t.Errorf("round %d is in the session %s, the first was in %s", n+1, v.SessionID, session)
				}
				session = v.SessionID
				_, err := w.engine.Act(t.Context(), engine.Request{PieceID: id, Action: pieces.ApproveSpec})
				if refusal := new(engine.Refusal); !errors.As(err, &refusal) || !slices.Contains(refusal.Legal, pieces.InterviewMessage) {
					t.Errorf("approving a spec with open questions: %v", err)
				}
				w.say(id, fmt.Sprintf("My answer number %d.", n+1))
			}
			s = w.untilGate(id, pieces.GateSpecReady)
			if list := w.interviews(id); len(list) != 1 || list[0].ID != session || list[0].Resumed != rounds || list[0].State != pieces.SessionCompleted {
				t.Errorf("sessions %+v", list)
			}
			if w.document(id, pieces.ArtifactSpec) != piecestest.StorySpec || !strings.Contains(w.document(id, pieces.ArtifactAnalysis), "acceptanceCriteria") || s.Piece.Name != "Upload retry" {
				t.Errorf("the interview ended with %q, %q", s.Piece.Name, w.document(id, pieces.ArtifactSpec))
			}
			if !w.heard("writes", fmt.Sprintf("My answer number %d.", rounds)) || !w.heard("writes", "No more questions can be asked") {
				t.Error("the last answer did not reach the model, or its question was not sent back")
			}
			if depth == pieces.DepthQuick {
				w.revise(id, session)
			}
		})
	}
}

// revise changes a spec that is ready.
func (w *world) revise(id, session string) {
	w.t.Helper()
	if _, err := w.engine.Act(w.t.Context(), engine.Request{PieceID: id, Action: pieces.InterviewMessage, Prompt: " "}); err == nil || !strings.Contains(err.Error(), "Say what") {
		w.t.Errorf("a message without words: %v", err)
	}
	if s := w.say(id, "Only twice, please."); s.Piece.Activity != pieces.Interviewing {
		w.t.Errorf("after the wish: %s", s.Piece.Activity)
	}
	s := w.untilGate(id, pieces.GateSpecReady)
	if s.Piece.Name != "Upload retry, twice" || s.Piece.Interview.SessionID != session || len(s.Piece.Interview.Turns) != 2 {
		w.t.Errorf("revised: %q, %+v", s.Piece.Name, s.Piece.Interview)
	}
}

func TestOpenQuestionsAndAnAnswerOutliveTheApp(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	holds := rule("holds", once(writing(piecestest.StorySpec)), "# Step: interview")
	holds.Replies[0].Hold = hold
	w := newWorld(t, append(piecestest.Script{holds}, curious()...))
	s, err := w.engine.CreatePiece(t.Context(), engine.NewPiece{ProjectID: w.id, Prompt: "Retry uploads", By: pieces.ByClient})
	if err != nil {
		t.Fatal(err)
	}
	id := s.Piece.ID
	asked := w.untilGate(id, pieces.GateAnswerInterview)
	cue, _ := asked.Cue()
	w.close()
	w.open()
	s = w.untilGate(id, pieces.GateAnswerInterview)
	if again, _ := s.Cue(); again != cue || fmt.Sprint(s.Piece.Interview) != fmt.Sprint(asked.Piece.Interview) {
		t.Errorf("after a restart: %+v, cue %+v, was %+v, %+v", s.Piece.Interview, again, asked.Piece.Interview, cue)
	}
	w.say(id, "In the client, thrice.")
	if _, err := w.model.Wait(t.Context(), piecestest.AnsweredBy("holds")); err != nil {
		t.Fatal(err)
	}
	w.close()
	close(hold)
	w.open()
	s = w.untilGate(id, pieces.GateSpecFailed)
	if s.Piece.Interview.Open() || len(s.Piece.Interview.Pending()) != 1 || s.Piece.Failure == "" {
		t.Errorf("cut off: %+v, %q", s.Piece.Interview, s.Piece.Failure)
	}
	w.say(id, "")
	s = w.untilGate(id, pieces.GateSpecReady)
	if s.Piece.Interview.SessionID != asked.Piece.Interview.SessionID || len(s.Piece.Interview.Turns) != 1 || len(w.interviews(id)) != 1 {
		t.Errorf("tried again: %+v", s.Piece.Interview)
	}
	requests := w.model.Requests()
	if words := requests[len(requests)-1].LastWords(); !strings.Contains(words, "In the client, thrice.") || !strings.Contains(words, "- How often?") {
		t.Errorf("the second try was told %q", words)
	}
}

func TestAnInterviewThatCannotBeResumedGoesOnInAFreshSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(piecestest.Script{
		rule("fresh", once(writing(piecestest.StorySpec)), "# Step: spec", "## What was asked and said", "- Where?", "In the client."),
	}, curious()...))
	s, err := w.engine.CreatePiece(t.Context(), engine.NewPiece{ProjectID: w.id, Prompt: "Retry uploads", By: pieces.ByClient})
	if err != nil {
		t.Fatal(err)
	}
	id := s.Piece.ID
	first := w.untilGate(id, pieces.GateAnswerInterview).Piece.Interview.SessionID
	if err := os.RemoveAll(filepath.Join(w.dir, "home", ".claude", "projects")); err != nil {
		t.Fatal(err)
	}
	w.say(id, "In the client.")
	s = w.untilGate(id, pieces.GateSpecReady)
	if s.Piece.Interview.SessionID == first || len(w.interviews(id)) != 2 {
		t.Errorf("interview %+v, sessions %+v", s.Piece.Interview, w.interviews(id))
	}
	messages, err := w.engine.Messages(t.Context(), s.Piece.Interview.SessionID, -1)
	if err != nil || !slices.ContainsFunc(messages, func(m pieces.Message) bool {
		return m.Role == pieces.RoleNotice && strings.Contains(m.Text, "fresh one")
	}) {
		t.Errorf("the fresh session does not say that it is one: %+v, %v", messages, err)
	}
}

// released files and releases a draft.
func (w *world) released(n engine.NewDraft) pieces.Snapshot {
	w.t.Helper()
	n.ProjectID = w.id
	filed, err := w.engine.FileDraft(w.t.Context(), n)
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := w.engine.ReleaseDraft(w.t.Context(), filed.Draft.ID, "", pieces.ByClient)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// odd is a spec whose every byte counts.
const odd = "# Odd \t\r\n\r\nKeep  me. \n\n\n"

func TestASuppliedSpecIsRefinedAsItsDraftSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{
		rule("gaps", once(asking("Which disk?")), "# Step: check the spec", "# Gappy"),
		piecestest.NoGaps(),
		rule("completes", once(writing("# Whole\n\nAll of it.\n")), "# Step: spec", "# Odd"),
		rule("decides", once(writing("# Decided\n\nThe fast disk.\n")), "# Step: interview", "moved on without an answer"),
	})
	check := func(s pieces.Snapshot, spec string, on pieces.Trigger, analysis bool) {
		t.Helper()
		if got := w.document(s.Piece.ID, pieces.ArtifactSpec); got != spec {
			t.Errorf("%s: the spec is %q, want %q", s.Piece.Config.Refine, got, spec)
		}
		if has := w.document(s.Piece.ID, pieces.ArtifactAnalysis) != ""; has != analysis {
			t.Errorf("%s: analysis %v, want %v", s.Piece.Config.Refine, has, analysis)
		}
		rows, err := w.engine.History(t.Context(), s.Piece.ID)
		if err != nil || rows[len(rows)-1].Trigger != on {
			t.Errorf("%s: history %+v, %v", s.Piece.Config.Refine, rows, err)
		}
	}
	s := w.released(engine.NewDraft{Spec: odd, Refine: pieces.RefineNone})
	if s.Gate() != pieces.GateSpecReady || len(w.model.Requests()) != 0 {
		t.Errorf("none: gate %s after %d requests", s.Gate(), len(w.model.Requests()))
	}
	check(s, odd, pieces.OnReleased, false)

	s = w.released(engine.NewDraft{Spec: odd})
	if s.Piece.Activity != pieces.Interviewing {
		t.Errorf("if_gaps: %s", s.Piece.Activity)
	}
	s = w.untilGate(s.Piece.ID, pieces.GateSpecReady)
	check(s, odd, pieces.OnSpecChecked, true)

	s = w.released(engine.NewDraft{Spec: odd, Refine: pieces.RefineAlways})
	s = w.untilGate(s.Piece.ID, pieces.GateSpecReady)
	check(s, "# Whole\n\nAll of it.\n", pieces.OnSpecWritten, true)

	const gappy = "# Gappy\n\nWrite it to the disk.\n"
	s = w.released(engine.NewDraft{Spec: gappy, Refine: pieces.RefineIfGaps})
	s = w.untilGate(s.Piece.ID, pieces.GateAnswerInterview)
	check(s, gappy, pieces.OnQuestionsAsked, false)
	w.say(s.Piece.ID, "")
	s = w.untilGate(s.Piece.ID, pieces.GateSpecReady)
	check(s, "# Decided\n\nThe fast disk.\n", pieces.OnSpecWritten, true)
}

func TestAutoStopsAtQuestionsAndGoesOnByItselfOnceTheyAreAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(piecestest.Script{
		rule("asks", once(asking("Where?")), "# Step: spec"),
		rule("writes", once(writing(piecestest.StorySpec)), "# Step: interview"),
		rule("fails", once(piecestest.Fail(400, "enough seen")), "# Step: strategy"),
	}, one(nil)...))
	s := w.released(engine.NewDraft{Seed: "retry uploads", Lane: pieces.LaneAuto})
	id := s.Piece.ID
	s = w.untilGate(id, pieces.GateAnswerInterview)
	if s.Piece.Interview.Left(s.Piece.Config.Depth) != 2 || !s.Piece.Play {
		t.Errorf("stopped: %+v", s.Piece)
	}
	w.say(id, "In the client.")
	w.untilGate(id, pieces.GateStrategyFailed)
}

func TestAnAnswerThatIsNoSpecFailsTheTurnAndKeepsWhatWasSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{
		rule("useless", once(piecestest.Structured(map[string]any{"spec": "no heading", "analysis": piecestest.Analysis()})), "# Step: spec"),
	})
	s, err := w.engine.CreatePiece(t.Context(), engine.NewPiece{ProjectID: w.id, Prompt: "Retry uploads", By: pieces.ByClient})
	if err != nil {
		t.Fatal(err)
	}
	s = w.untilGate(s.Piece.ID, pieces.GateSpecFailed)
	if !strings.Contains(s.Piece.Failure, "nor with a whole spec") || len(w.model.Requests()) != 3 || s.Piece.CostUSD <= 0 {
		t.Errorf("failure %q after %d requests, cost %v", s.Piece.Failure, len(w.model.Requests()), s.Piece.CostUSD)
	}
	w.model.SetScript(piecestest.Script{rule("works", once(writing(piecestest.StorySpec)), "# Step: spec", "The person said:\n\nWith a heading, please.")})
	w.say(s.Piece.ID, "With a heading, please.")
	w.untilGate(s.Piece.ID, pieces.GateSpecReady)
}
