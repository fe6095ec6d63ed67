package app

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func TestSpareMemoryIsGivenBackOnceTheAppRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		look := make(chan time.Time)
		var now heap
		given := 0
		go giveBack(ctx, look, func() heap { return now }, func() { given++; now.spare = 0 })
		synctest.Wait()
		for _, step := range []struct {
			what  string
			now   heap
			given int
		}{
			{"it works", heap{asked: 100 << 20, spare: 50 << 20}, 0},
			{"it works on", heap{asked: 101 << 20, spare: 50 << 20}, 0},
			{"it rests", heap{asked: 101<<20 + 1000, spare: 50 << 20}, 1},
			{"nothing is spare", heap{asked: 101<<20 + 2000}, 1},
			{"little is spare", heap{asked: 101<<20 + 3000, spare: spareEnough - 1}, 1},
			{"it worked again", heap{asked: 150 << 20, spare: 20 << 20}, 1},
			{"it rests again", heap{asked: 150 << 20, spare: 20 << 20}, 2},
		} {
			now = step.now
			look <- time.Time{}
			synctest.Wait()
			if given != step.given {
				t.Errorf("%s: memory was given back %d times, want %d", step.what, given, step.given)
			}
		}
		cancel()
	})
}

// garbage is what a burst of work leaves behind.
var garbage []byte

func TestGarbageIsSpareUntilItIsGivenBack(t *testing.T) {
	read := readHeap()
	const size = 64 << 20
	before := read()
	garbage = make([]byte, size)
	for i := range garbage {
		garbage[i] = 1
	}
	runtime.GC()
	held := read()
	if held.asked-before.asked < size {
		t.Errorf("%d bytes were asked for", held.asked-before.asked)
	}
	garbage = nil
	runtime.GC()
	if left := read(); left.spare < held.spare+size/2 {
		t.Errorf("%d bytes are spare after %d were dropped, %d were before", left.spare, size, held.spare)
	}
	give()
	if after := read(); after.spare > size/2 {
		t.Errorf("%d bytes are spare after they were given back", after.spare)
	}
}
