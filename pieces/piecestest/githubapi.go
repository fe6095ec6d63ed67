package piecestest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// rateLimit is what a token may ask in an hour.
const rateLimit = 5000

// reply is an answer of the API before its headers.
type reply struct {
	status int
	body   any
}

// problem is GitHub's shape of an error.
type problem struct {
	Message       string         `json:"message"`
	Errors        []problemField `json:"errors,omitempty"`
	Documentation string         `json:"documentation_url"`
	Status        string         `json:"status"`
}

type problemField struct {
	Resource string `json:"resource"`
	Field    string `json:"field,omitempty"`
	Code     string `json:"code"`
	Message  string `json:"message,omitempty"`
}

func refuse(status int, message string, fields ...problemField) reply {
	return reply{status, problem{message, fields, "https://docs.github.com/rest", strconv.Itoa(status)}}
}

func invalid(field problemField) reply {
	field.Resource = "PullRequest"
	return refuse(http.StatusUnprocessableEntity, "Validation Failed", field)
}

func (g *GitHub) handler() http.Handler {
	repo := fmt.Sprintf("/repos/%s/%s", g.opts.Owner, g.opts.Repo)
	routes := http.NewServeMux()
	route := func(pattern string, answer func(*http.Request, []byte) reply) {
		routes.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { g.serve(w, r, answer) })
	}
	method := func(verb, path string) string { return verb + " " + repo + path }
	route(method("GET", ""), g.getRepo)
	route(method("POST", "/pulls"), g.createPull)
	route(method("GET", "/pulls"), g.listPulls)
	route(method("GET", "/pulls/{number}"), g.getPull)
	route(method("GET", "/commits/{ref}/check-runs"), g.getChecks)
	route(method("GET", "/commits/{ref}/status"), g.getStatus)
	route("/", func(*http.Request, []byte) reply { return refuse(http.StatusNotFound, "Not Found") })

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/v3/") {
			http.StripPrefix("/api/v3", routes).ServeHTTP(w, r)
			return
		}
		routes.ServeHTTP(w, r)
	})
}

// serve does what every answer needs: authorization, outage, rate limit, ETag and the book of requests.
func (g *GitHub) serve(w http.ResponseWriter, r *http.Request, answer func(*http.Request, []byte) reply) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	a := g.answer(r, body, answer)
	raw, err := json.Marshal(a.body)
	if err != nil {
		a.status, raw = http.StatusInternalServerError, []byte(err.Error())
	}
	etag := `W/"` + fakeSHA(string(raw)) + `"`
	if a.status == http.StatusOK && r.Header.Get("If-None-Match") == etag {
		a.status, raw = http.StatusNotModified, nil
	}
	g.writeHeader(w.Header(), a.status, etag)
	g.requests.add(func(number int) GitHubRequest {
		return GitHubRequest{
			Seq: number, Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery,
			IfNoneMatch: r.Header.Get("If-None-Match"), Body: string(body), Status: a.status,
		}
	})
	w.WriteHeader(a.status)
	_, _ = w.Write(raw) // the caller may be gone
}

func (g *GitHub) answer(r *http.Request, body []byte, answer func(*http.Request, []byte) reply) reply {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.outage != nil {
		return refuse(g.outage.status, g.outage.message)
	}
	authorization := r.Header.Get("Authorization")
	if authorization == "" {
		return refuse(http.StatusUnauthorized, "Requires authentication")
	}
	if authorization != "Bearer "+g.Token && authorization != "token "+g.Token {
		return refuse(http.StatusUnauthorized, "Bad credentials")
	}
	return answer(r, body)
}

func (g *GitHub) writeHeader(h http.Header, status int, etag string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if status != http.StatusNotModified { // a conditional hit is free
		g.remaining--
	}
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("X-Ratelimit-Limit", strconv.Itoa(rateLimit))
	h.Set("X-Ratelimit-Remaining", strconv.Itoa(g.remaining))
	h.Set("X-Ratelimit-Used", strconv.Itoa(rateLimit-g.remaining))
	h.Set("X-Ratelimit-Reset", strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10))
	h.Set("X-Ratelimit-Resource", "core")
	if status == http.StatusOK || status == http.StatusNotModified {
		h.Set("Etag", etag)
	}
}

func (g *GitHub) fullName() string { return g.opts.Owner + "/" + g.opts.Repo }

func (g *GitHub) repoBody() map[string]any {
	return map[string]any{
		"id": 1, "name": g.opts.Repo, "full_name": g.fullName(), "private": true,
		"owner": map[string]any{"login": g.opts.Owner}, "default_branch": g.opts.DefaultBranch,
		"html_url": "https://github.com/" + g.fullName(), "clone_url": "https://github.com/" + g.fullName() + ".git",
	}
}

func (g *GitHub) getRepo(*http.Request, []byte) reply { return reply{http.StatusOK, g.repoBody()} }

func (g *GitHub) createPull(_ *http.Request, body []byte) reply {
	if len(g.refusals) > 0 {
		first := g.refusals[0]
		g.refusals = g.refusals[1:]
		return refuse(first.status, first.message)
	}
	var in struct {
		Title, Head, Base, Body string
		Draft                   bool
	}
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&in); err != nil {
		return refuse(http.StatusBadRequest, "Problems parsing JSON")
	}
	head := strings.TrimPrefix(in.Head, g.opts.Owner+":")
	sha, pushed := g.branch(head)
	if head == "" || !pushed {
		return invalid(problemField{Field: "head", Code: "invalid"})
	}
	if _, known := g.branch(in.Base); in.Base == "" || !known {
		return invalid(problemField{Field: "base", Code: "invalid"})
	}
	if in.Title == "" {
		return invalid(problemField{Field: "title", Code: "missing_field"})
	}
	if !g.commitsBetween(in.Base, head) {
		return invalid(problemField{Code: "custom", Message: fmt.Sprintf("No commits between %s and %s", in.Base, head)})
	}
	for _, p := range g.pulls {
		if !p.Closed && p.Head == head && p.Base == in.Base {
			message := fmt.Sprintf("A pull request already exists for %s:%s.", g.opts.Owner, head)
			return invalid(problemField{Code: "custom", Message: message})
		}
	}
	p := &Pull{
		Number: len(g.pulls) + 1, Title: in.Title, Body: in.Body, Head: head, Base: in.Base, SHA: sha, Draft: in.Draft,
		CreatedAt: time.Now().UTC(),
	}
	g.pulls = append(g.pulls, p)
	return reply{http.StatusCreated, g.pullBody(p)}
}

func (g *GitHub) listPulls(r *http.Request, _ []byte) reply {
	query := r.URL.Query()
	state, head, base := query.Get("state"), query.Get("head"), query.Get("base")
	if state == "" {
		state = "open"
	}
	list := []map[string]any{}
	for i := len(g.pulls) - 1; i >= 0; i-- { // newest first, as GitHub sorts
		p := g.pulls[i]
		wrongState := state != "all" && (state == "closed") != p.Closed
		wrongHead := head != "" && head != g.opts.Owner+":"+p.Head
		if wrongState || wrongHead || base != "" && base != p.Base {
			continue
		}
		g.refresh(p)
		body := g.pullBody(p)
		delete(body, "merged") // a list has merged_at only
		list = append(list, body)
	}
	return reply{http.StatusOK, list}
}

func (g *GitHub) getPull(r *http.Request, _ []byte) reply {
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil || number < 1 || number > len(g.pulls) {
		return refuse(http.StatusNotFound, "Not Found")
	}
	p := g.pulls[number-1]
	g.refresh(p)
	return reply{http.StatusOK, g.pullBody(p)}
}

func (g *GitHub) pullBody(p *Pull) map[string]any {
	state, mergedAt, closedAt, mergeSHA := "open", any(nil), any(nil), any(nil)
	if p.Closed {
		state, closedAt = "closed", p.EndedAt.Format(time.RFC3339)
	}
	if p.Merged {
		mergedAt, mergeSHA = closedAt, p.MergeSHA
	}
	side := func(branch, sha string) map[string]any {
		return map[string]any{"ref": branch, "label": g.opts.Owner + ":" + branch, "sha": sha, "repo": g.repoBody()}
	}
	baseSHA, _ := g.branch(p.Base)
	return map[string]any{
		"id": 1000 + p.Number, "number": p.Number, "title": p.Title, "body": p.Body, "draft": p.Draft, "state": state,
		"merged": p.Merged, "merged_at": mergedAt, "closed_at": closedAt, "merge_commit_sha": mergeSHA,
		"created_at": p.CreatedAt.Format(time.RFC3339), "user": map[string]any{"login": g.opts.Owner},
		"html_url": fmt.Sprintf("https://github.com/%s/pull/%d", g.fullName(), p.Number),
		"url":      fmt.Sprintf("https://api.github.com/repos/%s/pulls/%d", g.fullName(), p.Number),
		"head":     side(p.Head, p.SHA), "base": side(p.Base, baseSHA),
	}
}

// pullOf finds the newest pull request whose head a commit or branch is.
func (g *GitHub) pullOf(ref string) *Pull {
	for i := len(g.pulls) - 1; i >= 0; i-- {
		g.refresh(g.pulls[i])
		if p := g.pulls[i]; p.SHA == ref || p.Head == ref {
			return p
		}
	}
	return nil
}

func (g *GitHub) getChecks(r *http.Request, _ []byte) reply {
	p := g.pullOf(r.PathValue("ref"))
	if p == nil {
		return refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+r.PathValue("ref"))
	}
	runs := []map[string]any{}
	for i, c := range p.Checks {
		conclusion := any(nil)
		if c.Conclusion != "" {
			conclusion = c.Conclusion
		}
		runs = append(runs, map[string]any{
			"id": i + 1, "name": c.Name, "head_sha": p.SHA, "status": c.Status, "conclusion": conclusion,
		})
	}
	return reply{http.StatusOK, map[string]any{"total_count": len(runs), "check_runs": runs}}
}

func (g *GitHub) getStatus(r *http.Request, _ []byte) reply {
	p := g.pullOf(r.PathValue("ref"))
	if p == nil {
		return refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+r.PathValue("ref"))
	}
	statuses, combined := []map[string]any{}, "success"
	for i, s := range p.Statuses {
		statuses = append(statuses, map[string]any{"id": i + 1, "context": s.Context, "state": s.State})
		switch {
		case s.State == "failure" || s.State == "error":
			combined = "failure"
		case s.State == "pending" && combined == "success":
			combined = "pending"
		}
	}
	if len(statuses) == 0 {
		combined = "pending" // GitHub's word for a commit that has none
	}
	return reply{http.StatusOK, map[string]any{
		"state": combined, "sha": p.SHA, "total_count": len(statuses), "statuses": statuses,
	}}
}
