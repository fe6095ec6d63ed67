package pump

import (
	"context"
	"time"
)

// nap is how long the main goroutine sleeps at a stretch while nothing is on the screen, and so how late it may notice what
// comes from outside without passing through a Pump, such as a click in the tray's menu.
const nap = 100 * time.Millisecond

// Doze lets the main goroutine sleep while hidden says that no window is shown: Fyne asks the desktop for input sixty times a
// second, for windows that nobody sees too. What the Pump queues wakes it at once. It returns at once, and does nothing for a
// Pump that was not made by New. It is called on the main goroutine, where hidden is called too; it ends once hidden is false.
func (p *Pump) Doze(ctx context.Context, hidden func() bool) {
	if p.stir == nil {
		return
	}
	p.running.Go(func() {
		for p.doze(ctx, hidden) {
		}
	})
}

// doze is one nap; it says whether there may be another.
func (p *Pump) doze(ctx context.Context, hidden func() bool) bool {
	again := make(chan bool, 1)
	p.queue(func() {
		if ctx.Err() != nil || !hidden() {
			again <- false
			return
		}
		wake := time.NewTimer(nap)
		defer wake.Stop()
		select {
		case <-wake.C:
		case <-p.stir:
		case <-ctx.Done():
		}
		again <- true
	})
	select {
	case more := <-again:
		return more
	case <-ctx.Done():
		return false
	}
}
