package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

// post handles one JSON-RPC message.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	body, ok := s.readBody(w, r)
	if !ok {
		return
	}
	m, no := parse(body)
	if no != nil {
		no.write(w)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	version := r.Header.Get(mcpgo.HeaderProtocolVersion)
	m.modern = mcpgo.IsModernProtocol(m.version) || mcpgo.IsModernProtocol(version)
	if !m.modern && version != "" && !mcpgo.IsValidProtocolVersion(version) {
		// The library would answer in plain text.
		invalid(m.id, "unsupported protocol version "+strconv.Quote(clip(version))+"; supported are "+strings.Join(mcpgo.ValidProtocolVersions, ", ")).write(w)
		return
	}
	if m.modern {
		r.Header.Del(headerSession) // there are no sessions any more; such a request may not reach into one
	}
	switch {
	case m.method == methodCancelled:
		// Never given to the library: its one table of ids would let a client cancel another's call.
		if sid := r.Header.Get(headerSession); sid != "" {
			s.sessions.cancel(sid, m.cancels)
		}
		w.WriteHeader(http.StatusAccepted)
	case m.method == "" && !m.modern:
		w.WriteHeader(http.StatusAccepted) // we ask clients nothing, so there is nothing to answer
	case m.id == nil || m.method == "":
		s.inner.ServeHTTP(w, r)
	default:
		s.request(w, r, m)
	}
}

// request handles a message that gets an answer.
func (s *Server) request(w http.ResponseWriter, r *http.Request, m *message) {
	// The context is detached from net/http's, whose end has no cause, and tied to it again with one.
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
	defer cancel(nil)
	defer context.AfterFunc(r.Context(), func() { cancel(ErrClientGone) })()

	c := &call{key: m.key, cancel: cancel, endless: m.method == string(mcpgo.MethodSubscriptionsListen)}
	if !s.calls.add(c) {
		stoppingFault(m.id).write(w)
		return
	}
	defer s.calls.remove(c)

	caller, no := s.enter(w, r, m, c)
	if no != nil {
		no.write(w)
		return
	}
	defer s.sessions.leave(caller.Session, c)

	out := newReply(w, m, accepts(r.Header, "text/event-stream"), s.firstBeat, s.beat, s.limits.write)
	caller.reply = out
	s.answer(out, r.WithContext(WithCaller(ctx, caller)), m)
	out.finish(context.Cause(ctx))
}

// enter finds the caller's session, or opens one at initialize, and puts c into it. Clients that name no session
// are served without one; what they lose is notifications/cancelled.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, m *message, c *call) (*Caller, *fault) {
	who := &Caller{
		Client: m.client, Remote: r.RemoteAddr, ProgressToken: m.progress,
		Session: r.Header.Get(headerSession), conn: connectionOf(r.Context()),
	}
	if who.Client.Name == "" {
		who.Client = agentOf(r.Header)
	}
	var err error
	if m.method == string(mcpgo.MethodInitialize) && !m.modern {
		if who.Session, err = s.sessions.open(who.Client); err != nil {
			return nil, sessionFault(m.id, err)
		}
		r.Header.Set(headerSession, who.Session)
		w.Header().Set(headerSession, who.Session)
	}
	if who.Session == "" {
		return who, nil
	}
	if who.Client, err = s.sessions.enter(who.Session, who.Client, c); err != nil {
		return nil, sessionFault(m.id, err)
	}
	return who, nil
}

// answer lets the library write into out. A panic of a tool is answered like any other fault of ours.
func (s *Server) answer(out *reply, r *http.Request, m *message) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("mcp handler panicked", "method", m.method, "panic", p, "stack", string(debug.Stack()))
			out.fail(&fault{status: http.StatusOK, id: m.id, code: mcpgo.INTERNAL_ERROR, text: "internal error"})
		}
	}()
	s.inner.ServeHTTP(out, r)
}

func stoppingFault(id []byte) *fault {
	return &fault{status: http.StatusServiceUnavailable, id: id, code: codeRefused, text: "Fermata's MCP server is stopping"}
}
