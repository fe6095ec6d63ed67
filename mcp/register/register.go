// Package register writes the server's entry into Claude Code and takes it out again.
package register

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Name is the name of the entry in Claude Code.
const Name = "fermata"

// ErrExists says that Claude Code has an entry already; the person is asked before it is replaced.
var ErrExists = errors.New("an entry named fermata exists in Claude Code")

// callTimeout is how long Claude Code lets one tool call wait, in milliseconds: a week, because a person answers.
// Without it Claude Code gives up after 28 hours.
const callTimeout = 7 * 24 * 60 * 60 * 1000

// Options say where Claude Code lives.
type Options struct {
	// Claude returns the path of the claude command, or "" where there is none.
	Claude func() string
	// Home is the person's home folder.
	Home string
	// Environ is the environment that claude is started with. CLAUDE_CONFIG_DIR in it moves the file with the entry.
	Environ func() []string
}

// Registrar manages the entry in the person's own (user) scope. Its methods may be called from any goroutine, one at
// a time.
type Registrar struct {
	o Options
}

// New returns a Registrar. Claude and Environ may be nil.
func New(o Options) *Registrar {
	if o.Claude == nil {
		o.Claude = func() string { return "" }
	}
	if o.Environ == nil {
		o.Environ = func() []string { return nil }
	}
	return &Registrar{o: o}
}

// Exists reports whether Claude Code has an entry. It reads the file rather than asking claude, which would connect
// to the server first.
func (r *Registrar) Exists(context.Context) (bool, error) {
	old, err := r.file().entry()
	if err != nil {
		return false, fmt.Errorf("look for the entry in Claude Code: %w", err)
	}
	return old != nil, nil
}

// Register writes the entry for endpoint: with the claude command where there is one, else into its file. An entry
// that is there gives ErrExists unless replace is set. The endpoint holds the token; on its way it is an argument of
// the claude command, which only processes of the same user can read.
func (r *Registrar) Register(ctx context.Context, endpoint string, replace bool) error {
	entry, err := entryFor(endpoint)
	if err != nil {
		return err
	}
	old, err := r.file().entry()
	if err != nil {
		return fmt.Errorf("register in Claude Code: %w", err)
	}
	if old != nil && !replace {
		return ErrExists
	}
	if err := r.write(ctx, entry, old); err != nil {
		return fmt.Errorf("register in Claude Code: %w", redact(err, endpoint))
	}
	return nil
}

func (r *Registrar) write(ctx context.Context, entry, old []byte) error {
	claude := r.o.Claude()
	if claude == "" {
		return r.file().put(ctx, entry)
	}
	if old != nil {
		if err := r.run(ctx, claude, "mcp", "remove", "-s", "user", Name); err != nil {
			return err
		}
	}
	err := r.add(ctx, claude, entry)
	if err != nil && old != nil {
		// Without this a failed replacement would leave the person with no entry at all.
		err = errors.Join(err, r.file().put(context.WithoutCancel(ctx), old))
	}
	return err
}

// addAttempts is how often an entry is added that another Claude Code overwrote in the same moment: each start of one
// reads the whole file and writes it back.
const addAttempts = 4

func (r *Registrar) add(ctx context.Context, claude string, entry []byte) error {
	var err error
	for range addAttempts {
		if err = r.run(ctx, claude, "mcp", "add-json", "-s", "user", Name, string(entry)); err != nil {
			return err
		}
		if err = r.verify(entry); err == nil {
			return nil
		}
	}
	return err
}

// verify looks whether claude wrote what it was asked to, into the file that we know.
func (r *Registrar) verify(entry []byte) error {
	got, err := r.file().entry()
	if err != nil {
		return err
	}
	var a, b struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(got, &a) != nil || json.Unmarshal(entry, &b) != nil || a.URL != b.URL {
		return errors.New("claude added the entry, but it is not in " + r.file().path)
	}
	return nil
}

// Unregister takes the entry out. That there is none is no error.
func (r *Registrar) Unregister(ctx context.Context) error {
	err := r.remove(ctx)
	if err != nil {
		return fmt.Errorf("unregister from Claude Code: %w", err)
	}
	return nil
}

func (r *Registrar) remove(ctx context.Context) error {
	old, err := r.file().entry()
	if err != nil || old == nil {
		return err
	}
	claude := r.o.Claude()
	if claude == "" {
		return r.file().drop(ctx)
	}
	return r.run(ctx, claude, "mcp", "remove", "-s", "user", Name)
}

// Instructions is a shell command that registers endpoint, for the person to paste. It replaces an entry that is
// there.
func (r *Registrar) Instructions(endpoint string) string {
	b, _ := json.Marshal(connection(endpoint)) // a struct of plain values always marshals
	quoted := "'" + strings.ReplaceAll(string(b), "'", `'\''`) + "'"
	return "claude mcp remove -s user " + Name + " 2>/dev/null; claude mcp add-json -s user " + Name + " " + quoted
}

// InlineConfig is the raw connection JSON, as claude --mcp-config and .mcp.json take it.
func (r *Registrar) InlineConfig(endpoint string) string {
	b, _ := json.MarshalIndent(map[string]map[string]entry{"mcpServers": {Name: connection(endpoint)}}, "", "  ")
	return string(b)
}

// entry is what Claude Code keeps of a server.
type entry struct {
	Type    string `json:"type"`
	URL     string `json:"url"`
	Timeout int    `json:"timeout"`
	// AlwaysLoad makes a session wait for the tools at its start; else a first prompt may come before them.
	AlwaysLoad bool `json:"alwaysLoad"`
}

func connection(endpoint string) entry {
	return entry{Type: "http", URL: endpoint, Timeout: callTimeout, AlwaysLoad: true}
}

func entryFor(endpoint string) ([]byte, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" || u.Host == "" || u.Path == "" {
		return nil, errors.New("register in Claude Code: the endpoint is not an http URL")
	}
	return json.Marshal(connection(endpoint))
}

// redacted is an error whose text shows no token.
type redacted struct {
	error
	text string
}

func (r redacted) Error() string { return r.text }
func (r redacted) Unwrap() error { return r.error }

// redact takes the endpoint and its token, which claude may repeat, out of the text of err.
func redact(err error, endpoint string) error {
	text := strings.ReplaceAll(err.Error(), endpoint, "…")
	if u, bad := url.Parse(endpoint); bad == nil {
		for part := range strings.SplitSeq(u.Path, "/") {
			if len(part) >= 16 {
				text = strings.ReplaceAll(text, part, "…")
			}
		}
	}
	return redacted{err, text}
}
