package control

import (
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
)

func TestAPieceIsMadeFromWhatTheClientSays(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	args := values{
		"prompt": "Retry uploads", "cwd": "/home/ada/muse/web", "name": "Trains", "depth": "quick", "model": "claude-opus-4-5", "runAt": "THISMAC",
		"id": "AAAAAAAA-AAAA-4AAA-8AAA-AAAAAAAAAAAA",
	}
	const want = `{"ok": true, "pieceId": "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa", "name": "Trains", "phase": {"key": "spec", "display": "Spec"}}`
	same(t, k.ok("create_piece", args), want)
	made := engine.NewPiece{
		ID: "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa", ProjectID: projectID, Prompt: "Retry uploads", Name: "Trains", Depth: pieces.DepthQuick,
		Model: "claude-opus-4-5", RunAt: "thisMac", By: pieces.ByClient,
	}
	if len(k.engine.created) != 1 || k.engine.created[0] != made {
		t.Errorf("made %+v", k.engine.created)
	}
	// A resend is answered even when what it names is gone.
	args["cwd"], args["runAt"] = "/gone", "an Echo that was removed"
	same(t, k.ok("create_piece", args), want)
	if len(k.engine.created) != 1 {
		t.Errorf("a resend made %+v", k.engine.created)
	}
}

func TestNothingIsMadeWhereAPieceCannotRun(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	for _, c := range []struct {
		args values
		want string
	}{
		{values{"prompt": "x", "projectId": projectID, "runAt": "mini"}, "Echoes is off"},
		{values{"prompt": "x"}, "No project is named"},
		{values{"prompt": "x", "cwd": "/home/ada/other"}, "No project contains /home/ada/other"},
	} {
		wants(t, k.refused("create_piece", c.args), c.want)
	}
	k.engine.settings[keyEchoes] = "true"
	wants(t, k.refused("create_piece", values{"prompt": "x", "projectId": projectID, "runAt": "mini"}), `Unknown Echo "mini"`)
	if len(k.engine.created) != 0 {
		t.Errorf("made %+v", k.engine.created)
	}
}

func TestADryRunAsksNobodyAndDoesNothing(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.everythingLegal = true
	k.engine.settings[keyAsk] = "true"
	for _, r := range pieces.Rules() {
		args := act(string(r.Action), "dryRun", true)
		for _, name := range actionArgs[r.Action].needs {
			args[name] = map[string]string{"lane": "auto"}[name]
			if name != "lane" {
				args[name] = taskID
			}
		}
		got := k.ok("piece_action", args).(map[string]any)
		if want := r.Tier != pieces.TierCall && !r.AutoOnly; got["card"] != want || got["legal"] != true {
			t.Errorf("%s: %v", r.Action, got)
		}
	}
	same(t, k.ok("piece_action", act("approveSpec", "lane", "auto", "dryRun", true)).(map[string]any)["card"], `true`)
	k.cards(0)
	if len(k.engine.acted()) != 0 {
		t.Errorf("acted %+v", k.engine.acted())
	}
}
