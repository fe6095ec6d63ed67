package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// What git's files say in the usual layout (gitrepository-layout), without a process to ask. Each function answers only
// where git could say nothing else; everywhere else git is asked.

// plainGitDir is the git folder of a main checkout, without symlinks; false where the checkout is anything else.
func plainGitDir(dir string) (string, bool) {
	at := filepath.Join(dir, ".git")
	for _, name := range []string{"", "objects", "refs"} {
		if info, err := os.Lstat(filepath.Join(at, name)); err != nil || !info.IsDir() {
			return "", false
		}
	}
	if info, err := os.Lstat(filepath.Join(at, "HEAD")); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	if !gone(filepath.Join(at, "commondir")) {
		return "", false
	}
	return real(at), true
}

// neverListed says that git has no record of a worktree at path.
func neverListed(common, path string) bool {
	records := filepath.Join(common, "worktrees")
	entries, err := os.ReadDir(records)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		return false
	}
	path = real(path)
	for _, entry := range entries {
		at, ok := worktreeOf(filepath.Join(records, entry.Name()))
		if !ok || at == path {
			return false
		}
	}
	return true
}

// worktreeOf is the folder of the worktree of which a git folder holds the record.
func worktreeOf(gitDir string) (string, bool) {
	at, ok := pathIn(filepath.Join(gitDir, "gitdir"), "")
	return filepath.Dir(at), ok
}

// pathIn reads a file that holds one path after a prefix, without symlinks in the path's folders.
func pathIn(file, prefix string) (string, bool) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	path, ok := strings.CutPrefix(string(content), prefix)
	path = filepath.FromSlash(strings.TrimRight(path, "\r\n"))
	if !ok || path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Join(real(filepath.Dir(path)), filepath.Base(path)), true
}

// seen asks git from inside a worktree for all of the repository's, which says in one answer that the folder is a checkout
// of its own, of which repository, and on which branch. False where it takes more than that question.
func (g *Git) seen(ctx context.Context, repo, path string) (Worktree, bool) {
	file := filepath.Join(path, ".git")
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return Worktree{}, false
	}
	// A copy of another worktree's folder has that one's branch.
	own, ok := pathIn(file, "gitdir: ")
	if !ok {
		return Worktree{}, false
	}
	if back, ok := worktreeOf(own); !ok || back != real(path) {
		return Worktree{}, false
	}
	all, err := g.list(ctx, path)
	if err != nil {
		return Worktree{}, false
	}
	w, listed := find(all, real(path))
	_, ours := find(all, real(repo))
	return w, listed && ours && !w.Main && !w.Bare && !w.Prunable
}
