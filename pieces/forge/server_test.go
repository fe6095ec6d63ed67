package forge

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fermata/pieces"
)

const remote = "git@github.com:acme/app.git"

// server answers paths with what the test put there, with ETags and a rate limit, and keeps what it was asked.
type server struct {
	*httptest.Server
	t *testing.T

	mu        sync.Mutex
	answers   map[string]answer // by "METHOD path", below /repos/acme/app
	asked     []string
	bodies    []string
	tokens    []string
	remaining int
	reset     time.Time
}

type answer struct {
	status int
	body   string
	header map[string]string
	then   *answer // the next time
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, answers: map[string]answer{}, remaining: 5000, reset: time.Now().Add(time.Hour)}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *server) forge() *Forge {
	return New(Options{
		APIURL: func() string { return s.URL },
		Token:  func(context.Context, string) (string, error) { return "secret", nil },
		HTTP:   s.Client(),
	})
}

func (s *server) put(path string, a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[path] = a
}

// take gives what was asked since the last time.
func (s *server) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	key := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/repos/acme/app")
	a, ok := s.answers[key]
	if !ok {
		a = answer{status: 404, body: `{"message":"Not Found"}`}
	}
	if a.then != nil {
		s.answers[key] = *a.then
	}
	etag := fmt.Sprintf(`W/"%d"`, len(a.body)*31+int(sum(a.body)))
	if a.status == 200 && r.Header.Get("If-None-Match") == etag {
		a.status, a.body = http.StatusNotModified, ""
	} else {
		s.remaining--
	}
	s.asked = append(s.asked, fmt.Sprintf("%s %d", key, a.status))
	s.bodies = append(s.bodies, string(body))
	s.tokens = append(s.tokens, r.Header.Get("Authorization"))
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-RateLimit-Limit", "5000")
	h.Set("X-RateLimit-Remaining", strconv.Itoa(s.remaining))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(s.reset.Unix(), 10))
	if a.status == 200 || a.status == http.StatusNotModified {
		h.Set("ETag", etag)
	}
	for name, value := range a.header {
		h.Set(name, value)
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

func sum(s string) (n uint32) {
	for _, b := range []byte(s) {
		n = n*16777619 ^ uint32(b)
	}
	return n
}

// pull is a pull request as GitHub sends it.
func pull(number int, title, state, sha string, merged bool) map[string]any {
	p := map[string]any{
		"number": number, "title": title, "state": state, "draft": false,
		"html_url": fmt.Sprintf("https://github.com/acme/app/pull/%d", number),
		"head":     map[string]any{"ref": "fermata/x", "sha": sha}, "base": map[string]any{"ref": "main"},
	}
	if merged {
		p["merged_at"] = "2026-01-02T03:04:05Z"
	}
	return p
}

func ok(t *testing.T, v any) answer {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return answer{status: 200, body: string(raw)}
}

// runs is a list of check runs: "" is running, else the conclusion.
func runs(conclusions ...string) map[string]any {
	list := []map[string]any{}
	for _, c := range conclusions {
		run := map[string]any{"status": "completed", "conclusion": c}
		if c == "" {
			run = map[string]any{"status": "in_progress"}
		}
		list = append(list, run)
	}
	return map[string]any{"total_count": len(list), "check_runs": list}
}

func statuses(states ...string) map[string]any {
	list := []map[string]any{}
	for _, s := range states {
		list = append(list, map[string]any{"state": s})
	}
	return map[string]any{"state": "pending", "statuses": list}
}

func open(number int) pieces.PullRequest {
	return pieces.PullRequest{Number: number, State: pieces.PullRequestOpen, Title: "before", Repo: "acme/app", Host: "github.com"}
}
