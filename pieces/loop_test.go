package pieces

import (
	"slices"
	"testing"
	"time"
)

// onLoop is a piece of the Loop's lane at a state.
func onLoop(id string, p Phase, a Activity, change ...func(*Snapshot)) Snapshot {
	s := Snapshot{Piece: Piece{
		ID: id, Phase: p, Activity: a, Branch: "fermata/" + id, Worktree: "/w/" + id, Config: Config{Lane: LaneLoop, ResumeAfterLimit: true},
	}}
	for _, c := range change {
		c(&s)
	}
	return s
}

func withOpenPR(s *Snapshot) { s.Piece.PR = &PullRequest{State: PullRequestOpen} }

func agent(state TaskState, approved bool) Task {
	return Task{ID: "t", Kind: TaskAgent, State: state, Approved: approved}
}

func TestWhatALoopDoesNext(t *testing.T) {
	t.Parallel()
	drafts := []Draft{{ID: "manual", Lane: LaneManual}, {ID: "d1", Lane: LaneLoop}, {ID: "d2", Lane: LaneLoop}, {ID: "d3", Lane: LaneLoop}}
	specReady := func(id string) Snapshot { return onLoop(id, PhaseSpec, Idle) }
	busy := func(id string) Snapshot { return onLoop(id, PhaseStrategy, Planning) }
	merge := func(id string) Snapshot { return onLoop(id, PhaseComplete, Idle, withOpenPR) }
	failed := func(id string) Snapshot { return onLoop(id, PhaseStrategy, Failed) }
	for name, c := range map[string]struct {
		atOnce, openPRs int
		paused          bool
		pieces          []Snapshot
		change          func(*Loop)
		want            []LoopMove
	}{
		"a paused Loop does nothing":                   {paused: true, pieces: []Snapshot{specReady("a")}},
		"it takes the oldest draft of its lane":        {want: []LoopMove{{ID: "d1"}}},
		"as many as it may at once":                    {atOnce: 2, want: []LoopMove{{ID: "d1"}, {ID: "d2"}}},
		"what works takes a place":                     {atOnce: 2, pieces: []Snapshot{busy("a")}, want: []LoopMove{{ID: "d1"}}},
		"no place is free":                             {pieces: []Snapshot{busy("a")}},
		"a piece goes on before a draft starts":        {pieces: []Snapshot{specReady("a")}, want: []LoopMove{{"a", ApproveSpec}}},
		"the older piece first":                        {pieces: []Snapshot{specReady("a"), specReady("b")}, want: []LoopMove{{"a", ApproveSpec}}},
		"a piece at a gate waits for a place":          {pieces: []Snapshot{busy("a"), specReady("b")}},
		"pieces of other lanes take no place":          {pieces: []Snapshot{busy("a")}, change: func(l *Loop) { l.Pieces[0].Piece.Config.Lane = LaneAuto }, want: []LoopMove{{ID: "d1"}}},
		"the limit of open pull requests":              {atOnce: 2, openPRs: 2, pieces: []Snapshot{merge("a"), merge("b")}},
		"what works will be one more pull request":     {atOnce: 2, openPRs: 2, pieces: []Snapshot{merge("a"), busy("b")}},
		"room for one more pull request":               {atOnce: 4, openPRs: 3, pieces: []Snapshot{merge("a"), merge("b")}, want: []LoopMove{{ID: "d1"}}},
		"archived, its pull request still counts":      {openPRs: 1, pieces: []Snapshot{onLoop("a", PhaseComplete, Idle, withOpenPR, func(s *Snapshot) { s.Piece.Archived = true })}},
		"a merged pull request does not":               {openPRs: 1, pieces: []Snapshot{onLoop("a", PhaseComplete, Idle, func(s *Snapshot) { s.Piece.PR = &PullRequest{State: PullRequestMerged} })}, want: []LoopMove{{ID: "d1"}}},
		"a failed piece gives its place back":          {pieces: []Snapshot{failed("a")}, want: []LoopMove{{ID: "d1"}}},
		"three failures, and it takes nothing new":     {pieces: []Snapshot{failed("a"), failed("b"), failed("c"), specReady("d")}, want: []LoopMove{{"d", ApproveSpec}}},
		"a draft that waits on another is passed over": {change: func(l *Loop) { l.Blocked = map[string]bool{"d1": true} }, want: []LoopMove{{ID: "d2"}}},
		"a draft whose start went wrong rests":         {change: func(l *Loop) { l.Resting = map[string]bool{"d1": true} }, want: []LoopMove{{ID: "d2"}}},
		"a draft that is being released takes a place": {atOnce: 2, change: func(l *Loop) { l.Taken = map[string]bool{"d1": true} }, want: []LoopMove{{ID: "d2"}}},
		"a question gives the place back":              {pieces: []Snapshot{onLoop("a", PhaseSpec, Idle, func(s *Snapshot) { s.Piece.Interview.Questions = []Question{{Text: "?"}} })}, want: []LoopMove{{ID: "d1"}}},
		"an agent that waits gives the place back":     {pieces: []Snapshot{onLoop("a", PhaseAgents, Running, func(s *Snapshot) { s.Prompts = []Prompt{{}}; s.Tasks = []Task{agent(TaskWaiting, false)} })}, want: []LoopMove{{ID: "d1"}}},
		"not while another agent of the piece works": {pieces: []Snapshot{onLoop("a", PhaseAgents, Running, func(s *Snapshot) {
			s.Prompts = []Prompt{{}}
			s.Tasks = []Task{agent(TaskWaiting, false), agent(TaskRunning, false)}
		})}},
		"a run that resumes after a limit keeps it":     {pieces: []Snapshot{onLoop("a", PhaseAgents, Paused, func(s *Snapshot) { s.Piece.Pause, s.Piece.LimitEnds = PauseLimitReached, time.Unix(1, 0) })}},
		"the person's own changes take no place":        {pieces: []Snapshot{onLoop("a", PhaseReview, Changing)}, want: []LoopMove{{ID: "d1"}}},
		"a piece that waits on others is not pressed":   {pieces: []Snapshot{onLoop("a", PhaseSpec, Idle, func(s *Snapshot) { s.Flags.Dependencies = true; s.Dependencies = []Dependency{{Standing: Unmet}} })}, want: []LoopMove{{ID: "d1"}}},
		"to approve needs no place":                     {pieces: []Snapshot{busy("a"), reviewed("b", false)}, want: []LoopMove{{"b", ApproveTask}}},
		"and keeps one for its pull request":            {pieces: []Snapshot{reviewed("b", false)}, want: []LoopMove{{"b", ApproveTask}}},
		"to open a pull request does":                   {pieces: []Snapshot{busy("a"), reviewed("b", true)}},
		"and opens it":                                  {pieces: []Snapshot{reviewed("b", true)}, want: []LoopMove{{"b", CreatePR}}},
		"a refused pull request waits for the person":   {pieces: []Snapshot{reviewed("b", true)}, change: func(l *Loop) { l.Pieces[0].Piece.Failure = "no token" }, want: []LoopMove{{ID: "d1"}}},
		"cut off by Fermata's end it is opened again":   {pieces: []Snapshot{reviewed("b", true)}, change: func(l *Loop) { l.Pieces[0].Piece.Failure = "x"; l.CutOff = map[string]bool{"b": true} }, want: []LoopMove{{"b", CreatePR}}},
		"a failed step is the person's":                 {pieces: []Snapshot{failed("a")}, change: func(l *Loop) { l.Drafts = nil }},
		"one that Fermata's end cut off is the Loop's":  {pieces: []Snapshot{failed("a")}, change: func(l *Loop) { l.CutOff = map[string]bool{"a": true} }, want: []LoopMove{{"a", GenerateStrategy}}},
		"work that did not pass its review is not":      {pieces: []Snapshot{reviewed("b", false)}, change: func(l *Loop) { l.Pieces[0].Piece.WorkReview, l.Drafts = WorkReviewNone, nil }},
		"nor work with an agent that did not complete":  {pieces: []Snapshot{reviewed("b", false)}, change: func(l *Loop) { l.Pieces[0].Tasks[0].State, l.Drafts = TaskFailed, nil }},
		"nothing happens to a piece without its folder": {pieces: []Snapshot{specReady("a")}, change: func(l *Loop) { l.Pieces[0].Piece.WorktreeMissing, l.Drafts = true, nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := Loop{Project: Project{LoopPlaying: !c.paused, LoopAtOnce: c.atOnce, LoopOpenPRs: c.openPRs}, Drafts: slices.Clone(drafts), Pieces: c.pieces}
			if c.change != nil {
				c.change(&l)
			}
			if got := l.Next(); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// reviewed is a piece in Review whose work passed.
func reviewed(id string, approved bool) Snapshot {
	return onLoop(id, PhaseReview, Idle, func(s *Snapshot) {
		s.Piece.WorkReview, s.Tasks = WorkReviewPassed, []Task{agent(TaskCompleted, approved)}
	})
}

func TestALoopSaysWhatItDoes(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]LoopStanding{
		"The Loop is paused":                                               {},
		"The Loop is paused; 1 at work to the next gate":                   {AtWork: 1},
		"The Loop plays: 1 of 2 at work, 0 of 3 pull requests open":        {Playing: true, AtWork: 1, AtOnce: 2, MayPRs: 3},
		"The Loop plays and starts nothing: 3 of 3 pull requests are open": {Playing: true, OpenPRs: 3, MayPRs: 3, AtOnce: 1},
		"The Loop plays and takes no new draft: 3 of its pieces failed":    {Playing: true, Failed: 3, Waiting: 2, MayPRs: 3, AtOnce: 1},
		"The Loop plays; 1 draft waits":                                    {Playing: true, Waiting: 1, MayPRs: 3, AtOnce: 1},
		"The Loop plays; no draft of its lane waits":                       {Playing: true, MayPRs: 3, AtOnce: 1},
	} {
		if got := s.Words(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
