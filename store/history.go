package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"fermata/pieces"
)

type historyRow struct {
	ID           int64 `gorm:"primaryKey"`
	PieceID      string
	At           string
	Trigger      string
	Actor        string
	FromPhase    string
	FromActivity string
	ToPhase      string
	ToActivity   string
	Note         string
	Said         string // the note as JSON, where it is more than a quote
	Artifact     string
}

// TableName is asked for by gorm.
func (historyRow) TableName() string { return "history" }

func (r historyRow) entry() pieces.HistoryRow {
	return pieces.HistoryRow{
		ID: r.ID, PieceID: r.PieceID, At: moment(r.At), Trigger: pieces.Trigger(r.Trigger), By: pieces.Actor(r.Actor),
		From: pieces.State{Phase: pieces.Phase(r.FromPhase), Activity: pieces.Activity(r.FromActivity)},
		To:   pieces.State{Phase: pieces.Phase(r.ToPhase), Activity: pieces.Activity(r.ToActivity)},
		Note: noteOf(r.Note, r.Said), Artifact: r.Artifact,
	}
}

// History lists the transitions of a piece, oldest first.
func (s *Store) History(ctx context.Context, pieceID string) ([]pieces.HistoryRow, error) {
	var rows []historyRow
	err := s.read(ctx, fmt.Sprintf("read history of piece %s", pieceID), func(tx *gorm.DB) error {
		if err := mustExist(tx, &pieceRow{}, pieceID); err != nil {
			return err
		}
		return tx.Where("piece_id = ?", pieceID).Order("id").Find(&rows).Error
	})
	return all(rows, historyRow.entry), err
}

// noteOf is a note as it was said; the words themselves where only they are there, or what was said cannot be read.
func noteOf(note, said string) pieces.Sentence {
	var s pieces.Sentence
	if said == "" || json.Unmarshal([]byte(said), &s) != nil {
		return pieces.Quote(note)
	}
	return s
}

// saidOf writes what a note says; empty where its words are all of it.
func saidOf(note pieces.Sentence) (string, error) {
	if _, quoted := note.Quoted(); quoted {
		return "", nil
	}
	said, err := json.Marshal(note)
	return string(said), err
}

// addHistory books the transition of a change, naming the kinds of document that came with it.
func addHistory(tx *gorm.DB, c pieces.Change, now time.Time) error {
	if c.Quiet {
		return nil
	}
	kinds := all(c.Artifacts, func(a pieces.Artifact) string { return string(a.Kind) })
	said, err := saidOf(c.Note)
	if err != nil {
		return err
	}
	return tx.Create(&historyRow{
		PieceID: c.Piece.ID, At: stamp(now), Trigger: string(c.Trigger), Actor: string(c.By),
		FromPhase: string(c.From.Phase), FromActivity: string(c.From.Activity),
		ToPhase: string(c.Piece.Phase), ToActivity: string(c.Piece.Activity),
		Note: c.Note.String(), Said: said, Artifact: strings.Join(kinds, ","),
	}).Error
}
