package control

import "fermata/pieces"

// splits are a piece's split fields.
type splits struct {
	Proposals []splitProposal `json:"splitProposals"`
	Links     []splitLink     `json:"splitLinks"`
	Hold      *splitHold      `json:"splitHold"`
	Pending   *splitsWait     `json:"splitPending"`
	Start     splitStart      `json:"splitStart"`
}

type splitProposal struct {
	ID          string                `json:"id"`
	Title       string                `json:"title"`
	Direction   pieces.SplitDirection `json:"direction"`
	Source      pieces.SplitSource    `json:"source"`
	RevisedFrom *string               `json:"revisedFrom"`
}

type splitLink struct {
	OriginalID string                `json:"originalID"`
	SplitOffID string                `json:"splitOffID"`
	Direction  pieces.SplitDirection `json:"direction"`
	ProposalID *string               `json:"proposalId"`
}

type splitHold struct {
	Reason           string   `json:"reason"`
	BlockingPieceIDs []string `json:"blockingPieceIds"`
}

type splitsWait struct {
	Reason      string   `json:"reason"`
	ProposalIDs []string `json:"proposalIds"`
}

type splitStart struct {
	Automatically bool    `json:"startSplitPiecesAutomatically"`
	Mode          *string `json:"mode"`
	WaitsForYou   bool    `json:"waitsForYou"`
	Reason        *string `json:"reason"`
}

// splitEvent is one entry of a piece's split history.
type splitEvent struct {
	At         *string               `json:"at"`
	Kind       pieces.SplitEventKind `json:"kind"`
	Summary    string                `json:"summary"`
	StartMode  *string               `json:"startMode"`
	ProposalID *string               `json:"proposalId"`
}

// splitsOf builds a piece's split fields; start is the setting as it is now.
func splitsOf(s pieces.Snapshot, start bool) splits {
	of := s.Piece.Splits
	v := splits{Proposals: []splitProposal{}, Links: []splitLink{}, Start: splitStart{
		Automatically: start, Mode: orNull(of.Mode), WaitsForYou: of.WaitsForYou, Reason: orNull(s.SplitWaits().String()),
	}}
	var ids []string
	for _, p := range of.Proposals {
		v.Proposals = append(v.Proposals, splitProposal{p.ID, p.Title, p.Direction, p.Source, orNull(p.RevisedFrom())})
		ids = append(ids, p.ID)
	}
	for _, l := range of.Links {
		v.Links = append(v.Links, splitLink{l.OriginalID, l.SplitOffID, l.Direction, orNull(l.ProposalID)})
	}
	if reason, blockers := s.SplitHold(); !reason.Empty() {
		v.Hold = &splitHold{reason.String(), blockers}
	}
	if reason := s.SplitPending(); !reason.Empty() {
		v.Pending = &splitsWait{reason.String(), ids}
	}
	return v
}

func splitEventsOf(s pieces.Snapshot) []splitEvent {
	list := []splitEvent{}
	for _, e := range s.Piece.Splits.Events {
		list = append(list, splitEvent{stamp(e.At), e.Kind, e.Summary, orNull(e.StartMode), orNull(e.ProposalID)})
	}
	return list
}
