package control

import (
	"errors"
	"sync"
)

var errPanicked = errors.New("carry out an allowed call: it panicked")

// flight is what the calls that share one card have in common: what it allows is done once, and all of them return what
// came of it.
type flight struct {
	once  sync.Once
	value any
	err   error
}

// carry does what was allowed, the first time; it returns what came of that every time.
func (f *flight) carry(do func() (any, error)) (any, error) {
	f.once.Do(func() {
		f.err = errPanicked // what the others see when do panics
		f.value, f.err = do()
	})
	return f.value, f.err
}
