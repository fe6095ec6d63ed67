package mcp

import (
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

// refusal is an answer given before any byte of the protocol is read.
type refusal struct {
	status int
	reason string // for the log, and for the body where a body is given
	allow  string
}

// check is the order of product checks: who is asked (Host), who asks (Origin, Sec-Fetch-Site), the token, the
// method, the content type. Only a caller with the token learns more than 403 or 404.
func (s *Server) check(r *http.Request) *refusal {
	if !ownHost(r.Host, int(s.port.Load())) {
		return &refusal{status: http.StatusForbidden, reason: "foreign Host"}
	}
	if !localOrigin(r.Header) {
		return &refusal{status: http.StatusForbidden, reason: "foreign Origin"}
	}
	if !s.secret.Load().opens(r.URL.Path) {
		return &refusal{status: http.StatusNotFound, reason: "no such path"}
	}
	return checkMethod(r)
}

func checkMethod(r *http.Request) *refusal {
	modern := mcpgo.IsModernProtocol(r.Header.Get(mcpgo.HeaderProtocolVersion))
	switch {
	case r.Method == http.MethodPost:
		return checkContent(r)
	case modern:
		return &refusal{status: http.StatusMethodNotAllowed, reason: "this protocol version knows POST only", allow: "POST"}
	case r.Method == http.MethodDelete:
		return nil
	case r.Method == http.MethodGet:
		if !accepts(r.Header, "text/event-stream") {
			return &refusal{status: http.StatusNotAcceptable, reason: "GET opens a text/event-stream"}
		}
		return nil
	default:
		return &refusal{status: http.StatusMethodNotAllowed, reason: "method not allowed", allow: "GET, POST, DELETE"}
	}
}

func checkContent(r *http.Request) *refusal {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return &refusal{status: http.StatusUnsupportedMediaType, reason: "Content-Type must be application/json"}
	}
	if enc := r.Header.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return &refusal{status: http.StatusUnsupportedMediaType, reason: "Content-Encoding is not supported"}
	}
	return nil
}

// ownHost reports whether host is a loopback name or address with our port. A page that rebound its own name to
// 127.0.0.1 fails here.
func ownHost(host string, port int) bool {
	name, p, err := net.SplitHostPort(host)
	return err == nil && p == strconv.Itoa(port) && loopback(name)
}

func loopback(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}

// localOrigin reports whether the request comes from no web page, or from one that this machine serves itself.
func localOrigin(h http.Header) bool {
	site := h.Get("Sec-Fetch-Site")
	origins := h.Values("Origin")
	if len(origins) == 0 {
		// A browser leaves Origin out of navigations and of no-cors GETs.
		return site == "" || site == "none" || site == "same-origin"
	}
	if len(origins) > 1 || site == "cross-site" {
		return false
	}
	u, err := url.Parse(origins[0])
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return false
	}
	return loopback(u.Hostname()) && origins[0] == u.Scheme+"://"+u.Host
}

// accepts reports whether the Accept header names media type kind.
func accepts(h http.Header, kind string) bool {
	for _, line := range h.Values("Accept") {
		for part := range strings.SplitSeq(line, ",") {
			name, _, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(name), kind) {
				return true
			}
		}
	}
	return false
}
