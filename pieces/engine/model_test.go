package engine_test

import (
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
)

func TestEachStepRunsOnItsOwnModelAndEffort(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	a.repo.WithRemote()
	efforts := map[string]string{}
	for i, step := range pieces.Steps() {
		efforts[step] = pieces.Efforts()[1+i%(len(pieces.Efforts())-1)]
		for key, value := range map[string]string{pieces.ModelKey(step): "model-of-" + step, pieces.EffortKey(step): efforts[step]} {
			if err := a.engine.SetSetting(t.Context(), key, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	runs := func(step, model string) *patientTalk {
		t.Helper()
		run := a.next()
		if run.launch.Model != model || run.launch.Effort != efforts[step] {
			t.Errorf("the %s step runs on %q at %q, want %q at %q", step, run.launch.Model, run.launch.Effort, model, efforts[step])
		}
		return run
	}
	release := func(model string) string {
		t.Helper()
		filed, err := a.engine.FileDraft(t.Context(), engine.NewDraft{ProjectID: a.id, Seed: "Make it", Model: model})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.engine.ReleaseDraft(t.Context(), filed.Draft.ID, "", pieces.ByPerson); err != nil {
			t.Fatal(err)
		}
		return filed.Draft.ID
	}
	release("")
	runs("spec", "model-of-spec")

	id := release("its-own-model") // of the spec step alone
	runs("spec", "its-own-model").says(`{"spec":"# It\n\n## Goal\n\nIt.","analysis":{"size":"small"}}`)
	a.untilGate(id, pieces.GateSpecReady)
	a.act(id, pieces.ApproveSpec)
	runs("strategy", "model-of-strategy").says(`{"strategy":"Do it."}`)
	a.untilGate(id, pieces.GateStrategyReady)
	a.act(id, pieces.ApproveStrategy)
	runs("plan", "model-of-plan").says(`{"agents":[{"key":"a","name":"A","brief":"Do it.","dependsOn":[]}]}`)
	a.untilGate(id, pieces.GatePlanReady)
	a.act(id, pieces.StartExecution)
	runs("task", "model-of-task").says(`{"changed":"x"}`)
	runs("workReview", "model-of-workReview").says(`{"verdict":"pass","criteria":[],"failedAgents":[],"summary":"s","learnings":"l"}`)
	a.untilGate(id, pieces.GateReviewWork)
	opened := make(chan error, 1)
	go func() {
		_, err := a.engine.Act(t.Context(), engine.Request{PieceID: id, Action: pieces.CreatePR, By: pieces.ByClient})
		opened <- err
	}()
	runs("pullRequest", "model-of-pullRequest").says(`{"title":"T","body":"B"}`)
	if err := <-opened; err != nil {
		t.Error(err)
	}
}
