package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// book keeps what the tools report.
type book struct {
	mu   sync.Mutex
	rows []CallRecord
}

func (b *book) write(_ context.Context, r CallRecord) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows = append(b.rows, r)
}

// only returns the single call that was booked.
func (b *book) only(t *testing.T) CallRecord {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.rows) != 1 {
		t.Fatalf("%d calls are booked: %+v", len(b.rows), b.rows)
	}
	return b.rows[0]
}

func bookedRig(t *testing.T) (*rig, *book) {
	t.Helper()
	b := &book{}
	return newRigWith(t, func(o *Options) { o.Audit = b.write }), b
}

func TestEveryEndOfACallIsBookedOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		call func(k *rig)
		want CallRecord
	}{
		{"done", func(k *rig) { k.ok("list_projects", values{}) }, CallRecord{Tool: "list_projects", Result: ResultOK, Arguments: json.RawMessage(`{}`)}},
		{
			"refused", func(k *rig) { k.refused("get_piece", values{"pieceId": "x"}) },
			CallRecord{Tool: "get_piece", Result: ResultRefused, Message: "Unknown pieceId", Arguments: json.RawMessage(`{"pieceId":"x"}`)},
		},
		{
			"a fault", func(k *rig) { k.engine.err = errors.New("disk"); k.refused("get_piece", values{"pieceId": "x"}) },
			CallRecord{Tool: "get_piece", Result: ResultFault, Message: sentenceFault, Arguments: json.RawMessage(`{"pieceId":"x"}`)},
		},
		{
			"allowed", func(k *rig) {
				done := k.start(k.t.Context(), "piece_action", act("stopAgents"))
				k.allow(k.cards(1)[0])
				k.ended(done)
			},
			CallRecord{Tool: "piece_action", Result: ResultOK, Cards: []CardRecord{{Title: "Allow the MCP client to stop agents?", Answer: "allowed"}}},
		},
		{
			"denied", func(k *rig) {
				done := k.start(k.t.Context(), "piece_action", act("stopAgents"))
				if err := k.desk.Answer(k.cards(1)[0].ID, false, "not now"); err != nil {
					k.t.Fatal(err)
				}
				k.ended(done)
			},
			CallRecord{Tool: "piece_action", Result: ResultDenied, Message: denial("not now"), Cards: []CardRecord{{"Allow the MCP client to stop agents?", "denied", "not now"}}},
		},
		{
			"cancelled", func(k *rig) {
				ctx, cancel := context.WithCancel(k.t.Context())
				done := k.start(ctx, "piece_action", act("stopAgents"))
				k.cards(1)
				cancel()
				k.ended(done)
			},
			CallRecord{Tool: "piece_action", Result: ResultCancelled, Message: sentenceCancelled, Cards: []CardRecord{{Title: "Allow the MCP client to stop agents?", Answer: "cancelled"}}},
		},
		{
			"stopped", func(k *rig) {
				done := k.start(k.t.Context(), "piece_action", act("stopAgents"))
				k.cards(1)
				k.desk.StopAll()
				k.ended(done)
			},
			CallRecord{Tool: "piece_action", Result: ResultStopped, Message: sentenceStopped, Cards: []CardRecord{{Title: "Allow the MCP client to stop agents?", Answer: "stopped"}}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k, b := bookedRig(t)
			c.call(k)
			got := b.only(t)
			if got.Tool != c.want.Tool || got.Result != c.want.Result || got.Message != c.want.Message || !slices.Equal(got.Cards, c.want.Cards) {
				t.Errorf("booked %+v, want %+v", got, c.want)
			}
			if c.want.Arguments != nil && string(got.Arguments) != string(c.want.Arguments) {
				t.Errorf("arguments %s", got.Arguments)
			}
			if got.Client != "claude-code" || got.Version != "2.1" || got.Caller != CallerOutside || got.At.IsZero() || got.Took < 0 {
				t.Errorf("booked %+v", got)
			}
		})
	}
}

func TestOwnAgentsAreBookedAsSuch(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]ResultKind{"list_projects": ResultOK, "cancel_draft": ResultFenced} {
		k, b := bookedRig(t)
		k.kind = CallerOwnAgent
		k.call(tool, map[string]values{"list_projects": {}, "cancel_draft": {"draftId": draftID}}[tool])
		if got := b.only(t); got.Caller != CallerOwnAgent || got.Result != want {
			t.Errorf("%s is booked %+v", tool, got)
		}
	}
}

func TestCallerIsLookedUpBeforeItCanHangUp(t *testing.T) {
	t.Parallel()
	k, b := bookedRig(t)
	k.kind = CallerOwnAgent
	_, end := Options{Audit: b.write, Caller: func(context.Context) Caller {
		return Caller{Name: "curl ghp_A1b2C3d4E5f6G7h8I9j0K1l2", Kind: func() CallerKind { return k.kind }}
	}}.booked(t.Context(), "list_projects", nil)
	k.kind = CallerUnknown
	end(nil, "")
	if got := b.only(t); got.Caller != CallerOwnAgent || got.Client != "curl [cut]" {
		t.Errorf("booked %+v", got)
	}
}

func TestMalformedCallsAreBooked(t *testing.T) {
	t.Parallel()
	b := &book{}
	h := Options{Audit: b.write}.Checked(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a malformed call came through") }))
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(message(t, "get_piece", values{"pieceId": 1}))))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body, err := io.ReadAll(w.Body)
	if err != nil || !strings.Contains(string(body), "-32602") {
		t.Errorf("answered %s, %v", body, err)
	}
	if got := b.only(t); got.Result != ResultInvalid || got.Tool != "get_piece" || got.Message != "get_piece 'pieceId' must be a string" || string(got.Arguments) != `{"pieceId":1}` {
		t.Errorf("booked %+v", got)
	}
}

func TestSecretsNeverReachTheBook(t *testing.T) {
	t.Parallel()
	const word = "A1b2C3d4E5f6G7h8I9j0K1l2"
	for name, text := range map[string]string{
		"an Anthropic key":   "use sk-ant-api03-" + word + " please",
		"a GitHub token":     "ghp_" + word,
		"a fine GitHub one":  "github_pat_" + word + "_x",
		"our own key":        "fk_" + word,
		"a bearer":           "curl -H 'Authorization: Bearer " + word + "'",
		"another scheme":     "Authorization: ApiKey " + word + ", x=" + word,
		"a header in JSON":   `{"Authorization": "Token ` + word + `"}`,
		"a cookie":           "Cookie: session=" + word + "; other=" + word,
		"our token alone":    "it is " + word + word[:18] + "-, use it",
		"an assignment":      "export DB_PASSWORD=" + word,
		"a JSON member":      `{"api_key": "` + word + `"}`,
		"a URL's password":   "postgres://ada:" + word + "@db/x",
		"our endpoint":       "http://127.0.0.1:8787/" + word + "/mcp",
		"a JWT":              "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + word,
		"a private key":      "-----BEGIN OPENSSH PRIVATE KEY-----\n" + word + "\n",
		"one at the cut":     strings.Repeat("x", mostText-10) + " ghp_" + word,
		"one after a lot":    "sk-ant-" + word + strings.Repeat(" and more", 100_000),
		"a key in its place": "AKIA" + "ABCDEFGHIJKLMNOP" + " token=" + word,
	} {
		raw, err := json.Marshal(values{"spec": text, "list": []string{text}})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(redact(raw)); strings.Contains(got, word) || strings.Contains(got, word[:12]) || !json.Valid([]byte(got)) {
			t.Errorf("%s: the book gets %s", name, got)
		}
	}
	for _, kept := range []string{
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "aLongNameOfSomethingThatNobodyWouldCallASecret",
		"add-an-audit-book-that-says-who-called-which-tool-2", pieceID, "authorization is missing",
	} {
		if got := cutSecrets(kept); got != kept {
			t.Errorf("%q becomes %q", kept, got)
		}
	}
	if got := string(redact(json.RawMessage(`{"token":"short","pieceId":"` + pieceID + `","n":12345678901234567890}`))); got != `{"n":12345678901234567890,"pieceId":"`+pieceID+`","token":"[cut]"}` {
		t.Errorf("the book gets %s", got)
	}
}

func TestLongArgumentsAreShortened(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 5000)
	deep := json.RawMessage(strings.Repeat(`[`, 500) + strings.Repeat(`]`, 500))
	raw, err := json.Marshal(values{"spec": long, "keys": make([]int, 5000), long: 1, "deep": deep})
	if err != nil {
		t.Fatal(err)
	}
	got := redact(raw)
	if len(got) > 2000 || !json.Valid(got) {
		t.Errorf("%d bytes are kept: %s", len(got), got)
	}
	wants(t, string(got), "… (5,000 characters)", "… (5,000 items)")
	for _, odd := range []string{``, `[1]`, `"text"`, `{broken`, `null`} {
		if got := redact(json.RawMessage(odd)); !json.Valid(got) {
			t.Errorf("%q becomes %s", odd, got)
		}
	}
}

func TestWhatIsHarmlessHoldsNoSecret(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		pieceID: true, "approveSpec": true, "": true, "manual": true,
		"pass=hunter2": false, "token: x": false, "xoxb-123456789a": false, "basic aGVsbG8": false, "see http://a:b@c": false,
	} {
		if harmless(text) != want {
			t.Errorf("%q: harmless %v", text, !want)
		}
	}
}
