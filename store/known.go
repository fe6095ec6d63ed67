package store

import (
	"maps"
	"slices"
	"sync"

	"fermata/pieces"
)

// known keeps the pieces on the board as they were last read, so that a list reads only those again that changed. It
// needs no invalidation: whatever a snapshot holds, but its sessions, is written together with a new version of its
// piece, so what is known of a version stays true. The zero value knows nothing.
type known struct {
	mu   sync.Mutex
	byID map[string]pieces.Snapshot
}

// of returns what is known of the piece at that version. The caller may change what it gets.
func (k *known) of(key pieceKey) (pieces.Snapshot, bool) {
	k.mu.Lock()
	s, ok := k.byID[key.ID]
	k.mu.Unlock()
	if !ok || s.Piece.Version != key.Version {
		return pieces.Snapshot{}, false
	}
	return clone(s), true
}

// keep remembers snapshots as they are now. Archived pieces are many and seldom read, so they are forgotten.
func (k *known) keep(list []pieces.Snapshot) {
	kept := make(map[string]pieces.Snapshot, len(list))
	for _, s := range list {
		if !s.Piece.Archived {
			kept[s.Piece.ID] = clone(s)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byID == nil {
		k.byID = map[string]pieces.Snapshot{}
	}
	for _, s := range list {
		delete(k.byID, s.Piece.ID)
	}
	maps.Copy(k.byID, kept)
}

// knownSettings keeps the settings between two writes, since nearly every call looks at one. Which write is the last is
// counted, so that what was read before a write is not kept after it. The zero value knows nothing.
type knownSettings struct {
	mu     sync.Mutex
	values map[string]string
	write  int
}

// all returns a copy of the values, or nil and the write that they have to be read after.
func (k *knownSettings) all() (map[string]string, int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.values), k.write
}

func (k *knownSettings) keep(values map[string]string, write int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.write == write {
		k.values = maps.Clone(values)
	}
}

func (k *knownSettings) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.values = nil
	k.write++
}

// clone shares nothing with s that could be changed through it.
func clone(s pieces.Snapshot) pieces.Snapshot {
	s.Piece.PR, s.Piece.Source, s.Piece.CompletedAt = copied(s.Piece.PR), copied(s.Piece.Source), copied(s.Piece.CompletedAt)
	s.Tasks, s.Edges = slices.Clone(s.Tasks), slices.Clone(s.Edges)
	for i := range s.Tasks {
		t := &s.Tasks[i]
		t.StartedAt, t.EndedAt = copied(t.StartedAt), copied(t.EndedAt)
	}
	s.Has, s.Handoffs = slices.Clone(s.Has), slices.Clone(s.Handoffs)
	return s
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
