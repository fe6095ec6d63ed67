package store

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"gorm.io/gorm"

	"fermata/pieces"
)

// Search lists the ids of a project's drafts and pieces, archived ones included, in whose title, tracker key, seed or spec
// all words are found; in no order. Case does not count.
func (s *Store) Search(ctx context.Context, projectID string, words pieces.Words) ([]string, error) {
	drafts := []string{"title", "seed", "spec"}
	inPieces := []string{"pieces.name", "pieces.seed", "COALESCE(pieces.source ->> '$.key', '')", "COALESCE(spec.content, '')"}
	var found []string
	err := s.read(ctx, "search", func(tx *gorm.DB) error {
		q := tx.Model(&draftRow{}).Where("project_id = ?", projectID)
		if err := contain(q, drafts, words).Pluck("id", &found).Error; err != nil {
			return err
		}
		q = tx.Model(&pieceRow{}).Where("pieces.project_id = ?", projectID).
			Joins("LEFT JOIN artifacts spec ON spec.piece_id = pieces.id AND spec.kind = ? AND spec.task_id = ''", string(pieces.ArtifactSpec))
		var more []string
		err := contain(q, inPieces, words).Pluck("pieces.id", &more).Error
		found = append(found, more...)
		return err
	})
	return found, err
}

// contain asks that every word is found in at least one of the columns.
func contain(q *gorm.DB, columns []string, words pieces.Words) *gorm.DB {
	for _, word := range words {
		var either []string
		var patterns []any
		for _, form := range forms(word) {
			for _, c := range columns {
				either = append(either, c+` LIKE ? ESCAPE '\'`)
				patterns = append(patterns, "%"+literally.Replace(form)+"%")
			}
		}
		q = q.Where(strings.Join(either, " OR "), patterns...)
	}
	return q
}

// literally keeps what is looked for from being read as a pattern.
var literally = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// forms are the ways to write a word. SQLite folds the case of ASCII alone, so other letters are looked for as people
// write them: small, large, and with a large first letter.
func forms(word string) []string {
	if strings.IndexFunc(word, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return []string{word}
	}
	first := []rune(word)
	first[0] = unicode.ToUpper(first[0])
	list := []string{word, strings.ToUpper(word), string(first)}
	slices.Sort(list)
	return slices.Compact(list)
}
