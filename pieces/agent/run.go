package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/agent/host"
)

var (
	// ErrPromptGone says that nobody waits for this answer any more.
	ErrPromptGone = errors.New("the prompt is gone")
	// ErrEnded says that the session's process is gone or is being ended.
	ErrEnded = errors.New("the session has ended")
	// ErrTurnRunning says that the session can't be finished in mid turn.
	ErrTurnRunning = errors.New("a turn is running")
)

// Run is one running session. Its methods may be called from any goroutine.
type Run struct {
	launch  pieces.Launch
	policy  Policy
	log     *slog.Logger
	process *spawned
	events  *queue
	outbox  *outbox
	stderr  tail
	tasks   sync.WaitGroup // every goroutine but supervise
	gone    chan struct{}  // closed when the host has exited
	done    chan struct{}  // closed after the last event

	mu         sync.Mutex
	ready      bool     // Claude Code has answered initialize
	waiting    []string // user messages from before that
	busy       bool     // a turn runs
	turnEnded  chan struct{}
	pending    map[string]question
	replies    map[string]chan controlReply
	remembered map[string]bool   // rules approved for the session or the project
	toolNames  map[string]string // by tool use id, until the result comes
	seq        int64
	limitEnds  *time.Time
	closing    bool // no more user messages
	stopping   bool
	over       bool // no more tasks
	fatal      failure
	lastTurn   *pieces.TurnEnd
	exit       *int
	left       []host.Survivor
	leftKnown  bool
	end        pieces.SessionEnd
}

func newRun(launch pieces.Launch, p *spawned, log *slog.Logger) *Run {
	return &Run{
		launch: launch, process: p, log: log,
		policy: Policy{
			Profile: launch.Profile, ReadOnly: launch.ReadOnly, Worktree: launch.Dir, Allowed: launch.AllowedCommands,
		},
		events: newQueue(), outbox: newOutbox(),
		gone: make(chan struct{}), done: make(chan struct{}), turnEnded: make(chan struct{}),
		pending: map[string]question{}, replies: map[string]chan controlReply{}, remembered: map[string]bool{},
		toolNames: map[string]string{},
	}
}

// Done is closed when the run has ended: every process is gone or reported, and every event was received.
func (r *Run) Done() <-chan struct{} { return r.done }

const (
	readyLimit = 90 * time.Second // for Claude Code to answer its first request
	drainLimit = 2 * time.Second  // for output that is still in the pipes when the host is gone
)

func (r *Run) begin(ctx context.Context, emit func(pieces.SessionEvent)) {
	emitted := make(chan struct{})
	go func() {
		defer close(emitted)
		r.events.drain(emit)
	}()
	r.events.put(pieces.SessionEvent{Started: &pieces.SessionStarted{Host: r.process.host}})
	r.outbox.put(r.initialize())
	if r.launch.Prompt != "" {
		r.waiting = append(r.waiting, r.launch.Prompt)
		r.busy = true
		r.say(pieces.Message{Role: pieces.RolePerson, Text: r.launch.Prompt})
	}
	var readers sync.WaitGroup
	readers.Go(func() { readLines(r.process.stdout, longestLine, r.hear, r.lineSkipped) })
	readers.Go(func() { r.stderr.read(r.process.stderr) })
	readers.Go(r.readReports)
	r.tasks.Go(func() { r.outbox.drain(r.process.stdin) })
	r.tasks.Go(func() { r.watch(ctx) })
	go r.supervise(ctx, &readers, emitted)
}

// watch ends the run with the app, or when Claude Code never answers.
func (r *Run) watch(ctx context.Context) {
	limit := time.NewTimer(readyLimit)
	defer limit.Stop()
	for {
		select {
		case <-r.gone:
			return
		case <-ctx.Done():
			r.beginStop()
			return
		case <-limit.C:
			if !r.isReady() {
				r.fail(failure{kind: pieces.FailureOther, sentence: "Claude Code did not answer its first request in time."})
			}
		}
	}
}

func (r *Run) isReady() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ready
}

func (r *Run) readReports() {
	for {
		var report host.Report
		if err := r.process.reports.Decode(&report); err != nil {
			return
		}
		r.mu.Lock()
		if report.Exit != nil {
			r.exit = report.Exit
		}
		if report.Left != nil {
			r.left, r.leftKnown = *report.Left, true
		}
		r.mu.Unlock()
	}
}

// supervise waits for the host and brings the run to its end.
func (r *Run) supervise(ctx context.Context, readers *sync.WaitGroup, emitted <-chan struct{}) {
	_ = r.process.cmd.Wait()
	close(r.gone)
	r.outbox.close()
	// A process that could not be ended may hold the pipes open.
	deadline := time.Now().Add(drainLimit)
	for _, f := range []*os.File{r.process.stdout, r.process.stderr, r.process.reportPipe} {
		_ = f.SetReadDeadline(deadline)
	}
	readers.Wait()
	r.endOrphans(ctx)
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.tasks.Wait()
	r.process.close()
	r.mu.Lock()
	r.withdrawAll()
	r.failReplies()
	r.end = r.conclude()
	r.events.put(pieces.SessionEvent{Ended: new(r.end)})
	r.mu.Unlock()
	r.events.close()
	<-emitted
	close(r.done)
}

// endOrphans does a host's work when the host died without a word.
func (r *Run) endOrphans(ctx context.Context) {
	r.mu.Lock()
	known := r.leftKnown
	r.mu.Unlock()
	if known {
		return
	}
	r.log.Warn("agent host ended without a report", "pid", r.process.host.PID)
	left := host.EndMarked(ctx, r.process.host)
	r.mu.Lock()
	r.left = left
	r.mu.Unlock()
}

// conclude says how the session ended. The caller holds the lock.
func (r *Run) conclude() pieces.SessionEnd {
	end := pieces.SessionEnd{ExitCode: -1, Left: leftProcesses(r.left)}
	if r.exit != nil {
		end.ExitCode = *r.exit
	}
	switch words := r.stderr.String(); {
	case r.fatal.kind != pieces.FailureNone:
		end.Failure, end.Error = r.fatal.kind, r.fatal.sentence
	case r.stopping && (r.busy || r.lastTurn != nil && r.lastTurn.Failure == pieces.FailureInterrupted):
		end.Failure, end.Error = pieces.FailureInterrupted, "The session was stopped before its turn ended."
	case r.stopping:
	case r.lastTurn != nil && !r.busy:
		end.Failure, end.Error = r.lastTurn.Failure, r.lastTurn.Error
	case r.busy || end.ExitCode != 0:
		f := recognise(words, time.Now())
		if f.kind == pieces.FailureOther {
			f.sentence = strings.TrimSuffix(fmt.Sprintf("Claude Code ended by itself with exit code %d: %s", end.ExitCode, f.sentence), ": ")
		}
		end.Failure, end.Error = f.kind, f.sentence
	}
	return end
}

func leftProcesses(left []host.Survivor) []pieces.LeftProcess {
	var all []pieces.LeftProcess
	for _, s := range left {
		all = append(all, pieces.LeftProcess{PID: s.PID, Command: s.Command})
	}
	return all
}

// Send gives Claude Code another user message. In mid turn it is folded into that turn.
func (r *Run) Send(_ context.Context, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing {
		return fmt.Errorf("send to session %s: %w", r.launch.SessionID, ErrEnded)
	}
	if !r.ready {
		r.waiting = append(r.waiting, text)
	} else if !r.outbox.put(userMessage(text)) {
		return fmt.Errorf("send to session %s: %w", r.launch.SessionID, ErrEnded)
	}
	r.setBusy()
	r.say(pieces.Message{Role: pieces.RolePerson, Text: text})
	return nil
}

// setBusy notes that a turn runs. The caller holds the lock.
func (r *Run) setBusy() {
	if !r.busy {
		r.busy, r.turnEnded = true, make(chan struct{})
	}
}

// turnOver reports a turn's end. The caller holds the lock.
func (r *Run) turnOver(turn pieces.TurnEnd) {
	if r.busy {
		r.busy = false
		close(r.turnEnded)
	}
	r.lastTurn = &turn
	r.events.put(pieces.SessionEvent{Turn: &turn})
}

// say puts a message into the transcript. The caller holds the lock, or is alone.
func (r *Run) say(m pieces.Message) {
	r.seq++
	m.Seq, m.At = r.seq, time.Now()
	r.events.put(pieces.SessionEvent{Message: &m})
}

// Interrupt ends the running turn and keeps the session; it returns when Claude Code has taken the order.
func (r *Run) Interrupt(ctx context.Context) error {
	r.mu.Lock()
	busy := r.busy
	r.mu.Unlock()
	if !busy {
		return nil
	}
	return r.command(ctx, object{"subtype": "interrupt"})
}

// command sends a control request and waits for the reply.
func (r *Run) command(ctx context.Context, body object) error {
	id, answer := uuid.NewString(), make(chan controlReply, 1)
	r.mu.Lock()
	r.replies[id] = answer
	sent := r.outbox.put(request(id, body))
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.replies, id)
		r.mu.Unlock()
	}()
	name := body["subtype"]
	if !sent {
		return fmt.Errorf("%s session %s: %w", name, r.launch.SessionID, ErrEnded)
	}
	select {
	case reply, ok := <-answer:
		if !ok {
			return fmt.Errorf("%s session %s: %w", name, r.launch.SessionID, ErrEnded)
		}
		if reply.Subtype != "success" {
			return fmt.Errorf("%s session %s: %s", name, r.launch.SessionID, reply.Error)
		}
		return nil
	case <-r.gone:
		return fmt.Errorf("%s session %s: %w", name, r.launch.SessionID, ErrEnded)
	case <-ctx.Done():
		return fmt.Errorf("%s session %s: %w", name, r.launch.SessionID, ctx.Err())
	}
}

// failReplies ends the waits for replies that will not come. The caller holds the lock.
func (r *Run) failReplies() {
	for id, answer := range r.replies {
		delete(r.replies, id)
		close(answer)
	}
}
