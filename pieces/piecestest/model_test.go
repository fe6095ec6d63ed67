package piecestest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	. "fermata/pieces/piecestest"
)

type turn struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

func post(t *testing.T, m *Model, system string, turns ...turn) (int, map[string]any) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": "m", "system": system, "messages": turns})
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(m.URL()+"/v1/messages?beta=true", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return res.StatusCode, out
}

func saidText(t *testing.T, reply map[string]any) string {
	t.Helper()
	blocks, _ := reply["content"].([]any)
	if len(blocks) == 0 {
		t.Fatalf("no content in %v", reply)
	}
	text, _ := blocks[0].(map[string]any)["text"].(string)
	return text
}

func TestReplyIsChosenByConversationAlone(t *testing.T) {
	t.Parallel()
	m := NewModel(t, Script{
		{Name: "strategy", Match: Contains("# Step: strategy"), Replies: []Reply{Say("s0"), Say("s1")}},
		{Name: "plan", Match: Tag("plan"), Replies: []Reply{Say("p0"), Say("p1 {{last_result}}")}},
		{Name: "rest", Replies: []Reply{Say("r0")}, Repeat: true},
	})
	user := func(s string) turn { return turn{"user", s} }
	model := func(s string) turn { return turn{"assistant", s} }
	result := turn{"user", []map[string]any{{"type": "tool_result", "tool_use_id": "x", "content": "[[strategy]] 42"}}}
	for _, c := range []struct {
		want, system string
		turns        []turn
	}{
		{"s0", "", []turn{user("# Step: strategy\nthink")}},
		{"s1", "", []turn{user("# Step: strategy\nthink"), model("s0"), user("go on")}},
		{"s0", "", []turn{user("# Step: strategy"), model("s0"), user("again: # Step: strategy")}},
		{"s0", "You do # Step: strategy", []turn{user("hello")}},
		{"p0", "You do # Step: strategy", []turn{user("hello"), model("s0"), user("now [[plan]]")}},
		{"p1 [[strategy]] 42", "", []turn{user("[[plan]]"), model("p0"), result}},
		{"p0", "", []turn{user("[[plan]]"), model("No response requested."), user("go")}},
		{"r0", "", []turn{user("hello"), model("r0"), user("hello")}},
	} {
		if _, reply := post(t, m, c.system, c.turns...); saidText(t, reply) != c.want {
			t.Errorf("%v: said %q, want %q", c.turns, saidText(t, reply), c.want)
		}
	}
}

func TestMissingReplyIsAProblem(t *testing.T) {
	t.Parallel()
	m, err := StartModel(Script{{Name: "one", Match: Tag("one"), Replies: []Reply{Say("1")}}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	post(t, m, "", turn{"user", "[[one]]"})
	if got := m.Problems(); len(got) != 0 {
		t.Fatalf("problems %q after an answered request", got)
	}
	post(t, m, "", turn{"user", "[[two]]"})
	post(t, m, "", turn{"user", "[[one]]"}, turn{"assistant", "1"}, turn{"user", "more"})
	if got := m.Problems(); len(got) != 2 || !strings.Contains(got[0], "no rule matches") || !strings.Contains(got[1], "no reply is left") {
		t.Fatalf("problems: %q", got)
	}
}

func TestFailureIsGivenSoManyTimes(t *testing.T) {
	t.Parallel()
	m := NewModel(t, Script{{Name: "busy", Replies: []Reply{{
		Failure: &Failure{Status: 529, Message: "busy"}, Times: 2, Blocks: []Block{Text("at last")},
	}}}})
	for i, want := range []int{529, 529, 200, 200} {
		status, reply := post(t, m, "", turn{"user", "x"})
		if status != want {
			t.Fatalf("request %d: status %d, want %d", i+1, status, want)
		}
		if failure, _ := reply["error"].(map[string]any); want == 529 && failure["type"] != "overloaded_error" {
			t.Fatalf("error shape: %v", reply)
		}
	}
}

func TestHeldReplyWaitsForRelease(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	m := NewModel(t, Script{{Name: "held", Replies: []Reply{{Hold: hold, Blocks: []Block{Text("free")}}}}})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	done := make(chan string, 1)
	go func() {
		_, reply := post(t, m, "", turn{"user", "x"})
		done <- saidText(t, reply)
	}()
	if _, err := m.Wait(ctx, AnsweredBy("held")); err != nil {
		t.Fatal(err)
	}
	select {
	case text := <-done:
		t.Fatalf("answered %q while held", text)
	default:
	}
	close(hold)
	if text := <-done; text != "free" {
		t.Fatalf("answered %q", text)
	}
}

func TestCloseEndsHeldReplies(t *testing.T) {
	t.Parallel()
	m, err := StartModel(Script{{Name: "held", Replies: []Reply{{Hold: make(chan struct{})}}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := http.Post(m.URL()+"/v1/messages", "application/json", strings.NewReader(`{"messages":[]}`))
		done <- err
	}()
	if _, err := m.Wait(ctx, AnsweredBy("held")); err != nil {
		t.Fatal(err)
	}
	m.Close()
	if err := <-done; err == nil {
		t.Fatal("the held request was answered")
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	m := NewModel(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Wait(ctx, AnsweredBy("nobody")); err == nil {
		t.Fatal("no error")
	}
}

func TestProbesAreAnswered(t *testing.T) {
	t.Parallel()
	m := NewModel(t, nil)
	res, err := http.Head(m.URL() + "/")
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res, err)
	}
	res, err = http.Post(m.URL()+"/v1/messages/count_tokens", "application/json", strings.NewReader(`{"messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var count struct {
		Tokens int `json:"input_tokens"`
	}
	if err := json.NewDecoder(res.Body).Decode(&count); err != nil || count.Tokens < 1 {
		t.Fatal(count, err)
	}
	if n := len(m.Requests()); n != 0 {
		t.Fatalf("%d probes recorded as requests", n)
	}
}

func TestEventStreamCarriesTheWholeAnswer(t *testing.T) {
	t.Parallel()
	m := NewModel(t, Script{{Name: "all", Replies: []Reply{{Blocks: []Block{
		Thinking("hm"), Text("two words"), ToolUse("Bash", map[string]string{"command": "ls {{cwd}}"}),
	}}}}})
	res, err := http.Post(m.URL()+"/v1/messages", "application/json", strings.NewReader(
		`{"stream":true,"messages":[{"role":"user","content":"Working directory: /w"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for line := range strings.Lines(string(raw)) {
		if kind, ok := strings.CutPrefix(strings.TrimSpace(line), "event: "); ok {
			kinds = append(kinds, kind)
		}
	}
	want := strings.Fields(`message_start content_block_start content_block_delta content_block_delta content_block_stop
		content_block_start content_block_delta content_block_delta content_block_stop
		content_block_start content_block_delta content_block_stop message_delta message_stop`)
	if !slices.Equal(kinds, want) {
		t.Errorf("events %q", kinds)
	}
	for _, part := range []string{`{\"command\":\"ls /w\"}`, `"stop_reason":"tool_use"`, `"text":"two "`} {
		if !strings.Contains(string(raw), part) {
			t.Errorf("no %s in\n%s", part, raw)
		}
	}
}
