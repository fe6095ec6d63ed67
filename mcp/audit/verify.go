package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Report is what Verify found.
type Report struct {
	Rows  int    // that hold, from the first to the one before Break
	Calls int    // of them, without the book's own notes
	Torn  int    // bytes behind the last whole line: a row being written now, or one that never was to its end
	Break *Break // the first row that does not hold; nil when the whole chain does
}

// Break is the first row that is not what the book once held there.
type Break struct {
	Row  int    // the number that the row should have
	File string // its name in the book's folder
	Line int    // in the file, from 1
	Why  string
}

// String is the break as a sentence without its full stop.
func (b Break) String() string {
	return fmt.Sprintf("row %d breaks the chain: %s (%s, line %d)", b.Row, b.Why, b.File, b.Line)
}

// Verify reads the whole book at path and proves every row. It may run while the book is written to. A book that is not
// there has no rows. The error is about reading the files.
func Verify(path string) (Report, error) {
	var report Report
	last := link{0, noHash}
	err := eachLine(path, func(file string, line int, text []byte, whole bool) bool {
		if !whole {
			report.Torn += len(text)
			return true
		}
		r, why := proved(text, last)
		if why != "" {
			report.Break = &Break{last.n + 1, filepath.Base(file), line, why}
			return false
		}
		last = link{r.N, r.Hash}
		report.Rows++
		if r.Call != nil {
			report.Calls++
		}
		return true
	})
	if err != nil {
		return report, fmt.Errorf("verify the audit book: %w", err)
	}
	return report, nil
}

// proved reads a line and says why it does not follow the last row; nothing when it does.
func proved(text []byte, last link) (Row, string) {
	r, err := unseal(text)
	switch {
	case r.N > last.n+1 && err == nil:
		return r, fmt.Sprintf("row %d stands in its place", r.N)
	case err != nil:
		return r, err.Error()
	case r.N != last.n+1:
		return r, fmt.Sprintf("row %d stands there again", r.N)
	case r.Prev != last.hash:
		return r, "it does not continue the row before it"
	}
	return r, ""
}

// Export writes the book's whole lines to w as they are, the oldest first, and returns how many.
func Export(path string, w io.Writer) (lines int, err error) {
	out := bufio.NewWriter(w)
	var broken error
	err = eachLine(path, func(_ string, _ int, text []byte, whole bool) bool {
		if !whole {
			return true
		}
		lines++
		_, err1 := out.Write(text)
		broken = errors.Join(err1, out.WriteByte('\n'))
		return broken == nil
	})
	if err = errors.Join(err, broken, out.Flush()); err != nil {
		return lines, fmt.Errorf("export the audit book: %w", err)
	}
	return lines, nil
}

// eachLine hands on every line of the book until visit returns false; a line without its newline is not whole.
func eachLine(path string, visit func(file string, line int, text []byte, whole bool) bool) error {
	files, err := openAll(path)
	defer func() {
		for _, f := range files {
			_ = f.Close() // it was only read
		}
	}()
	if err != nil {
		return err
	}
	for _, f := range files {
		in := bufio.NewReaderSize(f, 64<<10)
		for line := 1; ; line++ {
			text, err := in.ReadBytes('\n')
			if err != nil && err != io.EOF {
				return err
			}
			whole := err == nil
			if len(text) > 0 && !visit(f.Name(), line, bytes.TrimSuffix(text, []byte("\n")), whole) {
				return nil
			}
			if !whole {
				break
			}
		}
	}
	return nil
}

// openAll opens the book's files, the oldest first. The newest is opened before the others are listed, so that none is
// missed when it is put aside meanwhile.
func openAll(path string) ([]*os.File, error) {
	newest, err := os.Open(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var files []*os.File
	numbers, err := numbered(path)
	for _, n := range numbers {
		var f *os.File
		if f, err = os.Open(segment(path, n)); err != nil {
			break
		}
		files = append(files, f)
	}
	if newest == nil {
		return files, err
	}
	if slices.ContainsFunc(files, func(f *os.File) bool { return sameFile(f, newest) }) {
		return files, errors.Join(err, newest.Close())
	}
	return append(files, newest), err
}

func sameFile(a, b *os.File) bool {
	one, err1 := a.Stat()
	two, err2 := b.Stat()
	return err1 == nil && err2 == nil && os.SameFile(one, two)
}
