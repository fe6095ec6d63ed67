package mcp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

const (
	headerSession   = mcpgo.HeaderSessionID
	methodCancelled = "notifications/cancelled"
	codeRefused     = -32000 // the server will not, whatever the request says
	codeNoSession   = -32001
)

// ServeHTTP answers one request; it is here for net/http only.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rc := http.NewResponseController(w)
	// Deadlines of a kept connection outlive the request that set them: every request starts by setting both.
	_ = rc.SetReadDeadline(time.Now().Add(s.limits.read))
	_ = rc.SetWriteDeadline(time.Now().Add(s.limits.write))
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	if no := s.check(r); no != nil {
		s.refuse(w, r, no)
		return
	}
	switch r.Method {
	case http.MethodPost:
		s.post(w, r)
	case http.MethodDelete:
		s.endSession(w, r)
	default:
		_ = rc.SetReadDeadline(time.Time{})
		s.stream(w, r)
	}
}

// refuse answers no. A wrong token gets an empty 404, as any path here that does not exist: clients would take a 401
// for an invitation to OAuth.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, no *refusal) {
	s.log.Debug("mcp request refused", "status", no.status, "reason", no.reason, "remote", r.RemoteAddr)
	if no.allow != "" {
		w.Header().Set("Allow", no.allow)
	}
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
		defer s.drain(w, r)
	}
	if no.status == http.StatusNotFound {
		w.Header().Set("Content-Length", "0")
		w.WriteHeader(no.status)
		return
	}
	(&fault{status: no.status, code: codeRefused, text: no.reason}).write(w)
}

// drain sends what was answered, then reads on for a while: the answer would be lost in a reset connection if the
// client were still sending when it closes.
func (s *Server) drain(w http.ResponseWriter, r *http.Request) {
	rc := http.NewResponseController(w)
	_ = rc.Flush()
	_ = rc.SetReadDeadline(time.Now().Add(s.limits.drain))
	_, _ = io.CopyN(io.Discard, r.Body, 8*s.limits.body)
}

func (s *Server) endSession(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(headerSession)
	if err := s.sessions.end(id); err != nil {
		sessionFault(nil, err).write(w)
		return
	}
	s.streams.end(id)
	w.WriteHeader(http.StatusNoContent)
}

// readBody reads the whole request within the limits of size and time. Where it cannot, it answers and returns false.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	var body []byte
	var err error = &http.MaxBytesError{Limit: s.limits.body}
	if r.ContentLength <= s.limits.body {
		body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.body))
	}
	if err != nil {
		w.Header().Set("Connection", "close")
		var over *http.MaxBytesError
		if !errors.As(err, &over) {
			(&fault{status: http.StatusRequestTimeout, code: mcpgo.PARSE_ERROR, text: "the request body did not arrive"}).write(w)
			return nil, false
		}
		(&fault{
			status: http.StatusRequestEntityTooLarge, code: mcpgo.INVALID_REQUEST,
			text: fmt.Sprintf("request body over %d bytes", over.Limit),
		}).write(w)
		s.drain(w, r)
		return nil, false
	}
	// The rest of the request is our answer, which may take as long as a person does. A deadline left here would
	// look like a hang-up.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return body, true
}

func sessionFault(id []byte, err error) *fault {
	f := invalid(id, err.Error())
	switch {
	case errors.Is(err, errSessionEnded):
		f.status, f.code = http.StatusNotFound, codeNoSession
	case errors.Is(err, errTooManyCalls), errors.Is(err, errSessionsTaken):
		f.status, f.code = http.StatusTooManyRequests, codeRefused
	}
	return f
}
