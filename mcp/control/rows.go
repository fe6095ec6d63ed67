package control

import (
	"sync"

	"fermata/pieces"
)

// mostRows bounds the encoded rows that are kept, about a kilobyte each.
const mostRows = 16_384

// encodedRows keeps the rows of list_pieces as JSON, so that a list encodes only those again that changed. It needs no
// invalidation: rowState is all that a row depends on. The zero value keeps none.
type encodedRows struct {
	mu   sync.Mutex
	byID map[string]encodedRow
}

type encodedRow struct {
	state rowState
	text  string
}

// rowState says what of a piece its row was made of: a snapshot's own parts are written with a new version of the piece, and
// what is not stored stands here itself.
type rowState struct {
	version     int64
	history     int64
	flags       pieces.Flags
	waits       bool // a session waits for the person
	startSplits bool
}

// of returns a piece's row.
func (e *encodedRows) of(s *pieces.Snapshot, startSplits bool) (string, error) {
	state := rowState{s.Piece.Version, s.HistoryID, s.Flags, len(s.Prompts) > 0, startSplits}
	e.mu.Lock()
	row, ok := e.byID[s.Piece.ID]
	e.mu.Unlock()
	if ok && row.state == state && len(s.Dependencies) == 0 {
		return row.text, nil
	}
	text, err := encodeText(pieceRowOf(*s, startSplits))
	// Archived pieces are many and seldom read, and dependencies change without their piece.
	if err != nil || s.Piece.Archived || len(s.Dependencies) > 0 {
		return text, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.byID == nil || len(e.byID) >= mostRows {
		e.byID = map[string]encodedRow{}
	}
	e.byID[s.Piece.ID] = encodedRow{state, text}
	return text, nil
}
