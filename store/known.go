package store

import (
	"maps"
	"slices"
	"sync"
	"time"

	"fermata/pieces"
)

// known keeps the pieces on the board as they were last read, so that a list reads only those again that changed. It
// needs no invalidation: whatever a snapshot of a list holds is written together with a new version of its
// piece, so what is known of a version stays true. The zero value knows nothing.
type known struct {
	mu   sync.Mutex
	byID map[string]pieces.Snapshot
}

// of returns what is known of the pieces at those versions, and the places of those that have to be read. The caller may
// change what it gets.
func (k *known) of(keys []pieceKey) ([]pieces.Snapshot, map[string]int) {
	list := make([]pieces.Snapshot, len(keys))
	var unknown map[string]int
	k.mu.Lock()
	for i, key := range keys {
		s, ok := k.byID[key.ID]
		if ok && s.Piece.Version == key.Version {
			list[i] = s
			continue
		}
		if unknown == nil {
			unknown = map[string]int{}
		}
		unknown[key.ID] = i
	}
	k.mu.Unlock()
	for i := range list { // what is kept is never changed, so it is copied without the lock
		list[i] = clone(list[i])
	}
	return list, unknown
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

// forget drops what is known of a piece that was deleted.
func (k *known) forget(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.byID, id)
}

// mostAnswers bounds what answers keeps; a client that reads one piece after the other fills it.
const mostAnswers = 256

// subject is what an answer is about; several are a sum.
type subject int

const (
	ofPieces subject = 1 << iota
	ofSessions
	ofDrafts
	ofLinks
	ofProjects
	ofSettings
	ofNothing subject = 0
	ofAll             = ofPieces | ofSessions | ofDrafts | ofLinks | ofProjects | ofSettings
)

// subjectOf says which answers a write to a table makes untrue. A table that it does not know makes all untrue.
func subjectOf(table string) subject {
	switch table {
	case "pieces", "tasks", "edges", "artifacts", "history":
		return ofPieces
	case "sessions":
		return ofSessions
	case "drafts":
		return ofDrafts
	case "links":
		return ofLinks
	case "projects":
		return ofProjects
	case "settings":
		return ofSettings
	case "messages", "worktrees": // nobody keeps an answer about them; running agents write messages all the time
		return ofNothing
	}
	return ofAll
}

// answers keeps what was read since the last write to it, since most calls ask what was asked before. This process alone
// writes to the database. Writes are counted, so that what was read before one is not kept after it. The zero value knows
// nothing.
type answers struct {
	mu     sync.Mutex
	byAsk  map[any]answer
	writes map[subject]int64
}

type answer struct {
	about subject
	value any
}

// to returns the answer to what is asked, or the write that it has to be read after.
func (a *answers) to(ask any, about subject) (value any, write int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.byAsk[ask].value, a.last(about)
}

// last counts the writes to the subjects.
func (a *answers) last(about subject) (n int64) {
	for s, writes := range a.writes {
		if s&about != 0 {
			n += writes
		}
	}
	return n
}

// keep remembers an answer that was read after that write. Nobody may change it any more.
func (a *answers) keep(ask any, about subject, value any, write int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last(about) != write {
		return
	}
	if a.byAsk == nil || len(a.byAsk) >= mostAnswers {
		a.byAsk = map[any]answer{}
	}
	a.byAsk[ask] = answer{about, value}
}

func (a *answers) forget(about subject) {
	if about == ofNothing {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.byAsk, func(_ any, v answer) bool { return v.about&about != 0 })
	if a.writes == nil {
		a.writes = map[subject]int64{}
	}
	for s := ofPieces; s <= ofSettings; s <<= 1 {
		if s&about != 0 {
			a.writes[s]++
		}
	}
}

// once reads what is asked unless it was read since the last write to what it is about. copied makes what the caller may
// change.
func once[T any](s *Store, ask any, about subject, copied func(T) T, read func() (T, error)) (T, error) {
	value, write := s.answers.to(ask, about)
	if kept, ok := value.(T); ok {
		return copied(kept), nil
	}
	v, err := read()
	if err == nil {
		s.answers.keep(ask, about, copied(v), write)
	}
	return v, err
}

// clone shares nothing with s that could be changed through it.
func clone(s pieces.Snapshot) pieces.Snapshot {
	s.Piece.Attachments = slices.Clone(s.Piece.Attachments)
	s.Piece.PR, s.Piece.Source, s.Piece.CompletedAt = copied(s.Piece.PR), copied(s.Piece.Source), copied(s.Piece.CompletedAt)
	s.Piece.Interview, s.Piece.Splits = s.Piece.Interview.Clone(), s.Piece.Splits.Clone()
	s.Tasks, s.Edges = slices.Clone(s.Tasks), slices.Clone(s.Edges)
	times := make([]time.Time, 0, 2*len(s.Tasks))
	for i := range s.Tasks {
		t := &s.Tasks[i]
		t.StartedAt, times = copiedInto(times, t.StartedAt)
		t.EndedAt, times = copiedInto(times, t.EndedAt)
	}
	s.Has, s.Handoffs = slices.Clone(s.Has), slices.Clone(s.Handoffs)
	s.Sessions = slices.Clone(s.Sessions)
	for i := range s.Sessions {
		s.Sessions[i].EndedAt = copied(s.Sessions[i].EndedAt)
	}
	return s
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// copiedInto is copied for many: they share one allocation, which has room for all.
func copiedInto[T any](room []T, p *T) (*T, []T) {
	if p == nil {
		return nil, room
	}
	room = append(room, *p)
	return &room[len(room)-1], room
}
