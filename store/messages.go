package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"fermata/pieces"
)

// messagesAtOnce keeps one statement below SQLite's limit of bound values.
const messagesAtOnce = 500

type messageRow struct {
	SessionID string
	Seq       int64
	Role      string
	Tool      string
	ToolID    string
	Error     bool
	At        string
	Input     *string
	Text      string
}

// TableName is asked for by gorm.
func (messageRow) TableName() string { return "messages" }

func toMessageRow(sessionID string, seq int64, m pieces.Message) messageRow {
	r := messageRow{sessionID, seq, string(m.Role), m.Tool, m.ToolID, m.Error, stamp(m.At), nil, m.Text}
	if m.Input != nil {
		input := string(m.Input)
		r.Input = &input
	}
	return r
}

func (r messageRow) message() pieces.Message {
	m := pieces.Message{
		Seq: r.Seq, Role: pieces.MessageRole(r.Role), Text: r.Text, Tool: r.Tool, ToolID: r.ToolID, Error: r.Error, At: moment(r.At),
	}
	if r.Input != nil {
		m.Input = json.RawMessage(*r.Input)
	}
	return m
}

// AppendMessages adds to the end of a transcript and numbers what it adds, whatever Seq says. A message without a time is of
// now.
func (s *Store) AppendMessages(ctx context.Context, sessionID string, list []pieces.Message) error {
	return s.write(ctx, fmt.Sprintf("append to session %s", sessionID), func(tx *gorm.DB) error {
		if err := mustExist(tx, &sessionRow{}, sessionID); err != nil || len(list) == 0 {
			return err
		}
		var last int64
		err := tx.Model(&messageRow{}).Where("session_id = ?", sessionID).Select("COALESCE(max(seq), 0)").Scan(&last).Error
		if err != nil {
			return err
		}
		rows := make([]messageRow, len(list))
		for i, m := range list {
			if m.At.IsZero() {
				m.At = s.now()
			}
			rows[i] = toMessageRow(sessionID, last+1+int64(i), m)
		}
		return tx.CreateInBatches(&rows, messagesAtOnce).Error
	})
}

// Messages returns the last n messages of a transcript in their order; all when n is below zero.
func (s *Store) Messages(ctx context.Context, sessionID string, n int) ([]pieces.Message, error) {
	var rows []messageRow
	err := s.read(ctx, fmt.Sprintf("read session %s", sessionID), func(tx *gorm.DB) error {
		if err := mustExist(tx, &sessionRow{}, sessionID); err != nil {
			return err
		}
		return tx.Where("session_id = ?", sessionID).Order("seq DESC").Limit(n).Find(&rows).Error
	})
	slices.Reverse(rows)
	return all(rows, messageRow.message), err
}
