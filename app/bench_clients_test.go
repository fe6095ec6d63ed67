//go:build bench

package app

import (
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"
)

const (
	clients       = 50
	clientCalls   = 20 // of each client a round
	clientRounds  = 5
	leastOfBare   = 0.6 // the share of the bare server's throughput that ours must reach
	clientsPieces = 100
)

// TestBenchManyClients measures how long fifty clients take who all call at once, on the real server and on a bare one that
// returns the very same bytes. Twice the time is half the throughput.
func TestBenchManyClients(t *testing.T) {
	s := newServed(t)
	ids := fillStore(t, s.store, filling{projects: addProjects(t, s.store, "shop", "site"), count: clientsPieces, sessions: true})
	call := benchMessage("get_piece", fmt.Sprintf(`{"pieceId":%q}`, ids[len(ids)/2]))
	want := answerOf(t, s.url, call)
	bareURL := serveBare(t, textOf(t, want))
	web := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer web.CloseIdleConnections()
	var ours, bare []time.Duration
	for range clientRounds {
		ours = append(ours, crowdTime(t, web, s.url, call, len(want)))
		bare = append(bare, crowdTime(t, web, bareURL, call, len(want)))
	}
	printRatio(t, "clients_50", 1/leastOfBare, ours[1:], bare[1:]) // the first round connected
}

// crowdTime is how long all clients together need for their calls.
func crowdTime(t *testing.T, web *http.Client, url, call string, size int) time.Duration {
	t.Helper()
	runtime.GC()
	begun := time.Now()
	var crowd sync.WaitGroup
	for i := range clients {
		session := fmt.Sprintf("client-%d", i)
		crowd.Go(func() {
			for range clientCalls {
				got, err := post(t.Context(), web, url, session, call)
				if err != nil || len(got) != size {
					t.Errorf("%d bytes instead of %d: %v", len(got), size, err)
					return
				}
			}
		})
	}
	crowd.Wait()
	took := time.Since(begun)
	if t.Failed() {
		t.FailNow()
	}
	return took
}
