//go:build bench

package app

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"time"
)

const (
	readRounds = 11
	readCalls  = 20 // a round
	longCalls  = 3  // a round, of lists that take long

	// changingLimit is for calls before each of which a piece changes, so that what was read before is no longer true for
	// certain; the bare server has nothing to look up.
	changingLimit = 5
)

var listAll = benchMessage("list_pieces", `{}`)

// TestBenchReads measures calls on the real server against the same calls on a bare server that returns the very same bytes.
func TestBenchReads(t *testing.T) {
	few := newServed(t)
	ids := fillStore(t, few.store, filling{projects: addProjects(t, few.store, "shop", "site"), count: 100, sessions: true})
	for _, c := range []struct{ name, call string }{
		{"list_pieces_100", listAll},
		{"get_piece", benchMessage("get_piece", fmt.Sprintf(`{"pieceId":%q}`, ids[len(ids)/2]))},
		{"list_cues", benchMessage("list_cues", `{}`)},
	} {
		benchCall(t, c.name, 1.5, few, readCalls, c.call)
		few.changing = ids[0]
		benchCall(t, c.name+"_changing", changingLimit, few, readCalls, c.call)
		few.changing = ""
	}
}

// TestBenchLongLists measures a list of ten thousand pieces against the bare server, and the list of one project beside
// those, and below as many archived ones, against the same list alone. A piece of the project changes before each call.
func TestBenchLongLists(t *testing.T) {
	const many = 10_000
	alone, ofAlone, _ := newDesk(t)
	beside, ofBeside, _ := newDesk(t)
	shop := addProjects(t, beside.store, "shop", "site")
	fillStore(t, beside.store, filling{projects: shop[:1], count: 1000})
	changing := beside.changing
	beside.changing = ""
	benchCall(t, "list_pieces_1000", 3, beside, longCalls, listAll)
	fillStore(t, beside.store, filling{projects: shop, count: many - 1000})
	benchCall(t, "list_pieces_10000", 3, beside, longCalls, listAll)
	beside.changing = changing
	benchBeside(t, "list_pieces_beside_10000", alone, ofAlone, beside, ofBeside)

	archived, ofArchived, desk := newDesk(t)
	fillStore(t, archived.store, filling{projects: desk, count: many, archived: true})
	benchBeside(t, "list_pieces_archived_10000", alone, ofAlone, archived, ofArchived)
}

// newDesk serves a project of a hundred pieces, one of which changes, and returns the call that lists them.
func newDesk(t *testing.T) (s *served, list string, project []string) {
	t.Helper()
	s = newServed(t)
	project = addProjects(t, s.store, "desk")
	s.changing = fillStore(t, s.store, filling{projects: project, count: 100})[0]
	return s, benchMessage("list_pieces", fmt.Sprintf(`{"projectId":%q}`, project[0])), project
}

// benchBeside measures a list with much around it against the same list alone.
func benchBeside(t *testing.T, name string, alone *served, ofAlone string, beside *served, ofBeside string) {
	t.Helper()
	size := len(answerOf(t, alone.url, ofAlone))
	if n := len(answerOf(t, beside.url, ofBeside)); n != size {
		t.Fatalf("%d bytes instead of %d", n, size)
	}
	var ours, bare []time.Duration
	for range readRounds {
		ours = append(ours, callTime(t, beside, ofBeside, readCalls, size))
		bare = append(bare, callTime(t, alone, ofAlone, readCalls, size))
	}
	printRatio(t, name, 1.2, ours, bare)
}

func benchCall(t *testing.T, name string, limit float64, s *served, calls int, call string) {
	t.Helper()
	want := answerOf(t, s.url, call)
	bareServer := &served{url: serveBare(t, textOf(t, want))}
	if got := answerOf(t, bareServer.url, call); !bytes.Equal(got, want) {
		t.Fatalf("the bare server answers with other bytes:\n%.300s\n%.300s", got, want)
	}
	var ours, bare []time.Duration
	for range readRounds {
		ours = append(ours, callTime(t, s, call, calls, len(want)))
		bare = append(bare, callTime(t, bareServer, call, calls, len(want)))
	}
	printRatio(t, name, limit, ours, bare)
}

// callTime is the median of some calls, begun without the garbage of what was measured before.
func callTime(t *testing.T, s *served, call string, calls, size int) time.Duration {
	t.Helper()
	runtime.GC()
	times := make([]time.Duration, calls)
	for i := range times {
		s.change(t)
		begun := time.Now()
		got := answerOf(t, s.url, call)
		times[i] = time.Since(begun)
		if len(got) != size {
			t.Fatalf("%d bytes instead of %d: %.300s", len(got), size, got)
		}
	}
	return median(times)
}
