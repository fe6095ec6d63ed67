package agent

import (
	"encoding/json"
	"io"
	"sync"

	"fermata/pieces"
)

// manyEvents is how many events may wait for a slow receiver before the reading of more stops.
const manyEvents = 512

// queue hands events from many goroutines to one, in order. Putting never blocks, so it is safe under a lock; who
// produces without end calls await first.
type queue struct {
	mu     sync.Mutex
	change sync.Cond
	events []pieces.SessionEvent
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.change.L = &q.mu
	return q
}

func (q *queue) put(e pieces.SessionEvent) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.events = append(q.events, e)
	q.change.Broadcast()
}

// await waits until there is room.
func (q *queue) await() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.events) >= manyEvents {
		q.change.Wait()
	}
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.change.Broadcast()
}

// drain calls emit for every event until the queue is closed and empty.
func (q *queue) drain(emit func(pieces.SessionEvent)) {
	for {
		q.mu.Lock()
		for len(q.events) == 0 && !q.closed {
			q.change.Wait()
		}
		batch := q.events
		q.events = nil
		q.change.Broadcast()
		q.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		for _, e := range batch {
			emit(e)
		}
	}
}

// outbox holds the lines for Claude Code, which may be slow to read them. Putting never blocks.
type outbox struct {
	mu     sync.Mutex
	change sync.Cond
	lines  [][]byte
	closed bool
}

func newOutbox() *outbox {
	o := &outbox{}
	o.change.L = &o.mu
	return o
}

// put says whether the line will be sent, as far as that is up to us.
func (o *outbox) put(message object) bool {
	line, err := json.Marshal(message)
	if err != nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.lines = append(o.lines, append(line, '\n'))
	o.change.Broadcast()
	return true
}

func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.change.Broadcast()
}

// drain writes the lines until the outbox is closed and empty or the reader is gone, and closes w.
func (o *outbox) drain(w io.WriteCloser) {
	defer func() { _ = w.Close() }()
	for {
		o.mu.Lock()
		for len(o.lines) == 0 && !o.closed {
			o.change.Wait()
		}
		batch := o.lines
		o.lines = nil
		o.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		for _, line := range batch {
			if _, err := w.Write(line); err != nil {
				o.close()
				return
			}
		}
	}
}
