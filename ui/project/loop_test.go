package project_test

import (
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/stage"
)

func TestTheLoopIsPlayedAndPausedInTheToolbar(t *testing.T) {
	e := usual()
	w := openWindow(t, stage.New(t), e, 1280, 800)
	w.sees("card:planned")
	if shows(w, "The Loop is paused") {
		t.Error("a Loop that nobody plays takes a line")
	}
	w.click("playLoop")
	w.logged("play " + e.project.ID + " by person")
	w.sees("pauseLoop")
	if stage.Has(w.Window, "playLoop") {
		t.Error("a Loop that plays can be played")
	}
	e.change(func() {
		e.project.LoopOpenPRs = 2
		for i := range e.list {
			if e.list[i].Piece.ID == "running" {
				e.list[i].Piece.Config.Lane, e.list[i].Prompts = pieces.LaneLoop, nil
			}
		}
	})
	w.Until("it says what it does", func() bool { return shows(w, "The Loop plays: 1 of 1 at work, 0 of 2 pull requests open") })
	w.Keep(w.Window, "loop-playing")
	// The pull request of an archived piece is open all the same, whether the board shows the piece or not.
	e.change(func() {
		e.list = append(e.list, pieces.Snapshot{Piece: pieces.Piece{
			ID: "archived", Archived: true, Phase: pieces.PhaseComplete, Activity: pieces.Idle, Config: pieces.Config{Lane: pieces.LaneLoop},
			PR: &pieces.PullRequest{Number: 7, State: pieces.PullRequestOpen},
		}})
	})
	w.Until("it counts it", func() bool { return shows(w, "1 of 2 pull requests open") })
	w.click("pauseLoop")
	w.logged("pause " + e.project.ID + " by person")
	w.Until("it says what still runs", func() bool { return shows(w, "The Loop is paused; 1 at work to the next gate") })
}

func TestARefusedLoopIsSaid(t *testing.T) {
	e := usual()
	w := openWindow(t, stage.New(t), e, 1280, 800)
	w.sees("card:planned")
	e.change(func() { e.refuse = &engine.Refusal{Sentence: pieces.Say("The disk is full.")} })
	w.click("playLoop")
	w.Until("the problem is shown", func() bool { return shows(w, "The Loop was not changed: The disk is full.") })
	w.sees("playLoop")
}

func TestTheLoopsNumbersAreSet(t *testing.T) {
	w := settingsOf(t, usual())
	w.Type(w.Window, "project:loopAtOnce", "no")
	w.click("project:save")
	w.Until("the number is refused", func() bool { return shows(w, "A whole number from 1 to 16.") })
	w.Type(w.Window, "project:loopAtOnce", "2")
	w.Type(w.Window, "project:loopOpenPRs", "5")
	w.click("project:save")
	if e := w.edited(); e.LoopAtOnce == nil || *e.LoopAtOnce != 2 || *e.LoopOpenPRs != 5 {
		t.Errorf("edited %+v", e)
	}
}

func TestWhatWaitsForItsTurnDoesNotSayThatItRuns(t *testing.T) {
	e := usual()
	e.change(func() {
		for i := range e.list {
			if s := &e.list[i]; s.Piece.ID == "planned" {
				s.Piece.Activity, s.Queued = pieces.Running, []string{"planned"}
			}
		}
	})
	w := openWindow(t, stage.New(t), e, 1280, 800)
	w.sees("card:planned")
	if !shows(w, "Waiting for its turn") {
		t.Error("the card does not say that the piece waits")
	}
	w.click("card:planned")
	w.click("tab:agents")
	w.Until("the agents say that they wait", func() bool { return shows(w, "Waits for its turn") })
	w.Keep(w.Window, "waits-for-turn")
}
