package git

import (
	"reflect"
	"testing"

	"fermata/pieces"
)

func TestStatusTellsStagedChangedAndUntracked(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.remote()
	path, branch := p.worktree("x")
	p.git(path, "config", "status.showUntrackedFiles", "no")
	p.write(path, "committed.txt", "x")
	p.git(path, "add", ".")
	p.git(path, "commit", "-q", "-m", "own")
	p.write(path, "a.txt", "changed\n")
	p.write(path, "뉴\nline.txt", "staged")
	p.git(path, "add", "뉴\nline.txt")
	p.write(path, "folder/새 파일.txt", "untracked")
	got, err := p.Status(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	head := p.head(path)
	want := pieces.WorkStatus{
		Branch: branch, Head: head, Staged: []string{"뉴\nline.txt"}, Changed: []string{"a.txt"},
		Untracked: []string{"folder/새 파일.txt"}, Unpushed: 1, UnpushedIDs: []string{head},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestStatusWithoutRemoteCountsTheBranchsOwnCommits(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, _ := p.worktree("x")
	if got, err := p.Status(t.Context(), path); err != nil || got.Unpushed != 0 || got.Dirty() {
		t.Errorf("%+v, %v", got, err)
	}
	p.git(path, "commit", "-q", "--allow-empty", "-m", "own")
	if got, err := p.Status(t.Context(), path); err != nil || got.Unpushed != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
