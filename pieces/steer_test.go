package pieces

import (
	"strings"
	"testing"
	"time"
)

func TestABriefIsRewrittenOfAgentsThatFailedOrHaveNotStarted(t *testing.T) {
	t.Parallel()
	for state, refused := range map[TaskState]bool{
		TaskPending: false, TaskBlocked: false, TaskFailed: false, TaskInterrupted: false, TaskCancelled: false,
		TaskRunning: true, TaskWaiting: true, TaskCompleted: true,
	} {
		if words := BriefRefusal(Task{Kind: TaskAgent, Name: "A", State: state}); words.Empty() == refused {
			t.Errorf("%s: %q", state, words)
		}
	}
	if BriefRefusal(Task{Kind: TaskReview, State: TaskFailed}).Empty() {
		t.Error("the review step's brief can be rewritten")
	}
}

func TestASessionTakesAMessageWhileItIsIdleOrFailed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		task    Task
		session SessionState
		says    string // empty: it takes the message
	}{
		{Task{State: TaskCompleted, SessionID: "s"}, SessionCompleted, ""},
		{Task{State: TaskFailed, SessionID: "s"}, SessionFailed, ""},
		{Task{State: TaskPending, SessionID: "s"}, SessionFailed, ""},
		{Task{State: TaskFailed}, "", "no session yet"},
		{Task{State: TaskPending}, "", "no session yet"},
		{Task{State: TaskRunning}, "", "still setting up"},
		{Task{State: TaskRunning, SessionID: "s"}, SessionStarting, "still setting up"},
		{Task{State: TaskRunning, SessionID: "s"}, SessionWorking, "is working"},
		{Task{State: TaskWaiting, SessionID: "s"}, SessionAwaitingInput, "waiting on you"},
		{Task{State: TaskCompleted, SessionID: "s", Kind: TaskReview}, SessionCompleted, "review step"},
	} {
		if c.task.Kind == "" {
			c.task.Kind = TaskAgent
		}
		words := MessageRefusal(Snapshot{Sessions: []Session{{ID: "s", State: c.session}}}, c.task).String()
		if (words == "") != (c.says == "") || !strings.Contains(words, c.says) {
			t.Errorf("%s with a session that is %s: %q, want %q", c.task.State, c.session, words, c.says)
		}
	}
}

func TestARunGoesOnByItselfOnlyOnceAndWhereItMay(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)
	waits := Piece{Phase: PhaseAgents, Activity: Paused, Pause: PauseLimitReached, LimitEnds: at, Config: Config{ResumeAfterLimit: true}}
	if got, ok := (Snapshot{Piece: waits}).ResumesAt(); !ok || !got.Equal(at) {
		t.Errorf("resumes at %v, %v", got, ok)
	}
	for what, change := range map[string]func(*Piece){
		"it already did":        func(p *Piece) { p.LimitResumed = true },
		"the piece forbids it":  func(p *Piece) { p.Config.ResumeAfterLimit = false },
		"the end is not known":  func(p *Piece) { p.LimitEnds = time.Time{} },
		"the person paused it":  func(p *Piece) { p.Pause = PauseByPerson },
		"it is no longer there": func(p *Piece) { p.Activity = Running },
	} {
		p := waits
		change(&p)
		if _, ok := (Snapshot{Piece: p}).ResumesAt(); ok {
			t.Errorf("it resumes although %s", what)
		}
	}
}
