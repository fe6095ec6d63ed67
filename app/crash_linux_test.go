package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/piecestest"
	"fermata/store"
)

// crashCommand makes the test binary the app without its windows, which kills itself at a given point.
const crashCommand = "crash-child"

// crashChild runs the whole object graph but the windows in the data folder of the environment, prints the endpoint, and
// kills itself so many microseconds after so many writes of the store; 0 writes: never. It ends with its input, and prints
// how often the store wrote, and the nanoseconds of the processor that it and its descendants took.
func crashChild(args []string) error {
	writes, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return err
	}
	delay, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	f := folder(os.Getenv("FERMATA_DATA_DIR"))
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return err
	}
	c, err := build(ctx, f, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	if writes > 0 {
		go dieAfter(c.store, writes, time.Duration(delay)*time.Microsecond)
	}
	if err := c.engine.Start(ctx); err != nil {
		return err
	}
	for _, key := range []string{pieces.KeyEdgeEnabled, pieces.KeyEdgeControlPlane, pieces.KeyMCPEnabled} {
		if err := c.engine.SetSetting(ctx, key, "true"); err != nil {
			return err
		}
	}
	planed := make(chan struct{})
	go func() {
		defer close(planed)
		c.plane.run(ctx)
	}()
	for {
		url, err := c.plane.endpoint()
		if err == nil {
			fmt.Println(url)
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil { // its end is the word to quit
		return err
	}
	writes = c.store.Revision()
	cancel()
	<-planed
	c.engine.Close()
	own, err := cpu(syscall.RUSAGE_SELF)
	others, oerr := cpu(syscall.RUSAGE_CHILDREN)
	fmt.Println(writes, own.Nanoseconds(), others.Nanoseconds())
	return errors.Join(err, oerr, c.calls.close(), c.store.Close())
}

// cpu is the processor's time that this process or those it waited for have taken.
func cpu(who int) (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(who, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}

func dieAfter(s *store.Store, writes int64, delay time.Duration) {
	wake, done := s.Watch()
	defer done()
	for s.Revision() < writes {
		<-wake
	}
	time.Sleep(delay)
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

// crashWorld is a person who takes one piece through the whole chain over MCP, with an app that dies on the way.
type crashWorld struct {
	*rig
	child    *exec.Cmd
	quitting func() error
	said     *bufio.Reader
	log      bytes.Buffer
	client   *mcpClient
	id       string
	// accepted and unknown count the actions that were answered with success, and those whose answer the crash cut off.
	accepted, unknown map[string]int
}

func newCrashWorld(t *testing.T, script piecestest.Script) *crashWorld {
	t.Helper()
	r := &rig{t: t, home: filepath.Join(t.TempDir(), "home")}
	r.surround(script)
	return &crashWorld{rig: r, id: uuid.NewString(), accepted: map[string]int{}, unknown: map[string]int{}}
}

// open starts the app, which will die at the given point, and connects to it.
func (w *crashWorld) open(writes int64, delay int) bool {
	w.t.Helper()
	w.child = exec.Command(os.Args[0], crashCommand, strconv.FormatInt(writes, 10), strconv.Itoa(delay))
	w.child.Env = append(piecestest.ClaudeEnv(w.home, w.model.URL()),
		"PATH="+filepath.Join(w.home, "bin")+":/usr/local/bin:/usr/bin:/bin", "LANG=en_US.UTF-8", "HOME="+w.home,
		"FERMATA_DATA_DIR="+string(w.data), "GITHUB_TOKEN=gh-test", "GITHUB_API_URL="+w.github.URL(),
		"DBUS_SESSION_BUS_ADDRESS=unix:path="+filepath.Join(w.home, "no-bus"))
	w.child.Stderr = &w.log
	in, err := w.child.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := w.child.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	w.said, w.quitting = bufio.NewReader(out), in.Close
	if err := w.child.Start(); err != nil {
		w.t.Fatal(err)
	}
	url, err := w.said.ReadString('\n')
	if err != nil {
		return false // it died before it could listen
	}
	w.client, err = w.tryConnect(strings.TrimSpace(url))
	if err != nil && writes == 0 {
		w.t.Fatalf("an app that lives on is not reached: %v; it said:\n%s", err, w.log.String())
	}
	return err == nil // else it died before it could answer
}

// call calls a tool; alive is false when the app died over it.
func (w *crashWorld) call(tool string, args map[string]any) (v map[string]any, alive bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	text, failed, err := w.client.try(ctx, tool, args)
	if err != nil {
		if ctx.Err() != nil {
			w.t.Fatalf("%s is not answered; the app said:\n%s", tool, w.log.String())
		}
		return nil, false
	}
	if failed {
		w.t.Fatalf("%s %v: %s", tool, args, text)
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		w.t.Fatalf("%s answered %s: %v", tool, text, err)
	}
	return v, true
}

func (w *crashWorld) act(action string, more map[string]any) bool {
	w.t.Helper()
	args := map[string]any{"pieceId": w.id, "action": action}
	for k, v := range more {
		args[k] = v
	}
	_, alive := w.call("piece_action", args)
	if alive {
		w.accepted[action]++
	} else {
		w.unknown[action]++
	}
	return alive
}

// file gets the piece made; every call of it may be sent again.
func (w *crashWorld) file() bool {
	w.t.Helper()
	if _, alive := w.call("register_project", map[string]any{"path": w.repo.Path}); !alive {
		return false
	}
	if _, alive := w.call("create_draft", map[string]any{"id": w.id, "spec": piecestest.StorySpec, "refine": "none", "cwd": w.repo.Path}); !alive {
		return false
	}
	_, alive := w.call("release_draft", map[string]any{"draftId": w.id})
	return alive
}

// goOn does the one thing that a piece at its gate waits for.
func (w *crashWorld) goOn(p map[string]any) (over, alive bool) {
	w.t.Helper()
	next := map[pieces.Gate]pieces.Action{
		pieces.GateSpecReady: pieces.ApproveSpec, pieces.GateStrategyReady: pieces.ApproveStrategy, pieces.GatePlanReady: pieces.StartExecution,
		pieces.GateStrategyFailed: pieces.GenerateStrategy, pieces.GatePlanFailed: pieces.Decompose,
		pieces.GateInterrupted: pieces.ResumeAgents, pieces.GateReviewStepFailed: pieces.ResumeAgents, pieces.GateAgentsFailed: pieces.RetryFailedAgents,
		pieces.GateOpenPullRequest: pieces.CreatePR,
	}
	gate, _ := p["gate"].(string)
	switch g := pieces.Gate(gate); g {
	case "":
		time.Sleep(20 * time.Millisecond)
		return false, true
	case pieces.GateMergePullRequest:
		return true, true
	case pieces.GateSpecFailed:
		return false, w.act(string(pieces.InterviewMessage), map[string]any{"prompt": "Go on."})
	case pieces.GateWorktreeMissing:
		_, alive = w.call("open_piece_workspace", map[string]any{"pieceId": w.id})
		return false, alive
	case pieces.GateReviewWork:
		for _, task := range p["tasks"].([]any) {
			task := task.(map[string]any)
			if task["kind"] != string(pieces.TaskAgent) || task["approved"] == true {
				continue
			}
			if !w.act(string(pieces.ApproveTask), map[string]any{"taskId": task["id"]}) {
				return false, false
			}
		}
		return false, true
	default:
		a, known := next[g]
		if !known {
			w.t.Fatalf("nobody knows how to go on from the gate %s: %v; the app said:\n%s", g, p, w.log.String())
		}
		return false, w.act(string(a), nil)
	}
}

// walk takes the piece to its open pull request, or until the app dies.
func (w *crashWorld) walk() (alive bool) {
	w.t.Helper()
	if !w.file() {
		return false
	}
	for end := time.Now().Add(patience); ; {
		p, alive := w.call("get_piece", map[string]any{"pieceId": w.id})
		if !alive {
			return false
		}
		over, alive := w.goOn(p)
		if over || !alive {
			return alive
		}
		if time.Now().After(end) {
			w.t.Fatalf("the piece does not get to its end: %v; the app said:\n%s", p, w.log.String())
		}
	}
}

// life is what an app did until it was quit.
type life struct {
	writes int64 // of its store
	// own and others are what it and its descendants took of the processor.
	own, others time.Duration
}

// quit ends the app as a person does.
func (w *crashWorld) quit() life {
	w.t.Helper()
	if err := w.quitting(); err != nil {
		w.t.Error(err)
	}
	line, err := w.said.ReadString('\n')
	if err = errors.Join(err, w.child.Wait()); err != nil {
		w.t.Fatalf("quit: %v; the app said:\n%s", err, w.log.String())
	}
	var l life
	if _, err := fmt.Sscan(line, &l.writes, &l.own, &l.others); err != nil {
		w.t.Fatalf("%q: %v", line, err)
	}
	return l
}

// buried waits for the killed app and sees to it that nothing of it lives on.
func (w *crashWorld) buried() {
	w.t.Helper()
	err := w.child.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		w.t.Fatalf("the app did not die of its own hand: %v:\n%s", err, w.log.String())
	}
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		left := w.processes()
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("these live on after the app was killed: %q", left)
		}
	}
}

// processes are those that have the home folder of this world.
func (w *crashWorld) processes() []string {
	w.t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		w.t.Fatal(err)
	}
	var list []string
	for _, path := range paths {
		// A process may end in this moment, and others' environments are not ours to read.
		env, err := os.ReadFile(path)
		if err != nil || !slices.Contains(strings.Split(string(env), "\x00"), "HOME="+w.home) {
			continue
		}
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		list = append(list, strings.ReplaceAll(string(command), "\x00", " "))
	}
	return list
}

// trueState checks what must hold right after a start: a person who looks sees nothing at work that is not.
func (w *crashWorld) trueState() {
	w.t.Helper()
	sessions, alive := w.call("list_sessions", map[string]any{"cwd": w.repo.Path})
	if !alive {
		w.t.Fatalf("the app died again:\n%s", w.log.String())
	}
	for _, s := range sessions["sessions"].([]any) {
		s := s.(map[string]any)
		if state := s["state"].(string); state == "starting" || state == "working" {
			w.t.Errorf("after the crash the session %v is said to be %s", s["id"], state)
		}
	}
}

// look checks the outcome against what the person was told.
func (w *crashWorld) look(main string) {
	w.t.Helper()
	db, err := store.Open(w.t.Context(), store.Options{Path: w.data.database()})
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	history, err := db.History(w.t.Context(), w.id)
	if err != nil {
		w.t.Fatal(err)
	}
	rows := map[string]int{}
	for _, h := range history {
		if h.By == pieces.ByClient {
			rows[string(h.Trigger)]++
		}
	}
	for action, n := range w.accepted {
		if got := rows[action]; got < n || got > n+w.unknown[action] {
			w.t.Errorf("%s was accepted %d times, %d more answers were cut off, and the history has it %d times", action, n, w.unknown[action], got)
		}
	}
	list, err := db.Pieces(w.t.Context(), pieces.PieceFilter{IncludeArchived: true})
	if err != nil || len(list) != 1 || list[0].Piece.ID != w.id {
		w.t.Fatalf("pieces %+v, %v", list, err)
	}
	if err := replay(list[0].Piece, history); err != nil {
		w.t.Error(err)
	}
	if pulls := w.github.Pulls(); len(pulls) != 1 {
		w.t.Errorf("pull requests %+v", pulls)
	}
	log := strings.Split(w.repo.Git("--git-dir", w.repo.Bare, "log", "--format=%s", "main.."+list[0].Piece.Branch), "\n")
	for _, file := range []string{"one.txt", "two.txt"} {
		if n := strings.Count("\n"+strings.Join(log, "\n")+"\n", "\nAdd "+file+"\n"); n != 1 {
			w.t.Errorf("%s was committed %d times: %q", file, n, log)
		}
	}
	records, err := db.Worktrees(w.t.Context(), w.id)
	if err != nil || len(records) != 1 || records[0].Path != list[0].Piece.Worktree {
		w.t.Errorf("recorded %+v, %v, want %s alone", records, err, list[0].Piece.Worktree)
	}
	if now := checkout(w.t, w.repo); now != main {
		w.t.Errorf("the main checkout changed from\n%s\nto\n%s", main, now)
	}
}

// crashAt takes a piece through the chain with one death on the way. It returns how often the store wrote altogether.
func crashAt(t *testing.T, writes int64, delay int) int64 {
	t.Helper()
	w := newCrashWorld(t, piecestest.Story([]piecestest.StoryAgent{
		{Key: "one", Name: "One", File: "one.txt"}, {Key: "two", Name: "Two", File: "two.txt", After: []string{"one"}},
	}))
	main := checkout(t, w.repo)
	alive := w.open(writes, delay) && w.walk()
	if !alive {
		w.buried()
		if !w.open(0, 0) {
			t.Fatalf("it does not start again:\n%s", w.log.String())
		}
		w.trueState()
		if !w.walk() {
			t.Fatalf("it died again:\n%s", w.log.String())
		}
	}
	if writes > 0 && alive {
		t.Errorf("it did not die at write %d", writes)
	}
	total := w.quit().writes
	w.look(main)
	return total
}

// crashes kills the app at so many points of the chain, which the seed chooses.
func crashes(t *testing.T, seed uint64, points int) {
	t.Helper()
	total := crashAt(t, 0, 0)
	random := rand.New(rand.NewPCG(seed, 0))
	for range points {
		// The last writes are those of quitting.
		writes, delay := 2+random.Int64N(total-5), random.IntN(30_000)
		t.Run(fmt.Sprintf("write %d of %d and %d µs", writes, total, delay), func(t *testing.T) {
			t.Parallel()
			crashAt(t, writes, delay)
		})
	}
}

func TestAnAppKilledAnywhereLosesNothingAndDoesNothingTwice(t *testing.T) {
	t.Parallel()
	crashes(t, 1, 8)
}
