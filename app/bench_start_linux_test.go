//go:build bench

package app

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fermata/app/apptest"
	"fermata/pieces"
	"fermata/pieces/piecestest"
)

const (
	startRounds = 5
	restPieces  = 1000
)

// TestBenchStartAndMemory measures the built app beside a bare Fyne window, both on an ordinary desktop: from exec to the
// server's first answer against from exec to the window, then what each holds with a window open and nothing to do. The app
// has a thousand pieces.
func TestBenchStartAndMemory(t *testing.T) {
	r := newRig(t, piecestest.Story(piecestest.StoryAgents()), fullDesktop())
	bare := buildBare(t)
	if out, code := r.fermata("settings", "set", pieces.KeyMCPPreferredPort, freePort(t)); code != 0 {
		t.Fatalf("choose a port: %d %s", code, out)
	}
	r.addFilledProjects(1, restPieces)
	r.start()
	url := r.serverOn()
	endApp(t, r.app)
	endApp(t, r.startBare(bare)) // both have been run once: their files and caches are there

	windows := r.newWindows()
	var ourStart, bareStart []time.Duration
	var ourMemory, bareMemory []kibibytes
	for range startRounds {
		begun := time.Now()
		r.app = apptest.Start(t, r.bin, nil, r.env())
		r.answers(url)
		ourStart = append(ourStart, time.Since(begun))
		r.hasWindow()
		ourMemory = append(ourMemory, r.atRest(r.app))
		endApp(t, r.app)

		begun = time.Now()
		app := apptest.Start(t, bare, nil, r.env())
		bareStart = append(bareStart, r.bareShown(windows, begun).Sub(begun))
		bareMemory = append(bareMemory, r.atRest(app))
		endApp(t, app)
	}
	printRatio(t, "start", 1.5, ourStart, bareStart)
	printRatio(t, "memory", 1.5, ourMemory, bareMemory)
}

func buildBare(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "bare")
	if out, err := exec.Command("go", "build", "-tags", "gles", "-o", bin, "fermata/app/apptest/bare").CombinedOutput(); err != nil {
		t.Fatalf("build the bare window: %v\n%s", err, out)
	}
	return bin
}

func (r *rig) startBare(bin string) *apptest.App {
	r.t.Helper()
	app := apptest.Start(r.t, bin, nil, r.env())
	r.desk.Window(r.t, "Bare")
	return app
}

func endApp(t *testing.T, app *apptest.App) {
	t.Helper()
	app.Signal(syscall.SIGTERM)
	app.Wait()
}

// newWindows tells when each window comes onto the screen.
func (r *rig) newWindows() <-chan time.Time {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "xev", "-root", "-event", "substructure")
	cmd.Env = r.env()
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	shown := make(chan time.Time, 100)
	go func() {
		defer cmd.Wait()
		defer close(shown)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "MapNotify event") {
				shown <- time.Now()
			}
		}
	}()
	return shown
}

// bareShown returns when the bare window came onto the screen. What the program before left behind is passed over.
func (r *rig) bareShown(windows <-chan time.Time, begun time.Time) time.Time {
	r.t.Helper()
	patient := time.After(patience)
	for {
		select {
		case at := <-windows:
			if at.After(begun) && r.desk.Visible("Bare") {
				return at
			}
		case <-patient:
			r.t.Fatal("the bare window does not come")
		}
	}
}

// answers waits until the server lists its tools.
func (r *rig) answers(url string) {
	r.t.Helper()
	const pause = 2 * time.Millisecond
	for deadline := time.Now().Add(patience); ; time.Sleep(pause) {
		res, err := http.Post(url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err == nil {
			body, err := io.ReadAll(res.Body)
			res.Body.Close()
			if err == nil && res.StatusCode == http.StatusOK && strings.Contains(string(body), `"list_pieces"`) {
				return
			}
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("the server does not answer: %v; the app said:\n%s", err, r.app.Log())
		}
	}
}

// hasWindow brings the app's window onto the screen, if its start did not.
func (r *rig) hasWindow() {
	r.t.Helper()
	r.until("the app's socket", func() bool { return tell(r.t.Context(), r.data, order{Do: orderShow}, nil) == nil })
	r.until("a window of the app", func() bool {
		cmd := exec.Command("xdotool", "search", "--onlyvisible", "--pid", strconv.Itoa(r.app.PID()))
		cmd.Env = r.env()
		out, err := cmd.Output()
		return err == nil && len(out) > 0
	})
}

// atRest waits until a program's memory has not changed by more than a hundredth for two seconds, and returns it. Pages
// that it shares with others are counted in part.
func (r *rig) atRest(app *apptest.App) kibibytes {
	r.t.Helper()
	var first kibibytes
	var since time.Time
	r.until("the memory to settle", func() bool {
		now := pss(r.t, app.PID())
		if d := now - first; d > first/100 || d < -first/100 {
			first, since = now, time.Now()
		}
		return time.Since(since) > 2*time.Second
	})
	return pss(r.t, app.PID())
}

func pss(t *testing.T, pid int) kibibytes {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "Pss:" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kibibytes(n)
		}
	}
	t.Fatal("smaps_rollup has no Pss")
	return 0
}
