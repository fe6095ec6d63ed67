package mcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestEveryWrongRequestIsRefused(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	port := k.s.Status().Port
	host := fmt.Sprintf("127.0.0.1:%d", port)
	rows := []struct {
		name   string
		method string
		path   string // after the authority; empty is the endpoint's
		body   string
		header header
		status int
		answer string // part of the body; "-" is an empty one
	}{
		{name: "right", status: 200, answer: `"result"`},
		{name: "localhost", header: header{"Host": fmt.Sprintf("LocalHost:%d", port)}, status: 200},
		{name: "IPv6 loopback name", header: header{"Host": fmt.Sprintf("[::1]:%d", port)}, status: 200},
		{name: "charset", header: header{"Content-Type": "application/json; charset=utf-8"}, status: 200},
		{name: "own origin", header: header{"Origin": "http://" + host}, status: 200},
		{name: "loopback origin", header: header{"Origin": "http://localhost:6274", "Sec-Fetch-Site": "same-site"}, status: 200},
		{name: "no session", header: header{"Mcp-Session-Id": ""}, status: 200},

		{name: "foreign host", header: header{"Host": "evil.example"}, status: 403},
		{name: "rebound host", header: header{"Host": fmt.Sprintf("evil.example:%d", port)}, status: 403},
		{name: "look-alike host", header: header{"Host": fmt.Sprintf("127.0.0.1.evil.example:%d", port)}, status: 403},
		{name: "network address", header: header{"Host": fmt.Sprintf("192.168.1.2:%d", port)}, status: 403},
		{name: "any address", header: header{"Host": fmt.Sprintf("0.0.0.0:%d", port)}, status: 403},
		{name: "other port", header: header{"Host": "127.0.0.1:1"}, status: 403},
		{name: "no port", header: header{"Host": "127.0.0.1"}, status: 403},
		{name: "foreign origin", header: header{"Origin": "https://evil.example"}, status: 403},
		{name: "null origin", header: header{"Origin": "null"}, status: 403},
		{name: "look-alike origin", header: header{"Origin": "http://localhost.evil.example"}, status: 403},
		{name: "origin with user", header: header{"Origin": "http://localhost@evil.example"}, status: 403},
		{name: "origin with path", header: header{"Origin": "http://localhost/x"}, status: 403},
		{name: "file origin", header: header{"Origin": "file://localhost"}, status: 403},
		{name: "cross-site", header: header{"Sec-Fetch-Site": "cross-site"}, status: 403},
		{name: "cross-site with origin", header: header{"Origin": "http://localhost:1", "Sec-Fetch-Site": "cross-site"}, status: 403},
		{name: "same-site without origin", header: header{"Sec-Fetch-Site": "same-site"}, status: 403},
		{name: "host before token", path: "/wrong/mcp", header: header{"Host": "evil.example"}, status: 403},

		{name: "wrong token", path: "/" + strings.Repeat("x", len(testToken)) + "/mcp", status: 404, answer: "-"},
		{name: "short token", path: "/x/mcp", status: 404, answer: "-"},
		{name: "no token", path: "/mcp", status: 404, answer: "-"},
		{name: "empty token", path: "//mcp", status: 404, answer: "-"},
		{name: "token alone", path: "/" + testToken, status: 404, answer: "-"},
		{name: "more path", path: "/" + testToken + "/mcp/x", status: 404, answer: "-"},
		{name: "slash", path: "/" + testToken + "/mcp/", status: 404, answer: "-"},
		{name: "root", path: "/", status: 404, answer: "-"},
		{name: "upper case token", path: "/" + strings.ToUpper(testToken) + "/mcp", status: 404, answer: "-"},
		{name: "wrong token, any method", method: "PUT", path: "/x/mcp", status: 404, answer: "-"},
		{name: "well-known", method: "GET", path: "/.well-known/oauth-protected-resource", status: 404, answer: "-"},
		{name: "well-known of the path", method: "GET", path: "/.well-known/oauth-protected-resource/" + testToken + "/mcp", status: 404, answer: "-"},

		{name: "PUT", method: "PUT", status: 405},
		{name: "PATCH", method: "PATCH", status: 405},
		{name: "OPTIONS", method: "OPTIONS", status: 405},
		{name: "HEAD", method: "HEAD", status: 405, answer: "-"},
		{name: "TRACE", method: "TRACE", status: 405},
		{name: "GET of 2026", method: "GET", header: header{"Mcp-Protocol-Version": "2026-07-28"}, status: 405},
		{name: "DELETE of 2026", method: "DELETE", header: header{"Mcp-Protocol-Version": "2026-07-28"}, status: 405},
		{name: "GET without a stream", method: "GET", header: header{"Accept": "text/html"}, status: 406},
		{name: "GET without a session", method: "GET", header: header{"Mcp-Session-Id": ""}, status: 400},
		{name: "DELETE without a session", method: "DELETE", header: header{"Mcp-Session-Id": ""}, status: 400},

		{name: "text", header: header{"Content-Type": "text/plain"}, status: 415},
		{name: "form", header: header{"Content-Type": "application/x-www-form-urlencoded"}, status: 415},
		{name: "no type", header: header{"Content-Type": ""}, status: 415},
		{name: "two types", header: header{"Content-Type": "application/json, text/plain"}, status: 415},
		{name: "packed", header: header{"Content-Encoding": "gzip"}, status: 415},

		{name: "too big", body: `{"x":"` + strings.Repeat("x", 5<<20) + `"}`, status: 413, answer: "5242880"},
		{name: "big and text", body: strings.Repeat("x", 5<<20), header: header{"Content-Type": "text/plain"}, status: 415},
		{name: "big and a wrong token", path: "/x/mcp", body: strings.Repeat("x", 5<<20), status: 404, answer: "-"},
		{name: "not JSON", body: `{"jsonrpc":`, status: 400, answer: "-32700"},
		{name: "nothing", body: " ", status: 400, answer: "-32700"},
		{name: "two messages", body: ping + ping, status: 400, answer: "-32700"},
		{name: "not UTF-8", body: "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", status: 400, answer: "-32700"},
		{name: "too deep", body: strings.Repeat("[", 20000) + strings.Repeat("]", 20000), status: 400, answer: "-32700"},
		{name: "batch", body: "[" + ping + "]", status: 400, answer: "-32600"},
		{name: "empty batch", body: "[]", status: 400, answer: "-32600"},
		{name: "null", body: "null", status: 400, answer: "-32600"},
		{name: "broken batch", body: "[" + ping, status: 400, answer: "-32700"},
		{name: "string", body: `"ping"`, status: 400, answer: "-32600"},
		{name: "no version", body: `{"id":1,"method":"ping"}`, status: 400, answer: `"id":1,"error":{"code":-32600`},
		{name: "version 1", body: `{"jsonrpc":"1.0","id":1,"method":"ping"}`, status: 400, answer: "-32600"},
		{name: "null id", body: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, status: 400, answer: "-32600"},
		{name: "object id", body: `{"jsonrpc":"2.0","id":{},"method":"ping"}`, status: 400, answer: `"id":null`},
		{name: "fraction id", body: `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, status: 400, answer: "-32600"},
		{name: "id past floats", body: `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, status: 400, answer: "-32600"},
		{name: "long id", body: `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 300) + `","method":"ping"}`, status: 400, answer: "-32600"},
		{name: "no method", body: `{"jsonrpc":"2.0","id":1}`, status: 400, answer: "-32600"},
		{name: "number method", body: `{"jsonrpc":"2.0","id":1,"method":7}`, status: 400, answer: "-32600"},
		{name: "METHOD", body: `{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`, status: 400, answer: "-32600"},
		{name: "method and METHOD", body: `{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/list"}`, status: 400, answer: "-32600"},
		{name: "method and result", body: `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, status: 400, answer: "-32600"},
		{name: "response without id", body: `{"jsonrpc":"2.0","result":{}}`, status: 400, answer: "-32600"},
		{name: "array params", body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, status: 400, answer: "-32602"},
		{name: "array _meta", body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":[]}}`, status: 400, answer: "-32602"},
		{name: "bad session id", header: header{"Mcp-Session-Id": strings.Repeat("x", 200)}, status: 400, answer: "-32600"},
		{name: "unknown protocol version", header: header{"Mcp-Protocol-Version": "1999-01-01"}, status: 400},
		{name: "unknown method", body: `{"jsonrpc":"2.0","id":1,"method":"nothing"}`, status: 200, answer: "-32601"},
		{name: "response", body: `{"jsonrpc":"2.0","id":1,"result":{}}`, status: 202, answer: "-"},
		{name: "notification", body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`, status: 202, answer: "-"},
		{name: "panic", body: toolCall(1, "panics", nil, nil), status: 200, answer: "-32603"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if row.method == "" {
				row.method = http.MethodPost
			}
			if row.body == "" && row.method == http.MethodPost {
				row.body = ping
			}
			r := k.request(context.Background(), row.method, row.body, row.header)
			if r.Header.Get("Mcp-Session-Id") == "session-of-the-test" {
				r.Header.Set("Mcp-Session-Id", "of-"+strings.ReplaceAll(row.name, " ", "-")) // ids of rows may collide
			}
			if row.path != "" {
				r.URL.Path = row.path
			}
			resp := k.do(r)
			raw, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			body := string(raw)
			if resp.StatusCode != row.status {
				t.Fatalf("status %d, want %d; body %q", resp.StatusCode, row.status, body)
			}
			if row.answer == "-" && body != "" {
				t.Errorf("body %q, want none", body)
			}
			if row.answer != "-" && !strings.Contains(body, row.answer) {
				t.Errorf("body %q, want %q in it", body, row.answer)
			}
			if resp.StatusCode == 405 && resp.Header.Get("Allow") == "" {
				t.Error("405 without Allow")
			}
			for name, v := range (header{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}) {
				if resp.Header.Get(name) != v {
					t.Errorf("%s is %q", name, resp.Header.Get(name))
				}
			}
			if resp.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Error("a web page may read the answer")
			}
		})
	}
}

func TestTwoOriginsAreRefused(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	r := k.request(context.Background(), http.MethodPost, ping, nil)
	r.Header.Add("Origin", "http://localhost:1")
	r.Header.Add("Origin", "https://evil.example")
	if got := k.do(r).StatusCode; got != http.StatusForbidden {
		t.Errorf("status %d", got)
	}
}

// raw sends bytes over TCP and returns the status line.
func raw(t *testing.T, k *rig, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", k.s.Status().Port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(soon))
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(c).ReadString('\n')
	return strings.TrimSpace(line)
}

func TestOddRequestLinesAreRefused(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	host := fmt.Sprintf("127.0.0.1:%d", k.s.Status().Port)
	post := "Content-Type: application/json\r\nContent-Length: 40\r\nConnection: close\r\n\r\n" + ping
	rows := []struct{ name, text, status string }{
		{"absolute form", "POST http://evil.example/" + testToken + "/mcp HTTP/1.1\r\nHost: " + host + "\r\n" + post, "403"},
		{"no Host", "POST /" + testToken + "/mcp HTTP/1.0\r\n" + post, "403"},
		{"options of all", "OPTIONS * HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n", "404"},
		{"long head", "GET / HTTP/1.1\r\nHost: " + host + "\r\nX: " + strings.Repeat("x", 100<<10) + "\r\n\r\n", "431"},
		{"endless body", "POST /" + testToken + "/mcp HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n600000\r\n" + strings.Repeat("x", 0x600000) + "\r\n0\r\n\r\n", "413"},
		{"well", "POST /" + testToken + "/mcp HTTP/1.1\r\nHost: " + host + "\r\n" + post, "200"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := raw(t, k, row.text); !strings.HasPrefix(got, "HTTP/1.1 "+row.status) && !strings.HasPrefix(got, "HTTP/1.0 "+row.status) {
				t.Errorf("answered %q, want %s", got, row.status)
			}
		})
	}
}

func TestSlowClientsAreCutAndHoldNobody(t *testing.T) {
	t.Parallel()
	k := newRig(t, func(_ *Options, l *limits) {
		l.header, l.read, l.drain = 300*time.Millisecond, 300*time.Millisecond, 300*time.Millisecond
	})
	host := fmt.Sprintf("127.0.0.1:%d", k.s.Status().Port)
	head := "POST /" + testToken + "/mcp HTTP/1.1\r\nHost: " + host + "\r\n"
	wrong := "POST /wrong/mcp HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 40\r\n\r\n{"
	starts := []string{"", "PO", head, wrong, head + "Content-Type: application/json\r\nContent-Length: 40\r\n\r\n{\"json"}
	var slow []net.Conn
	for range 20 {
		for _, text := range starts {
			c, err := net.Dial("tcp", host)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := io.WriteString(c, text); err != nil {
				t.Fatal(err)
			}
			slow = append(slow, c)
		}
	}
	if resp, body := k.post(ping, nil); resp.StatusCode != 200 {
		t.Errorf("beside slow clients: %d %s", resp.StatusCode, body)
	}
	for _, c := range slow {
		_ = c.SetReadDeadline(time.Now().Add(soon))
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Fatalf("a slow client was not cut: %v", err)
		}
	}
}

func TestReadLimitDoesNotEndAWaitingCall(t *testing.T) {
	t.Parallel()
	k := newRig(t, func(_ *Options, l *limits) { l.read = 50 * time.Millisecond })
	answers := k.start(context.Background(), toolCall(1, "silent", nil, nil), nil)
	want(t, k.started, "the call")
	select {
	case err := <-k.causes:
		t.Fatalf("the call ended: %v", err)
	case <-time.After(200 * time.Millisecond): // nothing to wait for: it must not happen
	}
	k.release <- "done"
	if resp := want(t, answers, "the answer"); resp == nil || resp.StatusCode != 200 {
		t.Errorf("answer %v", resp)
	}
}

// TestTokenReachesNoLog goes through what is logged at all levels, and through errors.
func TestTokenReachesNoLog(t *testing.T) {
	t.Parallel()
	var log lockedBuilder
	k := newRig(t, func(o *Options, _ *limits) {
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	k.post(ping, nil)
	k.post("{", nil)
	k.post(ping, header{"Origin": "https://evil.example"})
	k.post(ping, header{"Content-Type": "text/plain"})
	k.post(toolCall(1, "panics", nil, nil), nil)
	raw(t, k, "GET /"+testToken+"/mcp HTTP/9.9\r\n\r\n")
	if err := k.s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	_, err := k.s.Health(context.Background())
	if err == nil || strings.Contains(err.Error(), testToken) {
		t.Errorf("health of a closed server: %v", err)
	}
	if _, err := New(Options{Tools: k.tools(), Token: "bad token?" + testToken}); err == nil || strings.Contains(err.Error(), testToken) {
		t.Errorf("bad token: %v", err)
	}
	if text := log.String(); !strings.Contains(text, "refused") || strings.Contains(text, testToken) {
		t.Errorf("log:\n%s", text)
	}
}

type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuilder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
