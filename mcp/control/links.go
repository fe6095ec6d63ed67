package control

import (
	"context"

	"fermata/pieces"
	"fermata/pieces/engine"
)

// links are the dependency fields that both kinds of row carry.
type links struct {
	DependsOn    []dependency `json:"dependsOn"`
	Waiting      bool         `json:"waiting"`
	BlockingKeys []string     `json:"blockingKeys"`
}

// dependency is one link to something that must land first.
type dependency struct {
	ID      *string       `json:"id"`
	Key     *string       `json:"key"`
	Name    *string       `json:"name"`
	Origin  pieces.Origin `json:"origin"`
	State   string        `json:"state"`
	Ignored bool          `json:"ignored"`
}

func linksOf(list []pieces.Dependency, waiting bool) links {
	return links{DependsOn: dependenciesOf(list), Waiting: waiting, BlockingKeys: pieces.BlockingKeys(list)}
}

func dependenciesOf(list []pieces.Dependency) []dependency {
	views := make([]dependency, 0, len(list))
	for _, d := range list {
		views = append(views, dependency{ID: orNull(d.ID), Key: orNull(d.Key), Name: orNull(d.Name), Origin: d.Origin, State: d.State, Ignored: d.Ignored})
	}
	return views
}

// pieceLinks are a piece's; while dependencies are turned off they are hidden.
func pieceLinks(s pieces.Snapshot) links {
	if !s.Flags.Dependencies {
		return linksOf(nil, false)
	}
	return linksOf(s.Dependencies, s.Waits())
}

// draftRow reads what a draft waits on and builds its row.
func (c *control) draftRow(ctx context.Context, d pieces.Draft) (draftRow, error) {
	on, err := c.Engine.Dependencies(ctx)
	return draftRowOf(d, on[d.ID]), err
}

// heldView tells of a release that dependencies hold.
type heldView struct {
	filedView
	Released bool     `json:"released"`
	Waiting  bool     `json:"waiting"`
	WaitsOn  []string `json:"waitsOn"`
}

func heldOf(h *engine.HeldError) heldView {
	v := heldView{filedView: filedOf(h.Draft), Waiting: true, WaitsOn: pieces.BlockingKeys(h.Dependencies)}
	v.DependsOn = dependenciesOf(h.Dependencies)
	return v
}

// skippedLink is a link that filing left out.
type skippedLink struct {
	Blocker string `json:"blocker"`
	Reason  string `json:"reason"`
}

func skippedOf(list []engine.SkippedLink) []skippedLink {
	var views []skippedLink
	for _, s := range list {
		views = append(views, skippedLink(s))
	}
	return views
}

// linkResult is what addDependency and removeDependency return.
func linkResult(res engine.Result) any {
	s := res.Piece
	v := linkedView{OK: true, PieceID: s.Piece.ID, Kind: "draft", links: linksOf(s.Dependencies, res.Waiting)}
	if s.Piece.Phase == pieces.PhaseBacklog {
		return v
	}
	v.Kind = "piece"
	return linkedPieceView{v, phaseOf(s), orNull(s.Gate())}
}

type linkedView struct {
	OK      bool   `json:"ok"`
	PieceID string `json:"pieceId"`
	Kind    string `json:"kind"`
	links
}

type linkedPieceView struct {
	linkedView
	Phase phaseView `json:"phase"`
	Gate  *string   `json:"gate"`
}
