package app

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"fermata/mcp"
	"fermata/mcp/control"
	"fermata/mcp/register"
	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
	"fermata/pieces/signal"
	"fermata/ui/settings"
)

// closePatience bounds the end of a server: waiting calls are answered at once, the rest gets this long.
const closePatience = 5 * time.Second

// controlPlane runs the MCP server as the settings want it: it starts, moves and stops it, and denies the waiting cards
// whenever the server goes away.
type controlPlane struct {
	planeParts
	hub   signal.Hub
	retry chan chan struct{}

	mu      sync.Mutex
	open    func(projectID, pieceID string) // nil until there are windows
	session func(id string)                 // opens one; nil until then too
	server  *mcp.Server
	served  chan struct{}
	wanted  bool
	port    int // preferred port that the server was started with
	problem string
	ahead   <-chan tokenRead // for the first start alone; nil without a reading
}

// tokenRead is what reading the token came to.
type tokenRead struct {
	token string
	err   error
}

// planeParts is what a controlPlane is made of; all of it is needed.
type planeParts struct {
	engine  *engine.Engine
	desk    *consent.Desk
	secrets *secrets
	guard   *guard
	calls   *callBook
	reg     *register.Registrar
	log     *slog.Logger
}

func newControlPlane(p planeParts) *controlPlane {
	return &controlPlane{planeParts: p, retry: make(chan chan struct{})}
}

// readAhead begins to read the token for the first start of the server, since a keychain can be slow. Where the settings do
// not want the server, the keychain is left alone: it could ask the person for its password.
func (c *controlPlane) readAhead(ctx context.Context, work *sync.WaitGroup) {
	all, err := c.engine.Settings(ctx)
	if err != nil || !wantsServer(all) {
		return // follow reads them again and says what is wrong
	}
	ahead := make(chan tokenRead, 1)
	c.mu.Lock()
	c.ahead = ahead
	c.mu.Unlock()
	work.Go(func() {
		token, err := c.secrets.token(ctx, mcp.NewToken)
		ahead <- tokenRead{token, err}
	})
}

// token returns what was read ahead, else what the keychain has now.
func (c *controlPlane) token(ctx context.Context) (string, error) {
	c.mu.Lock()
	ahead := c.ahead
	c.ahead = nil
	c.mu.Unlock()
	if ahead == nil {
		return c.secrets.token(ctx, mcp.NewToken)
	}
	read := <-ahead
	return read.token, read.err
}

func wantsServer(all map[string]string) bool {
	return all[pieces.KeyEdgeEnabled] == "true" && all[pieces.KeyEdgeControlPlane] == "true" && all[pieces.KeyMCPEnabled] == "true"
}

// run follows the settings until ctx ends, then closes the server.
func (c *controlPlane) run(ctx context.Context) {
	wake, done := c.engine.Watch()
	defer done()
	for {
		c.follow(ctx)
		select {
		case <-wake:
		case back := <-c.retry:
			c.stop(context.WithoutCancel(ctx))
			c.follow(ctx)
			close(back)
		case <-ctx.Done():
			c.stop(context.WithoutCancel(ctx))
			return
		}
	}
}

// follow brings the server to what the settings say now.
func (c *controlPlane) follow(ctx context.Context) {
	all, err := c.engine.Settings(ctx)
	if err != nil {
		if ctx.Err() == nil {
			c.log.Error("read the server's settings", "err", err)
		}
		return
	}
	on := wantsServer(all)
	port, err := strconv.Atoi(all[pieces.KeyMCPPreferredPort])
	if err != nil {
		port = mcp.DefaultPort
	}
	c.mu.Lock()
	running, same := c.server != nil, c.port == port
	failedBefore := c.wanted == on && same && c.problem != ""
	changed := c.wanted != on
	c.wanted = on
	c.mu.Unlock()
	switch {
	case running && (!on || !same):
		c.stop(context.WithoutCancel(ctx))
		if on {
			c.start(ctx, port)
		}
	case on && !running && !failedBefore:
		c.start(ctx, port)
	case !on:
		c.fail("")
	}
	if changed {
		c.hub.Wake()
	}
}

func (c *controlPlane) fail(words string) {
	c.mu.Lock()
	changed := c.problem != words
	c.problem = words
	c.mu.Unlock()
	if changed {
		c.hub.Wake()
	}
}

func (c *controlPlane) start(ctx context.Context, port int) {
	c.mu.Lock()
	c.port = port
	c.mu.Unlock()
	token, err := c.token(ctx)
	if err != nil {
		c.fail("The token could not be read: " + err.Error())
		return
	}
	s, err := c.newServer(token)
	if err == nil {
		_, err = s.Listen(port)
	}
	if err != nil {
		c.fail("The server could not start: " + err.Error())
		return
	}
	served := make(chan struct{})
	announcing, stopAnnouncing := context.WithCancel(ctx)
	go control.Announcer{Engine: c.engine, Notify: s.Notify, Log: c.log}.Run(announcing)
	go func() {
		defer close(served)
		defer stopAnnouncing()
		if err := s.Serve(context.WithoutCancel(ctx)); err != nil {
			c.log.Error("serve the control plane", "err", err)
			c.fail("The server stopped: " + err.Error())
		}
	}()
	c.mu.Lock()
	c.server, c.served, c.problem = s, served, ""
	c.mu.Unlock()
	c.log.Info("control plane answers", "port", s.Status().Port)
	c.hub.Wake()
}

// newServer makes the server with all its tools; it does not listen yet.
func (c *controlPlane) newServer(token string) (*mcp.Server, error) {
	options := control.Options{
		Engine: c.engine, Desk: c.desk, Version: Version, Log: c.log,
		Caller: c.guard.caller, Reveal: c.reveal, Audit: c.calls.write,
	}
	return mcp.New(mcp.Options{
		Tools: control.New(options), ToolCount: control.ToolCount, Token: token, Log: c.log, BeforeClose: c.desk.StopAll, Wrap: options.Checked,
	})
}

// stop ends the server; every waiting card is denied first.
func (c *controlPlane) stop(ctx context.Context) {
	c.mu.Lock()
	s, served := c.server, c.served
	c.server, c.served, c.problem = nil, nil, ""
	c.mu.Unlock()
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, closePatience)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		c.log.Warn("close the control plane", "err", err)
	}
	<-served
	c.hub.Wake()
}

func (c *controlPlane) current() *mcp.Server {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server
}

// windows tells how a piece and a session are opened, once there are windows.
func (c *controlPlane) windows(open func(projectID, pieceID string), openSession func(id string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open, c.session = open, openSession
}

// reveal opens a piece in its project's window, or a session where it is shown: with its piece, or with the person's own.
func (c *controlPlane) reveal(ctx context.Context, pieceID, sessionID string) error {
	c.mu.Lock()
	open, openSession := c.open, c.session
	c.mu.Unlock()
	if open == nil {
		return errNoWindow
	}
	if sessionID != "" {
		openSession(sessionID)
		return nil
	}
	p, err := c.engine.Piece(ctx, pieceID)
	if err != nil {
		return err
	}
	open(p.Piece.ProjectID, p.Piece.ID)
	return nil
}

var errNoWindow = errors.New("Fermata is still starting its windows; try again in a moment") //nolint:staticcheck // a name

// endpoint returns the URL that clients connect to.
func (c *controlPlane) endpoint() (string, error) {
	if s := c.current(); s != nil {
		return s.Endpoint(), nil
	}
	return "", errServerOff
}

var errServerOff = errors.New("the Fermata MCP server is off: turn it on in Settings → MCP, or run `fermata settings set mcp.enabled true`")

// Status says how the server stands, for the pane.
func (c *controlPlane) Status() settings.ServerStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	st := settings.ServerStatus{Wanted: c.wanted, Problem: c.problem, TokenPlace: c.secrets.place()}
	if c.server != nil {
		// It is bound, so whoever connects is answered, even when its goroutine has not come to run yet.
		st.Running, st.Port = true, c.server.Status().Port
	}
	return st
}

// Watch returns a wake for every change of the status.
func (c *controlPlane) Watch() (<-chan struct{}, func()) { return c.hub.Watch() }

// Health asks the server for its tools as a client does, and returns how many there are.
func (c *controlPlane) Health(ctx context.Context) (int, error) {
	s := c.current()
	if s == nil {
		return 0, errServerOff
	}
	return s.Health(ctx)
}

// Retry starts the server anew; every waiting card is denied.
func (c *controlPlane) Retry(ctx context.Context) error {
	back := make(chan struct{})
	select {
	case c.retry <- back:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-back:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// RegenerateToken retires the token for every client at once.
func (c *controlPlane) RegenerateToken(ctx context.Context) error {
	token := mcp.NewToken()
	if err := c.secrets.setToken(ctx, token); err != nil {
		return err
	}
	c.mu.Lock()
	c.ahead = nil // it is the retired one
	c.mu.Unlock()
	if s := c.current(); s != nil {
		if err := s.SetToken(token); err != nil {
			return err
		}
	}
	c.hub.Wake()
	return nil
}

// Registered says whether Claude Code has an entry for Fermata.
func (c *controlPlane) Registered(ctx context.Context) (bool, error) { return c.reg.Exists(ctx) }

// Register writes the entry into Claude Code; settings.ErrRegistered when there is one and replace is not set.
func (c *controlPlane) Register(ctx context.Context, replace bool) error {
	url, err := c.endpoint()
	if err != nil {
		return err
	}
	err = c.reg.Register(ctx, url, replace)
	if errors.Is(err, register.ErrExists) {
		return settings.ErrRegistered
	}
	return err
}

// Unregister takes the entry out of Claude Code.
func (c *controlPlane) Unregister(ctx context.Context) error { return c.reg.Unregister(ctx) }

// Instructions is the paste-ready command that registers the server.
func (c *controlPlane) Instructions() (string, error) {
	url, err := c.endpoint()
	if err != nil {
		return "", err
	}
	return c.reg.Instructions(url), nil
}

// InlineConfig is the raw connection JSON.
func (c *controlPlane) InlineConfig() (string, error) {
	url, err := c.endpoint()
	if err != nil {
		return "", err
	}
	return c.reg.InlineConfig(url), nil
}

// ClientForms lists the connection in the forms that other clients take.
func (c *controlPlane) ClientForms() ([]settings.ClientForm, error) {
	url, err := c.endpoint()
	if err != nil {
		return nil, err
	}
	var forms []settings.ClientForm
	for _, f := range register.Forms(url) {
		forms = append(forms, settings.ClientForm(f))
	}
	return forms, nil
}
