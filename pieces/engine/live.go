package engine

import (
	"slices"
	"sync"
	"sync/atomic"

	"fermata/pieces"
)

// liveSessions are the conversations that run now, with what they wait for. The zero value is ready.
type liveSessions struct {
	mu       sync.Mutex
	list     []*liveSession
	revision atomic.Int64 // grows with every change of the sessions and of what they wait for
}

type liveSession struct {
	id      string
	pieceID string
	taskID  string
	conv    Conversation // nil until it started
	prompts []pieces.Prompt
}

func (l *liveSessions) add(s *liveSession) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, s)
	l.revision.Add(1)
}

func (l *liveSessions) remove(s *liveSession) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(o *liveSession) bool { return o == s })
	l.revision.Add(1)
}

func (l *liveSessions) setConversation(s *liveSession, c Conversation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.conv = c
}

// ofPiece lists the conversations of a piece that have started.
func (l *liveSessions) ofPiece(pieceID string) []*liveSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*liveSession
	for _, s := range l.list {
		if s.pieceID == pieceID && s.conv != nil {
			out = append(out, s)
		}
	}
	return out
}

func (l *liveSessions) conversation(s *liveSession) Conversation {
	l.mu.Lock()
	defer l.mu.Unlock()
	return s.conv
}

func (l *liveSessions) addPrompt(s *liveSession, p pieces.Prompt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.prompts = append(s.prompts, p)
	l.revision.Add(1)
}

// dropPrompt forgets a prompt; false when it was not waiting.
func (l *liveSessions) dropPrompt(s *liveSession, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(s.prompts)
	s.prompts = slices.DeleteFunc(s.prompts, func(p pieces.Prompt) bool { return p.ID == id })
	l.revision.Add(1)
	return len(s.prompts) < n
}

// findPrompt returns the waiting prompt of an id and the session that waits for it.
func (l *liveSessions) findPrompt(id string) (*liveSession, pieces.Prompt, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.list {
		for _, p := range s.prompts {
			if p.ID == id {
				return s, p, true
			}
		}
	}
	return nil, pieces.Prompt{}, false
}

// prompts lists what a piece's sessions wait for, oldest first; of all pieces when pieceID is empty.
func (l *liveSessions) prompts(pieceID string) []pieces.Prompt {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []pieces.Prompt
	for _, s := range l.list {
		if pieceID == "" || s.pieceID == pieceID {
			out = append(out, s.prompts...)
		}
	}
	slices.SortStableFunc(out, func(a, b pieces.Prompt) int { return a.At.Compare(b.At) })
	return out
}
