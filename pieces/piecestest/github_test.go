package piecestest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	. "fermata/pieces/piecestest"
)

// ask sends one request with the right token and returns the status, the headers and the decoded body.
func ask(t *testing.T, g *GitHub, method, path, body string, header ...string) (int, http.Header, map[string]any) {
	t.Helper()
	req, err := http.NewRequest(method, g.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+g.Token)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if len(raw) > 0 && raw[0] == '{' {
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
	} else if len(raw) > 0 {
		out = map[string]any{"list": string(raw)}
	}
	return res.StatusCode, res.Header, out
}

const pulls = "/repos/acme/app/pulls"

func pullBody(head string) string {
	return `{"title":"T","head":"` + head + `","base":"main","body":"B"}`
}

// pushed makes a repository whose remote has the branch work with one commit of its own.
func pushed(t *testing.T) (*Repo, *GitHub) {
	t.Helper()
	r := NewRepo(t).WithRemote()
	r.Git("checkout", "--quiet", "-b", "fermata/work")
	r.Write("a.txt", "a\n")
	r.Commit("Add a")
	r.Git("push", "--quiet", "origin", "fermata/work")
	return r, NewGitHub(t, GitHubOptions{Bare: r.Bare})
}

func TestTokenIsChecked(t *testing.T) {
	t.Parallel()
	g := NewGitHub(t, GitHubOptions{})
	for authorization, want := range map[string]string{"": "Requires authentication", "Bearer wrong": "Bad credentials"} {
		status, _, body := ask(t, g, "GET", "/repos/acme/app", "", "Authorization", authorization)
		if status != 401 || body["message"] != want || body["status"] != "401" {
			t.Errorf("%q: %d %v", authorization, status, body)
		}
	}
	if status, _, body := ask(t, g, "GET", "/api/v3/repos/acme/app", ""); status != 200 || body["default_branch"] != "main" {
		t.Errorf("right token: %d %v", status, body)
	}
	if status, _, _ := ask(t, g, "GET", "/repos/acme/other", ""); status != 404 {
		t.Errorf("other repository: %d", status)
	}
}

func TestPullRequestIsRefusedAsGitHubDoes(t *testing.T) {
	t.Parallel()
	r, g := pushed(t)
	r.Git("push", "--quiet", "origin", "main:refs/heads/same")
	if status, _, body := ask(t, g, "POST", pulls, pullBody("acme:fermata/work")); status != 201 || body["number"] != 1.0 {
		t.Fatalf("first: %d %v", status, body)
	}
	for _, c := range []struct{ head, want string }{
		{"fermata/work", "A pull request already exists for acme:fermata/work."},
		{"same", "No commits between main and same"},
		{"never-pushed", `"field":"head"`},
	} {
		status, _, body := ask(t, g, "POST", pulls, pullBody(c.head))
		raw, _ := json.Marshal(body)
		if status != 422 || body["message"] != "Validation Failed" || !strings.Contains(string(raw), c.want) {
			t.Errorf("%s: %d %s", c.head, status, raw)
		}
	}
	if n := len(g.Pulls()); n != 1 {
		t.Errorf("%d pull requests", n)
	}
}

func TestRefusalIsForTheNextAttemptOnly(t *testing.T) {
	t.Parallel()
	g := NewGitHub(t, GitHubOptions{})
	g.Refuse(403, "Resource not accessible by personal access token")
	if status, _, body := ask(t, g, "POST", pulls, pullBody("x")); status != 403 || !strings.HasPrefix(body["message"].(string), "Resource") {
		t.Errorf("refused: %d %v", status, body)
	}
	if status, _, _ := ask(t, g, "POST", pulls, pullBody("x")); status != 201 {
		t.Errorf("next: %d", status)
	}
}

func TestUnchangedAnswerIs304AndFree(t *testing.T) {
	t.Parallel()
	r, g := pushed(t)
	ask(t, g, "POST", pulls, pullBody("fermata/work"))
	_, first, body := ask(t, g, "GET", pulls+"/1", "")
	head := body["head"].(map[string]any)["sha"]
	if head != r.Git("rev-parse", "fermata/work") {
		t.Errorf("head %v", head)
	}
	status, second, _ := ask(t, g, "GET", pulls+"/1", "", "If-None-Match", first.Get("Etag"))
	if status != 304 || first.Get("X-Ratelimit-Remaining") != second.Get("X-Ratelimit-Remaining") {
		t.Errorf("unchanged: %d, remaining %s", status, second.Get("X-Ratelimit-Remaining"))
	}
	r.Write("b.txt", "b\n")
	r.Commit("Add b")
	r.Git("push", "--quiet", "origin", "fermata/work")
	status, third, _ := ask(t, g, "GET", pulls+"/1", "", "If-None-Match", first.Get("Etag"))
	before, _ := strconv.Atoi(first.Get("X-Ratelimit-Remaining"))
	after, _ := strconv.Atoi(third.Get("X-Ratelimit-Remaining"))
	if status != 200 || after != before-1 {
		t.Errorf("after a push: %d, remaining %d then %d", status, before, after)
	}
}

func TestMergeMergesTheBranch(t *testing.T) {
	t.Parallel()
	r, g := pushed(t)
	r.CommitElsewhere("main", "other.txt", "o\n")
	ask(t, g, "POST", pulls, pullBody("fermata/work"))
	if err := g.Merge(1); err != nil {
		t.Fatal(err)
	}
	_, _, body := ask(t, g, "GET", pulls+"/1", "")
	if body["state"] != "closed" || body["merged"] != true || body["merged_at"] == nil {
		t.Errorf("merged: %v", body)
	}
	r.Git("fetch", "--quiet")
	if got := r.Git("ls-tree", "--name-only", "origin/main"); got != "README.md\na.txt\nother.txt" {
		t.Errorf("main has %q", got)
	}
	if err := g.Merge(1); err == nil {
		t.Error("merged twice")
	}
}

func TestClosedPullRequestIsListedAsSuch(t *testing.T) {
	t.Parallel()
	g := NewGitHub(t, GitHubOptions{})
	ask(t, g, "POST", pulls, pullBody("fermata/x"))
	if err := g.ClosePull(1); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"?head=acme:fermata/x&state=all": `"state":"closed"`, "?head=acme:fermata/x": "[]", "?state=all&head=acme:y": "[]",
	} {
		if _, _, body := ask(t, g, "GET", pulls+query, ""); !strings.Contains(body["list"].(string), want) {
			t.Errorf("%s: %v", query, body["list"])
		}
	}
}

func TestChecksAreThoseOfTheHead(t *testing.T) {
	t.Parallel()
	g := NewGitHub(t, GitHubOptions{})
	_, _, body := ask(t, g, "POST", pulls, pullBody("x"))
	sha, _ := body["head"].(map[string]any)["sha"].(string)
	if err := g.SetChecks(1, Check{"build", "completed", "success"}, Check{"test", "in_progress", ""}); err != nil {
		t.Fatal(err)
	}
	if err := g.SetStatuses(1, CommitStatus{"ci", "failure"}, CommitStatus{"lint", "pending"}); err != nil {
		t.Fatal(err)
	}
	_, _, checks := ask(t, g, "GET", "/repos/acme/app/commits/"+sha+"/check-runs", "")
	if checks["total_count"] != 2.0 {
		t.Errorf("checks %v", checks)
	}
	_, _, status := ask(t, g, "GET", "/repos/acme/app/commits/"+sha+"/status", "")
	if status["state"] != "failure" {
		t.Errorf("status %v", status)
	}
}

func TestOutageEndsAndRequestsAreWaitedFor(t *testing.T) {
	t.Parallel()
	g := NewGitHub(t, GitHubOptions{})
	g.SetOutage(503, "Unicorn")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	waited := make(chan error, 1)
	go func() {
		_, err := g.Wait(ctx, func(r GitHubRequest) bool { return r.Path == "/repos/acme/app" && r.Status == 200 })
		waited <- err
	}()
	if status, _, _ := ask(t, g, "GET", "/api/v3/repos/acme/app", ""); status != 503 {
		t.Errorf("outage: %d", status)
	}
	g.SetOutage(0, "")
	ask(t, g, "GET", "/api/v3/repos/acme/app", "")
	if err := <-waited; err != nil {
		t.Error(err)
	}
	if got := g.Requests(); len(got) != 2 || got[0].Status != 503 || got[1].Seq != 2 {
		t.Errorf("requests %+v", got)
	}
}
