package pump

import (
	"context"
	"time"
)

// EachMinute adds a wake a minute to those of wake until ctx ends, so that ages on the screen stay true.
func EachMinute(ctx context.Context, p *Pump, wake <-chan struct{}) <-chan struct{} {
	both := make(chan struct{}, 1)
	p.running.Go(func() {
		minute := time.NewTicker(time.Minute)
		defer minute.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-wake:
			case <-minute.C:
			}
			select {
			case both <- struct{}{}:
			default:
			}
		}
	})
	return both
}
