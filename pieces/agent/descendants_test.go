package agent_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/agent"
	"fermata/pieces/agent/host"
	"fermata/pieces/piecestest"
)

func poll(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not in time", what)
		}
	}
}

func exists(path string) func() bool {
	return func() bool { _, err := os.Stat(path); return err == nil }
}

func TestStopLeavesNoDescendantAndResumeContinues(t *testing.T) {
	t.Parallel()
	mark, ready := "mark-"+uuid.NewString(), filepath.Join(folder(t), "ready")
	w := newWorld(t, piecestest.Script{
		{Name: "first", Match: piecestest.Contains("begin the work"), Replies: []piecestest.Reply{bashUse(piecestest.Brood(mark, ready)), piecestest.Say("never")}},
		{Name: "second", Match: piecestest.Contains("carry on"), Replies: []piecestest.Reply{piecestest.Say("carried on")}},
	})
	launch := pieces.Launch{Profile: pieces.ProfileTrusted, Prompt: "begin the work", SessionID: uuid.NewString(), Dir: folder(t)}
	s := w.begin(t, launch)
	poll(t, "brood", exists(ready))
	if piecestest.Marked(t, mark) < 5 {
		t.Fatal("the brood is too small to prove anything")
	}
	end, err := s.Stop(t.Context())
	if err != nil || end.Failure != pieces.FailureInterrupted || len(end.Left) != 0 {
		t.Errorf("Stop = %+v, %v", end, err)
	}
	if n := piecestest.Marked(t, mark); n != 0 {
		t.Errorf("%d descendants live on", n)
	}
	s.ended(t)

	launch.Resume, launch.Prompt = true, "carry on"
	s = w.begin(t, launch)
	if turn := s.turn(t, 1); turn.Failure != "" || turn.Text != "carried on" {
		t.Errorf("turn = %+v", turn)
	}
	finish(t, s)
	all := w.model.Requests()
	last := all[len(all)-1]
	if last.SessionID != launch.SessionID || !piecestest.Contains("begin the work")(last) {
		t.Errorf("session %s does not know its past", last.SessionID)
	}

	launch.Resume = false
	if end := w.begin(t, launch).ended(t); end.Failure != pieces.FailureCannotResume || !strings.Contains(end.Error, "already in use") {
		t.Errorf("a used id: %+v", end)
	}
	launch.Resume, launch.SessionID = true, uuid.NewString()
	if end := w.begin(t, launch).ended(t); end.Failure != pieces.FailureCannotResume || !strings.Contains(end.Error, "No conversation found") {
		t.Errorf("an unknown id: %+v", end)
	}
}

func TestBackgroundWorkEndsWithTheSession(t *testing.T) {
	t.Parallel()
	mark, ready := "mark-"+uuid.NewString(), filepath.Join(folder(t), "ready")
	command := strings.TrimSuffix(piecestest.Brood(mark, ready), "sleep 100")
	w := newWorld(t, always(bashUse(command), piecestest.Say("ok")))
	s := w.begin(t, pieces.Launch{Profile: pieces.ProfileTrusted})
	s.turn(t, 1)
	if piecestest.Marked(t, mark) == 0 {
		t.Fatal("nothing runs in the background")
	}
	finish(t, s)
	if n := piecestest.Marked(t, mark); n != 0 {
		t.Errorf("%d descendants live on", n)
	}
}

type appConfig struct {
	Host, Environ []string
	Claude        string
	Launch        pieces.Launch
}

// playApp runs one session until it is killed. It writes the host's identity when there is one.
func playApp(config string) {
	var c appConfig
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		panic(err)
	}
	d := agent.New(agent.Options{
		Host: c.Host, Environ: func() []string { return c.Environ }, Claude: func() string { return c.Claude },
	})
	run, err := d.Start(context.Background(), c.Launch, func(e pieces.SessionEvent) {
		if e.Started != nil {
			_ = json.NewEncoder(os.Stdout).Encode(e.Started.Host)
		}
	})
	if err != nil {
		panic(err)
	}
	<-run.Done()
}

func TestKillOfTheAppTakesEverythingDown(t *testing.T) {
	t.Parallel()
	mark, ready := "mark-"+uuid.NewString(), filepath.Join(folder(t), "ready")
	w := newWorld(t, always(bashUse(piecestest.Brood(mark, ready)), piecestest.Say("never")))
	config, err := json.Marshal(appConfig{
		Host: []string{executable(t), hostArgument}, Environ: piecestest.ClaudeEnv(w.home, w.model.URL()), Claude: piecestest.Claude(t),
		Launch: pieces.Launch{Profile: pieces.ProfileTrusted, Prompt: "go", SessionID: uuid.NewString(), Dir: folder(t)},
	})
	if err != nil {
		t.Fatal(err)
	}
	app := exec.Command(executable(t))
	app.Env = append(os.Environ(), appVariable+"="+string(config))
	app.Stderr = os.Stderr
	out, err := app.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Process.Kill(); _ = app.Wait() })
	var id pieces.HostProcess
	if err := json.NewDecoder(out).Decode(&id); err != nil || !host.Alive(id) {
		t.Fatalf("host %+v: %v", id, err)
	}
	poll(t, "brood", exists(ready))
	_ = app.Process.Kill()
	poll(t, "the host's end", func() bool { return !host.Alive(id) })
	if n := piecestest.Marked(t, mark); n != 0 {
		t.Errorf("%d descendants live on", n)
	}
	if err := host.EndStale(t.Context(), id); err != nil {
		t.Error(err)
	}
}
