// Package pump carries what was read off the main goroutine onto it: the only caller of fyne.Do.
package pump

import (
	"context"
	"sync"
	"time"

	"fyne.io/fyne/v2"
)

// Pump starts background work for the screen and brings its outcome back to the main goroutine. Make it with New, or
// set Do by hand in a test.
type Pump struct {
	// Do queues a function for the main goroutine. It must not wait until the function has run.
	Do func(func())

	running sync.WaitGroup
	queue   func(func())  // Do without the stir
	stir    chan struct{} // ends a nap of the main goroutine; nil: it never naps

	// sending is held for reading while something is put into Fyne's queue.
	sending sync.RWMutex
	stopped bool

	// Touched on the main goroutine only.
	hold *time.Timer // ends a Hold; nil: nothing is held
	kept []func()    // what waits for the Release
}

// New returns a Pump that brings its outcomes back through fyne.Do.
func New() *Pump { return newPump(fyne.Do) }

func newPump(queue func(func())) *Pump {
	p := &Pump{stir: make(chan struct{}, 1)}
	p.queue = func(f func()) {
		p.sending.RLock()
		defer p.sending.RUnlock()
		if !p.stopped {
			queue(f)
		}
	}
	p.Do = func(f func()) {
		p.queue(f)
		select {
		case p.stir <- struct{}{}:
		default:
		}
	}
	return p
}

// Stop lets nothing reach the main goroutine any more; what is queued already may still run. It is called on the main
// goroutine before Fyne is told to quit: in its last moments Fyne panics over what is queued, and after them it runs that
// on the goroutine that brings it. Work that waits to be shown ends with its context.
func (p *Pump) Stop() {
	p.sending.Lock()
	defer p.sending.Unlock()
	p.stopped = true
}

// Wait returns when everything that this Pump started has ended. End the contexts first.
func (p *Pump) Wait() {
	p.running.Wait()
}

// Go runs work off the main goroutine and then done, with the outcome, on it. Once ctx has ended, done is not called
// any more: whoever ended it has left the screen that done would write to.
func (p *Pump) Go(ctx context.Context, work func(context.Context) error, done func(error)) {
	p.running.Go(func() {
		err := work(ctx)
		if ctx.Err() != nil {
			return
		}
		p.still(func() {
			if ctx.Err() == nil {
				done(err)
			}
		})
	})
}

// Follow keeps a view up to date until ctx ends or wake is closed: it reads at once and after each wake, off the main
// goroutine, and hands the outcome to show, or the error to failed, on the main goroutine. Wakes that arrive while a
// reading is under way or waits to be shown make one more reading together, never a queue of them. After ctx has
// ended, neither show nor failed is called.
//
// It is a function and not a method because methods cannot have type parameters.
func Follow[T any](
	ctx context.Context, p *Pump, wake <-chan struct{},
	read func(context.Context) (T, error), show func(T), failed func(error),
) {
	p.running.Go(func() {
		for {
			drain(wake)
			value, err := read(ctx)
			if ctx.Err() != nil {
				return
			}
			p.onMain(ctx, func() {
				if err != nil {
					failed(err)
					return
				}
				show(value)
			})
			if !next(ctx, wake) {
				return
			}
		}
	})
}

// onMain runs f on the main goroutine and returns when it has run or ctx has ended. Waiting here keeps a slow screen
// from collecting readings that are stale before they are drawn.
func (p *Pump) onMain(ctx context.Context, f func()) {
	ran := make(chan struct{})
	p.still(func() {
		defer close(ran)
		if ctx.Err() == nil {
			f()
		}
	})
	select {
	case <-ran:
	case <-ctx.Done():
	}
}

// drain forgets the wakes that the reading about to start covers anyway. It stops at a closed channel.
func drain(wake <-chan struct{}) {
	for {
		select {
		case _, open := <-wake:
			if !open {
				return
			}
		default:
			return
		}
	}
}

// next waits for a wake and says whether there is a reason to read again.
func next(ctx context.Context, wake <-chan struct{}) bool {
	select {
	case <-ctx.Done():
		return false
	case _, open := <-wake:
		return open && ctx.Err() == nil
	}
}
