package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

var noon = time.Date(2026, 10, 2, 12, 0, 0, 123_456_789, time.UTC)

func bookAt(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "audit.jsonl")
}

func open(t *testing.T, path string, most int64) *Book {
	t.Helper()
	b, err := Open(path, Options{
		Now: func() time.Time { return noon }, MostBytes: most,
		Sync: func(c Call) bool { return len(c.Cards) > 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func call(n int) Call {
	return Call{
		At: noon, Client: "claude-code", Version: "2.1", Caller: CallerOutside, Tool: "get_piece",
		Arguments: json.RawMessage(fmt.Sprintf(`{"pieceId":"<%d>"}`, n)), Result: "ok", MS: 1.25,
	}
}

func fill(t *testing.T, b *Book, n int) {
	t.Helper()
	for i := range n {
		if err := b.Append(call(i)); err != nil {
			t.Fatal(err)
		}
	}
}

func verify(t *testing.T, path string) Report {
	t.Helper()
	r, err := Verify(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func holds(t *testing.T, path string, calls int) Report {
	t.Helper()
	r := verify(t, path)
	if r.Break != nil || r.Torn != 0 || r.Calls != calls {
		t.Fatalf("verify: %+v, %v; want %d calls that hold", r, r.Break, calls)
	}
	return r
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRowIsOneLineWithTheHashOfTheRowBefore(t *testing.T) {
	t.Parallel()
	path := bookAt(t)
	b := open(t, path, 0)
	c := call(1)
	c.Cards = []Card{{Title: "Allow it?", Answer: "denied", Note: "no\nnever"}}
	c.Result, c.Message = "denied", "The person denied it."
	for _, c := range []Call{c, {At: noon, Tool: "list_projects", Caller: CallerOwnAgent, Result: "ok"}} {
		if err := b.Append(c); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(string(read(t, path)), "\n")
	for i, want := range []string{
		`{"n":1,"prev":"` + noHash + `","at":"2026-10-02T12:00:00.123Z","client":"claude-code","version":"2.1","caller":"outside","tool":"get_piece","arguments":{"pieceId":"<1>"},` +
			`"cards":[{"title":"Allow it?","answer":"denied","note":"no\nnever"}],"result":"denied","message":"The person denied it.","ms":1.25}`,
		`{"n":2,"prev":"` + hashOf([]byte(beforeHash(t, lines[0]))) + `","at":"2026-10-02T12:00:00.123Z","client":"","version":"","caller":"ownAgent","tool":"list_projects","arguments":{},` +
			`"cards":[],"result":"ok","ms":0}`,
	} {
		if got := beforeHash(t, lines[i]); got != want {
			t.Errorf("row %d is\n%s\nwant\n%s", i+1, got, want)
		}
	}
	if len(lines) != 3 || lines[2] != "" {
		t.Errorf("the file is %q", lines)
	}
	if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("the file is for others too: %v %v", st.Mode(), err)
	}
	holds(t, path, 2)
}

// beforeHash is the text that a line's own hash is the hash of.
func beforeHash(t *testing.T, line string) string {
	t.Helper()
	body, _, ok := strings.Cut(line, `,"hash":`)
	if !ok {
		t.Fatalf("no hash in %s", line)
	}
	return body + "}"
}

func TestLastRowsComeNewestFirst(t *testing.T) {
	t.Parallel()
	path := bookAt(t)
	b := open(t, path, 2000)
	fill(t, b, 50)
	rows, err := b.Last(20)
	if err != nil || len(rows) != 20 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, r := range rows {
		if r.N != 50-i || r.Call == nil || string(r.Arguments) != fmt.Sprintf(`{"pieceId":"<%d>"}`, 49-i) || !r.Call.At.Equal(noon.Truncate(time.Millisecond)) {
			t.Fatalf("row %d is %+v", i, r)
		}
	}
	if rows, err := Last(path, 1000); err != nil || len(rows) != 50 {
		t.Errorf("of all there are %d, %v", len(rows), err)
	}
	if rows, err := Last(bookAt(t), 5); err != nil || len(rows) != 0 {
		t.Errorf("a book that is not there has %v, %v", rows, err)
	}
}

func TestLongRowsAreReadBack(t *testing.T) {
	t.Parallel()
	path := bookAt(t)
	b := open(t, path, 0)
	for _, long := range []int{mostArguments - 100, mostArguments + 1, 10} {
		c := call(0)
		c.Arguments = json.RawMessage(`"` + strings.Repeat("x", long) + `"`)
		if err := b.Append(c); err != nil {
			t.Fatal(err)
		}
	}
	c := call(0)
	c.Arguments = json.RawMessage(`{broken`)
	if err := b.Append(c); err != nil {
		t.Fatal(err)
	}
	rows, err := b.Last(4)
	if err != nil || len(rows) != 4 || string(rows[0].Arguments) != `"[unreadable]"` || !strings.HasSuffix(string(rows[2].Arguments), ` bytes]"`) || len(rows[3].Arguments) < mostArguments-100 {
		t.Errorf("read back %d rows, %v", len(rows), err)
	}
	holds(t, path, 4)
}

func TestChainGoesOnAfterOpeningAgain(t *testing.T) {
	t.Parallel()
	path := bookAt(t)
	for range 3 {
		b := open(t, path, 1500)
		fill(t, b, 7)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, path, 21)
}

func TestFullFileIsPutAsideAndTheChainGoesOn(t *testing.T) {
	t.Parallel()
	path := bookAt(t)
	b := open(t, path, 2000)
	fill(t, b, 100)
	files, err := segments(path)
	if err != nil || len(files) < 10 || !strings.HasSuffix(files[0], "audit.000001.jsonl") || files[len(files)-1] != path {
		t.Fatalf("files %v, %v", files, err)
	}
	holds(t, path, 100)
	var out bytes.Buffer
	if n, err := Export(path, &out); err != nil || n != 100 || bytes.Count(out.Bytes(), []byte("\n")) != 100 {
		t.Errorf("exported %d, %v", n, err)
	}
	// Killed between putting aside and beginning the next.
	b.Close()
	if err := os.Rename(path, segment(path, len(files))); err != nil {
		t.Fatal(err)
	}
	holds(t, path, 100)
	fill(t, open(t, path, 2000), 3)
	holds(t, path, 103)
}

func TestFiftyGoroutinesWriteEveryRowOnce(t *testing.T) {
	t.Parallel()
	path := bookAt(t)
	b := open(t, path, 40_000)
	var work sync.WaitGroup
	for g := range 50 {
		work.Go(func() {
			for i := range 20 {
				c := call(g*20 + i)
				if i == 0 {
					c.Cards = []Card{{Title: "?", Answer: "allowed"}}
				}
				if err := b.Append(c); err != nil {
					t.Error(err)
				}
				if i%10 == 0 {
					if r, err := Verify(path); err != nil || r.Break != nil {
						t.Errorf("while it is written to: %+v %v", r, err)
					}
					if _, err := b.Last(20); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	work.Wait()
	holds(t, path, 1000)
	seen := map[string]bool{}
	rows, err := b.Last(1000)
	for _, r := range rows {
		seen[string(r.Arguments)] = true
	}
	if err != nil || len(seen) != 1000 {
		t.Errorf("%d calls are in the book, %v", len(seen), err)
	}
}

func TestTornLineIsSetAsideAndNoted(t *testing.T) {
	t.Parallel()
	for name, torn := range map[string][]byte{
		"the beginning of a row": []byte(`{"n":6,"prev":"00`), "zeros": make([]byte, 5000), "half a character": {0xc3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := bookAt(t)
			b := open(t, path, 0)
			fill(t, b, 5)
			b.Close()
			write(t, path, append(read(t, path), torn...))
			if r := verify(t, path); r.Torn != len(torn) || r.Rows != 5 || r.Break != nil {
				t.Errorf("before it is opened: %+v", r)
			}
			var out bytes.Buffer
			if n, err := Export(path, &out); err != nil || n != 5 {
				t.Errorf("exported %d, %v", n, err)
			}
			b = open(t, path, 0)
			fill(t, b, 2)
			if r := holds(t, path, 7); r.Rows != 8 {
				t.Errorf("%d rows", r.Rows)
			}
			if got := read(t, strings.TrimSuffix(path, suffix)+".torn-1"); !bytes.Equal(got, torn) {
				t.Errorf("set aside is %q", got)
			}
			rows, err := b.Last(3)
			want := fmt.Sprintf("A line was not written to its end, and is set aside: %d bytes in audit.torn-1, SHA-256 %s.", len(torn), hashOf(torn))
			if err != nil || rows[2].Note != want || rows[2].Call != nil || !rows[2].At.Equal(noon.Truncate(time.Millisecond)) {
				t.Errorf("noted %+v, %v", rows[2], err)
			}
		})
	}
}

func TestBookThatSomeoneTouchedWhileItIsOpenIsWrittenToFurther(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		touch func(t *testing.T, path string)
		row   int // that breaks the chain
	}{
		"taken away": {func(t *testing.T, path string) { t.Helper(); os.Remove(path) }, 1},
		"cut within a line": {func(t *testing.T, path string) {
			t.Helper()
			write(t, path, read(t, path)[:len(read(t, path))-100])
		}, 5},
		"cut by a row": {func(t *testing.T, path string) {
			t.Helper()
			text := bytes.TrimSuffix(read(t, path), []byte("\n"))
			write(t, path, text[:bytes.LastIndexByte(text, '\n')+1])
		}, 5},
		"replaced by a copy": {func(t *testing.T, path string) {
			t.Helper()
			text := read(t, path)
			os.Remove(path)
			write(t, path, text)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := bookAt(t)
			b := open(t, path, 0)
			fill(t, b, 5)
			c.touch(t, path)
			fill(t, b, 2)
			r := verify(t, path)
			if (r.Break == nil) != (c.row == 0) || r.Break != nil && r.Break.Row != c.row {
				t.Errorf("verify: %+v %v, want row %d", r, r.Break, c.row)
			}
			rows, err := Last(path, 2)
			if err != nil || rows[0].Call == nil || rows[1].Call == nil || rows[0].N < 7 {
				t.Errorf("the new calls are not there: %+v %v", rows, err)
			}
		})
	}
}

func TestBookThatCannotBeWrittenSaysSoAndComesBack(t *testing.T) {
	t.Parallel()
	path := bookAt(t)
	b := open(t, path, 0)
	fill(t, b, 2)
	os.Remove(path)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := b.Append(call(2)); err == nil || !strings.HasPrefix(err.Error(), "book a call: ") {
		t.Errorf("append to a folder: %v", err)
	}
	os.Remove(path)
	fill(t, b, 1)
	if _, err := Open(filepath.Join(path, "below", "x.jsonl"), Options{Now: time.Now}); err == nil {
		t.Error("a book below a file is opened")
	}
}

func TestKilledWriterLosesNoRowThatItFinished(t *testing.T) {
	t.Parallel()
	path := bookAt(t)
	rounds, finished := 5, 0
	for range rounds {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWriterToBeKilled$")
		cmd.Env = append(os.Environ(), "AUDIT_TEST_BOOK="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewScanner(out)
		for range 200 {
			in.Scan()
		}
		cmd.Process.Kill()
		for finished += 200; in.Scan(); finished++ {
		}
		cmd.Wait()
	}
	fill(t, open(t, path, 0), 1)
	r := verify(t, path)
	if r.Break != nil || r.Torn != 0 || r.Calls < finished+1 {
		t.Errorf("%d calls were finished: %+v %v", finished, r, r.Break)
	}
	if finished < 200*rounds {
		t.Errorf("only %d were finished", finished)
	}
}

// TestWriterToBeKilled is the process that the test above kills: it prints a line for every row it wrote.
func TestWriterToBeKilled(t *testing.T) {
	path := os.Getenv("AUDIT_TEST_BOOK")
	if path == "" {
		t.Skip("it is run by another test")
	}
	b := open(t, path, 10_000)
	for i := 0; ; i++ {
		if err := b.Append(call(i)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(os.Stdout, i)
	}
}

func TestExportStopsAtAWriterThatFails(t *testing.T) {
	t.Parallel()
	path := bookAt(t)
	fill(t, open(t, path, 0), 100)
	r, w := io.Pipe()
	r.CloseWithError(fs.ErrClosed)
	if _, err := Export(path, w); err == nil {
		t.Error("nothing is said")
	}
}
