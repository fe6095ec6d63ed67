package engine_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// hook installs an executable hook.
func (w *world) hook(name, script string) {
	w.t.Helper()
	path := filepath.Join(w.repo.Path, ".git", "hooks", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil { //nolint:gosec // it has to run
		w.t.Fatal(err)
	}
}

// awkward is a repository that has nearly everything which is known to hurt.
func awkward(t *testing.T) *piecestest.Repo {
	t.Helper()
	repo, err := piecestest.MakeRepo(filepath.Join(t.TempDir(), "내 앱 copy"))
	if err != nil {
		t.Fatal(err)
	}
	repo.Write("src/new\nline.txt", "x\n")
	repo.Write("src/Twin.txt", "upper\n")
	repo.Write("src/twin.txt", "lower\n")
	repo.Write(".gitattributes", "*.psd filter=lfs diff=lfs merge=lfs -text\n")
	repo.Write("src/art.psd", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1\n")
	repo.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", piecestest.NewRepo(t).Path, "src/a module")
	repo.Commit("Everything at once")
	if err := repo.AddRemote(); err != nil {
		t.Fatal(err)
	}
	repo.Git("remote", "rename", "origin", "upstream")
	for range 100 {
		repo.Git("commit", "--quiet", "--allow-empty", "-m", "theirs")
	}
	repo.Git("push", "--quiet", "upstream", "main")
	repo.Git("reset", "--quiet", "--hard", "HEAD~100")
	repo.Git("checkout", "--quiet", "--detach")
	repo.Git("sparse-checkout", "set", "--cone", "src")
	return repo
}

func TestAPieceGoesThroughARepositoryAsPeopleHaveIt(t *testing.T) {
	t.Parallel()
	w := newWorldOf(t, one(nil), awkward(t), "GIT_DIR=/nowhere/.git", "GIT_WORK_TREE=/nowhere", "GIT_INDEX_FILE=/nowhere/index")
	for _, name := range []string{"pre-commit", "commit-msg", "pre-push"} {
		w.hook(name, "while read line; do :; done")
	}
	w.hook("post-checkout", "sleep 600")
	w.hook("post-commit", "exit 1")
	if err := os.WriteFile(filepath.Join(w.repo.Path, ".git", "config.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := w.engine.Examine(t.Context(), w.id)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []pieces.FindingKey{
		pieces.FindingConfigLocked, pieces.FindingDetached, pieces.FindingBehind, pieces.FindingLFS, pieces.FindingSparse,
		pieces.FindingTwins, pieces.FindingHooks,
	} {
		if i := slices.IndexFunc(found, func(f pieces.Finding) bool { return f.Key == key }); i < 0 || found[i].Fix.Empty() {
			t.Errorf("the doctor says nothing of %s, or no fix: %+v", key, found)
		}
	}
	before := w.repo.Git("rev-parse", "HEAD", "main") + w.repo.Git("status", "--porcelain") + w.repo.Git("config", "--local", "--list")

	s := w.toReview()
	id := s.Piece.ID
	if tip := w.tip("main"); s.Piece.Base.Commit != tip || !s.Piece.Base.Fetched {
		t.Errorf("it starts from %+v, and the remote is at %s", s.Piece.Base, tip)
	}
	for _, name := range []string{"only.txt", "src/new\nline.txt", "src/Twin.txt", "src/twin.txt", "src/art.psd", "src/a module/README.md"} {
		if _, err := os.Stat(filepath.Join(s.Piece.Worktree, name)); err != nil {
			t.Errorf("the worktree lacks a file: %v", err)
		}
	}
	w.act(id, pieces.ApproveTask, func(r *engine.Request) { r.TaskID = s.Tasks[0].ID })
	s = w.act(id, pieces.CreatePR, func(r *engine.Request) { r.Title, r.HasTitle = "T", true }).Piece
	if s.Gate() != pieces.GateMergePullRequest {
		t.Errorf("after createPR: %s, %q", s.Gate(), s.Piece.Failure)
	}
	w.isPushed(s)
	if files := w.repo.Git("diff", "--name-only", s.Piece.Base.Commit, s.Piece.Branch); files != "only.txt" {
		t.Errorf("the branch changes %q", files)
	}
	if after := w.repo.Git("rev-parse", "HEAD", "main") + w.repo.Git("status", "--porcelain") + w.repo.Git("config", "--local", "--list"); after != before {
		t.Errorf("the person's checkout was\n%s\nand is\n%s", before, after)
	}
}

// short is long enough for any commit and push that nothing holds up.
const short = 10 * time.Second

// polled waits for something that wakes nobody.
func (w *world) polled(what string, ok func() bool) {
	w.t.Helper()
	ctx, cancel := contextWithPatience(w.t)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			w.t.Fatalf("waited for %s", what)
		}
	}
}

// gone waits until the process whose id a file holds is no more.
func (w *world) gone(pidFile string) {
	w.t.Helper()
	pid, err := os.ReadFile(pidFile)
	if err != nil {
		w.t.Fatal(err)
	}
	w.polled("the end of the process", func() bool {
		return exec.Command("kill", "-0", strings.TrimSpace(string(pid))).Run() != nil //nolint:gosec // a number that our hook wrote
	})
}

func TestAPushThatAHookHoldsUpLeavesThePieceWhereItWas(t *testing.T) {
	t.Parallel()
	a := newArenaOf(t, short)
	id, run := a.toRun()
	run.says(`{"changed":"x"}`)
	a.next().says(`{"verdict":"pass","criteria":[],"failedAgents":[],"summary":"s","learnings":"l"}`)
	s := a.untilGate(id, pieces.GateReviewWork)
	a.act(id, pieces.ApproveTask, func(r *engine.Request) { r.TaskID = s.Tasks[0].ID })
	refused := func(words string) {
		t.Helper()
		_, err := a.engine.Act(t.Context(), engine.Request{PieceID: id, Action: pieces.CreatePR, Title: "T", HasTitle: true})
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("createPR: %v, want %q", err, words)
		}
		s, err := a.engine.Piece(t.Context(), id)
		if err != nil || s.Gate() != pieces.GateOpenPullRequest || !strings.Contains(s.Piece.Failure, words) {
			t.Errorf("the piece is at %s and says %q (%v)", s.Gate(), s.Piece.Failure, err)
		}
	}
	refused("has no remote to push to")
	a.repo.WithRemote()
	pid := filepath.Join(a.dir, "pid")
	a.hook("pre-push", "echo $$ >'"+pid+"'; exec sleep 600")
	refused("no end within 10s")
	a.gone(pid)
	a.hook("pre-push", "echo 'the tests are red' >&2; exit 1")
	refused("the tests are red")
	a.hook("pre-push", "cat >/dev/null; read answer; exit 0")
	s = a.act(id, pieces.CreatePR, func(r *engine.Request) { r.Title, r.HasTitle = "T", true }).Piece
	if s.Gate() != pieces.GateMergePullRequest {
		t.Errorf("the piece is at %s", s.Gate())
	}
	a.isPushed(s)
}

func TestACommitThatWaitsForEverFailsItsAgentAndSaysWhy(t *testing.T) {
	t.Parallel()
	a := newArenaOf(t, short)
	pid, signer := filepath.Join(a.dir, "pid"), filepath.Join(a.dir, "signer")
	if err := os.WriteFile(signer, []byte("#!/bin/sh\necho $$ >'"+pid+"'; exec sleep 600\n"), 0o755); err != nil { //nolint:gosec // it has to run
		t.Fatal(err)
	}
	a.repo.Git("config", "commit.gpgSign", "true")
	a.repo.Git("config", "gpg.program", signer)
	id, run := a.toRun()
	s, err := a.engine.Piece(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Piece.Worktree, "left.txt"), []byte("left"), 0o600); err != nil {
		t.Fatal(err)
	}
	run.says(`{"changed":"x"}`)
	run.says(`{"changed":"x"}`) // the turn in which it was to commit
	s = a.untilGate(id, pieces.GateAgentsFailed)
	if words := s.Tasks[0].Failure; !strings.Contains(words, "a hook or the signing of commits may be waiting for an answer") {
		t.Errorf("the agent says %q", words)
	}
	a.gone(pid)
	a.repo.Git("config", "commit.gpgSign", "false")
	a.act(id, pieces.RetryFailedAgents)
	run = a.next()
	run.says(`{"changed":"x"}`)
	run.says(`{"changed":"x"}`)
	a.next().says(`{"verdict":"pass","criteria":[],"failedAgents":[],"summary":"s","learnings":"l"}`)
	s = a.untilGate(id, pieces.GateReviewWork)
	if got := a.repo.Git("show", s.Piece.Branch+":left.txt"); got != "left" {
		t.Errorf("the branch holds %q", got)
	}
}

func TestAStopEndsWhateverAnAgentStartedAndNothingElse(t *testing.T) {
	t.Parallel()
	mark, ready := "mark-"+uuid.NewString(), filepath.Join(t.TempDir(), "ready")
	script := one(nil)
	for i := range script {
		if script[i].Name == "only" {
			script[i].Replies = []piecestest.Reply{piecestest.Use("Bash", map[string]any{"command": piecestest.Brood(mark, ready), "description": "Start servers"})}
		}
	}
	w := newWorld(t, script)
	w.set(pieces.KeyPermissionProfile, string(pieces.ProfileTrusted))
	foreign := exec.Command("sh", "-c", "read line; : foreign-"+mark) //nolint:gosec // of this test
	hold, err := foreign.StdinPipe()
	if err == nil {
		err = foreign.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	id := w.toPlan().Piece.ID
	w.act(id, pieces.StartExecution)
	w.polled("the brood", func() bool { _, err := os.Stat(ready); return err == nil })
	if n := piecestest.Marked(t, mark); n < 6 {
		t.Fatalf("%d processes are too few to prove anything", n)
	}
	s := w.act(id, pieces.StopAgents).Piece
	if s.Gate() != pieces.GatePaused || s.Tasks[0].State != pieces.TaskCancelled || s.Piece.Failure != "" {
		t.Errorf("after the stop: %s, %s, %q", s.Gate(), s.Tasks[0].State, s.Piece.Failure)
	}
	if n := piecestest.Marked(t, mark); n != 1 {
		t.Errorf("%d processes live on, want the foreign one alone", n)
	}
	fmt.Fprintln(hold)
	if err := foreign.Wait(); err != nil {
		t.Errorf("the foreign process: %v", err)
	}
}
