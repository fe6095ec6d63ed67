// Package forge opens and reads pull requests on GitHub.
//
// What a person asks for is tried at once; what Fermata looks up by itself is conditional, gentle, and leaves the person
// a share of GitHub's rate limit. Every error is one sentence for the person. All methods may be called from several
// goroutines at once.
package forge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/go-github/v75/github"
)

// Options configure a Forge.
type Options struct {
	// APIURL is the setting github.apiUrl or GITHUB_API_URL. Nil or empty: the address is derived from the remote's host.
	APIURL func() string
	// Token gives the token for a host, such as "github.com". Required.
	Token func(ctx context.Context, host string) (string, error)
	// HTTP does the requests. Nil: a client with a time limit of its own.
	HTTP *http.Client
	// Now is the clock. Nil: time.Now.
	Now func() time.Time
}

// Forge speaks to GitHub. Make one with New and share it: it remembers how much of the rate limit is left.
type Forge struct {
	apiURL func() string
	token  func(ctx context.Context, host string) (string, error)
	http   *http.Client
	now    func() time.Time

	mu      sync.Mutex
	clients map[string]*client
	probed  map[string]bool // hosts that answered as a GitHub server
}

// New returns a Forge.
func New(o Options) *Forge {
	f := &Forge{
		apiURL: o.APIURL, token: o.Token, http: o.HTTP, now: o.Now,
		clients: map[string]*client{}, probed: map[string]bool{},
	}
	if f.apiURL == nil {
		f.apiURL = func() string { return "" }
	}
	if f.token == nil {
		f.token = func(context.Context, string) (string, error) { return "", ErrNoToken }
	}
	if f.http == nil {
		f.http = &http.Client{Timeout: 30 * time.Second}
	}
	if f.now == nil {
		f.now = time.Now
	}
	return f
}

// client is one server with one token.
type client struct {
	*github.Client
	host string // as a person names it: "github.com"

	mu    sync.Mutex
	until time.Time // no look-ups of our own before
	why   string
}

// client finds the server of a remote and signs in to it.
func (f *Forge) client(ctx context.Context, r Remote) (*client, error) {
	api, derived, err := f.api(r)
	if err != nil {
		return nil, err
	}
	host := hostOf(api)
	if derived && !githubOwn(host) {
		if err := f.probe(ctx, api, host); err != nil {
			return nil, err
		}
	}
	token, err := f.token(ctx, host)
	if err != nil {
		return nil, err
	}
	key := api.String() + "\x00" + token
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := f.clients[key]; known != nil {
		return known, nil
	}
	c := &client{Client: github.NewClient(signed(f.http, api.Host, token)), host: host}
	c.BaseURL = api
	f.clients[key] = c
	return c, nil
}

// api is the address of the REST API, and whether it was derived from the remote's host.
func (f *Forge) api(r Remote) (*url.URL, bool, error) {
	address, derived := strings.TrimSpace(f.apiURL()), false
	if address == "" {
		derived = true
		switch {
		case r.Host == "github.com":
			address = "https://api.github.com/"
		case githubOwn(r.Host):
			address = "https://api." + r.Host + "/"
		default:
			address = "https://" + r.Host + "/api/v3/"
		}
	}
	api, err := url.Parse(address)
	if err != nil || api.Host == "" || api.Scheme != "https" && api.Scheme != "http" {
		return nil, false, &Error{Sentence: fmt.Sprintf("The GitHub API address %q in Settings is no web address", address), Err: err}
	}
	if !strings.HasSuffix(api.Path, "/") {
		api.Path += "/"
	}
	return api, derived, nil
}

// hostOf is the host whose token an API address takes.
func hostOf(api *url.URL) string {
	host := strings.ToLower(api.Host)
	if own := strings.TrimPrefix(host, "api."); githubOwn(own) {
		return own
	}
	return host
}

// githubOwn says whether a host is run by GitHub itself.
func githubOwn(host string) bool { return host == "github.com" || strings.HasSuffix(host, ".ghe.com") }

// probe makes sure that a host of which only a remote's URL speaks is a GitHub server, before a token is sent to it: a
// remote may as well be on GitLab.
func (f *Forge) probe(ctx context.Context, api *url.URL, host string) error {
	f.mu.Lock()
	known := f.probed[host]
	f.mu.Unlock()
	if known {
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, api.JoinPath("meta").String(), nil)
	if err != nil {
		return fmt.Errorf("ask %s: %w", host, err)
	}
	resp, err := f.http.Do(req)
	if err != nil {
		return unreachable(host, err)
	}
	// The headers say it all.
	_ = resp.Body.Close()
	if resp.Header.Get("X-GitHub-Enterprise-Version") == "" && resp.Header.Get("X-GitHub-Request-Id") == "" {
		return &Error{Sentence: fmt.Sprintf("%s does not answer like a GitHub server, so no token was sent to it; if it is one, set its API address in Settings", host)}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.probed[host] = true
	return nil
}

// signed gives a client that sends the token to the API's host and to no other, such as one that a redirect names.
func signed(base *http.Client, host, token string) *http.Client {
	own := *base
	own.Transport = &signer{next: base.Transport, host: host, token: token}
	return &own
}

type signer struct {
	next        http.RoundTripper
	host, token string
}

func (s *signer) RoundTrip(req *http.Request) (*http.Response, error) {
	next := s.next
	if next == nil {
		next = http.DefaultTransport
	}
	if req.URL.Host == s.host {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	return next.RoundTrip(req)
}
