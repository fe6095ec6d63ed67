package settings_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"fermata/ui/kit"
	. "fermata/ui/settings"
	"fermata/ui/stage"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

var noon = time.Date(2026, 10, 2, 12, 0, 0, 0, time.Local)

// callBook is the world's audit book.
type callBook struct{ w *world }

func (b callBook) Calls(_ context.Context, n int) ([]Call, error) {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	return slices.Clone(b.w.calls[:min(n, len(b.w.calls))]), b.w.unbooked
}

func (b callBook) Check(context.Context) (Chain, error) {
	b.w.ask("check")
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	return b.w.chain, b.w.ill
}

func (b callBook) Watch() (<-chan struct{}, func()) { return b.w.booked.Watch() }

// book makes calls the last of the book, and says so.
func (w *world) book(calls ...Call) {
	w.mu.Lock()
	w.calls = append(calls, w.calls...)
	w.mu.Unlock()
	w.booked.Wake()
}

func (w *world) openCalls() {
	w.Helper()
	const all = 1800 // high: a tap needs to see what it taps
	w.w.Resize(fyne.NewSize(860, all))
	w.Tap(w.w, "pane:"+MCP)
	w.Until("the chain was looked at", func() bool { return w.title("calls:chain") != "" })
}

// row is what a row of the list says; nil when it is not shown.
func (w *world) row(n int) []string {
	w.Helper()
	o, found := stage.Find(w.w, fmt.Sprintf("call:%d", n))
	if !found {
		return nil
	}
	return words(o)
}

var aCall = Call{At: noon.Add(-time.Hour), Client: "claude-code 2.1.197", Tool: "list_pieces", Result: "ok", Took: 1400 * time.Microsecond}

func TestLastTwentyCallsAreShownAndFollowed(t *testing.T) {
	w := open(t, stage.New(t), edgeOn, nil)
	w.openCalls()
	if !shows(w.w, "No client has called a tool yet.") || w.row(0) != nil {
		t.Error("an empty book shows calls")
	}
	w.book(aCall)
	w.Until("the call is there", func() bool { return w.row(0) != nil })
	if shows(w.w, "No client has called a tool yet.") {
		t.Error("it still says that there is none")
	}
	for _, c := range []struct {
		call Call
		want []string
	}{
		{aCall, []string{"list_pieces", "claude-code 2.1.197", "11:00:00", "", "ok", "1 ms"}},
		{
			Call{At: noon.AddDate(0, 0, -1), Client: "curl", Caller: "own agent", Tool: "create_draft", Result: "fenced", Took: 100 * time.Microsecond},
			[]string{"create_draft", "own agent, curl", "1 Oct 12:00", "", "fenced", "0.1 ms"},
		},
		{
			Call{At: noon, Client: "x", Tool: "piece_action", Answer: "denied", Result: "denied", Took: 90 * time.Second},
			[]string{"piece_action", "x", "12:00:00", "denied", "denied", "90 s"},
		},
		{Call{At: noon, Note: "A line was set aside."}, []string{"A line was set aside.", "", "12:00:00", "", "note", ""}},
	} {
		w.book(c.call)
		w.Until(fmt.Sprintf("%v is the first", c.want), func() bool { return slices.Equal(w.row(0), c.want) })
	}
	for range 30 {
		w.book(aCall)
	}
	w.Until("there are twenty", func() bool { return w.row(19) != nil && w.row(0)[0] == "list_pieces" && w.row(19)[0] == "list_pieces" })
	if w.row(20) != nil {
		t.Error("there are more than twenty")
	}
}

func TestChainIsCheckedAtOnceAndOnRequest(t *testing.T) {
	w := open(t, stage.New(t), edgeOn, func(w *world) { w.chain = Chain{Calls: 1, At: noon} })
	w.openCalls()
	if !w.says("calls:chain", "The chain holds", "1 call, checked at 12:00:00") {
		t.Error("the chain is shown otherwise")
	}
	for _, c := range []struct {
		chain          Chain
		err            error
		title, caption string
		where          string
	}{
		{Chain{Calls: 4, Broken: "row 5 breaks the chain: it is not as it was written (audit.jsonl, line 5)", At: noon}, nil, "The chain is broken", "checked at 12:00:00", "row 5 breaks the chain: it is not as it was written (audit.jsonl, line 5)."},
		{Chain{}, errors.New("permission denied"), "The chain could not be checked", "", "permission denied"},
		{Chain{Calls: 1200, At: noon}, nil, "The chain holds", "1200 calls, checked at 12:00:00", ""},
	} {
		w.mu.Lock()
		w.chain, w.ill = c.chain, c.err
		w.mu.Unlock()
		w.Tap(w.w, "calls:check")
		w.Until(c.title, func() bool {
			return w.says("calls:chain", c.title, c.caption) && (c.where == "" || shows(w.w, c.where))
		})
		if c.where != "" {
			w.Keep(w.w, "settings-calls-broken")
		}
	}
}

func TestBookThatCannotBeKeptSaysSoAndShowsWhatItHas(t *testing.T) {
	w := open(t, stage.New(t), edgeOn, nil)
	w.openCalls()
	w.mu.Lock()
	w.unbooked = errors.New("book a call: no space left on device")
	w.mu.Unlock()
	w.book(aCall)
	w.Until("the problem is shown", func() bool { return shows(w.w, "The book of calls could not be kept.") && w.row(0) != nil })
	w.mu.Lock()
	w.unbooked = nil
	w.mu.Unlock()
	w.book(aCall)
	w.Until("the problem is gone", func() bool { return !shows(w.w, "The book of calls could not be kept.") })
}

// says compares the texts of a named row.
func (w *world) says(name string, want ...string) bool {
	o, _ := stage.Find(w.w, name)
	return slices.Equal(words(o), append(want, ""))
}

func TestCallsPictures(t *testing.T) {
	stage.Both(t, func(t *testing.T, word string, s *stage.Stage) {
		t.Helper()
		w := open(t, s, edgeOn, func(w *world) { w.chain = Chain{Calls: 1204, At: noon} })
		w.openCalls()
		w.Keep(w.w, "settings-calls-none-"+word)
		list := []Call{
			{At: noon, Client: "claude-code 2.1.197", Tool: "piece_action", Answer: "allowed", Result: "ok", Took: 312 * time.Second},
			{At: noon, Client: "claude-code 2.1.197", Tool: "open_piece_workspace", Result: "ok", Took: 3 * time.Millisecond},
			{At: noon, Client: "claude-code 2.1.197", Caller: "own agent", Tool: "create_draft", Result: "fenced", Took: 400 * time.Microsecond},
			{At: noon, Client: "codex 0.31", Caller: "unknown caller", Tool: "release_draft", Answer: "denied", Result: "denied", Took: 41 * time.Second},
			{At: noon.AddDate(0, 0, -1), Note: "A line was not written to its end, and is set aside: 17 bytes in audit.torn-1, SHA-256 ab."},
			{At: noon.AddDate(0, 0, -9), Client: "curl 8.5", Tool: "piece_action", Answer: "cancelled", Result: "cancelled", Took: 2 * time.Hour},
			{At: noon.AddDate(0, 0, -9), Tool: "get_piece", Client: "curl 8.5", Result: "invalid"},
		}
		for range 3 {
			w.book(list...)
		}
		w.Until("they are there", func() bool { return w.row(19) != nil })
		w.Keep(w.w, "settings-calls-"+word)
	})
}

// words are the texts of what is shown: of a row its title and caption, then what stands before and behind them.
func words(o fyne.CanvasObject) []string {
	var below []fyne.CanvasObject
	switch o := o.(type) {
	case *kit.Text:
		return []string{o.Text()}
	case *kit.StateDot:
		return []string{o.Word()}
	case *fyne.Container:
		below = o.Objects
	case fyne.Widget:
		below = test.WidgetRenderer(o).Objects()
	}
	var all []string
	for _, child := range below {
		all = append(all, words(child)...)
	}
	return all
}

func TestTheCallsStandInColumns(t *testing.T) {
	w := open(t, stage.New(t), edgeOn, nil)
	w.openCalls()
	w.book(
		Call{At: noon, Client: "x", Tool: "piece_action", Answer: "cancelled", Result: "cancelled", Took: 2 * time.Hour},
		Call{At: noon.AddDate(0, 0, -9), Client: "claude-code 2.1.197", Tool: "open_piece_workspace", Result: "ok", Took: 3 * time.Millisecond},
		Call{At: noon, Note: "A line was set aside."},
	)
	w.Until("the calls are there", func() bool { return w.row(2) != nil })
	stage.Settle(w.w)
	var first []float32
	for n := range 3 {
		o, _ := stage.Find(w.w, fmt.Sprintf("call:%d", n))
		var at []float32
		for _, text := range cells(o) {
			x, _, _, _ := kit.Rect(text)
			at = append(at, x)
			if text.Shown() != text.Text() {
				t.Errorf("%q is cut to %q", text.Text(), text.Shown())
			}
		}
		if first == nil {
			first = at
		}
		if !slices.Equal(at, first) {
			t.Errorf("row %d has its columns at %v, the first at %v", n, at, first)
		}
	}
}

// cells are the texts of a row's columns, without the tool and the client.
func cells(o fyne.CanvasObject) (list []*kit.Text) {
	var visit func(fyne.CanvasObject)
	visit = func(o fyne.CanvasObject) {
		switch o := o.(type) {
		case *kit.Text:
			list = append(list, o)
		case *kit.StateDot:
		case *kit.Row:
			for _, c := range o.Children() {
				visit(c)
			}
		case *fyne.Container:
			for _, c := range o.Objects {
				visit(c)
			}
		}
	}
	visit(o)
	return list
}
