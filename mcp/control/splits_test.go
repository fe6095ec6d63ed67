package control

import (
	"testing"

	"fermata/pieces"
)

const proposalID, kinID = "99999999-aaaa-4bbb-8ccc-dddddddddddd", "88888888-aaaa-4bbb-8ccc-dddddddddddd"

// splitFields are the split fields of a piece's row, and its events where they are there.
func splitFields(row any) map[string]any {
	got := map[string]any{}
	for _, f := range []string{"splitProposals", "splitLinks", "splitHold", "splitPending", "splitStart", "splitEvents"} {
		if v, ok := row.(map[string]any)[f]; ok {
			got[f] = v
		}
	}
	return got
}

func TestProposalsThatWaitAreTold(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	p := &k.engine.pieces[0]
	p.Piece.Phase, p.Piece.Activity, p.Piece.Config.Lane = pieces.PhaseStrategy, pieces.Idle, pieces.LaneAuto
	p.Piece.Splits = pieces.Splits{
		Proposals: []pieces.SplitProposal{{ID: proposalID, Title: "New", First: "Old", Direction: pieces.SplitFollowUp, Source: pieces.SplitByAgent}},
		Events:    []pieces.SplitEvent{{At: day(3), Kind: pieces.SplitProposed, Summary: "Proposed.", ProposalID: proposalID}},
	}
	const waits = `1 split proposal waits for you at Review split: “New”.`
	want := func(reason string) string {
		return `"splitProposals": [{"id": "` + proposalID + `", "title": "New", "direction": "followUp", "source": "agent", "revisedFrom": "Old"}],
			"splitLinks": [], "splitHold": null, "splitPending": {"reason": "` + reason + `", "proposalIds": ["` + proposalID + `"]},
			"splitStart": {"startSplitPiecesAutomatically": false, "mode": null, "waitsForYou": false, "reason": null}`
	}
	got := k.ok("get_piece", values{"pieceId": pieceID})
	same(t, splitFields(got), `{`+want("Auto-split is off, so this Auto piece stopped. "+waits)+`,
		"splitEvents": [{"at": "`+*stamp(day(3))+`", "kind": "proposed", "summary": "Proposed.", "startMode": null, "proposalId": "`+proposalID+`"}]}`)
	same(t, got.(map[string]any)["gate"], `"reviewSplit"`)
	p.Flags.AutoSplit = true // a row that was encoded before must not be shown again
	same(t, splitFields(k.ok("list_pieces", values{}).(map[string]any)["pieces"].([]any)[0]), `{`+want(waits)+`}`)
}

func TestASplitPieceTellsWhatHoldsItAndHowItStarted(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	p := &k.engine.pieces[0]
	p.Piece.Phase, p.Piece.Activity, p.Flags.Dependencies = pieces.PhaseSpec, pieces.Waiting, true
	p.Piece.Splits = pieces.Splits{
		Links: []pieces.SplitLink{{OriginalID: kinID, SplitOffID: pieceID, Direction: pieces.SplitFollowUp, ProposalID: proposalID}, {OriginalID: kinID, SplitOffID: pieceID, Direction: pieces.SplitPrerequisite}},
		Kin:   []string{kinID}, Mode: pieces.SplitWaits, WaitsForYou: true,
	}
	p.Dependencies = []pieces.Dependency{{ID: kinID, Name: "Kin", Origin: pieces.OriginSplit, State: "Strategy"}}
	links := `"splitProposals": [], "splitPending": null, "splitLinks": [
		{"originalID": "` + kinID + `", "splitOffID": "` + pieceID + `", "direction": "followUp", "proposalId": "` + proposalID + `"},
		{"originalID": "` + kinID + `", "splitOffID": "` + pieceID + `", "direction": "prerequisite", "proposalId": null}]`
	row := func() any { return k.ok("list_pieces", values{}).(map[string]any)["pieces"].([]any)[0] }
	same(t, splitFields(row()), `{`+links+`, "splitHold": {"reason": "It waits on “Kin” (Strategy) of the same split; only Start anyway in Fermata overrides that.", "blockingPieceIds": ["`+kinID+`"]},
		"splitStart": {"startSplitPiecesAutomatically": false, "mode": "waitsForYou", "waitsForYou": true, "reason": null}}`)
	p.Dependencies[0].Ignored = true
	same(t, splitFields(row()), `{`+links+`, "splitHold": null,
		"splitStart": {"startSplitPiecesAutomatically": false, "mode": "waitsForYou", "waitsForYou": true,
			"reason": "“Start split pieces automatically” was off when the piece was split, so it waits until you move it on."}}`)
	same(t, row().(map[string]any)["dependsOn"], `[{"id": "`+kinID+`", "key": null, "name": "Kin", "origin": "split", "state": "Strategy", "ignored": true}]`)
	same(t, row().(map[string]any)["blockingKeys"], `[]`)
}
