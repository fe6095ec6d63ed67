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
)

var listAll = benchMessage("list_pieces", `{}`)

// TestBenchReads measures calls on the real server against the same calls on a bare server that returns the very same bytes.
func TestBenchReads(t *testing.T) {
	few := newServed(t)
	ids := fill(t, few.store, filling{projects: addProjects(t, few.store, "shop", "site"), count: 100, sessions: true})
	benchCall(t, "list_pieces_100", 1.5, few, readCalls, listAll)
	benchCall(t, "get_piece", 1.5, few, readCalls, benchMessage("get_piece", fmt.Sprintf(`{"pieceId":%q}`, ids[len(ids)/2])))
	benchCall(t, "list_cues", 1.5, few, readCalls, benchMessage("list_cues", `{}`))
}

// TestBenchLongLists measures a list of ten thousand pieces against the bare server, and the list of one project beside
// those, and below as many archived ones, against the same list alone.
func TestBenchLongLists(t *testing.T) {
	const many = 10_000
	alone, beside := newServed(t), newServed(t)
	list := func(s *served) string {
		project := addProjects(t, s.store, "desk")
		fill(t, s.store, filling{projects: project, count: 100})
		return benchMessage("list_pieces", fmt.Sprintf(`{"projectId":%q}`, project[0]))
	}
	ofAlone, ofBeside := list(alone), list(beside)
	shop := addProjects(t, beside.store, "shop", "site")
	fill(t, beside.store, filling{projects: shop[:1], count: 1000})
	benchCall(t, "list_pieces_1000", 3, beside, longCalls, listAll)
	fill(t, beside.store, filling{projects: shop, count: many - 1000})
	benchCall(t, "list_pieces_10000", 3, beside, longCalls, listAll)
	benchBeside(t, "list_pieces_beside_10000", alone.url, ofAlone, beside.url, ofBeside)

	archived := newServed(t)
	project := addProjects(t, archived.store, "desk")
	fill(t, archived.store, filling{projects: project, count: 100})
	fill(t, archived.store, filling{projects: project, count: many, archived: true})
	ofArchived := benchMessage("list_pieces", fmt.Sprintf(`{"projectId":%q}`, project[0]))
	benchBeside(t, "list_pieces_archived_10000", alone.url, ofAlone, archived.url, ofArchived)
}

// benchBeside measures a list with much around it against the same list alone.
func benchBeside(t *testing.T, name, aloneURL, alone, besideURL, beside string) {
	t.Helper()
	size := len(answerOf(t, aloneURL, alone))
	if n := len(answerOf(t, besideURL, beside)); n != size {
		t.Fatalf("%d bytes instead of %d", n, size)
	}
	var ours, bare []time.Duration
	for range readRounds {
		ours = append(ours, callTime(t, besideURL, beside, readCalls, size))
		bare = append(bare, callTime(t, aloneURL, alone, readCalls, size))
	}
	printRatio(t, name, 1.2, ours, bare)
}

func benchCall(t *testing.T, name string, limit float64, s *served, calls int, call string) {
	t.Helper()
	want := answerOf(t, s.url, call)
	bareURL := serveBare(t, textOf(t, want))
	if got := answerOf(t, bareURL, call); !bytes.Equal(got, want) {
		t.Fatalf("the bare server answers with other bytes:\n%.300s\n%.300s", got, want)
	}
	var ours, bare []time.Duration
	for range readRounds {
		ours = append(ours, callTime(t, s.url, call, calls, len(want)))
		bare = append(bare, callTime(t, bareURL, call, calls, len(want)))
	}
	printRatio(t, name, limit, ours, bare)
}

// callTime is the median of some calls, begun without the garbage of what was measured before.
func callTime(t *testing.T, url, call string, calls, size int) time.Duration {
	t.Helper()
	runtime.GC()
	times := make([]time.Duration, calls)
	for i := range times {
		begun := time.Now()
		got := answerOf(t, url, call)
		times[i] = time.Since(begun)
		if len(got) != size {
			t.Fatalf("%d bytes instead of %d: %.300s", len(got), size, got)
		}
	}
	return median(times)
}
