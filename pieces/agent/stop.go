package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"fermata/pieces"
	"fermata/pieces/agent/host"
)

// How long each means of ending a session is given before the next one is used.
const (
	interruptGrace = 2 * time.Second  // for the turn to end after an interrupt
	closeGrace     = 2 * time.Second  // for Claude Code to end after its stdin is closed
	termGrace      = 2 * time.Second  // for Claude Code to end after TERM
	finishGrace    = 30 * time.Second // for Claude Code to end by itself after its last turn
	hostLimit      = 15 * time.Second // for the host to end everything and go, beyond termGrace
)

// Finish ends the session after a turn and waits until every process under it is gone. In mid turn it returns
// ErrTurnRunning. When ctx is done first, the session goes on ending.
func (r *Run) Finish(ctx context.Context) (pieces.SessionEnd, error) {
	r.mu.Lock()
	if r.busy && !r.stopping && !r.over {
		r.mu.Unlock()
		return pieces.SessionEnd{}, fmt.Errorf("finish session %s: %w", r.launch.SessionID, ErrTurnRunning)
	}
	if !r.closing && !r.over {
		r.closing = true
		r.tasks.Go(r.seeOut)
	}
	r.mu.Unlock()
	r.outbox.close()
	return r.await(ctx, "finish")
}

// seeOut stops a session that does not end by itself.
func (r *Run) seeOut() {
	if !r.goneWithin(finishGrace) {
		r.beginStop()
	}
}

// Stop ends the session whatever it does, gently first, and waits until every process under it is gone; those that
// could not be ended are in the result's Left, and another Stop tries them again. When ctx is done first, the session
// goes on ending.
func (r *Run) Stop(ctx context.Context) (pieces.SessionEnd, error) {
	select {
	case <-r.done:
		return r.retry(ctx), nil
	default:
	}
	r.beginStop()
	return r.await(ctx, "stop")
}

func (r *Run) await(ctx context.Context, what string) (pieces.SessionEnd, error) {
	select {
	case <-r.done:
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.end, nil
	case <-ctx.Done():
		return pieces.SessionEnd{}, fmt.Errorf("%s session %s: %w", what, r.launch.SessionID, ctx.Err())
	}
}

func (r *Run) retry(ctx context.Context) pieces.SessionEnd {
	r.mu.Lock()
	left := r.left
	r.mu.Unlock()
	if len(left) > 0 {
		left = host.EndSurvivors(ctx, left)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left, r.end.Left = left, leftProcesses(left)
	return r.end
}

// beginStop starts the session's end once; it does not wait.
func (r *Run) beginStop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop(true)
}

// stop is beginStop for a caller that holds the lock; gently gives a running turn the chance to end in order.
func (r *Run) stop(gently bool) {
	if r.stopping || r.over {
		return
	}
	r.stopping, r.closing = true, true
	ended := r.turnEnded
	gently = gently && r.busy && r.ready
	r.tasks.Go(func() { r.escalate(gently, ended) })
}

func (r *Run) escalate(gently bool, turnEnded <-chan struct{}) {
	if gently && r.outbox.put(request("stop", object{"subtype": "interrupt"})) {
		limit := time.NewTimer(interruptGrace)
		defer limit.Stop()
		select {
		case <-turnEnded:
		case <-r.gone:
		case <-limit.C:
		}
	}
	r.outbox.close()
	// Without a chance to end the turn, the end of stdin means nothing to Claude Code.
	if gently && r.goneWithin(closeGrace) {
		return
	}
	// The pipe takes the one short line at once, and nobody minds if the host is gone by now.
	_ = json.NewEncoder(r.process.control).Encode(host.Order{Do: "stop", GraceMs: termGrace.Milliseconds()})
	if r.goneWithin(termGrace + hostLimit) {
		return
	}
	r.log.Warn("agent host does not end", "pid", r.process.host.PID)
	_ = r.process.cmd.Process.Kill() // its descendants carry its mark, by which endOrphans finds them
}

func (r *Run) goneWithin(d time.Duration) bool {
	limit := time.NewTimer(d)
	defer limit.Stop()
	select {
	case <-r.gone:
		return true
	case <-limit.C:
		return false
	}
}

// fail ends the session for a reason that no waiting mends.
func (r *Run) fail(f failure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fatal.kind != pieces.FailureNone || r.stopping {
		return
	}
	r.fatal = f
	r.turnOver(pieces.TurnEnd{Failure: f.kind, Error: f.sentence, LimitEnds: f.ends})
	r.stop(false)
}
