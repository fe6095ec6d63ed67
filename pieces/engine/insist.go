package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fermata/pieces"
)

// unwritten is a change that the store did not take although nothing speaks against it, as on a disk that is full.
type unwritten struct{ err error }

func (u *unwritten) Error() string { return u.err.Error() }
func (u *unwritten) Unwrap() error { return u.err }

// writeError says of what a write failed; one that the same write may not meet again is unwritten.
func writeError(what string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", what, err)
	for _, final := range []error{pieces.ErrStale, pieces.ErrNotFound, pieces.ErrExists, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, final) {
			return err
		}
	}
	return &unwritten{err}
}

// How long a write waits before it is tried again: the first time, and at most.
const (
	firstRetry = 100 * time.Millisecond
	mostRetry  = 10 * time.Second
)

// insist writes what became of something that ran, until the store takes it: a disk that was full for a minute must not leave a
// piece that says for ever that its agents run. When Fermata quits first, the next start finds the piece cut off. The caller
// holds no lock that an action needs.
func (e *Engine) insist(what string, write func() error) error {
	for wait := firstRetry; ; wait = min(2*wait, mostRetry) {
		err := write()
		var again *unwritten
		if !errors.As(err, &again) {
			return err
		}
		e.Log.Warn("a write is tried again", "what", what, "in", wait, "err", err)
		later := time.NewTimer(wait)
		select {
		case <-later.C:
		case <-e.ctx.Done():
			later.Stop()
			return err
		}
	}
}

// goOn looks at a running piece again, beside whatever its caller does.
func (e *Engine) goOn(pieceID string) {
	e.spawn("advance", func(ctx context.Context) error {
		return e.insist("advance", func() error { return e.advance(ctx, pieceID) })
	})
}
