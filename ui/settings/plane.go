package settings

import (
	"context"
	"errors"
)

// ErrRegistered is returned by Register when Claude Code has an entry for Fermata already and it shall not be replaced.
var ErrRegistered = errors.New("there is a Fermata entry in Claude Code already")

// ServerStatus says how the Fermata MCP server stands.
type ServerStatus struct {
	Wanted     bool // the settings want it to run
	Running    bool
	Port       int    // it answers on this port of 127.0.0.1; 0 when it does not run
	Problem    string // why it does not run though it is wanted, as a sentence; empty otherwise
	TokenPlace string // where the token is kept, in words
}

// ControlPlane is the Fermata MCP server and its entry in Claude Code. No method but Status and Watch is called on the
// main goroutine.
type ControlPlane interface {
	Status() ServerStatus
	// Watch returns a wake for every change of the status.
	Watch() (<-chan struct{}, func())
	// Health asks the server for its tools and returns how many it serves.
	Health(context.Context) (tools int, err error)
	Retry(context.Context) error
	RegenerateToken(context.Context) error
	Registered(context.Context) (bool, error)
	// Register writes the entry into Claude Code; ErrRegistered when there is one and replace is not set.
	Register(ctx context.Context, replace bool) error
	Unregister(context.Context) error
	// Instructions is the command that registers the server, ready to paste.
	Instructions() (string, error)
	// InlineConfig is the connection as JSON.
	InlineConfig() (string, error)
	// ClientForms lists the connection in the forms that other clients take.
	ClientForms() ([]ClientForm, error)
}

// ClientForm is the connection as one other client takes it.
type ClientForm struct {
	Client string
	Where  string // the file it belongs into, in words
	Text   string
	Note   string // how long that client lets a call wait, as sentences
}
