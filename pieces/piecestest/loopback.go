package piecestest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// loopback is an HTTP server on a free port of 127.0.0.1.
type loopback struct {
	url    string
	http   *http.Server
	cancel context.CancelFunc
	served chan struct{}

	mu       sync.Mutex
	closed   bool
	handlers sync.WaitGroup
}

func listen(handler http.Handler) (*loopback, error) {
	ctx, cancel := context.WithCancel(context.Background())
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		cancel()
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	l := &loopback{url: "http://" + listener.Addr().String(), cancel: cancel, served: make(chan struct{})}
	l.http = &http.Server{
		BaseContext: func(net.Listener) context.Context { return ctx },
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !l.begin() {
				return
			}
			defer l.handlers.Done()
			handler.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: time.Minute,
	}
	go func() {
		defer close(l.served)
		_ = l.http.Serve(listener) // ends with close; until then a broken listener shows as refused connections
	}()
	return l, nil
}

// begin counts a handler, unless the server is closing: close waits for the counted ones.
func (l *loopback) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.handlers.Add(1)
	return true
}

func (l *loopback) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	_ = l.http.Close()
	<-l.served
	l.handlers.Wait()
}
