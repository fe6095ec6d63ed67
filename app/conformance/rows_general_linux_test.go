package conformance

import (
	"bytes"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The contract's tools.
var (
	readTools  = []string{"get_artifact", "get_piece", "get_session", "list_cues", "list_echoes", "list_pieces", "list_projects", "list_sessions"}
	writeTools = []string{
		"create_piece", "create_draft", "update_draft", "cancel_draft", "release_draft", "register_project",
		"open_piece_workspace", "piece_action", "snooze_cue", "reveal",
	}
)

const (
	fenceSentence = "Fermata's own agents can't drive Fermata through its MCP server. Ask the person to do this from the app or from their own MCP client."
	unknownID     = "11111111-2222-4333-8444-555555555555"
)

// token is the secret in the endpoint's URL.
func (w *world) token() string { return strings.Split(w.wire.url, "/")[3] }

func connectionRows() []row {
	return part("003", "The connection itself",
		is("binds to 127.0.0.1 only", func(p *probe) {
			hosts := []string{"127.0.0.2", "::1"}
			addrs, err := net.InterfaceAddrs()
			if err != nil {
				p.Fatal(err)
			}
			for _, a := range addrs {
				if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
					hosts = append(hosts, n.IP.String())
				}
			}
			for _, h := range hosts {
				if c, err := net.DialTimeout("tcp", net.JoinHostPort(h, p.w.port(p)), 2*time.Second); err == nil {
					c.Close()
					p.Errorf("it answers at %s", h)
				}
			}
		}),
		is("every request carries the token in its URL", func(p *probe) {
			for _, path := range []string{"/mcp", "/", "//mcp", "/" + p.w.token(), "/" + p.w.token() + "/other"} {
				p.refusedAt("http://127.0.0.1:"+p.w.port(p)+path, http.MethodPost)
			}
		}),
		is("a wrong token is refused before anything else, the handshake included", func(p *probe) {
			wrong := strings.Replace(p.w.wire.url, p.w.token(), strings.Repeat("A", len(p.w.token())), 1)
			for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodOptions} {
				p.refusedAt(wrong, method)
			}
		}),
		is("pages of other hosts and origins are refused", func(p *probe) {
			for _, h := range []headers{{"Host": "evil.example:" + p.w.port(p)}, {"Origin": "https://evil.example"}, {"Origin": "null"}} {
				r, err := p.w.wire.send(p.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, h, nil)
				if err != nil || r.status != http.StatusForbidden || strings.Contains(r.body, "list_pieces") {
					p.Errorf("%v: %d %s %v", h, r.status, r.body, err)
				}
			}
		}),
		is("the token lives in the keychain", func(p *probe) {
			err := filepath.WalkDir(p.w.data, func(path string, e fs.DirEntry, err error) error {
				if err != nil || !e.Type().IsRegular() {
					return err
				}
				raw, err := os.ReadFile(path)
				if bytes.Contains(raw, []byte(p.w.token())) {
					p.Errorf("%s holds the token", e.Name())
				}
				return err
			})
			if err != nil {
				p.Fatal(err)
			}
		}),
	)
}

// refusedAt checks that a URL gives nothing but an empty 404.
func (p *probe) refusedAt(url, method string) {
	p.Helper()
	c := &wire{url: url}
	r, err := c.send(p.Context(), method, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, nil, nil)
	if err != nil || r.status != http.StatusNotFound || r.body != "" || r.header.Get("Mcp-Session-Id") != "" {
		p.Errorf("%s: %d %q %v", method, r.status, r.body, err)
	}
}

func generalRows() []row {
	return join(part("000", "Every tool",
		is("the server serves the 18 tools and no others", func(p *probe) {
			var names []string
			for _, t := range p.tools() {
				names = append(names, str(t, "name"))
			}
			want := slices.Sorted(slices.Values(append(slices.Clone(readTools), writeTools...)))
			p.same("tools/list", toAny(names), want)
		}),
		is("each tool says whether it reads or writes", func(p *probe) {
			for _, t := range p.tools() {
				hints, _ := t["annotations"].(object)
				p.shape(str(t, "name"), hints, "readOnlyHint bool, destructiveHint bool, idempotentHint bool, openWorldHint bool")
				p.same("readOnlyHint of "+str(t, "name"), hints["readOnlyHint"], slices.Contains(readTools, str(t, "name")))
			}
		}),
		is("each argument is in the tool's schema, and no others are taken", func(p *probe) {
			for _, t := range p.tools() {
				schema, _ := t["inputSchema"].(object)
				p.same("additionalProperties of "+str(t, "name"), schema["additionalProperties"], false)
			}
		}),
		is("every result is JSON text", func(p *probe) {
			for _, tool := range []string{"list_projects", "list_echoes", "list_pieces", "list_sessions", "list_cues"} {
				o := p.w.wire.tool(p.Context(), tool, nil, nil)
				p.result(tool, o)
				if o.result["structuredContent"] != nil || strings.Contains(o.text, "\n") {
					p.Errorf("%s answers more than one JSON text", tool)
				}
			}
		}),
		is("a malformed argument fails as an invalid-params error that names it", func(p *probe) {
			p.malformed("list_pieces", args{"includeArchived": "yes"}, "list_pieces", "'includeArchived'", "must be true or false")
			p.malformed("get_piece", args{}, "'pieceId'", "is required")
			p.malformed("get_piece", args{"pieceId": "a\x00b"}, "'pieceId'", "NUL")
			p.malformed("create_draft", args{"seed": strings.Repeat("x", 1_000_001)}, "'seed'", "1,000,000")
			p.malformed("list_projects", args{"page": 2}, "'page'", "is unknown")
		}),
		is("a call that cannot be done fails as a tool error with a sentence", func(p *probe) {
			p.refused("get_session", args{"sessionId": unknownID}, "Unknown sessionId")
			p.refused("release_draft", args{"draftId": unknownID}, "Unknown draftId")
		}),
		is("an unknown tool is an error of the protocol", func(p *probe) {
			if o := p.w.wire.tool(p.Context(), "merge_piece", nil, nil); o.code != -32602 {
				p.Errorf("got %s", o)
			}
		}),
		is("the server says who it is and how to use it", func(p *probe) {
			info, _ := p.w.hello.Result["serverInfo"].(object)
			p.same("the name", info["name"], "fermata")
			p.holds("instructions", str(p.w.hello.Result, "instructions"), "create_draft", "piece_action", "card")
		}),
	), part("000", "What a client cannot do",
		is("merge a pull request", func(p *probe) {
			for _, action := range []string{"merge", "mergePR", "mergePullRequest"} {
				p.malformed("piece_action", args{"pieceId": unknownID, "action": action}, "'action'", "must be one of")
			}
		}),
		is("set a base branch", func(p *probe) {
			for _, tool := range []string{"create_piece", "create_draft"} {
				for _, name := range []string{"base", "baseBranch", "branch"} {
					p.malformed(tool, args{"prompt": "x", "seed": "x", name: "main"}, "is unknown")
				}
			}
		}),
		is("rewrite the prompt of an agent that runs or is finished", func(p *probe) {
			schema, _ := find(p.tools(), "name", "update_draft")["inputSchema"].(object)
			properties, _ := schema["properties"].(object)
			if _, has := properties["taskId"]; has {
				p.Error("update_draft takes a taskId")
			}
		}),
	))
}

// tools are the tools as tools/list shows them, by name.
func (p *probe) tools() []object {
	p.Helper()
	r, err := p.w.wire.rpc(p.Context(), "tools/list", object{}, nil)
	if err != nil || r.answer().Error != nil {
		p.Fatalf("tools/list: %d %s %v", r.status, r.body, err)
	}
	return list(r.answer().Result, "tools")
}

func toAny(names []string) []any {
	out := make([]any, len(names))
	for i, n := range names {
		out[i] = n
	}
	return out
}
