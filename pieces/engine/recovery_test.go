package engine_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// transcript finds the file in which Claude Code itself keeps a session.
func (w *world) transcript(sessionID string) string {
	w.t.Helper()
	var found string
	err := filepath.WalkDir(filepath.Join(w.dir, "home"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == sessionID+".jsonl" {
			found = path
		}
		return err
	})
	if err != nil || found == "" {
		w.t.Fatalf("Claude Code keeps no transcript of %s: %v", sessionID, err)
	}
	return found
}

// What is lost with the power is the end of a line that was being written.
func TestAnAgentGoesOnThoughTheLastLineOfItsTranscriptIsTorn(t *testing.T) {
	t.Parallel()
	script := one(nil)
	hold := make(chan struct{})
	for i := range script {
		if script[i].Name == "only" {
			script[i].Replies[2].Hold = hold
		}
	}
	w := newWorld(t, script)
	id := w.toPlan().Piece.ID
	w.act(id, pieces.StartExecution)
	if _, err := w.model.Wait(t.Context(), func(r piecestest.Request) bool { return r.Rule == "only" && r.Index == 2 }); err != nil {
		t.Fatal(err)
	}
	session := w.until(id, "a session", func(s pieces.Snapshot) bool { return s.Tasks[0].SessionID != "" }).Tasks[0].SessionID
	w.close()
	file := w.transcript(session)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.TrimSuffix(string(text), "\n")
	last := len(whole) - (strings.LastIndex(whole, "\n") + 1)
	if err := os.WriteFile(file, []byte(whole[:len(whole)-last/2]), 0o600); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.untilGate(id, pieces.GateInterrupted)
	close(hold)
	w.act(id, pieces.ResumeAgents)
	s := w.untilGate(id, pieces.GateReviewWork)
	if s.Tasks[0].SessionID != session {
		// Claude Code may refuse such a transcript: then a fresh session takes over, and says so.
		list, err := w.engine.Messages(t.Context(), s.Tasks[0].SessionID, -1)
		said := false
		for _, m := range list {
			said = said || strings.Contains(m.Text, "could not be resumed")
		}
		if err != nil || !said {
			t.Errorf("another session went on without a word (%v)", err)
		}
	}
	if files := w.repo.Git("ls-tree", "--name-only", s.Piece.Branch); !strings.Contains(files, "only.txt") {
		t.Errorf("the branch holds %q", files)
	}
}

func TestAPlanThatIsUnusableTwiceIsMendedTheThirdTime(t *testing.T) {
	t.Parallel()
	circle := func(name, problem, a, b string) piecestest.Rule {
		return piecestest.Rule{
			Name: name, Match: piecestest.All(piecestest.Contains("# Step: plan"), piecestest.Contains(problem)), Repeat: true,
			Replies: []piecestest.Reply{piecestest.Structured(map[string]any{"agents": []map[string]any{
				{"key": a, "name": "A", "brief": "B", "dependsOn": []string{b}}, {"key": b, "name": "B", "brief": "B", "dependsOn": []string{a}},
			}})},
		}
	}
	good := one(nil)
	var plan piecestest.Rule
	for _, r := range good {
		if r.Name == "plan" {
			plan = r
			plan.Match = piecestest.All(piecestest.Contains("# Step: plan"), piecestest.Contains(`agent "c" form a cycle`))
		}
	}
	script := append(piecestest.Script{plan, circle("second", `agent "a" form a cycle`, "c", "d"), circle("first", "", "a", "b")}, good...)
	w := newWorld(t, script)
	id := w.release().Piece.ID
	w.act(id, pieces.ApproveSpec)
	w.untilGate(id, pieces.GateStrategyReady)
	w.act(id, pieces.ApproveStrategy)
	if s := w.untilGate(id, pieces.GatePlanReady); len(s.Tasks) != 2 || s.Tasks[1].Kind != pieces.TaskReview || s.Piece.Failure != "" {
		t.Errorf("the plan is %+v, failure %q", s.Tasks, s.Piece.Failure)
	}
}

func TestAStrategyIsWrittenAgainWithWhatThePersonSaid(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id := a.release().Piece.ID
	a.act(id, pieces.ApproveSpec)
	const said = "## What the person said\n\nTouch fewer files."
	first := a.next()
	if strings.Contains(first.launch.Prompt, "## What the person said") {
		t.Errorf("nobody has said anything: %q", first.launch.Prompt)
	}
	first.says(`{"strategy":"The first."}`)
	a.untilGate(id, pieces.GateStrategyReady)
	a.act(id, pieces.GenerateStrategy, func(r *engine.Request) { r.Prompt = " Touch fewer files. " })
	again := a.next()
	if p := again.launch.Prompt; !strings.Contains(p, said) || !strings.Contains(p, "The first.") {
		t.Errorf("asked with %q", p)
	}
	again.fails("broken")
	a.untilGate(id, pieces.GateStrategyFailed)
	// What was said outlives an attempt that failed, and one that a restart cut off.
	a.act(id, pieces.GenerateStrategy)
	if p := a.next().launch.Prompt; !strings.Contains(p, said) {
		t.Errorf("after a failure it was asked with %q", p)
	}
	a.engine.Close()
	if err := a.engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.untilGate(id, pieces.GateStrategyFailed)
	a.act(id, pieces.GenerateStrategy)
	last := a.next()
	if !strings.Contains(last.launch.Prompt, said) {
		t.Errorf("after a restart it was asked with %q", last.launch.Prompt)
	}
	last.says(`{"strategy":"The second."}`)
	a.untilGate(id, pieces.GateStrategyReady)
	a.act(id, pieces.GenerateStrategy)
	if p := a.next().launch.Prompt; strings.Contains(p, "## What the person said") {
		t.Errorf("it was done, and is asked for again: %q", p)
	}
}
