package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	suffix    = ".jsonl"
	tornInfix = ".torn-"
)

// segments lists the book's files that there are, the oldest first and the one that is written to last.
func segments(path string) ([]string, error) {
	numbers, err := numbered(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, n := range numbers {
		files = append(files, segment(path, n))
	}
	switch _, err := os.Lstat(path); {
	case err == nil:
		files = append(files, path)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return files, nil
}

// numbered lists the numbers of the files that were put aside, in order.
func numbered(path string) ([]int, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	before := strings.TrimSuffix(filepath.Base(path), suffix) + "."
	var numbers []int
	for _, e := range entries {
		name, ours := strings.CutPrefix(e.Name(), before)
		name, whole := strings.CutSuffix(name, suffix)
		if n, err := strconv.Atoi(name); ours && whole && err == nil && n > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

func segment(path string, n int) string {
	return fmt.Sprintf("%s.%06d%s", strings.TrimSuffix(path, suffix), n, suffix)
}

func nextSegment(path string) (string, error) {
	numbers, err := numbered(path)
	if err != nil || len(numbers) == 0 {
		return segment(path, 1), err
	}
	return segment(path, numbers[len(numbers)-1]+1), nil
}

// lastRows reads up to n whole lines from the end of a file, in their order.
func lastRows(path string, n int) ([]Row, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	st, err := file.Stat()
	if err != nil {
		return nil, err
	}
	tail, whole, err := tailOf(file, st.Size(), n)
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(tail, []byte("\n"))
	lines = lines[:len(lines)-1] // what follows the last newline is no whole line
	if !whole && len(lines) > 0 {
		lines = lines[1:]
	}
	lines = lines[max(0, len(lines)-n):]
	rows := make([]Row, 0, len(lines))
	for _, line := range lines {
		r, err := unseal(line)
		if r.N == 0 {
			r.Note = "A line of the book is damaged: " + err.Error()
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// tailOf reads a file from its end until there are more than n newlines, and says whether that is all of it.
func tailOf(file io.ReaderAt, size int64, n int) (tail []byte, whole bool, err error) {
	const chunk = 64 << 10
	at := size
	for at > 0 && bytes.Count(tail, []byte("\n")) <= n {
		begin := max(0, at-chunk)
		piece := make([]byte, at-begin, at-begin+int64(len(tail)))
		if _, err := file.ReadAt(piece, begin); err != nil {
			return nil, false, err
		}
		tail, at = append(piece, tail...), begin
	}
	return tail, at == 0, nil
}

// mend sets aside what follows the file's last newline: a line that was not written to its end. It is copied to a file of
// its own first, so that it is never lost, and the book says that it was there.
func (b *Book) mend() error {
	st, err := b.file.Stat()
	if err != nil {
		return err
	}
	b.size = st.Size()
	tail, _, err := tailOf(b.file, b.size, 0)
	if err != nil {
		return err
	}
	torn := tail[bytes.LastIndexByte(tail, '\n')+1:]
	if len(torn) == 0 {
		return nil
	}
	aside, err := keepTorn(b.path, torn)
	if err != nil {
		return fmt.Errorf("set a torn line aside: %w", err)
	}
	b.size -= int64(len(torn))
	if err := b.file.Truncate(b.size); err != nil {
		return fmt.Errorf("set a torn line aside: %w", err)
	}
	return b.write(Row{At: b.Now(), Note: fmt.Sprintf(
		"A line was not written to its end, and is set aside: %d bytes in %s, SHA-256 %s.", len(torn), filepath.Base(aside), hashOf(torn))})
}

// keepTorn writes the remains of a line to a file of their own beside the book.
func keepTorn(path string, torn []byte) (string, error) {
	for n := 1; ; n++ {
		aside := strings.TrimSuffix(path, suffix) + tornInfix + strconv.Itoa(n)
		file, err := os.OpenFile(aside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = file.Write(torn)
		return aside, errors.Join(err, file.Sync(), file.Close())
	}
}
