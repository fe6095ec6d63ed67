package app

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// collectAt is how much the memory in use may grow before what is no longer needed is looked for, in percent. The app
	// works in short bursts and rests in between, so what it holds counts more than the time that looking takes.
	collectAt = 50
	// restLook is how often it is looked whether the app rests: when it asked for less than restAllocs bytes since the last look.
	restLook   = 300 * time.Millisecond
	restAllocs = 256 << 10
	// spareEnough is how many bytes have to be spare before they are given back to the system.
	spareEnough = 4 << 20
)

// heap is how much memory the runtime has.
type heap struct {
	asked uint64 // bytes that were ever asked for
	spare uint64 // bytes that nothing needs and that the system could have
}

// readHeap returns a function that reads the runtime's books.
func readHeap() func() heap {
	samples := []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}
	return func() heap {
		metrics.Read(samples)
		asked, objects, live, free := samples[0].Value.Uint64(), samples[1].Value.Uint64(), samples[2].Value.Uint64(), samples[3].Value.Uint64()
		return heap{asked: asked, spare: free + max(objects, live) - live}
	}
}

// giveBack gives memory that a burst of work left behind back to the system as soon as the app rests, until ctx ends: the
// runtime alone would keep it for minutes, and the C library for good.
func giveBack(ctx context.Context, look <-chan time.Time, read func() heap, give func()) {
	last := read()
	for {
		select {
		case <-look:
		case <-ctx.Done():
			return
		}
		now := read()
		if now.asked-last.asked < restAllocs && now.spare >= spareEnough {
			give()
			now = read()
		}
		last = now
	}
}

// give gives back all that can be given. From the first time on, less garbage may gather: the start is over then.
func give() {
	debug.SetGCPercent(collectAt)
	debug.FreeOSMemory()
	trimC()
}
