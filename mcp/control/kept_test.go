package control

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"fermata/pieces"
)

func textOf(k *rig, tool, arguments string) string {
	k.t.Helper()
	a := k.call(tool, json.RawMessage(arguments))
	if a.error {
		k.t.Fatalf("%s %s failed: %s", tool, arguments, a.text)
	}
	return a.text
}

func TestAResultIsKeptUntilTheRevisionGrows(t *testing.T) {
	t.Parallel()
	for _, call := range []struct{ tool, args string }{
		{"list_pieces", `{}`},
		{"list_pieces", `{"projectId":"` + projectID + `"}`},
		{"get_piece", `{"pieceId":"` + pieceID + `"}`},
	} {
		k := newRig(t)
		k.engine.still = true
		first := textOf(k, call.tool, call.args)
		k.engine.pieces[0].Piece.Name, k.engine.pieces[0].Piece.Version = "renamed", 7
		if kept := textOf(k, call.tool, call.args); kept != first {
			t.Errorf("%s %s: read again at the same revision", call.tool, call.args)
		}
		k.engine.revision++
		if fresh := textOf(k, call.tool, call.args); !strings.Contains(fresh, `"renamed"`) {
			t.Errorf("%s %s: kept after the revision grew: %s", call.tool, call.args, fresh)
		}
	}
}

func TestAResultThatDependsOnTheDiskIsNotKept(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.still = true
	for range 2 {
		textOf(k, "list_pieces", `{"\u0063wd":"/home/ada/muse/src"}`)
		k.engine.projects[0].Path = "/elsewhere"
	}
	if text := textOf(k, "list_pieces", `{"\u0063wd":"/home/ada/muse/src"}`); text != `{"pieces":[]}` {
		t.Errorf("kept %s", text)
	}
}

func TestOnlyWhatReadsIsKept(t *testing.T) {
	t.Parallel()
	for _, d := range tools {
		if d.keeps && !d.reads {
			t.Errorf("%s writes and keeps its result", d.name)
		}
	}
}

func TestKeptResultsAreBounded(t *testing.T) {
	t.Parallel()
	var k keptResults
	read := func(text string, keep bool) func() (string, bool, error) {
		return func() (string, bool, error) { return text, keep, nil }
	}
	for i := range 3 * mostResults {
		_, _ = k.of(ask{"t", fmt.Sprint(i)}, 1, read("x", true))
	}
	if n := len(k.byAsk); n > mostResults {
		t.Errorf("%d results", n)
	}
	_, _ = k.of(ask{"t", "long"}, 2, read(strings.Repeat("x", mostBytes), true))
	_, _ = k.of(ask{"t", "late"}, 1, read("read before the last change", true))
	_, _ = k.of(ask{"t", "disk"}, 2, read("x", false))
	for _, arguments := range []string{"long", "late", "disk"} {
		if text, _ := k.of(ask{"t", arguments}, 2, read("read again", false)); text != "read again" {
			t.Errorf("%s was kept", arguments)
		}
	}
}

func TestARowIsEncodedAgainWhenAnythingItTellsChanged(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	p := &k.engine.pieces[0]
	last := textOf(k, "list_pieces", `{}`)
	for _, change := range []func(){
		func() { p.Piece.Version++; p.Piece.Name = "renamed" },
		func() { p.HistoryID++; p.Tasks[0].State = pieces.TaskCompleted },
		func() { p.Prompts = []pieces.Prompt{{ID: "q", PieceID: pieceID, Kind: pieces.PromptQuestion}} },
		func() { k.engine.settings[pieces.KeyStartSplits] = "true" },
	} {
		change()
		now := textOf(k, "list_pieces", `{}`)
		if now == last {
			t.Errorf("the row is the same: %s", now)
		}
		fresh, err := encodeText(pieceRowOf(*p, k.engine.settings[pieces.KeyStartSplits] == "true"))
		if err != nil || !strings.Contains(now, fresh) {
			t.Errorf("%v\n got %s\nwant %s", err, now, fresh)
		}
		last = now
	}
}
