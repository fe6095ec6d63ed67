package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"fermata/mcp/audit"
	"fermata/mcp/control"
	"fermata/pieces/signal"
	"fermata/ui/settings"
)

// callBook writes the calls of the MCP server into the audit book, and reads them for the settings.
type callBook struct {
	path string
	log  *slog.Logger
	hub  signal.Hub

	mu      sync.Mutex
	book    *audit.Book // nil until the first call that could open it
	problem error       // of the last call that had to be written
}

// write is what the tools report to. A book that cannot be written stops no call: the log and Settings say so.
func (b *callBook) write(_ context.Context, r control.CallRecord) {
	book, err := b.opened()
	if err == nil {
		err = book.Append(bookedCall(r))
	}
	if err != nil {
		b.log.Error("book a call", "tool", r.Tool, "err", err)
	}
	b.mu.Lock()
	b.problem = err
	b.mu.Unlock()
	b.hub.Wake()
}

func (b *callBook) opened() (*audit.Book, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.book != nil {
		return b.book, nil
	}
	writes := control.WriteTools()
	// Of these nothing has changed: the client need not wait for the disk. They are on it with the next row that is, or soon.
	unchanged := []string{string(control.ResultDenied), string(control.ResultCancelled), string(control.ResultStopped), string(control.ResultFenced), string(control.ResultInvalid)}
	book, err := audit.Open(b.path, audit.Options{
		Now: time.Now,
		// What changes something waits for the disk anyway; reads need not.
		Sync: func(c audit.Call) bool {
			return slices.Contains(writes, c.Tool) && !slices.Contains(unchanged, c.Result)
		},
	})
	if err != nil {
		return nil, err
	}
	b.book = book
	return book, nil
}

func (b *callBook) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.book == nil {
		return nil
	}
	return b.book.Close()
}

func bookedCall(r control.CallRecord) audit.Call {
	callers := map[control.CallerKind]string{
		control.CallerUnknown: audit.CallerUnknown, control.CallerOutside: audit.CallerOutside, control.CallerOwnAgent: audit.CallerOwnAgent,
	}
	c := audit.Call{
		At: r.At, Client: r.Client, Version: r.Version, Caller: callers[r.Caller], Tool: r.Tool, Arguments: r.Arguments,
		Result: string(r.Result), Message: r.Message, MS: float64(r.Took.Microseconds()) / 1000,
	}
	for _, card := range r.Cards {
		c.Cards = append(c.Cards, audit.Card(card))
	}
	return c
}

// Calls returns the last n rows of the book, the newest first.
func (b *callBook) Calls(_ context.Context, n int) ([]settings.Call, error) {
	rows, err := audit.Last(b.path, n)
	if err != nil {
		return nil, err
	}
	calls := make([]settings.Call, 0, len(rows))
	for _, r := range rows {
		calls = append(calls, shownCall(r))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return calls, b.problem
}

func shownCall(r audit.Row) settings.Call {
	if r.Call == nil {
		return settings.Call{At: r.At, Note: r.Note}
	}
	c := settings.Call{
		At: r.At, Client: strings.TrimSpace(r.Client + " " + r.Version), Tool: r.Tool, Result: r.Result,
		Took: time.Duration(r.MS * float64(time.Millisecond)),
	}
	switch r.Caller {
	case audit.CallerOwnAgent:
		c.Caller = "own agent"
	case audit.CallerUnknown:
		c.Caller = "unknown caller"
	}
	if n := len(r.Cards); n > 0 {
		c.Answer = r.Cards[n-1].Answer
	}
	return c
}

// Check proves the whole book.
func (b *callBook) Check(context.Context) (settings.Chain, error) {
	report, err := audit.Verify(b.path)
	chain := settings.Chain{Calls: report.Calls, At: time.Now()}
	if report.Break != nil {
		chain.Broken = report.Break.String()
	}
	return chain, err
}

// Watch returns a wake for every call.
func (b *callBook) Watch() (<-chan struct{}, func()) { return b.hub.Watch() }

// auditCommand exports or verifies the audit book. It reads the file, so it needs no running app and disturbs none.
func auditCommand(f folder, args []string, out io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == "verify":
		return verifyAudit(f, out)
	case len(args) == 1 && args[0] == "export", len(args) == 2 && args[0] == "export" && args[1] == "-":
		_, err := audit.Export(f.audit(), out)
		return err
	case len(args) == 2 && args[0] == "export" && args[1] != "":
		return exportAudit(f, args[1], out)
	}
	return usage("audit takes export [FILE|-], or verify")
}

func verifyAudit(f folder, out io.Writer) error {
	report, err := audit.Verify(f.audit())
	if err != nil {
		return err
	}
	if report.Break != nil {
		return fmt.Errorf("audit: %s", report.Break)
	}
	fmt.Fprintf(out, "audit: %d calls, the chain holds\n", report.Calls)
	if report.Torn > 0 {
		fmt.Fprintf(out, "%d bytes after them are a line that was not written to its end.\n", report.Torn)
	}
	return nil
}

// exportAudit writes the book to a new file, so that neither the book itself nor anything else is overwritten.
func exportAudit(f folder, path string, out io.Writer) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already: name a new file", path)
	}
	if err != nil {
		return fmt.Errorf("export the audit book: %w", err)
	}
	lines, err := audit.Export(f.audit(), file)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(out, "audit: %d lines in %s\n", lines, path)
	return nil
}
