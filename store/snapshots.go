package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gorm.io/gorm"

	"fermata/pieces"
)

// Pieces lists pieces with their graphs, oldest first. The number of queries is fixed, no document's text is read, pieces
// that the filter leaves out cost nothing, and those that did not change since they were last read cost little.
func (s *Store) Pieces(ctx context.Context, f pieces.PieceFilter) ([]pieces.Snapshot, error) {
	answer, write := s.answers.to(f, ofPieces)
	if keys, ok := answer.([]pieceKey); ok {
		if list, changed := s.known.of(keys); len(changed) == 0 {
			return list, nil
		}
	}
	var list []pieces.Snapshot
	var keys []pieceKey
	err := s.read(ctx, "list pieces", func(tx *gorm.DB) (err error) {
		list, keys, err = s.snapshots(tx, func(q *gorm.DB) *gorm.DB { return scoped(q, f) })
		return err
	})
	if err != nil {
		return nil, err
	}
	if !f.IncludeArchived { // archived pieces are not known
		s.answers.keep(f, ofPieces, keys, write)
	}
	return list, nil
}

func scoped(q *gorm.DB, f pieces.PieceFilter) *gorm.DB {
	if f.ProjectID != "" {
		q = q.Where("pieces.project_id = ?", f.ProjectID)
	}
	if !f.IncludeArchived {
		q = q.Where("pieces.archived = 0")
	}
	if f.OpenPullRequest {
		q = q.Where("pieces.pr IS NOT NULL AND pieces.pr ->> '$.state' = ?", string(pieces.PullRequestOpen))
	}
	if f.CutOff {
		q = q.Where("(pieces.activity IN ? OR pieces.code_review ->> '$.state' = ? OR "+
			"EXISTS (SELECT 1 FROM tasks WHERE tasks.piece_id = pieces.id AND tasks.state IN ?))",
			pieces.LiveActivities(), pieces.CodeReviewRunning, pieces.LiveTaskStates())
	}
	return q
}

// Checkouts lists where the pieces work that have a worktree, archived ones too. Nothing else of a piece is read.
func (s *Store) Checkouts(ctx context.Context) ([]pieces.Checkout, error) {
	var rows []struct {
		ID, ProjectID, Worktree, Branch, Phase string
		WorktreeMissing, Archived              bool
		Version                                int64
	}
	err := s.query(ctx, "list worktrees of pieces", func(db *gorm.DB) error {
		return db.Model(&pieceRow{}).Where("worktree <> ''").Order("created_at, rowid").Find(&rows).Error
	})
	list := make([]pieces.Checkout, len(rows))
	for i, r := range rows {
		list[i] = pieces.Checkout{
			PieceID: r.ID, ProjectID: r.ProjectID, Worktree: r.Worktree, Branch: r.Branch, Missing: r.WorktreeMissing,
			Phase: pieces.Phase(r.Phase), Archived: r.Archived, Version: r.Version,
		}
	}
	return list, err
}

// Piece reads one piece with its graph and its sessions.
func (s *Store) Piece(ctx context.Context, id string) (pieces.Snapshot, error) {
	return once(s, pieceAsk{id}, ofPieces|ofSessions, clone, func() (pieces.Snapshot, error) {
		var snap pieces.Snapshot
		err := s.read(ctx, fmt.Sprintf("read piece %s", id), func(tx *gorm.DB) error {
			list, _, err := s.snapshots(tx, func(q *gorm.DB) *gorm.DB { return q.Where("pieces.id = ?", id) })
			if err != nil {
				return err
			}
			if len(list) == 0 {
				return pieces.ErrNotFound
			}
			snap = list[0]
			var rows []sessionRow
			err = tx.Where("piece_id = ?", id).Order(newestSession).Find(&rows).Error
			snap.Sessions = all(rows, sessionRow.session)
			return err
		})
		if err != nil {
			return pieces.Snapshot{}, err
		}
		return snap, nil
	})
}

type pieceAsk struct{ id string }

// The newest history row is found by its index, and read once for its id and its time.
const (
	newestHistory = "pieces.*, COALESCE(newest.id, 0) AS history_id, COALESCE(newest.at, '') AS history_at"
	joinHistory   = "LEFT JOIN history newest ON newest.id = (SELECT max(h.id) FROM history h WHERE h.piece_id = pieces.id)"
)

// fewChanged is up to how many pieces are read again by their ids; more are read again by what they were asked for.
const fewChanged = 200

// pieceKey names one state of a piece.
type pieceKey struct {
	ID      string
	Version int64
}

// snapshots returns the pieces of a scope and their keys. It reads which there are, then those whose version it does not know.
func (s *Store) snapshots(tx *gorm.DB, scope func(*gorm.DB) *gorm.DB) ([]pieces.Snapshot, []pieceKey, error) {
	var keys []pieceKey
	err := scope(tx.Model(&pieceRow{}).Select("pieces.id", "pieces.version")).Order("pieces.created_at, pieces.rowid").Find(&keys).Error
	if err != nil {
		return nil, nil, err
	}
	list, place := s.known.of(keys)
	if len(place) == 0 {
		return list, keys, nil
	}
	if len(place) <= fewChanged {
		changed := slices.Collect(maps.Keys(place))
		scope = func(q *gorm.DB) *gorm.DB { return q.Where("pieces.id IN ?", changed) }
	}
	read, err := readSnapshots(tx, scope)
	if err != nil {
		return nil, nil, err
	}
	s.known.keep(read)
	for _, v := range read {
		if i, ok := place[v.Piece.ID]; ok {
			list[i] = v
		}
	}
	return list, keys, nil
}

// readSnapshots reads the pieces of a scope and what belongs to them, one query a table.
func readSnapshots(tx *gorm.DB, scope func(*gorm.DB) *gorm.DB) ([]pieces.Snapshot, error) {
	var rows []pieceRow
	if err := scope(tx.Select(newestHistory).Joins(joinHistory)).Find(&rows).Error; err != nil {
		return nil, err
	}
	list, at := make([]pieces.Snapshot, len(rows)), make(map[string]*pieces.Snapshot, len(rows))
	for i := range rows {
		list[i].Piece, list[i].HistoryID, list[i].HistoryAt = rows[i].piece(), rows[i].HistoryID, moment(rows[i].HistoryAt)
		at[rows[i].ID] = &list[i]
	}
	ids := scope(tx.Model(&pieceRow{}).Select("pieces.id"))
	if err := addGraphs(tx, ids, at); err != nil {
		return nil, err
	}
	return list, addHas(tx, ids, at)
}

func addGraphs(tx, ids *gorm.DB, at map[string]*pieces.Snapshot) error {
	var tasks []taskRow
	if err := tx.Where("piece_id IN (?)", ids).Order("piece_id, ordinal, rowid").Find(&tasks).Error; err != nil {
		return err
	}
	for _, r := range tasks {
		s := at[r.PieceID]
		s.Tasks = append(s.Tasks, r.task())
	}
	var edges []edgeRow
	if err := tx.Where("piece_id IN (?)", ids).Order("piece_id, rowid").Find(&edges).Error; err != nil {
		return err
	}
	for _, r := range edges {
		s := at[r.PieceID]
		s.Edges = append(s.Edges, pieces.Edge{From: r.FromID, To: r.ToID})
	}
	return nil
}

// addHas fills in which documents exist, in the order of their kinds; handoffs are one kind there and listed by task besides.
func addHas(tx, ids *gorm.DB, at map[string]*pieces.Snapshot) error {
	var keys []artifactRow
	err := tx.Select("piece_id", "kind", "task_id").Where("piece_id IN (?)", ids).Order("piece_id, kind, task_id").Find(&keys).Error
	if err != nil {
		return err
	}
	for _, r := range keys {
		s, kind := at[r.PieceID], pieces.ArtifactKind(r.Kind)
		if kind == pieces.ArtifactHandoff && r.TaskID != "" {
			s.Handoffs = append(s.Handoffs, r.TaskID)
		}
		if !slices.Contains(s.Has, kind) {
			s.Has = append(s.Has, kind)
		}
	}
	order := pieces.ArtifactKinds()
	for _, s := range at {
		slices.SortFunc(s.Has, func(a, b pieces.ArtifactKind) int { return slices.Index(order, a) - slices.Index(order, b) })
	}
	return nil
}
