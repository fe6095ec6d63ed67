package control

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/server"

	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
)

// write is a call of a write tool with the card that it waits for.
type write struct {
	tool  string
	args  values
	title string
	body  string
	line  string // of the effect, besides the one about the caller
}

// writes is one well-formed call of each write tool that the fake engine can carry out, with the card that a caller who
// cannot be placed waits for.
var writes = []write{
	{"register_project", values{"path": "/home/ada/new"}, "register a project", "register a project: '/home/ada/new'", "path: /home/ada/new"},
	{"create_draft", values{"projectId": projectID, "spec": "# Ports\n\nText."}, "file a draft", "file a draft: 'Ports' (muse)", "spec: # Ports Text."},
	{"create_draft", values{"projectId": projectID, "spec": "# Ports\n", "release": true}, "release the draft", "release the draft on 'Ports' (muse)", "Makes a branch and a worktree, and starts the piece on the lane manual."},
	{"create_piece", values{"projectId": projectID, "prompt": "Make it\nfast", "name": "Speed"}, "create a piece", "create a piece: 'Speed' (muse)", "prompt: Make it fast"},
	{"open_piece_workspace", values{"pieceId": pieceID}, "open a piece's workspace", "open a piece's workspace: 'upload-retry' (muse)", "pieceId: " + pieceID},
	{"snooze_cue", values{"target": values{"kind": "piece", "id": pieceID}, "fingerprint": "f"}, "snooze a cue", "snooze a cue: 'upload-retry' (muse)", "target: id " + pieceID + ", kind piece"},
	{"reveal", values{"sessionId": sessionID}, "open an item on the screen", "open an item on the screen: 'retry' (muse)", "sessionId: " + sessionID},
	{"update_draft", values{"draftId": draftID, "title": "New"}, "change a draft", "change a draft: 'Balanced controls' (muse)", "title: New"},
	{"cancel_draft", values{"draftId": draftID}, "delete a draft", "delete a draft: 'Balanced controls' (muse)", "draftId: " + draftID},
	{"release_draft", values{"draftId": draftID}, pieces.VerbReleaseAuto, pieces.VerbReleaseAuto + " on 'Balanced controls' (muse)", "The draft's spec is looked through for gaps first; without one it is used as it is."},
	{"piece_action", act("pauseAgents"), "run pauseAgents", "run pauseAgents on 'upload-retry' (muse)", "Ends 1 running agent."},
	{"piece_action", act("stopAgents"), "stop agents", "stop agents on 'upload-retry' (muse)", "Ends 1 running agent."},
}

func TestOwnAgentsAreRefusedBeforeAnythingIsLookedAt(t *testing.T) {
	t.Parallel()
	calls := map[string][]any{}
	for _, w := range writes {
		calls[w.tool] = append(calls[w.tool], w.args)
	}
	for _, tool := range WriteTools() {
		calls[tool] = append(calls[tool], values{}, values{"no_such": "\x00"}, "no object")
	}
	const sentence = "Fermata's own agents can't drive Fermata through its MCP server. Ask the person to do this from the app or from their own MCP client."
	for tool, list := range calls {
		k := newRig(t)
		k.kind = CallerOwnAgent
		k.engine.panics = true // whoever asks the engine anything gets a fault
		o := Options{Caller: func(context.Context) Caller { return Caller{Kind: func() CallerKind { return k.kind }} }}
		web := httptest.NewServer(o.Checked(server.NewStreamableHTTPServer(k.server, server.WithStateLess(true), server.WithDisableStreaming(true))))
		t.Cleanup(web.Close)
		for _, arguments := range list {
			status, a := post(t, web.URL, message(t, tool, arguments), nil)
			if _, isObject := arguments.(values); !isObject && a.code == -32602 {
				continue // the library itself cannot read it as a call
			}
			if status != http.StatusOK || !a.error || a.code != 0 || a.text != sentence {
				t.Errorf("%s %v: HTTP %d %+v", tool, arguments, status, a)
			}
		}
		k.cards(0)
		if k.logged() != "" {
			t.Errorf("%s: %s", tool, k.logged())
		}
	}
}

func TestOwnAgentsRead(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.kind = CallerOwnAgent
	k.ok("list_projects", values{})
	k.ok("get_piece", values{"pieceId": pieceID})
	k.ok("get_artifact", values{"pieceId": pieceID, "kind": "spec"})
}

func TestACallerThatCannotBePlacedWaitsForACardWhateverItWrites(t *testing.T) {
	t.Parallel()
	for _, w := range writes {
		var k *rig
		k = newRigWith(t, func(o *Options) {
			o.Reveal = func(_ context.Context, piece, session string) error {
				k.engine.change(func() { k.engine.opened = append(k.engine.opened, piece+session) })
				return nil
			}
		})
		k.kind = CallerUnknown
		k.engine.cues.Items = []engine.Cue{{Target: engine.Target{Kind: engine.TargetPiece, ID: pieceID}, Fingerprint: "f"}}
		before := k.engine.state()
		denied := k.start(t.Context(), w.tool, w.args)
		q := k.cards(1)[0]
		if q.Title.String() != "Allow the MCP client to "+w.title+"?" || q.Body.String() != "An external MCP client wants to "+w.body+"." || q.ProjectID != projectID && w.tool != "register_project" {
			t.Errorf("%s: the card says %q, %q (project %q)", w.tool, q.Title, q.Body, q.ProjectID)
		}
		if len(q.Effect) < 2 || q.Effect[0].String() != "Fermata cannot tell which program is calling, so it asks before every change." || !strings.Contains(strings.Join(pieces.English(q.Effect), "\n"), w.line) {
			t.Errorf("%s: the card shows %q", w.tool, q.Effect)
		}
		if err := k.desk.Answer(q.ID, false, ""); err != nil {
			t.Fatal(err)
		}
		if a := k.ended(denied); a.text != sentenceDenied || k.engine.state() != before {
			t.Errorf("%s denied: %+v, %s", w.tool, a, k.engine.state())
		}
		allowed := k.start(t.Context(), w.tool, w.args)
		k.allow(k.cards(1)[0])
		if a := k.ended(allowed); a.error || k.engine.state() == before {
			t.Errorf("%s allowed: %+v", w.tool, a)
		}
		k.cards(0)
	}
}

func TestWithoutWordOfTheCallerItCannotBePlaced(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(o *Options){
		"no callers": func(o *Options) { o.Caller = nil },
		"no kind":    func(o *Options) { o.Caller = func(context.Context) Caller { return Caller{} } },
	} {
		k := newRigWith(t, change)
		done := k.start(t.Context(), "cancel_draft", values{"draftId": draftID})
		k.cards(1)
		k.desk.StopAll()
		if a := k.ended(done); a.text != sentenceStopped {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestNobodyIsAskedAboutWhatCannotBeDone(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.kind = CallerUnknown
	if a := k.call("cancel_draft", values{}); a.code == 0 {
		t.Errorf("malformed: %+v", a)
	}
	wants(t, k.refused("cancel_draft", values{"draftId": reviewID}), "Unknown draftId")
	wants(t, k.refused("create_draft", values{"cwd": "/elsewhere", "spec": "# X\n"}), "No project contains /elsewhere")
	wants(t, k.refused("piece_action", act("markDone")), "markDone is not legal now.")
	k.cards(0)
}

func TestACallerThatCannotBePlacedSharesNoCardWithOneThatCan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newRigWith(t, func(o *Options) {
			o.Caller = func(ctx context.Context) Caller {
				return Caller{Name: "claude-code", Kind: func() CallerKind {
					kind, _ := ctx.Value(kindKey{}).(CallerKind)
					return kind
				}}
			}
		})
		known := k.start(context.WithValue(t.Context(), kindKey{}, CallerOutside), "piece_action", act("stopAgents"))
		unknown := k.start(context.WithValue(t.Context(), kindKey{}, CallerUnknown), "piece_action", act("stopAgents"))
		synctest.Wait()
		var one consent.Question
		for _, q := range k.cards(2) {
			if len(q.Effect) == 1 {
				one = q
			}
		}
		k.allow(one)
		if a := k.ended(known); a.error {
			t.Errorf("the known one: %+v", a)
		}
		k.desk.StopAll()
		if a := k.ended(unknown); a.text != sentenceStopped {
			t.Errorf("the unknown one: %+v", a)
		}
	})
}

type kindKey struct{}

func TestTheCallerIsLookedUpForWritesAlone(t *testing.T) {
	t.Parallel()
	looks := 0
	k := newRigWith(t, func(o *Options) {
		o.Caller = func(context.Context) Caller {
			return Caller{Kind: func() CallerKind { looks++; return CallerOutside }}
		}
	})
	k.ok("list_pieces", values{})
	if looks != 0 {
		t.Errorf("a read looked %d times", looks)
	}
	k.ok("cancel_draft", values{"draftId": draftID})
	if looks == 0 {
		t.Error("a write did not look")
	}
}

func TestEveryWriteToolHasWordsForItsCard(t *testing.T) {
	t.Parallel()
	for _, name := range WriteTools() {
		if strangerVerb(name).String() == "use "+name {
			t.Errorf("%s has none", name)
		}
		if !slices.ContainsFunc(writes, func(w write) bool { return w.tool == name }) {
			t.Errorf("no test asks for a card of %s", name)
		}
	}
}

func TestADryRunTellsACallerThatCannotBePlacedOfItsCard(t *testing.T) {
	t.Parallel()
	for kind, want := range map[CallerKind]bool{CallerOutside: false, CallerUnknown: true} {
		k := newRig(t)
		k.kind = kind
		got := k.ok("piece_action", act("pauseAgents", "dryRun", true)).(map[string]any)
		if got["legal"] != true || got["card"] != want {
			t.Errorf("caller %d: %v", kind, got)
		}
		k.cards(0)
	}
}
