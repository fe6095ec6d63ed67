package agent

import (
	"io"
	"sync"
)

// tail keeps the end of what a process complains about.
type tail struct {
	mu    sync.Mutex
	words []byte
}

const longestTail = 16 << 10

// read takes everything from r until its end, so that the writer never waits.
func (t *tail) read(r io.Reader) {
	part := make([]byte, 4<<10)
	for {
		n, err := r.Read(part)
		t.mu.Lock()
		t.words = append(t.words, part[:n]...)
		if extra := len(t.words) - longestTail; extra > 0 {
			t.words = append(t.words[:0], t.words[extra:]...)
		}
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.words)
}
