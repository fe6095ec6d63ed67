package pieces

import (
	"slices"
	"testing"
)

func TestStandingOfABlocker(t *testing.T) {
	t.Parallel()
	pr := func(s PullRequestState) *PullRequest { return &PullRequest{State: s} }
	for _, c := range []struct {
		piece Piece
		want  Standing
	}{
		{Piece{Phase: PhaseSpec, Activity: Interviewing}, Unmet},
		{Piece{Phase: PhaseSpec, Activity: Failed}, Wrong},
		{Piece{Phase: PhaseSpec, Activity: DependencyBlocked}, Unmet},
		{Piece{Phase: PhaseStrategy, Activity: Failed}, Wrong},
		{Piece{Phase: PhaseStrategy, Activity: Idle, Archived: true}, Wrong},
		{Piece{Phase: PhaseAgents, Activity: Failed}, Wrong},
		{Piece{Phase: PhaseAgents, Activity: Running}, Unmet},
		{Piece{Phase: PhaseAgents, Activity: Stopping}, Unmet},
		{Piece{Phase: PhaseAgents, Activity: StopFailed}, Wrong},
		{Piece{Phase: PhaseAgents, Activity: Finished}, Wrong},
		{Piece{Phase: PhaseAgents, Activity: Paused, Pause: PauseByPerson}, Unmet},
		{Piece{Phase: PhaseAgents, Activity: Paused, Pause: PauseSentBack}, Unmet},
		{Piece{Phase: PhaseAgents, Activity: Paused, Pause: PauseLimitReached}, Unmet},
		{Piece{Phase: PhaseAgents, Activity: Paused, Pause: PauseStopped}, Wrong},
		{Piece{Phase: PhaseAgents, Activity: Paused, Pause: PauseInterrupted}, Wrong},
		{Piece{Phase: PhaseAgents, Activity: Paused, Pause: PauseBudgetReached}, Wrong},
		{Piece{Phase: PhaseAgents, Activity: Paused, Pause: PauseReviewStepFailed}, Wrong},
		{Piece{Phase: PhaseReview, Activity: Idle}, Unmet},
		{Piece{Phase: PhaseReview, Activity: Idle, Archived: true}, Wrong},
		{Piece{Phase: PhaseComplete, Activity: Idle}, Met},
		{Piece{Phase: PhaseComplete, Activity: Idle, Archived: true}, Met},
		{Piece{Phase: PhaseComplete, Activity: CreatingPR}, Unmet},
		{Piece{Phase: PhaseComplete, Activity: Idle, PR: pr(PullRequestOpen)}, Unmet},
		{Piece{Phase: PhaseComplete, Activity: Idle, PR: pr(PullRequestMerged)}, Met},
		{Piece{Phase: PhaseComplete, Activity: Changing, PR: pr(PullRequestMerged)}, Met},
		{Piece{Phase: PhaseComplete, Activity: Idle, PR: pr(PullRequestClosed)}, Wrong},
		{Piece{Phase: PhaseComplete, Activity: Idle, PR: pr(PullRequestOpen), Archived: true}, Wrong},
	} {
		if d := DependencyOn(Link{}, &Snapshot{Piece: c.piece}, nil); d.Standing != c.want {
			t.Errorf("%+v: %v, want %v", c.piece, d.Standing, c.want)
		}
	}
}

func TestADependencyShowsItsBlocker(t *testing.T) {
	t.Parallel()
	l := Link{ItemID: "a", BlockerID: "b", Name: "as it was", Origin: OriginManual}
	tasks := []Task{{Kind: TaskAgent, State: TaskCompleted}, {Kind: TaskAgent}, {Kind: TaskReview}}
	for _, c := range []struct {
		got, want Dependency
	}{
		{
			DependencyOn(l, &Snapshot{Piece: Piece{Name: "now", Phase: PhaseAgents, Activity: Running, Source: &Source{Key: "SUP-1"}}, Tasks: tasks}, nil),
			Dependency{ID: "b", Key: "SUP-1", Name: "now", Origin: OriginManual, State: "Agents 1/2", Standing: Unmet},
		},
		{DependencyOn(l, &Snapshot{Piece: Piece{Name: "now", Phase: PhaseComplete, Activity: Idle}}, nil), Dependency{ID: "b", Name: "now", Origin: OriginManual, State: "Done", Standing: Met}},
		{DependencyOn(l, nil, &Draft{Title: "now"}), Dependency{ID: "b", Name: "now", Origin: OriginManual, State: "Backlog", Standing: Unmet}},
		{DependencyOn(l, nil, nil), Dependency{ID: "b", Name: "as it was", Origin: OriginManual, State: "deleted", Standing: Wrong}},
	} {
		if c.got != c.want {
			t.Errorf("got %+v, want %+v", c.got, c.want)
		}
	}
}

func TestBlockingKeysNameWhatIsNotMet(t *testing.T) {
	t.Parallel()
	list := []Dependency{{ID: "met", Standing: Met}, {ID: "open"}, {ID: "x", Key: "SUP-2", Standing: Wrong}}
	if got := BlockingKeys(list); !slices.Equal(got, []string{"open", "SUP-2"}) {
		t.Errorf("keys %q", got)
	}
	if got := BlockingKeys(nil); got == nil || len(got) != 0 {
		t.Errorf("without dependencies: %#v", got)
	}
	for _, name := range []string{"X", "sup-2"} {
		if !list[2].Is(name) {
			t.Errorf("%s does not name it", name)
		}
	}
	if list[1].Is("") {
		t.Error("the empty name means something")
	}
}

func TestALinkThatClosesACircleIsSeen(t *testing.T) {
	t.Parallel()
	links := []Link{{ItemID: "c", BlockerID: "b"}, {ItemID: "b", BlockerID: "a"}, {ItemID: "x", BlockerID: "y"}, {ItemID: "y", BlockerID: "x"}}
	for _, c := range []struct {
		item, blocker string
		want          bool
	}{{"a", "c", true}, {"a", "b", true}, {"a", "a", true}, {"c", "a", false}, {"a", "d", false}, {"a", "x", false}, {"d", "c", false}} {
		if got := WouldLoop(links, c.item, c.blocker); got != c.want {
			t.Errorf("%s waiting on %s: %v", c.item, c.blocker, got)
		}
	}
}

func TestDependenciesMoveOnlyWhatRunsByItself(t *testing.T) {
	t.Parallel()
	open, wrong, met := []Dependency{{ID: "b"}}, []Dependency{{ID: "b"}, {ID: "c", Standing: Wrong}}, []Dependency{{ID: "b", Standing: Met}}
	type item struct {
		phase    Phase
		activity Activity
		lane     Lane
		play     bool
		off      bool
		archived bool
	}
	for _, c := range []struct {
		item item
		on   []Dependency
		want Trigger
	}{
		{item{PhaseSpec, Idle, LaneAuto, true, false, false}, open, OnDependencyUnmet},
		{item{PhaseStrategy, Idle, LaneLoop, false, false, false}, open, OnDependencyUnmet},
		{item{PhaseSpec, Idle, LaneAuto, true, false, false}, wrong, OnDependencyFailed},
		{item{PhaseSpec, Waiting, LaneAuto, true, false, false}, wrong, OnDependencyFailed},
		{item{PhaseStrategy, DependencyBlocked, LaneAuto, true, false, false}, open, OnDependencyUnmet},
		{item{PhaseStrategy, DependencyBlocked, LaneAuto, true, false, false}, met, OnDependenciesMet},
		{item{PhaseSpec, Waiting, LaneAuto, true, false, false}, nil, OnDependenciesMet},
		{item{PhaseSpec, Waiting, LaneManual, false, false, false}, open, OnDependenciesMet},
		{item{PhaseSpec, Waiting, LaneAuto, true, false, false}, open, ""},
		{item{PhaseSpec, Idle, LaneManual, false, false, false}, open, ""},
		{item{PhaseSpec, Idle, LaneAuto, false, false, false}, open, ""},
		{item{PhaseSpec, Idle, LaneAuto, true, false, false}, met, ""},
		{item{PhaseSpec, Interviewing, LaneAuto, true, false, false}, open, ""},
		{item{PhaseSpec, Failed, LaneAuto, true, false, false}, open, ""},
		{item{PhaseAgents, Idle, LaneAuto, true, false, false}, open, ""},
		{item{PhaseSpec, Idle, LaneAuto, true, true, false}, open, ""},
		{item{PhaseSpec, Waiting, LaneAuto, true, true, false}, open, ""},
		{item{PhaseSpec, Waiting, LaneAuto, true, false, true}, met, ""},
	} {
		s := Snapshot{
			Piece:        Piece{Phase: c.item.phase, Activity: c.item.activity, Config: Config{Lane: c.item.lane}, Play: c.item.play, Archived: c.item.archived},
			Dependencies: c.on, Flags: Flags{Dependencies: !c.item.off},
		}
		if got := s.DependencyMove(); got != c.want {
			t.Errorf("%+v on %+v: %q, want %q", c.item, c.on, got, c.want)
		}
	}
}

func TestADraftWaitsOnceItIsReleasedOrOfferedToAPlayingLoop(t *testing.T) {
	t.Parallel()
	open := []Dependency{{ID: "b"}}
	for _, c := range []struct {
		draft Draft
		on    []Dependency
		want  bool
	}{
		{Draft{Lane: LaneAuto, ReleasedBy: ByClient}, open, true},
		{Draft{Lane: LaneAuto}, open, false},
		{Draft{Lane: LaneLoop, ReleasedBy: ByClient}, nil, false},
		{Draft{Lane: LaneManual, ReleasedBy: ByClient}, open, false},
		{Draft{Lane: LaneLoop}, open, false},
		{Draft{Lane: LaneLoop, Offered: true}, open, true},
		{Draft{Lane: LaneLoop, Offered: true}, nil, false},
	} {
		if got := c.draft.Waits(c.on); got != c.want {
			t.Errorf("%+v on %+v: %v", c.draft, c.on, got)
		}
	}
}

func TestAHeldPieceCanHaveItsTextsWrittenAgain(t *testing.T) {
	t.Parallel()
	f := permissive
	f.Held = true
	for _, c := range []struct {
		state  State
		action Action
	}{
		{at(PhaseSpec, Failed), InterviewMessage},
		{at(PhaseSpec, Waiting), InterviewMessage},
		{at(PhaseStrategy, Failed), GenerateStrategy},
		{at(PhaseStrategy, DependencyBlocked), GenerateStrategy},
	} {
		if !Legal(c.action, c.state, Idle, f) {
			t.Errorf("%s is not legal at %+v", c.action, c.state)
		}
	}
}
