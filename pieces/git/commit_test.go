package git

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"fermata/pieces"
)

func TestCommitTakesAllAndIsEmptyWhenClean(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	if id, err := p.Commit(t.Context(), path, branch, "nothing"); err != nil || id != "" {
		t.Errorf("clean: %q, %v", id, err)
	}
	base := p.head(path)
	p.remove(path, "a.txt")
	p.write(path, "새 폴더/-n", "x")
	id, err := p.Commit(t.Context(), path, branch, "# Not a comment\n\nbody")
	if err != nil || id != p.head(path) {
		t.Fatalf("%q, %v", id, err)
	}
	if status := p.git(path, "status", "--porcelain"); status != "" {
		t.Errorf("left: %s", status)
	}
	commits, err := p.Commits(t.Context(), path, base)
	if err != nil || len(commits) != 1 || commits[0].ID != id || commits[0].Subject != "# Not a comment" || commits[0].Author != "Ada" || commits[0].At.IsZero() {
		t.Errorf("%+v, %v", commits, err)
	}
}

func TestCommitAssertsItsBranch(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	p.git(path, "checkout", "-q", "-b", "elsewhere")
	p.write(path, "new.txt", "x")
	if _, err := p.Commit(t.Context(), path, branch, "x"); !errors.Is(err, ErrWrongBranch) {
		t.Error(err)
	}
	if p.git(path, "status", "--porcelain") != "?? new.txt" {
		t.Error("something was staged")
	}
}

func TestCommitWithoutIdentityIsFermatas(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	p.write(p.dir, "gitconfig", "[user]\n\tuseConfigOnly = true\n")
	p.write(path, "new.txt", "x")
	id, err := p.Commit(t.Context(), path, branch, "x")
	if err != nil {
		t.Fatal(err)
	}
	if who := p.git(path, "show", "-s", "--format=%an <%ae> %cn", id); who != "Fermata <fermata@localhost> Fermata" {
		t.Error(who)
	}
}

func TestCommitHooksAndSigningAreBounded(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		prepare func(p *place)
		want    string // in the error; empty: the commit is made
	}{
		{"hook refuses", func(p *place) { p.hook("pre-commit", "echo 'lint: no tabs' >&2; exit 1\n") }, "lint: no tabs"},
		{"hook hangs", func(p *place) { p.hook("pre-commit", "trap '' TERM; sleep 60; sleep 60\n") }, "a hook or the signing"},
		{"hook hangs after the commit", func(p *place) { p.hook("post-commit", "sleep 60\n") }, ""},
		{"hook leaves a child behind", func(p *place) { p.hook("post-commit", "sleep 20 &\n") }, ""},
		{"signing hangs", func(p *place) { p.sign("sleep 60\n") }, "a hook or the signing"},
		{"signing fails", func(p *place) { p.sign("echo 'no secret key' >&2; exit 2\n") }, "failed to sign"},
		{"an editor is asked for", func(p *place) {
			p.git(p.repo, "config", "core.editor", "sleep 60")
			p.git(p.repo, "config", "commit.verbose", "true")
		}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			path, branch := p.worktree("x")
			c.prepare(p)
			p.limits.commit = time.Second
			p.write(path, "new.txt", "x")
			began, before := time.Now(), p.head(path)
			id, err := p.Commit(t.Context(), path, branch, "x")
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("took %v", took)
			}
			if c.want == "" {
				if err != nil || id != p.head(path) || id == before {
					t.Errorf("%q, %v", id, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || p.head(path) != before {
				t.Errorf("%q, %v", id, err)
			}
		})
	}
}

// sign switches signing on with a script for gpg.
func (p *place) sign(script string) {
	p.t.Helper()
	p.hook("gpg", script)
	p.git(p.repo, "config", "gpg.program", filepath.Join(p.repo, ".git/hooks/gpg"))
	p.git(p.repo, "config", "commit.gpgSign", "true")
}

func TestCommitEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	p.hook("pre-commit", "sleep 60\n")
	p.write(path, "new.txt", "x")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := p.Commit(ctx, path, branch, "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if exists(p.git(path, "rev-parse", "--path-format=absolute", "--git-path", "index.lock")) {
		t.Error("index.lock was left")
	}
}

// conflicted makes a worktree on fermata/x into which fermata/y cannot be merged.
func conflicted(t *testing.T) (p *place, path, branch string) {
	t.Helper()
	p = newPlace(t)
	path, branch = p.worktree("x")
	other, _ := p.worktree("y")
	for dir, text := range map[string]string{path: "ours\n", other: "theirs\n"} {
		p.write(dir, "a.txt", text)
		p.git(dir, "commit", "-q", "-a", "-m", text)
	}
	err := p.Merge(t.Context(), path, branch, "fermata/y", "merge y")
	var conflict *ConflictError
	if !errors.As(err, &conflict) || !reflect.DeepEqual(conflict.Files, []string{"a.txt"}) {
		t.Fatalf("%v", err)
	}
	return p, path, branch
}

func TestConflictWaitsUntilItIsResolved(t *testing.T) {
	t.Parallel()
	p, path, branch := conflicted(t)
	var conflict *ConflictError
	if _, err := p.Commit(t.Context(), path, branch, "too early"); !errors.As(err, &conflict) {
		t.Errorf("with marks: %v", err)
	}
	if err := p.Merge(t.Context(), path, branch, "fermata/y", "again"); !errors.As(err, &conflict) {
		t.Errorf("again: %v", err)
	}
	if s, err := p.Status(t.Context(), path); err != nil || !reflect.DeepEqual(s.Changed, []string{"a.txt"}) {
		t.Errorf("%+v, %v", s, err)
	}
	p.write(path, "a.txt", "both\n")
	id, err := p.Commit(t.Context(), path, branch, "merge y")
	if err != nil || p.git(path, "rev-parse", id+"^2") != p.git(p.repo, "rev-parse", "fermata/y") {
		t.Errorf("%q, %v", id, err)
	}
}

func TestAbortedMergeLeavesTheBranchAsItWas(t *testing.T) {
	t.Parallel()
	p, path, _ := conflicted(t)
	for range 2 {
		if err := p.AbortMerge(t.Context(), path); err != nil {
			t.Error(err)
		}
	}
	if p.git(path, "status", "--porcelain") != "" {
		t.Error("the worktree is not as it was")
	}
}

func TestMergeMakesACommitAndSaysWhatStopsIt(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	other, from := p.worktree("y")
	p.write(other, "y.txt", "y\n")
	p.git(other, "add", ".")
	p.git(other, "commit", "-q", "-m", "y")
	p.write(path, "y.txt", "in the way\n")
	if err := p.Merge(t.Context(), path, branch, from, "merge y"); err == nil || !strings.Contains(err.Error(), "y.txt") {
		t.Errorf("with a file in the way: %v", err)
	}
	p.remove(path, "y.txt")
	for range 2 {
		if err := p.Merge(t.Context(), path, branch, from, "merge y"); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.git(path, "log", "-1", "--format=%s %P"); got != "merge y "+p.head(p.repo)+" "+p.head(other) {
		t.Error(got)
	}
	if err := p.Merge(t.Context(), path, branch, "fermata/none", "x"); !errors.Is(err, ErrNoBranch) {
		t.Error(err)
	}
	if err := p.Merge(t.Context(), path, "main", from, "x"); !errors.Is(err, ErrWrongBranch) {
		t.Error(err)
	}
}

func TestMergeThatAHookRefusesIsTakenBack(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	other, from := p.worktree("y")
	p.write(other, "y.txt", "y\n")
	p.git(other, "add", ".")
	p.git(other, "commit", "-q", "-m", "y")
	p.hook("pre-merge-commit", "echo 'not today' >&2; exit 1\n")
	if err := p.Merge(t.Context(), path, branch, from, "merge y"); err == nil || !strings.Contains(err.Error(), "not today") {
		t.Error(err)
	}
	if p.git(path, "status", "--porcelain") != "" || p.head(path) != p.head(p.repo) {
		t.Error("the worktree is not as it was")
	}
}

func TestDiffHoldsCommitsChangesAndUntrackedFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.repo, "moved.txt", strings.Repeat("line\n", 20))
	p.git(p.repo, "add", ".")
	p.git(p.repo, "commit", "-q", "-m", "more")
	p.git(p.repo, "config", "diff.noprefix", "true")
	p.git(p.repo, "config", "diff.external", "false")
	path, branch := p.worktree("x")
	p.write(path, "sub/한글.txt", "one\ntwo\n")
	if _, err := p.Commit(t.Context(), path, branch, "own"); err != nil {
		t.Fatal(err)
	}
	// What main gets meanwhile is none of the worktree's changes.
	p.git(p.repo, "commit", "-q", "--allow-empty", "-m", "meanwhile")
	p.write(path, "a.txt", "uno\n")
	p.git(path, "mv", "moved.txt", "new place.txt")
	p.write(path, "bin", "\x00\x01")
	p.git(path, "init", "-q", "clone")
	before := p.snapshot(path)
	// The one object that naming untracked files costs, once for all time: the empty one.
	p.git(p.repo, "hash-object", "-w", "--stdin")
	objects := p.git(p.repo, "count-objects")
	d, err := p.Diff(t.Context(), path, "main", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []pieces.ChangedFile{
		{Path: "a.txt", Status: "modified", Added: 1, Deleted: 1},
		{Path: "bin", Status: "added", Added: -1, Deleted: -1},
		{Path: "new place.txt", OldPath: "moved.txt", Status: "renamed"},
		{Path: "sub/한글.txt", Status: "added", Added: 2},
	}
	if !reflect.DeepEqual(d.Files, want) || d.Cut || d.Head != p.head(path) || d.Base != p.git(path, "merge-base", "main", "HEAD") {
		t.Errorf("%+v", d)
	}
	for _, part := range []string{"+++ b/a.txt", "-one", "+uno", "rename to new place.txt", "+++ b/sub/한글.txt"} {
		if !strings.Contains(d.Patch, part) {
			t.Errorf("no %q in\n%s", part, d.Patch)
		}
	}
	if !reflect.DeepEqual(p.snapshot(path), before) || p.git(p.repo, "count-objects") != objects {
		t.Error("looking changed something")
	}
	cut, err := p.Diff(t.Context(), path, "main", 100)
	if err != nil || !cut.Cut || len(cut.Patch) > 100 || !strings.HasSuffix(cut.Patch, "\n") || len(cut.Files) != 4 {
		t.Errorf("%+v, %v", cut, err)
	}
}

func TestBigPatchIsCutWithoutBeingRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, _ := p.worktree("x")
	p.write(path, "big.txt", strings.Repeat("all work and no play\n", 400000))
	d, err := p.Diff(t.Context(), path, "main", 1000)
	if err != nil || !d.Cut || len(d.Files) != 1 || d.Files[0].Added != 400000 {
		t.Errorf("%d files, cut %v, %v", len(d.Files), d.Cut, err)
	}
}

func TestFastForwardMovesOnOnlyWhatHasNothingOfItsOwn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	other, _ := p.worktree("y")
	p.write(other, "y.txt", "y\n")
	p.git(other, "add", ".")
	p.git(other, "commit", "-q", "-m", "y")
	later := p.head(other)
	p.write(path, "y.txt", "in the way\n")
	if err := p.FastForward(t.Context(), path, branch, later); err == nil || p.head(path) == later {
		t.Errorf("with a file in the way: %v", err)
	}
	p.remove(path, "y.txt")
	for range 2 {
		if err := p.FastForward(t.Context(), path, branch, later); err != nil || p.head(path) != later {
			t.Fatalf("at %s: %v", p.head(path), err)
		}
	}
	if err := p.FastForward(t.Context(), path, branch, p.head(p.repo)); err == nil || p.head(path) != later {
		t.Errorf("to an earlier commit: %v", err)
	}
	p.git(other, "commit", "-q", "--allow-empty", "-m", "theirs")
	p.git(path, "commit", "-q", "--allow-empty", "-m", "ours")
	ours := p.head(path)
	if err := p.FastForward(t.Context(), path, branch, p.head(other)); err == nil || p.head(path) != ours {
		t.Errorf("with a commit of its own: %v", err)
	}
}
