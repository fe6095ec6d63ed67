package control

import (
	"slices"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
)

const wantOn = `"dependsOn": [
	{"id": "` + pieceID + `", "key": null, "name": "upload-retry", "origin": "manual", "state": "Agents 0/1", "ignored": false},
	{"id": "` + sessionID + `", "key": "SUP-3", "name": "Other", "origin": "linear", "state": "Done", "ignored": false},
	{"id": "` + taskID + `", "key": "SUP-4", "name": null, "origin": "split", "state": "deleted", "ignored": false}]`

func waitsOn() []pieces.Dependency {
	return []pieces.Dependency{
		{ID: pieceID, Name: "upload-retry", Origin: pieces.OriginManual, State: "Agents 0/1"},
		{ID: sessionID, Key: "SUP-3", Name: "Other", Origin: pieces.OriginLinear, State: "Done", Standing: pieces.Met},
		{ID: taskID, Key: "SUP-4", Origin: pieces.OriginSplit, State: "deleted", Standing: pieces.Wrong},
	}
}

const wantBlocking = `["` + pieceID + `", "SUP-4"]`

// linked is a rig whose draft waits on three items.
func linked(t *testing.T) *rig {
	t.Helper()
	k := newRig(t)
	k.engine.on = map[string][]pieces.Dependency{draftID: waitsOn()}
	return k
}

func TestRowsTellWhatTheirItemWaitsOn(t *testing.T) {
	t.Parallel()
	k := linked(t)
	fields := func(row any) map[string]any {
		m := row.(map[string]any)
		return map[string]any{"dependsOn": m["dependsOn"], "waiting": m["waiting"], "blockingKeys": m["blockingKeys"]}
	}
	row := k.ok("list_pieces", values{}).(map[string]any)["pieces"].([]any)[1]
	same(t, fields(row), `{`+wantOn+`, "waiting": false, "blockingKeys": `+wantBlocking+`}`)
	k.engine.change(func() { k.engine.drafts[0].ReleasedBy = pieces.ByClient })
	same(t, fields(k.ok("get_piece", values{"pieceId": draftID})), `{`+wantOn+`, "waiting": true, "blockingKeys": `+wantBlocking+`}`)
	same(t, fields(k.ok("update_draft", values{"draftId": draftID, "title": "x"})), `{`+wantOn+`, "waiting": true, "blockingKeys": `+wantBlocking+`}`)

	k.engine.change(func() {
		s := &k.engine.pieces[0]
		s.Dependencies, s.Flags.Dependencies = waitsOn(), true
		s.Piece.Phase, s.Piece.Activity = pieces.PhaseSpec, pieces.Waiting
	})
	for range 2 { // a row that is kept must not outlive what it says of others
		row = k.ok("list_pieces", values{}).(map[string]any)["pieces"].([]any)[0]
		same(t, fields(row), `{`+wantOn+`, "waiting": true, "blockingKeys": `+wantBlocking+`}`)
	}
	k.engine.change(func() { k.engine.pieces[0].Dependencies[0].Standing = pieces.Met })
	row = k.ok("list_pieces", values{}).(map[string]any)["pieces"].([]any)[0]
	if keys := row.(map[string]any)["blockingKeys"].([]any); !slices.Equal(keys, []any{"SUP-4"}) {
		t.Errorf("blocking keys %v", keys)
	}
	k.engine.change(func() { k.engine.pieces[0].Flags.Dependencies = false })
	same(t, fields(k.ok("get_piece", values{"pieceId": pieceID})), `{`+wantLinks+`}`)
}

func TestDraftOffersDependenciesWhileTheyAreOn(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	for setting, want := range map[string]string{
		"true":  `["update_draft", "cancel_draft", "release_draft", "addDependency", "removeDependency"]`,
		"false": `["update_draft", "cancel_draft", "release_draft"]`,
	} {
		k.engine.change(func() { k.engine.settings[pieces.KeyDependencies] = setting })
		same(t, k.ok("get_piece", values{"pieceId": draftID}).(map[string]any)["legalActions"], want)
	}
}

func TestHeldReleaseSucceedsAndSaysWhatItWaitsOn(t *testing.T) {
	t.Parallel()
	const held = `"released": false, "waiting": true, "waitsOn": ` + wantBlocking + `, ` + wantOn
	k := linked(t)
	for range 2 {
		same(t, k.ok("release_draft", values{"draftId": draftID}), `{"ok": true, "draftId": "`+draftID+`", "title": "Balanced controls", "lane": "auto", `+held+`}`)
	}
	k.engine.on[newID], k.engine.skipped = waitsOn(), []engine.SkippedLink{{Blocker: "x", Reason: "That link would create a loop."}}
	same(t, k.ok("create_draft", filing("lane", "loop", "release", true, "dependsOn", []string{pieceID})),
		`{"ok": true, "draftId": "`+newID+`", "title": "New", "lane": "loop", `+held+`, "skippedDependencies": [{"blocker": "x", "reason": "That link would create a loop."}]}`)
	same(t, k.ok("create_draft", filing("lane", "loop", "release", true, "dependsOn", []string{pieceID})),
		`{"ok": true, "draftId": "`+newID+`", "title": "New", "lane": "loop", `+held+`}`)
	if len(k.engine.released) != 0 || len(k.engine.filed) != 1 {
		t.Errorf("released %v, filed %v", k.engine.released, k.engine.filed)
	}
}

func TestReleaseOfAHeldDraftIsAllowedOnce(t *testing.T) {
	t.Parallel()
	k := linked(t)
	k.engine.settings[keyAsk] = "true"
	done := k.start(t.Context(), "release_draft", values{"draftId": draftID})
	q := k.cards(1)[0]
	if !slices.Contains(pieces.English(q.Effect), waitsLine().String()) {
		t.Errorf("the card says %q", q.Effect)
	}
	k.allow(q)
	if a := k.ended(done); a.error {
		t.Fatal(a.text)
	}
	k.ok("release_draft", values{"draftId": draftID})
	done = k.start(t.Context(), "release_draft", values{"draftId": draftID, "model": "claude-x"})
	k.allow(k.cards(1)[0])
	if a := k.ended(done); a.error {
		t.Fatal(a.text)
	}
}

func TestFiledDraftTellsItsDependencies(t *testing.T) {
	t.Parallel()
	k := linked(t)
	k.engine.on[newID] = waitsOn()
	const filed = `"ok": true, "draftId": "` + newID + `", "title": "New", "lane": "manual"`
	same(t, k.ok("create_draft", filing("dependsOn", []string{pieceID, "sup-3"})), `{`+filed+`, `+wantOn+`}`)
	if got := k.engine.filed[0].DependsOn; !slices.Equal(got, []string{pieceID, "sup-3"}) {
		t.Errorf("filed on %q", got)
	}
	k.engine.on[reviewID], k.engine.skipped = nil, []engine.SkippedLink{{Blocker: pieceID, Reason: "r"}}
	same(t, k.ok("create_draft", values{"spec": "# New", "projectId": projectID, "dependsOn": []string{pieceID}}),
		`{"ok": true, "draftId": "`+reviewID+`", "title": "New", "lane": "manual", "dependsOn": [], "skippedDependencies": [{"blocker": "`+pieceID+`", "reason": "r"}]}`)
}

func TestLinksAreEditedOnPiecesAndDrafts(t *testing.T) {
	t.Parallel()
	k := linked(t)
	for _, c := range []struct {
		id, want string
	}{
		{draftID, `{"ok": true, "pieceId": "` + draftID + `", "kind": "draft", ` + wantOn + `, "waiting": true, "blockingKeys": ` + wantBlocking + `}`},
		{pieceID, `{"ok": true, "pieceId": "` + pieceID + `", "kind": "piece", ` + wantOn + `, "waiting": true, "blockingKeys": ` + wantBlocking + `,
			"phase": {"key": "agents", "display": "Agents 0/1"}, "gate": null}`},
	} {
		k.engine.act = func(r engine.Request) (engine.Result, error) {
			s := k.engine.pieces[0]
			if r.PieceID == draftID {
				s = pieces.Snapshot{Piece: pieces.Piece{ID: draftID, Phase: pieces.PhaseBacklog}}
			}
			s.Dependencies = waitsOn()
			return engine.Result{Piece: s, Waiting: true}, nil
		}
		k.engine.everythingLegal = true
		for _, a := range []pieces.Action{pieces.AddDependency, pieces.RemoveDependency} {
			same(t, k.ok("piece_action", values{"pieceId": c.id, "action": string(a), "blocker": "sup-3"}), c.want)
		}
	}
	if got := k.engine.acted()[0]; got.Blocker != "sup-3" || got.By != pieces.ByClient {
		t.Errorf("acted %+v", got)
	}
}
