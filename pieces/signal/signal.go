// Package signal wakes watchers of a state that changed, without carrying any of it.
package signal

import "sync"

// Hub wakes every watcher. Wakes merge: a watcher that has not looked yet is woken once for any number of changes, and
// none is ever lost, since the watcher reads the state itself after each wake. The zero value is ready to use.
type Hub struct {
	mu       sync.Mutex
	watchers map[chan struct{}]struct{}
}

// Wake tells every watcher to look again. It never blocks.
func (h *Hub) Wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// Watch returns a channel that gets a value after every change, and the function that ends the watching. The channel is
// never closed.
func (h *Hub) Watch() (<-chan struct{}, func()) {
	w := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers == nil {
		h.watchers = map[chan struct{}]struct{}{}
	}
	h.watchers[w] = struct{}{}
	return w, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watchers, w)
	}
}
