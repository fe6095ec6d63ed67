package forge

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/piecestest"
)

func TestRemotesOfEveryForm(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"https://github.com/o/n.git":              "github.com o n",
		"https://github.com/o/n/":                 "github.com o n",
		"https://me:pw@GitHub.com/o/n":            "github.com o n",
		"https://www.github.com/o/n":              "github.com o n",
		"http://127.0.0.1:3000/o/n.git":           "127.0.0.1:3000 o n",
		"ssh://git@github.com/o/n.git":            "github.com o n",
		"ssh://git@ssh.github.com:443/o/n.git":    "github.com o n",
		"ssh://git@ghe.example.com:2222/o/n.git":  "ghe.example.com o n",
		"git://github.com/o/n.git":                "github.com o n",
		"git@github.com:o/n.git":                  "github.com o n",
		"git@github.com:/o/n.git":                 "github.com o n",
		"org-42@github.com:o/n.js.git":            "github.com o n.js",
		"github-work:o/n":                         "github-work o n",
		"git@ghe.example.com:Team_1/my-repo.git ": "ghe.example.com Team_1 my-repo",
		"":                             "",
		"/srv/git/o/n.git":             "",
		"../o/n":                       "",
		"./a:b/c":                      "",
		"file:///o/n.git":              "",
		`C:\o\n`:                       "",
		"C:/o/n":                       "",
		"https://github.com/o":         "",
		"https://github.com/o/n/pulls": "",
		"https://github.com/o/..":      "",
		"git@github.com:o/n?x=1":       "",
		"ext::sh -c evil o/n":          "",
	}
	for url, want := range cases {
		r, err := ParseRemote(url)
		got := strings.TrimSpace(r.Host + " " + r.Owner + " " + r.Name)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v", url, got, err)
		}
	}
	if _, err := ParseRemote("https://me:pw@github.com/o"); err == nil || strings.Contains(err.Error(), "pw") {
		t.Errorf("the password shows: %v", err)
	}
}

func TestAPIAddressFollowsTheHost(t *testing.T) {
	t.Parallel()
	cases := []struct{ setting, host, want, token string }{
		{"", "github.com", "https://api.github.com/", "github.com"},
		{"", "acme.ghe.com", "https://api.acme.ghe.com/", "acme.ghe.com"},
		{"", "ghe.example.com", "https://ghe.example.com/api/v3/", "ghe.example.com"},
		{"https://ghe.example.com/api/v3", "github-work", "https://ghe.example.com/api/v3/", "ghe.example.com"},
		{"https://api.github.com", "github-work", "https://api.github.com/", "github.com"},
		{"ftp://x", "github.com", "", ""},
	}
	for _, c := range cases {
		f := New(Options{APIURL: func() string { return c.setting }})
		api, _, err := f.api(Remote{Host: c.host})
		if c.want == "" {
			if err == nil {
				t.Errorf("%q passed", c.setting)
			}
			continue
		}
		if err != nil || api.String() != c.want || hostOf(api) != c.token {
			t.Errorf("%+v: %v, %v", c, api, err)
		}
	}
}

func TestOpenSendsWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.put("POST /pulls", answer{status: 201, body: ok(t, pull(7, "Title", "open", "abc", false)).body})
	got, err := s.forge().Open(t.Context(), pieces.PullRequestSpec{RemoteURL: remote, Head: "fermata/x", Base: "main", Title: "Title", Body: "Body", Draft: true})
	if err != nil {
		t.Fatal(err)
	}
	if got.Number != 7 || got.URL != "https://github.com/acme/app/pull/7" || got.State != pieces.PullRequestOpen || got.Head != "fermata/x" || got.Base != "main" || got.Repo != "acme/app" || got.Host != "github.com" || got.ReadAt.IsZero() {
		t.Errorf("%+v", got)
	}
	var sent map[string]any
	if err := json.Unmarshal([]byte(s.bodies[0]), &sent); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"title": "Title", "body": "Body", "head": "fermata/x", "base": "main", "draft": true}
	if !reflect.DeepEqual(sent, want) || s.tokens[0] != "Bearer secret" {
		t.Errorf("sent %v with %q", sent, s.tokens[0])
	}
}

func TestOpenGivesThePullRequestThatIsThere(t *testing.T) {
	t.Parallel()
	exists := `{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom","message":"A pull request already exists for acme:fermata/x."}]}`
	for name, refusal := range map[string]answer{"it exists": {status: 422, body: exists}, "the answer was lost": {status: 502}} {
		s := newServer(t)
		s.put("POST /pulls", refusal)
		s.put("GET /pulls", ok(t, []any{pull(9, "closed", "closed", "a", false), pull(4, "Open", "open", "b", false)}))
		got, err := s.forge().Open(t.Context(), pieces.PullRequestSpec{RemoteURL: remote, Head: "fermata/x", Base: "main", Title: "T"})
		if err != nil || got.Number != 4 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if asked := s.take(); len(asked) != 2 {
			t.Errorf("%s: asked %v", name, asked)
		}
	}
}

func TestOpenSaysInOneSentenceWhatStopsIt(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		a    answer
		want []string
	}{
		{"token", answer{status: 401, body: `{"message":"Bad credentials"}`}, []string{"refused the token (Bad credentials)", "gh auth login", "GITHUB_TOKEN", "Settings"}},
		{"no commits", answer{status: 422, body: `{"message":"Validation Failed","errors":[{"code":"custom","message":"No commits between main and fermata/x"}]}`}, []string{"No commits between main and fermata/x"}},
		{"base", answer{status: 422, body: `{"message":"Validation Failed","errors":[{"resource":"PullRequest","field":"base","code":"invalid"}]}`}, []string{"base is invalid"}},
		{"rights", answer{status: 403, body: `{"message":"Resource not accessible by personal access token"}`}, []string{"does not allow", "Resource not accessible"}},
		{"single sign-on", answer{status: 403, body: `{"message":"x"}`, header: map[string]string{"X-GitHub-SSO": "required; url=https://x"}}, []string{"single sign-on"}},
		{"repository", answer{status: 404, body: `{"message":"Not Found"}`}, []string{"acme/app", "does not show"}},
		{"rate", answer{status: 403, body: `{"message":"API rate limit exceeded"}`, header: map[string]string{"X-RateLimit-Remaining": "0"}}, []string{"rate limit is used up until"}},
		{"outage", answer{status: 500, body: `<html>`}, []string{"500"}},
	}
	for _, c := range cases {
		s := newServer(t)
		s.put("POST /pulls", c.a)
		_, err := s.forge().Open(t.Context(), pieces.PullRequestSpec{RemoteURL: remote, Head: "fermata/x", Base: "main", Title: "T"})
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: no %q in %q", c.name, part, err)
			}
		}
		if strings.ContainsAny(err.Error(), "\n{[") {
			t.Errorf("%s: no sentence: %q", c.name, err)
		}
	}
}

func TestOpenIsNotRepeated(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.put("POST /pulls", answer{status: 503})
	s.put("GET /pulls", ok(t, []any{}))
	if _, err := s.forge().Open(t.Context(), pieces.PullRequestSpec{RemoteURL: remote, Head: "fermata/x", Base: "main", Title: "T"}); err == nil {
		t.Error("no error")
	}
	if asked := s.take(); !reflect.DeepEqual(asked, []string{"POST /pulls 503", "GET /pulls 200"}) {
		t.Errorf("asked %v", asked)
	}
}

func TestFindPrefersTheOpenThenTheNewest(t *testing.T) {
	t.Parallel()
	foreign := pull(20, "other", "open", "d", false)
	foreign["head"] = map[string]any{"ref": "other"}
	cases := []struct {
		list []any
		want int
	}{
		{[]any{}, 0},
		{[]any{foreign}, 0},
		{[]any{pull(3, "", "closed", "a", true), pull(9, "", "closed", "b", false), foreign}, 9},
		{[]any{pull(9, "", "closed", "a", true), pull(4, "", "open", "b", false)}, 4},
	}
	for i, c := range cases {
		s := newServer(t)
		list := ok(t, c.list)
		s.put("GET /pulls", answer{status: 502, then: &list})
		got, err := s.forge().Find(t.Context(), remote, "fermata/x")
		if err != nil || (got == nil) != (c.want == 0) || got != nil && got.Number != c.want {
			t.Errorf("case %d: %+v, %v", i, got, err)
		}
	}
	if _, err := newServer(t).forge().Find(t.Context(), remote, "x"); err == nil {
		t.Error("a repository that is not there is no answer of none")
	}
}

func TestTokenGoesToNoOtherHost(t *testing.T) {
	t.Parallel()
	other := newServer(t)
	s := newServer(t)
	s.put("GET /pulls", answer{status: 307, header: map[string]string{"Location": other.URL + "/repos/acme/app/pulls"}})
	_, _ = s.forge().Find(t.Context(), remote, "fermata/x")
	if len(other.tokens) != 1 || other.tokens[0] != "" {
		t.Errorf("the other host got %q", other.tokens)
	}
}

func TestHostThatIsNoGitHubGetsNoToken(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]string{"another forge": "X-Gitlab-Meta", "GitHub Enterprise": "X-GitHub-Enterprise-Version"} {
		var tokens []string
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			tokens = append(tokens, r.URL.Path+" "+r.Header.Get("Authorization"))
			w.Header().Set(header, "3.14")
			_, _ = w.Write([]byte("[]"))
		}))
		t.Cleanup(s.Close)
		f := New(Options{HTTP: s.Client(), Token: func(context.Context, string) (string, error) { return "secret", nil }})
		_, err := f.Find(t.Context(), s.URL+"/acme/app.git", "x")
		want := []string{"/api/v3/meta "}
		if header == "X-GitHub-Enterprise-Version" {
			want = append(want, "/api/v3/repos/acme/app/pulls Bearer secret")
		}
		if (err == nil) != (len(want) == 2) || !reflect.DeepEqual(tokens, want) {
			t.Errorf("%s: %v, %v", name, tokens, err)
		}
	}
}

func TestTokenIsTakenFromTheFirstPlaceThatHasOne(t *testing.T) {
	t.Parallel()
	gh := func(token string) func(context.Context) string { return func(context.Context) string { return token } }
	env := func(token string) func(string) string {
		return func(name string) string { return map[string]string{"GITHUB_TOKEN": token}[name] }
	}
	chain := func(token string, err error) func() (string, error) {
		return func() (string, error) { return token, err }
	}
	cases := []struct {
		gh    func(context.Context) string
		env   func(string) string
		chain func() (string, error)
		want  string
	}{
		{gh("a\n"), env("b"), chain("c", nil), "a"},
		{gh(""), env("b "), chain("c", nil), "b"},
		{gh(""), env(""), chain("c", nil), "c"},
		{gh(""), nil, chain("c", errors.New("locked")), ""},
		{gh(""), nil, nil, ""},
	}
	for i, c := range cases {
		got, err := tokenFrom(t.Context(), c.gh, c.chain, c.env)
		if got != c.want || errors.Is(err, ErrNoToken) != (c.want == "") {
			t.Errorf("case %d: %q, %v", i, got, err)
		}
	}
}

func TestGhIsAskedForTheHost(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for gh is a shell script")
	}
	gh := filepath.Join(t.TempDir(), "gh")
	if err := os.WriteFile(gh, []byte("#!/bin/sh\necho \"$*\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := ghToken(t.Context(), gh, "ghe.example.com"); got != "auth token --hostname=ghe.example.com\n" {
		t.Errorf("%q", got)
	}
	if got := ghToken(t.Context(), gh+"-absent", "github.com"); got != "" {
		t.Errorf("%q", got)
	}
}

func TestLifeOfAPullRequestOnTheSharedFake(t *testing.T) {
	t.Parallel()
	hub := piecestest.NewGitHub(t, piecestest.GitHubOptions{})
	f := New(Options{APIURL: hub.URL, Token: func(context.Context, string) (string, error) { return hub.Token, nil }})
	spec := pieces.PullRequestSpec{RemoteURL: remote, Head: "fermata/x", Base: "main", Title: "T"}
	made, err := f.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if twice, err := f.Open(t.Context(), spec); err != nil || twice.Number != made.Number {
		t.Errorf("%+v, %v", twice, err)
	}
	if err := hub.SetChecks(made.Number, piecestest.Check{Name: "a", Status: "completed", Conclusion: "failure"}); err != nil {
		t.Fatal(err)
	}
	read := f.Read(t.Context(), remote, []pieces.PullRequest{made})
	if read[0].Checks != "1 check failed" || read[0].PollNote != "" {
		t.Errorf("%+v", read[0])
	}
	if err := hub.Merge(made.Number); err != nil {
		t.Fatal(err)
	}
	if read = f.Read(t.Context(), remote, read); read[0].State != pieces.PullRequestMerged {
		t.Errorf("%+v", read[0])
	}
}
