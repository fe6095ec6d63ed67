package app

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fermata/app/apptest"
	"fermata/mcp/audit"
	"fermata/pieces"
	"fermata/pieces/piecestest"
)

// booked reads the audit book by the command line.
func (r *rig) booked() []audit.Row {
	r.t.Helper()
	out, code := r.fermata("audit", "export")
	if code != 0 {
		r.t.Fatalf("audit export: %d %s", code, out)
	}
	var rows []audit.Row
	for line := range strings.Lines(out) {
		var row audit.Row
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Call == nil {
			r.t.Fatalf("audit export printed %q: %v", line, err)
		}
		rows = append(rows, row)
	}
	return rows
}

// agentsBooked says whether the book has each call of an agent of ours as what it was.
func (r *rig) agentsBooked() {
	r.t.Helper()
	found := map[string]int{}
	for _, row := range r.booked() {
		if row.Caller == audit.CallerOwnAgent {
			found[row.Tool+" "+row.Result]++
		}
		if row.Caller == audit.CallerUnknown {
			r.t.Errorf("booked without a caller: %+v", row.Call)
		}
	}
	for _, want := range []string{"create_draft fenced", "list_projects ok"} {
		if found[want] == 0 {
			r.t.Errorf("no %q of an own agent is booked: %v", want, found)
		}
	}
}

func TestEveryCallIsInTheBookThatTheCommandLineReads(t *testing.T) {
	t.Parallel()
	r := newRig(t, piecestest.Story(piecestest.StoryAgents()), apptest.Options{Bus: apptest.BusNone})
	if out, code := r.fermata("settings", "set", pieces.KeyWelcomeDone, "true"); code != 0 {
		t.Fatal(out)
	}
	r.start()
	url := r.serverOn()
	token := strings.Split(url, "/")[3]
	m := r.connect(url)
	m.call("register_project", map[string]any{"path": r.repo.Path})
	spec := "# A draft\n\nUse ghp_A1b2C3d4E5f6G7h8I9j0 and " + token + " with 'Authorization: ApiKey hush-hush-hush'."
	id := m.call("create_draft", map[string]any{"spec": spec, "cwd": r.repo.Path, "lane": "auto"})["draftId"].(string)
	if text, failed, err := m.try(t.Context(), "get_piece", map[string]any{"pieceId": "none"}); err != nil || !failed {
		t.Fatalf("get_piece: %s %v", text, err)
	}
	if _, _, err := m.try(t.Context(), "get_piece", map[string]any{"pieceId": 1}); err == nil {
		t.Fatal("a malformed call is answered")
	}
	if out, code := r.fermata("settings", "set", pieces.KeyMCPAskBefore, "true"); code != 0 {
		t.Fatal(out)
	}
	done := make(chan string, 1)
	go func() {
		text, _, err := m.try(context.WithoutCancel(t.Context()), "release_draft", map[string]any{"draftId": id})
		if err != nil {
			text = err.Error()
		}
		done <- text
	}()
	r.click("card:deny")
	if text := <-done; !strings.Contains(text, "denied") {
		t.Errorf("the denied call read %q", text)
	}
	wants := []struct{ tool, result, answer string }{
		{"register_project", "ok", ""}, {"create_draft", "ok", ""}, {"get_piece", "refused", ""}, {"get_piece", "invalid", ""}, {"release_draft", "denied", "denied"},
	}
	rows := r.booked()
	if len(rows) != len(wants) {
		t.Fatalf("%d calls are booked: %+v", len(rows), rows)
	}
	for i, want := range wants {
		got := rows[i]
		answer := ""
		if len(got.Cards) > 0 {
			answer = got.Cards[0].Answer
		}
		if got.N != i+1 || got.Tool != want.tool || got.Result != want.result || answer != want.answer ||
			got.Client != "e2e" || got.Version != "1" || got.Caller != audit.CallerOutside || got.MS <= 0 || got.At.IsZero() {
			t.Errorf("row %d: %+v %+v, want %+v", i+1, got, got.Call, want)
		}
	}
	if args := string(rows[1].Arguments); strings.Contains(args, "A1b2") || strings.Contains(args, token) || strings.Contains(args, "hush") || !strings.Contains(args, "A draft") {
		t.Errorf("the book has the arguments %s", args)
	}
	r.app.Kill()
	r.app.Wait()
	r.start()
	r.connect(r.serverOn()).call("list_projects", map[string]any{})
	if out, code := r.fermata("audit", "verify"); code != 0 || out != "audit: 6 calls, the chain holds" {
		t.Errorf("verify: %d %q", code, out)
	}
	r.quit()
	r.tampered(token)
}

// tampered changes the book of an app that has quit, and looks whether the command line says where.
func (r *rig) tampered(token string) {
	t := r.t
	t.Helper()
	text, err := os.ReadFile(r.data.audit())
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(r.data.audit()); err != nil || st.Mode().Perm() != 0o600 || bytes.Contains(text, []byte(token)) {
		t.Errorf("the book's file: %v %v", st.Mode(), err)
	}
	file := filepath.Join(t.TempDir(), "export.jsonl")
	if out, code := r.fermata("audit", "export", file); code != 0 || out != "audit: 6 lines in "+file {
		t.Errorf("export: %d %q", code, out)
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, text) {
		t.Errorf("exported %q, %v", got, err)
	}
	if out, code := r.fermata("audit", "export", r.data.audit()); code != exitFailed || !strings.HasSuffix(out, "is there already: name a new file") {
		t.Errorf("export over the book: %d %q", code, out)
	}
	if err := os.WriteFile(r.data.audit(), bytes.Replace(text, []byte(`"denied"`), []byte(`"allowd"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := r.fermata("audit", "verify"); code != exitFailed || out != "fermata: audit: row 5 breaks the chain: it is not as it was written (audit.jsonl, line 5)" {
		t.Errorf("verify: %d %q", code, out)
	}
	for _, args := range [][]string{{"audit"}, {"audit", "prove"}, {"audit", "verify", "x"}, {"audit", "export", "a", "b"}, {"audit", "export", ""}} {
		if out, code := r.fermata(args...); code != exitUsage || out != "fermata: audit takes export [FILE|-], or verify" {
			t.Errorf("fermata %v: %d %q", args, code, out)
		}
	}
}
