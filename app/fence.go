package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"

	"fermata/mcp"
	"fermata/mcp/control"
	"fermata/mcp/fence"
	"fermata/pieces"
	"fermata/pieces/agent/host"
	"fermata/pieces/engine"
)

// errOwnAgent is the sentence of the tools, which ends as one.
var errOwnAgent = errors.New(control.SentenceOwnAgent) //nolint:staticcheck // see above

// errStranger refuses an order when it cannot be found out who gives it.
var errStranger = errors.New("Fermata cannot tell whether one of its own agents runs this command, so it only reads: run it from a terminal of your own") //nolint:staticcheck // a name

// guard tells Fermata's own agents from the person, at the MCP server and at the command line's socket.
type guard struct {
	fence *fence.Fence
	log   *slog.Logger
}

func newGuard(e *engine.Engine, log *slog.Logger) *guard {
	hosts := func(ctx context.Context) ([]pieces.HostProcess, error) {
		live, err := e.Sessions(ctx, pieces.SessionFilter{LiveOnly: true, IncludeHidden: true})
		if err != nil {
			return nil, err
		}
		var list []pieces.HostProcess
		for _, s := range live {
			if s.Host.PID > 0 {
				list = append(list, s.Host)
			}
		}
		return list, nil
	}
	return &guard{fence: fence.New(fence.Options{Hosts: hosts, Identify: host.Identify, Mark: host.MarkVariable}), log: log}
}

// placement remembers who holds a connection, once that is known.
type placement struct{ kind atomic.Int32 }

type placementKey struct{}

// caller says who makes the call of ctx, as the tools want to know it.
func (g *guard) caller(ctx context.Context) control.Caller {
	c := mcp.CallerFrom(ctx)
	kind := func() control.CallerKind {
		place, _ := c.PerConnection(placementKey{}, func() any { return &placement{} }).(*placement)
		kind := fence.Kind(place.kind.Load())
		if kind == fence.Unknown {
			kind = g.connection(ctx, c.Remote)
			place.kind.Store(int32(kind))
		}
		return callerKind(kind)
	}
	return control.Caller{Name: c.Client.Name, Version: c.Client.Version, Waiting: c.Waiting, Kind: kind}
}

func (g *guard) connection(ctx context.Context, remote string) fence.Kind {
	local := ""
	if addr, ok := ctx.Value(http.LocalAddrContextKey).(net.Addr); ok {
		local = addr.String()
	}
	kind, err := g.fence.Who(ctx, remote, local)
	if err != nil {
		g.log.Info("mcp caller could not be placed", "remote", remote, "err", err)
	}
	return kind
}

func callerKind(k fence.Kind) control.CallerKind {
	switch k {
	case fence.Outside:
		return control.CallerOutside
	case fence.OwnAgent:
		return control.CallerOwnAgent
	default:
		return control.CallerUnknown
	}
}

// admit says whether the process at the other end of the command line's socket may give an order: everybody may read
// the settings, anything else is the person's.
func (g *guard) admit(ctx context.Context, conn net.Conn, do string) error {
	if do == orderSettings {
		return nil
	}
	pid, err := fence.Peer(conn)
	if err != nil {
		g.log.Warn("command could not be placed", "err", err)
		return errStranger
	}
	kind, err := g.fence.WhoPID(ctx, pid)
	switch kind {
	case fence.Outside:
		return nil
	case fence.OwnAgent:
		return errOwnAgent
	default:
		g.log.Info("command could not be placed", "pid", pid, "err", err)
		return errStranger
	}
}
