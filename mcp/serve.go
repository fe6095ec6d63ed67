package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Serve answers clients until ctx ends or Close is called, and returns when the server is closed. It returns nil
// after an orderly end.
func (s *Server) Serve(ctx context.Context) error {
	ln, err := s.start(ctx)
	if err != nil {
		return err
	}
	s.log.Info("mcp server answers", "addr", ln.Addr().String())
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(ln) }()
	select {
	case err = <-failed:
	case <-ctx.Done():
		_ = s.Close(context.WithoutCancel(ctx)) // said again below
		err = <-failed
	}
	if s.calls.stopped() {
		return s.Close(ctx) // waits for the Close that is under way
	}
	err = fmt.Errorf("serve mcp: %w", err)
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	return errors.Join(err, s.Close(context.WithoutCancel(ctx)))
}

func (s *Server) start(ctx context.Context) (net.Listener, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ln == nil {
		return nil, errors.New("serve mcp: not listening")
	}
	if s.http != nil {
		return nil, errors.New("serve mcp: the server was started before")
	}
	s.http = &http.Server{
		Handler: s,
		// No WriteTimeout: it would end calls that wait for a person. Writes get their own deadlines in reply.
		ReadHeaderTimeout: s.limits.header,
		IdleTimeout:       s.limits.idle,
		MaxHeaderBytes:    32 << 10,
		// "OPTIONS *" has to pass the checks as everything else does.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		ConnState:                    s.conns.track,
		ConnContext:                  s.conns.context,
		BaseContext: func(net.Listener) context.Context {
			return context.WithoutCancel(ctx) // the end of ctx is an orderly Close, not a cut
		},
	}
	s.serving = true
	return s.ln, nil
}

// Close ends the server in order: no new calls; BeforeClose, so that waiting calls are answered; a few seconds for
// the calls in flight (ctx shortens them); then ErrServerStopping for what is left, its last bytes, and the
// connections. It spends at most two seconds past ctx. Calls after the first wait and return the same.
func (s *Server) Close(ctx context.Context) error {
	s.closing.Do(func() { s.closeErr = s.shutDown(ctx) })
	return s.closeErr
}

func (s *Server) shutDown(ctx context.Context) error {
	idle := s.calls.stop()
	s.mu.Lock()
	ln, web := s.ln, s.http
	s.serving = false
	s.mu.Unlock()
	if ln != nil {
		_ = ln.Close() // frees the port first, so that a successor can have it
	}
	s.streams.stop()
	if s.beforeClose != nil {
		s.beforeClose()
	}
	var err error
	if !ended(ctx, idle, s.limits.grace) {
		s.calls.cancelAll(ErrServerStopping)
		if !ended(context.WithoutCancel(ctx), idle, s.limits.last) {
			err = fmt.Errorf("close mcp server: %d calls do not end", s.calls.count())
		}
	}
	if web == nil {
		return err
	}
	web.SetKeepAlivesEnabled(false)
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limits.last)
	defer cancel()
	if web.Shutdown(flush) != nil {
		_ = web.Close()
	}
	s.log.Info("mcp server closed")
	return err
}

// ended reports whether done closed within limit and before ctx ended.
func ended(ctx context.Context, done <-chan struct{}, limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}
