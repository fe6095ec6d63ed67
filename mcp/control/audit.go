package control

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
)

// ResultKind sorts the ends of a call for the audit book.
type ResultKind string

// The kinds of result.
const (
	ResultOK        ResultKind = "ok"
	ResultRefused   ResultKind = "refused"   // it could not be done; the client got one sentence
	ResultDenied    ResultKind = "denied"    // by the person, on a card
	ResultCancelled ResultKind = "cancelled" // by the client
	ResultStopped   ResultKind = "stopped"   // the server was going away
	ResultFenced    ResultKind = "fenced"    // one of Fermata's own agents asked for a write tool
	ResultInvalid   ResultKind = "invalid"   // malformed arguments
	ResultFault     ResultKind = "fault"     // of ours
)

// CallRecord is one tool call as the audit book keeps it.
type CallRecord struct {
	At      time.Time
	Client  string
	Version string
	Caller  CallerKind
	Tool    string
	// Arguments is a JSON value with secrets cut and long texts shortened.
	Arguments json.RawMessage
	// Cards are what the person was asked, in order; more than one when the effect changed while a card waited.
	Cards   []CardRecord
	Result  ResultKind
	Message string // the sentence that the client got when the call did not succeed, shortened
	Took    time.Duration
}

// CardRecord is one card and how it ended.
type CardRecord struct {
	Title  string
	Answer string // "allowed", "denied", "cancelled", "stopped" or "failed"
	Note   string // what the person added to a Deny
}

// notes gather what happens on the way of one call.
type notes struct {
	mu     sync.Mutex
	cards  []CardRecord
	fenced bool
}

type notesKey struct{}

func notesOf(ctx context.Context) *notes {
	if n, ok := ctx.Value(notesKey{}).(*notes); ok {
		return n
	}
	return &notes{}
}

// noteCard books a card's end for the call of ctx.
func noteCard(ctx context.Context, title string, r consent.Reply) {
	answers := map[consent.Outcome]string{
		consent.Allowed: "allowed", consent.Denied: "denied", consent.Cancelled: "cancelled", consent.Stopped: "stopped",
		consent.Failed: "failed",
	}
	n := notesOf(ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cards = append(n.cards, CardRecord{Title: title, Answer: answers[r.Outcome], Note: shorten(cutSecrets(r.Note))})
}

// noteFenced books that the call of ctx was refused because one of Fermata's own agents makes it.
func noteFenced(ctx context.Context) {
	n := notesOf(ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fenced = true
}

// booked returns a context that gathers a call's notes, and the function that writes the call into the book.
func (o Options) booked(ctx context.Context, tool string, arguments json.RawMessage) (context.Context, func(err error, message string)) {
	if o.Audit == nil {
		return ctx, func(error, string) {}
	}
	n, start := &notes{}, time.Now()
	// Who calls is looked up while it is there to be seen: a client that hung up leaves no trace.
	kind := o.callerKind(ctx)
	return context.WithValue(ctx, notesKey{}, n), func(err error, message string) {
		r := CallRecord{At: start, Caller: kind, Tool: tool, Arguments: redact(arguments), Took: time.Since(start)}
		if o.Caller != nil {
			who := o.Caller(ctx)
			r.Client, r.Version = cutSecrets(who.Name), cutSecrets(who.Version)
		}
		n.mu.Lock()
		r.Cards = n.cards
		r.Result = n.kind(ctx, err)
		n.mu.Unlock()
		if r.Result != ResultOK {
			r.Message = shorten(cutSecrets(message))
		}
		// The book gets the call also when the client is gone.
		o.Audit(context.WithoutCancel(ctx), r)
	}
}

// kind sorts a call's end.
func (n *notes) kind(ctx context.Context, err error) ResultKind {
	var refusal *engine.Refusal
	var malformed *ArgumentError
	switch {
	case err == nil:
		return ResultOK
	case n.fenced:
		return ResultFenced
	case errors.As(err, &malformed):
		return ResultInvalid
	case errors.As(err, &refusal):
		if len(n.cards) > 0 {
			switch n.cards[len(n.cards)-1].Answer {
			case "denied":
				return ResultDenied
			case "cancelled":
				return ResultCancelled
			case "stopped":
				return ResultStopped
			}
		}
		return ResultRefused
	case errors.Is(err, pieces.ErrStale):
		return ResultRefused
	case ctx.Err() != nil:
		return ResultCancelled
	}
	return ResultFault
}
