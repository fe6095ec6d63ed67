package piecestest

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// book keeps what a server was asked, and lets others wait for it. The zero value is empty and ready.
type book[T any] struct {
	mu      sync.Mutex
	entries []T
	written chan struct{} // closed at the next entry; nil when nobody waits
}

// add writes the entry that the function makes of its number, from 1.
func (b *book[T]) add(entry func(number int) T) T {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := entry(len(b.entries) + 1)
	b.entries = append(b.entries, e)
	if b.written != nil {
		close(b.written)
		b.written = nil
	}
	return e
}

func (b *book[T]) all() []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.entries)
}

// since returns the entries after the first seen ones, and a channel that is closed at the next entry.
func (b *book[T]) since(seen int) ([]T, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.written == nil {
		b.written = make(chan struct{})
	}
	return slices.Clone(b.entries[seen:]), b.written
}

// wait returns the first entry, past or to come, that the function takes.
func (b *book[T]) wait(ctx context.Context, take func(T) bool) (T, error) {
	seen := 0
	for {
		fresh, written := b.since(seen)
		for _, e := range fresh {
			if take(e) {
				return e, nil
			}
		}
		seen += len(fresh)
		select {
		case <-written:
		case <-ctx.Done():
			var none T
			return none, fmt.Errorf("wait for a request among %d: %w", seen, ctx.Err())
		}
	}
}
