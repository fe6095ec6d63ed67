package control

import "sync"

// What keptResults keeps at most: results, and bytes of each with what was asked.
const (
	mostResults = 64
	mostBytes   = 256 << 10
)

// keptResults keeps results for as long as the engine's revision stays the same, since clients poll. The zero value keeps
// none.
type keptResults struct {
	mu       sync.Mutex
	revision int64
	byAsk    map[ask]string
}

// ask is a call, as the client spelled it.
type ask struct{ tool, arguments string }

// of returns the result that was kept at the revision, which was read before; else it reads one.
func (k *keptResults) of(what ask, revision int64, read func() (text string, keep bool, err error)) (string, error) {
	k.mu.Lock()
	text, ok := k.byAsk[what]
	ok = ok && k.revision == revision
	k.mu.Unlock()
	if ok {
		return text, nil
	}
	text, keep, err := read()
	if err == nil && keep && len(text)+len(what.arguments) <= mostBytes {
		k.keep(what, revision, text)
	}
	return text, err
}

func (k *keptResults) keep(what ask, revision int64, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if revision < k.revision {
		return
	}
	if k.byAsk == nil || revision > k.revision || len(k.byAsk) >= mostResults {
		k.byAsk = map[ask]string{}
	}
	k.revision, k.byAsk[what] = revision, text
}
