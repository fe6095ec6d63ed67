package control

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
)

const keyAsk = pieces.KeyMCPAskBefore

func TestCardSaysWhatTheClientWants(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	done := k.start(t.Context(), "piece_action", act("stopAgents"))
	q := k.cards(1)[0]
	if q.Title.String() != "Allow the MCP client to stop agents?" || q.Body.String() != "An external MCP client wants to stop agents on 'upload-retry' (muse)." {
		t.Errorf("card says %q, %q", q.Title, q.Body)
	}
	if !q.Danger || q.ProjectID != projectID || q.PieceID != pieceID || q.Client.Name != "claude-code" || q.Client.Version != "2.1" || len(q.Effect) != 1 || q.At.IsZero() {
		t.Errorf("card is %+v", q)
	}
	if len(k.engine.acted()) != 0 {
		t.Error("the engine acted before the answer")
	}
	k.allow(q)
	if a := k.ended(done); a.error {
		t.Errorf("the allowed call failed: %s", a.text)
	}
	if got := k.engine.acted(); len(got) != 1 || got[0].Bound != "run-1" || got[0].By != pieces.ByClient {
		t.Errorf("acted %+v", got)
	}
	if len(k.waiting) != 1 || k.waiting[0] != "Waiting for the person to answer the card in Fermata" {
		t.Errorf("the client was told %q", k.waiting)
	}
}

func TestPieceWithoutProjectIsNamedAlone(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.pieces[0].Piece.ProjectID = ""
	done := k.start(t.Context(), "piece_action", act("stopAgents"))
	q := k.cards(1)[0]
	if q.Body.String() != "An external MCP client wants to stop agents on 'upload-retry'." || q.ProjectID != "" {
		t.Errorf("card is %+v", q)
	}
	k.desk.StopAll()
	k.ended(done)
}

func TestDenyChangesNothing(t *testing.T) {
	t.Parallel()
	for note, want := range map[string]string{
		"":                   "The person denied this in Fermata.",
		" wait for\nthe CI ": `The person denied this in Fermata. They said: "wait for the CI"`,
	} {
		k := newRig(t)
		done := k.start(t.Context(), "piece_action", act("stopAgents"))
		if err := k.desk.Answer(k.cards(1)[0].ID, false, note); err != nil {
			t.Fatal(err)
		}
		if a := k.ended(done); !a.error || a.code != 0 || a.text != want {
			t.Errorf("denied with %q: %+v", note, a)
		}
		if len(k.engine.acted()) != 0 {
			t.Error("a denied call changed the piece")
		}
	}
}

func TestCancelWithdrawsTheCard(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := k.start(ctx, "piece_action", act("stopAgents"))
	q := k.cards(1)[0]
	cancel()
	if a := k.ended(done); a.text != sentenceCancelled {
		t.Errorf("cancelled: %+v", a)
	}
	k.cards(0)
	if k.desk.Answer(q.ID, true, "") == nil || len(k.engine.acted()) != 0 {
		t.Error("a withdrawn card can still be allowed")
	}
}

func TestStopOfTheServerIsNoDenial(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	done := k.start(t.Context(), "piece_action", act("stopAgents"))
	k.cards(1)
	k.desk.StopAll()
	if a := k.ended(done); a.text != "Fermata's MCP server stopped before the card was answered; nothing was changed." || len(k.engine.acted()) != 0 {
		t.Errorf("stopped: %+v", a)
	}
}

func TestIllegalActionShowsNoCard(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	wants(t, k.refused("piece_action", act("markDone")), "markDone is not legal now.", "Legal now: pauseAgents, stopAgents, messageTask.")
	k.cards(0)
}

func TestChangedEffectShowsANewCard(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	run := "run-1"
	k.engine.effect = func(engine.Request) pieces.Effect {
		return pieces.Effect{Lines: []pieces.Sentence{pieces.Quote(run)}, Fingerprint: run}
	}
	k.engine.act = func(r engine.Request) (engine.Result, error) {
		if r.Bound != run {
			return engine.Result{}, pieces.ErrStale
		}
		return engine.Result{Piece: k.engine.pieces[0]}, nil
	}
	done := k.start(t.Context(), "piece_action", act("stopAgents"))
	first := k.cards(1)[0]
	k.engine.change(func() { run = "run-2" })
	k.allow(first)
	second := k.cards(1)[0]
	for second.ID == first.ID {
		second = k.cards(1)[0]
	}
	if second.Effect[0].String() != "run-2" {
		t.Errorf("the second card shows %v", second.Effect)
	}
	k.allow(second)
	if a := k.ended(done); a.error {
		t.Errorf("allowed anew: %+v", a)
	}
}

func TestPieceThatMovedOnIsRefusedAfterTheCard(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	done := k.start(t.Context(), "piece_action", act("stopAgents"))
	q := k.cards(1)[0]
	k.engine.change(func() {
		k.engine.pieces[0].Piece.Phase, k.engine.pieces[0].Piece.Activity = pieces.PhaseReview, pieces.Idle
	})
	k.allow(q)
	a := k.ended(done)
	wants(t, a.text, "The piece moved on while the card waited. stopAgents is not legal now.", "Legal now: ", "approveTask")
	if !a.error || len(k.engine.acted()) != 0 {
		t.Errorf("an action that became illegal was carried out: %+v", a)
	}
	k.cards(0)
}

func TestRaceWithAnUnchangedEffectEnds(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.act = func(engine.Request) (engine.Result, error) { return engine.Result{}, pieces.ErrStale }
	done := k.start(t.Context(), "piece_action", act("stopAgents"))
	k.allow(k.cards(1)[0])
	if a := k.ended(done); a.text != sentenceRaced {
		t.Errorf("a race says %+v", a)
	}
}

func TestIdenticalCallsShareACard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newRig(t)
		first := k.start(t.Context(), "piece_action", act("stopAgents"))
		second := k.start(t.Context(), "piece_action", act("stopAgents"))
		synctest.Wait() // both wait for the person
		k.allow(k.cards(1)[0])
		for _, done := range []<-chan answer{first, second} {
			if a := k.ended(done); a.error {
				t.Errorf("a call that shared an allowed card failed: %+v", a)
			}
		}
		if n := len(k.engine.acted()); n != 1 {
			t.Errorf("one Allow was carried out %d times", n)
		}
		third := k.start(t.Context(), "piece_action", act("stopAgents"))
		k.allow(k.cards(1)[0])
		k.ended(third)
		if n := len(k.engine.acted()); n != 2 {
			t.Errorf("a later call was carried out %d times", n-1)
		}
	})
}

func TestSharedCardOutlivesTheCallThatRaisedIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newRig(t)
		ctx, cancel := context.WithCancel(t.Context())
		first := k.start(ctx, "piece_action", act("stopAgents"))
		second := k.start(t.Context(), "piece_action", act("stopAgents"))
		synctest.Wait()
		cancel()
		if a := k.ended(first); a.text != sentenceCancelled {
			t.Errorf("cancelled: %+v", a)
		}
		k.allow(k.cards(1)[0])
		if a := k.ended(second); a.error || len(k.engine.acted()) != 1 {
			t.Errorf("the call that stayed: %+v", a)
		}
	})
}

func TestPanicUnderASharedCardEndsEveryCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newRig(t)
		k.engine.act = func(engine.Request) (engine.Result, error) { panic("half way") }
		first := k.start(t.Context(), "piece_action", act("stopAgents"))
		second := k.start(t.Context(), "piece_action", act("stopAgents"))
		synctest.Wait()
		k.allow(k.cards(1)[0])
		for _, done := range []<-chan answer{first, second} {
			if a := k.ended(done); a.text != sentenceFault {
				t.Errorf("a panic says %+v", a)
			}
		}
	})
}

func TestDifferentCallsHaveCardsOfTheirOwn(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.everythingLegal = true
	k.engine.settings[keyAsk] = "true"
	a := k.start(t.Context(), "piece_action", act("messageTask", "taskId", taskID, "text", "one"))
	b := k.start(t.Context(), "piece_action", act("messageTask", "taskId", taskID, "text", "two"))
	for _, q := range k.cards(2) {
		if q.Danger {
			t.Error("a message is marked as dangerous")
		}
	}
	k.desk.StopAll()
	k.ended(a)
	k.ended(b)
}

// TestEveryActionAsksAsItsTierSays goes over all actions, with the setting on and off and on each lane.
func TestEveryActionAsksAsItsTierSays(t *testing.T) {
	t.Parallel()
	always := []string{"stopAgents", "markDone"}
	withSetting := []string{
		"startExecution", "resumeAgents", "retryFailedAgents", "resumeTask", "editTaskBrief", "messageTask", "answerTaskQuestion", "createPR",
	}
	verbs := map[string]string{
		"startExecution": "start agents", "stopAgents": "stop agents", "resumeAgents": "resume agents",
		"retryFailedAgents": "recover the failed agents", "editTaskBrief": "change a task's brief", "messageTask": "message a task's agent",
		"answerTaskQuestion": "answer a task's question", "createPR": "create a pull request", "markDone": "mark the piece done",
		"approveSpec": "approve the spec and run Auto", "resumeTask": "resume a task",
	}
	needs := values{"prompt": "x", "lane": "auto", "taskId": taskID, "text": "x", "blocker": draftID}
	contains := func(list []string, s string) bool {
		return strings.Contains(" "+strings.Join(list, " ")+" ", " "+s+" ")
	}
	if n := len(pieces.Rules()); n != 27 {
		t.Fatalf("there are %d actions", n)
	}
	for _, rule := range pieces.Rules() {
		action := string(rule.Action)
		for _, setting := range []string{"true", "false"} {
			for _, lane := range []string{"", "manual", "auto"} {
				if lane != "" && rule.Action != pieces.ApproveSpec {
					continue
				}
				k := newRig(t)
				k.engine.everythingLegal = true
				k.engine.settings[keyAsk] = setting
				args := act(action)
				for _, name := range actionArgs[rule.Action].needs {
					args[name] = needs[name]
				}
				if lane != "" {
					args["lane"] = lane
				}
				on := setting == "true"
				asks := contains(always, action) || on && (contains(withSetting, action) || action == "approveSpec" && lane == "auto")
				done := k.start(t.Context(), "piece_action", args)
				if asks {
					q := k.cards(1)[0]
					if q.Title.String() != "Allow the MCP client to "+verbs[action]+"?" || q.Danger != contains(always, action) {
						t.Errorf("%s asks %+v", action, q)
					}
					k.allow(q)
				}
				if a := k.ended(done); a.error {
					t.Errorf("%s, setting %s, lane %q: %+v", action, setting, lane, a)
				}
				if got := k.engine.acted(); len(got) != 1 || (got[0].Bound != "") != asks {
					t.Errorf("%s, setting %s, lane %q acted %+v", action, setting, lane, got)
				}
			}
		}
	}
}

func TestSettingIsReadOnEveryCall(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.everythingLegal = true
	k.ok("piece_action", act("createPR"))
	k.engine.change(func() { k.engine.settings[keyAsk] = "true" })
	done := k.start(t.Context(), "piece_action", act("createPR"))
	k.allow(k.cards(1)[0])
	k.ended(done)
	k.engine.change(func() { k.engine.settings[keyAsk] = "false" })
	k.ok("piece_action", act("createPR"))
}

// looking lets an engine know at once only a part of what an action does; what it sends on the channel is the rest.
func (k *rig) looking() chan<- pieces.Effect {
	found := make(chan pieces.Effect)
	k.engine.outline = []pieces.Sentence{pieces.Say("Removes the worktree.")}
	k.engine.look = func() (pieces.Effect, error) { return <-found, nil }
	return found
}

// known waits until it is known what the only card's Allow does.
func (k *rig) known() consent.Question {
	k.t.Helper()
	wake, stop := k.desk.Watch()
	defer stop()
	timeout := time.After(soon)
	for {
		if q := k.desk.Pending(); len(q) == 1 && !q[0].Looking {
			return q[0]
		}
		select {
		case <-wake:
		case <-timeout:
			k.t.Fatal("nobody finds out what Allow does")
		}
	}
}

func TestCardShowsBeforeItIsKnownWhatAllowDoes(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	found := k.looking()
	done := k.start(t.Context(), "piece_action", act("stopAgents"))
	q := k.cards(1)[0]
	if !q.Looking || len(q.Effect) != 1 || q.Effect[0].String() != "Removes the worktree." {
		t.Errorf("the card shows %+v", q)
	}
	if err := k.desk.Answer(q.ID, true, ""); !errors.Is(err, consent.ErrLooking) {
		t.Errorf("an Allow of what nobody knows: %v", err)
	}
	found <- pieces.Effect{Lines: []pieces.Sentence{pieces.Say("Removes the worktree."), pieces.Say("It has 1 changed file.")}, Fingerprint: "one"}
	if q = k.known(); len(q.Effect) != 2 {
		t.Errorf("then it shows %+v", q)
	}
	k.allow(q)
	if a := k.ended(done); a.error {
		t.Errorf("the allowed call failed: %s", a.text)
	}
	if got := k.engine.acted(); len(got) != 1 || got[0].Bound != "one" {
		t.Errorf("acted %+v", got)
	}
}

func TestDenyNeedNotWaitForWhatAllowWouldDo(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	found := k.looking()
	done := k.start(t.Context(), "piece_action", act("stopAgents"))
	if err := k.desk.Answer(k.cards(1)[0].ID, false, ""); err != nil {
		t.Fatal(err)
	}
	if a := k.ended(done); a.text != sentenceDenied || len(k.engine.acted()) != 0 {
		t.Errorf("denied: %+v", a)
	}
	close(found)
}

func TestCardOfWhatCannotBeFoundOutEndsWithWhatIsWrong(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.outline = []pieces.Sentence{pieces.Say("Removes the worktree.")}
	k.engine.look = func() (pieces.Effect, error) {
		return pieces.Effect{}, &engine.Refusal{Sentence: pieces.Say("Fermata cannot read the worktree, so it will not remove it.")}
	}
	a := k.ended(k.start(t.Context(), "piece_action", act("stopAgents")))
	if !a.error || a.text != "Fermata cannot read the worktree, so it will not remove it." || len(k.engine.acted()) != 0 {
		t.Errorf("answered: %+v", a)
	}
	k.cards(0)
}

func TestSecondCardSaysThatTheFirstAllowDidNotCount(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	found := k.looking()
	k.engine.act = func(r engine.Request) (engine.Result, error) {
		if r.Bound != "two" {
			return engine.Result{}, pieces.ErrStale
		}
		return engine.Result{Piece: k.engine.pieces[0]}, nil
	}
	done := k.start(t.Context(), "piece_action", act("stopAgents"))
	found <- pieces.Effect{Lines: []pieces.Sentence{pieces.Say("1 file")}, Fingerprint: "one"}
	first := k.known()
	if first.Again {
		t.Error("the first card says that it is another")
	}
	k.allow(first)
	found <- pieces.Effect{Lines: []pieces.Sentence{pieces.Say("2 files")}, Fingerprint: "two"}
	second := k.known()
	if second.ID == first.ID || !second.Again || second.Effect[0].String() != "2 files" {
		t.Errorf("the second card is %+v", second)
	}
	k.allow(second)
	if a := k.ended(done); a.error {
		t.Errorf("allowed anew: %+v", a)
	}
}

func TestCallsThatShareACardAreBoundToWhatItShows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newRig(t)
		run := "run-1"
		k.engine.effect = func(engine.Request) pieces.Effect {
			return pieces.Effect{Lines: []pieces.Sentence{pieces.Quote(run)}, Fingerprint: run}
		}
		first := k.start(t.Context(), "piece_action", act("stopAgents"))
		synctest.Wait()
		k.engine.change(func() { run = "run-2" })
		second := k.start(t.Context(), "piece_action", act("stopAgents"))
		synctest.Wait()
		q := k.cards(1)[0]
		if q.Effect[0].String() != "run-1" {
			t.Errorf("the card shows %v", q.Effect)
		}
		k.allow(q)
		k.ended(first)
		k.ended(second)
		if got := k.engine.acted(); len(got) != 1 || got[0].Bound != "run-1" {
			t.Errorf("acted %+v", got)
		}
	})
}
