package agent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/agent"
	"fermata/pieces/agent/host"
)

// The test binary plays every part: the agent host, a scripted Claude Code, and an app that is killed.
const (
	hostArgument = "agent-host"
	fakeVariable = "AGENT_TEST_FAKE"
	appVariable  = "AGENT_TEST_APP"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == hostArgument {
		os.Exit(host.Serve(context.Background(), os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	if name := os.Getenv(fakeVariable); name != "" {
		playClaude(name)
		os.Exit(0)
	}
	if config := os.Getenv(appVariable); config != "" {
		playApp(config)
		os.Exit(0)
	}
	code := m.Run()
	if leaked := goroutines(); code == 0 && leaked != "" {
		fmt.Fprintf(os.Stderr, "goroutines outlived their run:\n%s\n", leaked)
		code = 1
	}
	os.Exit(code)
}

// goroutines returns the stacks that are still in a run, after every run of every test is done.
func goroutines() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var found []string
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(stack, "fermata/pieces/agent.(*") {
			found = append(found, stack)
		}
	}
	return strings.Join(found, "\n\n")
}

func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// limit is how long any one thing may take on a loaded machine.
const limit = 90 * time.Second

// session is a run with what it told.
type session struct {
	*agent.Run
	launch pieces.Launch

	mu     sync.Mutex
	change chan struct{}
	events []pieces.SessionEvent
}

func (s *session) take(e pieces.SessionEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
	close(s.change)
	s.change = make(chan struct{})
}

// await returns the n-th event (from 1) that is wanted, past or to come.
func (s *session) await(t *testing.T, what string, n int, wanted func(pieces.SessionEvent) bool) pieces.SessionEvent {
	t.Helper()
	giveUp := time.After(limit)
	for {
		s.mu.Lock()
		change, seen, ended := s.change, 0, false
		for _, e := range s.events {
			if wanted(e) {
				if seen++; seen == n {
					s.mu.Unlock()
					return e
				}
			}
			ended = ended || e.Ended != nil
		}
		s.mu.Unlock()
		if ended {
			t.Fatalf("the run ended without %s %d:\n%s", what, n, s.story())
		}
		select {
		case <-change:
		case <-giveUp:
			t.Fatalf("no %s %d in time:\n%s", what, n, s.story())
		}
	}
}

func (s *session) turn(t *testing.T, n int) pieces.TurnEnd {
	t.Helper()
	return *s.await(t, "turn", n, func(e pieces.SessionEvent) bool { return e.Turn != nil }).Turn
}

func (s *session) prompt(t *testing.T, n int) pieces.Prompt {
	t.Helper()
	return *s.await(t, "prompt", n, func(e pieces.SessionEvent) bool { return e.Prompt != nil }).Prompt
}

func (s *session) message(t *testing.T, role pieces.MessageRole, text string) pieces.Message {
	t.Helper()
	return *s.await(t, string(role)+" "+text, 1, func(e pieces.SessionEvent) bool {
		return e.Message != nil && e.Message.Role == role && strings.Contains(e.Message.Text, text)
	}).Message
}

// ended waits for the run's end and checks what holds for every run.
func (s *session) ended(t *testing.T) pieces.SessionEnd {
	t.Helper()
	select {
	case <-s.Done():
	case <-time.After(limit):
		t.Fatalf("the run does not end:\n%s", s.story())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.events[0].Started == nil || s.events[len(s.events)-1].Ended == nil {
		t.Errorf("the run does not begin with Started and end with Ended")
	}
	seq := int64(0)
	for _, e := range s.events {
		if e.Message == nil {
			continue
		}
		if seq++; e.Message.Seq != seq {
			t.Errorf("message %d has the number %d", seq, e.Message.Seq)
		}
	}
	end := s.events[len(s.events)-1].Ended
	if len(end.Left) != 0 || host.Alive(s.events[0].Started.Host) {
		t.Errorf("left alive: %v, host %v", end.Left, host.Alive(s.events[0].Started.Host))
	}
	return *end
}

func (s *session) story() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, e := range s.events {
		switch {
		case e.Started != nil:
			b.WriteString("started\n")
		case e.Message != nil:
			fmt.Fprintf(&b, "%d %s %s %q %s\n", e.Message.Seq, e.Message.Role, e.Message.Tool, e.Message.Text, e.Message.Input)
		case e.Prompt != nil:
			fmt.Fprintf(&b, "prompt %s %s %s\n", e.Prompt.Kind, e.Prompt.Tool, e.Prompt.Input)
		case e.PromptGone != "":
			b.WriteString("prompt gone\n")
		case e.Turn != nil:
			fmt.Fprintf(&b, "turn %+v\n", *e.Turn)
		case e.Ended != nil:
			fmt.Fprintf(&b, "ended %+v\n", *e.Ended)
		}
	}
	return b.String()
}

// begin starts a run that is over when the test is.
func begin(t *testing.T, ctx context.Context, o agent.Options, launch pieces.Launch) *session {
	t.Helper()
	o.Host = []string{executable(t), hostArgument}
	if launch.SessionID == "" {
		launch.SessionID = uuid.NewString()
	}
	if launch.Dir == "" {
		launch.Dir = folder(t)
	}
	if launch.Profile == "" {
		launch.Profile = pieces.ProfileStandard
	}
	s := &session{launch: launch, change: make(chan struct{})}
	ctx, cancel := context.WithCancel(ctx)
	t.Cleanup(cancel)
	run, err := agent.New(o).Start(ctx, launch, s.take)
	if err != nil {
		t.Fatal(err)
	}
	s.Run = run
	t.Cleanup(func() { cancel(); <-run.Done() })
	return s
}

// folder is a temporary folder without symbolic links in its path.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
