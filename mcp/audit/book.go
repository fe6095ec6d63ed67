// Package audit keeps the book of tool calls, a file to which every row is added with a seal on the one before.
package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// mostBytes is how large the book's file gets by default before it is put aside and a new one begun.
const mostBytes = 16 << 20

// Options are what a Book needs. Now is required.
type Options struct {
	// Now is the clock of the book's own notes; calls bring their time along.
	Now func() time.Time
	// Sync says for which calls Append waits until the disk has them; nil: for none.
	Sync func(Call) bool
	// MostBytes is how large the file gets before it is put aside; 0 means 16 MiB.
	MostBytes int64
}

// Book is an open book, safe for concurrent use. One process writes at a time; any number read.
//
// A row is one line of JSON with the hash of the row before it and, last, its own: the SHA-256 of the line without its
// hash member. So a changed byte, a row taken out, put in or moved is found by Verify. What a chain cannot show is a row
// cut off the end while no Book is open, and a book that was written anew as a whole.
//
// A row reaches the operating system with one write before Append returns, so it outlives a killed process. It outlives
// a power cut when Options.Sync wanted it on the disk, or a later row was; others are with the disk within the half
// minute or so that the system takes.
//
// A full file is renamed from book.jsonl to book.000001.jsonl, and so on; the chain goes on in the next. Nothing is ever
// deleted.
type Book struct {
	path string
	Options

	mu   sync.Mutex
	file *os.File // nil after a write that went wrong, until it is opened again
	size int64    // of the file when this Book wrote last
	last link
}

// link is what the next row continues.
type link struct {
	n    int
	hash string
}

// Open opens the book at path, or begins one. A line that was not written to its end is moved to a file beside the book,
// and a note in the book says so.
func Open(path string, o Options) (*Book, error) {
	if o.MostBytes == 0 {
		o.MostBytes = mostBytes
	}
	b := &Book{path: path, Options: o}
	last, err := lastLink(path)
	if err != nil {
		return nil, fmt.Errorf("open the audit book: %w", err)
	}
	b.last = last
	if err := b.attach(); err != nil {
		return nil, fmt.Errorf("open the audit book: %w", err)
	}
	return b, nil
}

// Append writes a call down. After an error the call may be missing, and the next Append tries anew.
func (b *Book) Append(c Call) error {
	file, err := b.append(c)
	if err == nil && b.Sync != nil && b.Sync(c) {
		// Without the lock: others need not wait for the disk. A file that was put aside meanwhile is on it.
		if err = file.Sync(); errors.Is(err, os.ErrClosed) {
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("book a call: %w", err)
	}
	return nil
}

func (b *Book) append(c Call) (*os.File, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.ready(); err != nil {
		return nil, err
	}
	err := b.write(Row{At: c.At, Call: &c})
	return b.file, err
}

// Close ends the book's life; what was written is on the disk then. An Append after it opens the book again.
func (b *Book) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.detach()
}

// ready opens the file again if it is not the one that was written to last, and begins the next when it is full.
func (b *Book) ready() error {
	if b.file != nil && !b.same() {
		_ = b.file.Close() // it is somebody else's by now, or nobody's
		b.file = nil
	}
	if b.file == nil {
		if err := b.attach(); err != nil {
			return err
		}
	}
	if b.size < b.MostBytes {
		return nil
	}
	return b.turn()
}

// same says whether the book's file is still as this Book left it. Rows that someone took out are missed by Verify, since
// the chain goes on from the last that was written.
func (b *Book) same() bool {
	now, err := os.Stat(b.path)
	if err != nil || now.Size() != b.size {
		return false
	}
	ours, err := b.file.Stat()
	return err == nil && os.SameFile(now, ours)
}

// attach opens the book's file behind its last whole line.
func (b *Book) attach() error {
	file, err := os.OpenFile(b.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	b.file = file
	err = errors.Join(file.Chmod(0o600), b.mend())
	if err != nil {
		b.file = nil
		return errors.Join(err, file.Close())
	}
	return nil
}

func (b *Book) detach() error {
	if b.file == nil {
		return nil
	}
	err := errors.Join(b.file.Sync(), b.file.Close())
	b.file = nil
	return err
}

// turn puts the full file aside and begins the next one. A file that cannot be put aside, as while someone else holds it
// on Windows, is written to further until it can.
func (b *Book) turn() error {
	if err := b.detach(); err != nil {
		return err
	}
	if aside, err := nextSegment(b.path); err == nil {
		_ = os.Rename(b.path, aside)
	}
	return b.attach()
}

// write adds a row behind the last. What a failed write left of a row is set aside by the next opening.
func (b *Book) write(r Row) error {
	r.N, r.Prev = b.last.n+1, b.last.hash
	line, hash, err := seal(r)
	if err != nil {
		return err
	}
	n, err := b.file.Write(line)
	b.size += int64(n)
	if err != nil {
		if b.file.Truncate(b.size-int64(n)) == nil {
			b.size -= int64(n)
			return err
		}
		err = errors.Join(err, b.file.Close())
		b.file = nil
		return err
	}
	b.last = link{r.N, hash}
	return nil
}

// lastLink reads what the next row continues: the last row that can be read, in the newest file that has one.
func lastLink(path string) (link, error) {
	files, err := segments(path)
	if err != nil {
		return link{}, err
	}
	for i := len(files) - 1; i >= 0; i-- {
		rows, err := lastRows(files[i], nearTheEnd)
		if err != nil {
			return link{}, err
		}
		for j := len(rows) - 1; j >= 0; j-- {
			if rows[j].N > 0 {
				return link{rows[j].N, rows[j].Hash}, nil
			}
		}
	}
	return link{0, noHash}, nil
}

// nearTheEnd is how many lines are looked through for one that can be read.
const nearTheEnd = 100

// Last returns the last n rows, the newest first, the book's own notes included.
func (b *Book) Last(n int) ([]Row, error) { return Last(b.path, n) }

// Last returns the last n rows of the book at path, the newest first, the book's own notes included. A line that cannot be
// read is a row whose note says so.
func Last(path string, n int) ([]Row, error) {
	files, err := segments(path)
	if err != nil {
		return nil, fmt.Errorf("read the audit book: %w", err)
	}
	var last []Row
	for i := len(files) - 1; i >= 0 && len(last) < n; i-- {
		rows, err := lastRows(files[i], n-len(last))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the audit book: %w", err)
		}
		for j := len(rows) - 1; j >= 0; j-- {
			last = append(last, rows[j])
		}
	}
	return last, nil
}
