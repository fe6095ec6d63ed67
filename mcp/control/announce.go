package control

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"fermata/pieces"
)

// Watched is what Announce reads.
type Watched interface {
	Watch() (<-chan struct{}, func())
	Projects(ctx context.Context) ([]pieces.Project, error)
	Drafts(ctx context.Context, projectID string) ([]pieces.Draft, error)
	Pieces(ctx context.Context, f pieces.PieceFilter) ([]pieces.Snapshot, error)
}

// Announcer tells clients which resources changed.
type Announcer struct {
	Engine Watched
	// Notify sends one notification to every client that listens.
	Notify func(method string, params any) error
	// Pause is how long changes gather before they are told together. 0 means a second.
	Pause time.Duration
	// Log gets what could not be read or sent; nil is silent.
	Log *slog.Logger
}

// mostUpdates bounds the notifications of one round; when more changed, clients are told to list anew instead.
const mostUpdates = 32

// Run announces changes until ctx ends.
func (n Announcer) Run(ctx context.Context) {
	if n.Pause <= 0 {
		n.Pause = time.Second
	}
	if n.Log == nil {
		n.Log = slog.New(slog.DiscardHandler)
	}
	wake, stop := n.Engine.Watch()
	defer stop()
	last, err := n.read(ctx)
	if err != nil && ctx.Err() == nil {
		n.Log.Error("read resources", "err", err)
	}
	for {
		select {
		case <-wake:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(n.Pause):
		case <-ctx.Done():
			return
		}
		// A wake that came in the pause is answered by this reading too; the next wake costs one reading more.
		now, err := n.read(ctx)
		if err != nil {
			if ctx.Err() == nil {
				n.Log.Error("read resources", "err", err)
			}
			continue
		}
		n.tell(last, now)
		last = now
	}
}

// read returns a mark of every resource that changes with what it holds.
func (n Announcer) read(ctx context.Context) (map[string]string, error) {
	projects, err := n.Engine.Projects(ctx)
	if err != nil {
		return nil, err
	}
	drafts, err := n.Engine.Drafts(ctx, "")
	if err != nil {
		return nil, err
	}
	list, err := n.Engine.Pieces(ctx, pieces.PieceFilter{})
	if err != nil {
		return nil, err
	}
	marks := make(map[string]string, 1+len(drafts)+4*len(list))
	for _, p := range projects {
		marks[uriProjects] += p.ID + "\x00" + p.Name + "\x00" + p.Path + "\x00" + p.Branch + "\x00"
	}
	for _, d := range drafts {
		marks[uriOf(d.ID, "", "")] = fmt.Sprintf("draft %d", d.Version)
	}
	for _, s := range list {
		markPiece(marks, s)
	}
	return marks, nil
}

// markPiece marks a piece and its documents. Documents are written by transitions alone, so each new history row counts.
func markPiece(marks map[string]string, s pieces.Snapshot) {
	var mark strings.Builder
	fmt.Fprintf(&mark, "%d %d", s.Piece.Version, s.HistoryID)
	for _, p := range s.Prompts {
		mark.WriteString(" " + p.ID)
	}
	marks[uriOf(s.Piece.ID, "", "")] = mark.String()
	written := fmt.Sprint(s.HistoryID)
	for _, k := range s.Has {
		if k != pieces.ArtifactHandoff {
			marks[uriOf(s.Piece.ID, k, "")] = written
		}
	}
	for _, id := range s.Handoffs {
		marks[uriOf(s.Piece.ID, pieces.ArtifactHandoff, id)] = written
	}
}

// tell sends what changed between two readings.
func (n Announcer) tell(last, now map[string]string) {
	var updated []string
	relist := false
	for uri, mark := range now {
		switch before, known := last[uri]; {
		case !known:
			relist = true
		case before != mark:
			updated = append(updated, uri)
		}
	}
	for uri := range maps.Keys(last) {
		if _, still := now[uri]; !still {
			relist = true
		}
	}
	if len(updated) > mostUpdates {
		relist, updated = true, nil
	}
	slices.Sort(updated)
	for _, uri := range updated {
		n.send("notifications/resources/updated", map[string]any{"uri": uri})
	}
	if relist {
		n.send("notifications/resources/list_changed", nil)
	}
}

func (n Announcer) send(method string, params any) {
	if err := n.Notify(method, params); err != nil {
		n.Log.Warn("notify mcp clients", "method", method, "err", err)
	}
}
