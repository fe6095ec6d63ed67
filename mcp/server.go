// Package mcp serves the control plane's tools over loopback HTTP in the app's process.
package mcp

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// The reasons a call's context ends before its handler returned; read them with context.Cause.
var (
	// ErrClientCancelled says that the client withdrew the call but kept its connection.
	ErrClientCancelled = errors.New("the client cancelled the call")
	// ErrClientGone says that nobody is listening any more: hang-up, or the client ended its session.
	ErrClientGone = errors.New("the client is gone")
	// ErrServerStopping says that the server is being switched off or the app quits.
	ErrServerStopping = errors.New("the server is stopping")
	// ErrTokenRetired says that the token which the call came with was replaced.
	ErrTokenRetired = errors.New("the token was replaced")
)

// ErrToken refuses a token that cannot stand in a URL or is too short to be a secret. It never shows the token.
var ErrToken = errors.New("token must be at least 16 characters of A-Z, a-z, 0-9, _ and -")

// DefaultPort is the port that Listen is given when the person chose none.
const DefaultPort = 8787

// Options are what a Server needs. Tools and Token are required.
type Options struct {
	// Tools answers the protocol. It is mounted stateless; sessions, cancels and streams are the Server's.
	Tools *server.MCPServer
	// ToolCount says how many tools Status reports. Nil reports 0.
	ToolCount func() int
	// Token is the secret path segment of the endpoint.
	Token string
	// Addr is the loopback address to bind. Empty means 127.0.0.1.
	Addr string
	// Log gets what happens to the server; nil is silent. Neither token nor URL ever reach it.
	Log *slog.Logger
	// FirstBeat is how long a call may be silent before its answer becomes a stream. 0 means 5 s.
	FirstBeat time.Duration
	// Beat is the pause between signs of life on a waiting call or an open stream. 0 means 15 s.
	Beat time.Duration
	// BeforeClose is called by Close while waiting calls can still be answered: the app denies every card in it.
	BeforeClose func()
	// Wrap goes between the server's own checks and the protocol; the tools' argument check stands there. Nil wraps nothing.
	Wrap func(http.Handler) http.Handler
}

// Status is what Settings shows of a Server.
type Status struct {
	Running bool
	Port    int // 0 before Listen
	Err     error
	Tools   int
}

// Server is the HTTP server of the control plane. It listens, serves and closes once; a restart is a new Server, and
// clients keep working over it as long as port and token stay: their session ids are adopted.
// All methods may be called from any goroutine.
type Server struct {
	tools       *server.MCPServer
	inner       http.Handler
	toolCount   func() int
	log         *slog.Logger
	addr        netip.Addr
	firstBeat   time.Duration
	beat        time.Duration
	beforeClose func()
	limits      limits

	http     *http.Server
	secret   atomic.Pointer[secret]
	calls    calls
	sessions *sessions
	streams  *streams
	conns    connections

	port atomic.Int32 // 0 before Listen

	mu      sync.Mutex // guards what follows
	ln      net.Listener
	serving bool
	err     error

	closing  sync.Once
	closeErr error
}

// secret is the token with its hash, swapped as one.
type secret struct {
	token string
	hash  [sha256.Size]byte
}

// limits are the bounds on what one client can hold; tests shorten them.
type limits struct {
	body     int64         // bytes of one request
	header   time.Duration // to send the request's head
	read     time.Duration // to send the whole body
	drain    time.Duration // to finish sending what was refused
	write    time.Duration // to take one write of ours
	idle     time.Duration // between two requests of a connection
	grace    time.Duration // for calls in flight at Close
	last     time.Duration // for calls that were cut at Close, then for their last bytes
	sessions int
	calls    int // in flight per session
}

func defaultLimits() limits {
	return limits{
		body: 5 << 20, header: 10 * time.Second, read: 30 * time.Second, drain: 5 * time.Second, write: 30 * time.Second,
		idle: 5 * time.Minute, grace: 3 * time.Second, last: time.Second, sessions: 4096, calls: 256,
	}
}

// New checks o and returns a Server that does not listen yet.
func New(o Options) (*Server, error) {
	if o.Tools == nil {
		return nil, errors.New("make mcp server: no tools")
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1"
	}
	addr, err := netip.ParseAddr(o.Addr)
	if err != nil || !addr.IsLoopback() {
		return nil, fmt.Errorf("make mcp server: %q is not a loopback address", o.Addr)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.ToolCount == nil {
		o.ToolCount = func() int { return 0 }
	}
	s := &Server{
		tools: o.Tools, toolCount: o.ToolCount, log: o.Log, addr: addr, beforeClose: o.BeforeClose,
		firstBeat: orDefault(o.FirstBeat, 5*time.Second), beat: orDefault(o.Beat, 15*time.Second),
		limits: defaultLimits(),
	}
	if err := s.keepToken(o.Token); err != nil {
		return nil, fmt.Errorf("make mcp server: %w", err)
	}
	s.inner = server.NewStreamableHTTPServer(o.Tools,
		server.WithStateLess(true), server.WithDisableStreaming(true), server.WithStreamableHTTPLogger(o.Log))
	if o.Wrap != nil {
		s.inner = o.Wrap(s.inner)
	}
	s.sessions = newSessions(s.limits.sessions, s.limits.calls)
	s.streams = newStreams()
	return s, nil
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

// Listen binds the preferred port, else one of the next nine, else any port the system offers, and returns it.
// A preferred port of 0 asks for any.
func (s *Server) Listen(preferred int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ln != nil {
		return 0, errors.New("listen: the server listens already")
	}
	ln, err := s.bind(preferred)
	if err != nil {
		s.err = fmt.Errorf("listen on %s: %w", s.addr, err)
		return 0, s.err
	}
	s.ln, s.err = ln, nil
	port := ln.Addr().(*net.TCPAddr).Port
	s.port.Store(int32(port))
	return port, nil
}

func (s *Server) bind(preferred int) (net.Listener, error) {
	var ports []int
	if preferred > 0 {
		for p := preferred; p < preferred+10 && p <= 65535; p++ {
			ports = append(ports, p)
		}
	}
	var err error
	for _, p := range append(ports, 0) {
		var ln *net.TCPListener
		ln, err = net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(s.addr, uint16(p))))
		if err == nil {
			return ln, nil
		}
	}
	return nil, err
}

// Status says how the server is doing.
func (s *Server) Status() Status {
	tools := s.toolCount()
	s.mu.Lock()
	defer s.mu.Unlock()
	return Status{Running: s.serving, Port: int(s.port.Load()), Err: s.err, Tools: tools}
}

// Endpoint is the URL that clients connect to. It holds the token: show it only to the person.
func (s *Server) Endpoint() string {
	host := netip.AddrPortFrom(s.addr, uint16(s.port.Load()))
	return "http://" + host.String() + "/" + s.secret.Load().token + "/mcp"
}

// SetToken replaces the token. Everybody who came with the old one is cut off at once: calls in flight end with
// ErrTokenRetired and all connections close.
func (s *Server) SetToken(token string) error {
	if err := s.keepToken(token); err != nil {
		return fmt.Errorf("replace token: %w", err)
	}
	s.calls.cancelAll(ErrTokenRetired)
	s.streams.cut()
	s.conns.cut()
	s.log.Info("mcp token replaced")
	return nil
}

func (s *Server) keepToken(token string) error {
	if !goodToken(token) {
		return ErrToken
	}
	s.secret.Store(&secret{token: token, hash: sha256.Sum256([]byte(token))})
	return nil
}
