package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"fermata/pieces"
)

// Survey reads a worktree's Status, with what it says of ignored files, together with a hash that changes with HEAD, with what
// is staged and with every file that Save would keep, so that a decision can be bound to exactly what was there when it was
// asked for. Somebody waits for it: git is started as seldom as can be, nothing is written, and only files are read that git
// says have changed.
func (g *Git) Survey(ctx context.Context, worktree string) (s pieces.WorkStatus, fingerprint string, err error) {
	if err = checkPath(worktree); err == nil && gone(worktree) {
		err = ErrWorktreeMissing
	}
	if err == nil {
		s, fingerprint, err = g.survey(ctx, worktree)
	}
	if err != nil {
		return pieces.WorkStatus{}, "", fmt.Errorf("read what is in %s: %w", worktree, err)
	}
	return s, fingerprint, nil
}

func (g *Git) survey(ctx context.Context, worktree string) (s pieces.WorkStatus, fingerprint string, err error) {
	var reads sync.WaitGroup
	var own, unlisted, unread, unseen error
	var entries, work, copies, ignored []string
	reads.Go(func() { own = g.ownTop(ctx, worktree) })
	reads.Go(func() { entries, unlisted = g.listed(ctx, worktree) })
	reads.Go(func() { work, copies, unread = g.includedWork(ctx, worktree) })
	reads.Go(func() { ignored, unseen = g.ignored(ctx, worktree) })
	out, err := g.porcelain(ctx, worktree)
	reads.Wait()
	if err = errors.Join(own, err, unlisted, unread, unseen); err != nil {
		return s, "", err
	}
	s = readStatus(out)
	if s.Head == "" {
		return s, "", ErrNoCommit
	}
	s.Included = work
	s.Ignored = slices.DeleteFunc(ignored, func(name string) bool { return slices.Contains(work, name) || slices.Contains(copies, name) })
	var print string
	files := s // the unpushed commits are added to s meanwhile
	reads.Go(func() { print, unread = g.fingerprint(ctx, worktree, out, files, entries) })
	s.UnpushedIDs, err = g.unpushed(ctx, worktree, s)
	s.Unpushed = len(s.UnpushedIDs)
	reads.Wait()
	return s, print, errors.Join(err, unread)
}

// listed are the entries of the index with their tags, as ls-files shows them.
func (g *Git) listed(ctx context.Context, worktree string) ([]string, error) {
	out, err := g.read(ctx, worktree, "ls-files", "-v", "-z")
	return fields(out), err
}

// fingerprint hashes what git says of HEAD, the index and the files, and the content of all files that it calls changed: what
// git says of such a file stays the same however it changes further. Files that git was told to believe unchanged are read
// too; any other file that differs from the index is always called changed.
func (g *Git) fingerprint(ctx context.Context, worktree, porcelain string, s pieces.WorkStatus, entries []string) (string, error) {
	facts := []string{s.Head, s.Branch}
	for entry := range strings.SplitSeq(porcelain, "\x00") {
		// The other lines of the head are about what all worktrees share: remotes and stashes.
		if !strings.HasPrefix(entry, "#") {
			facts = append(facts, entry)
		}
	}
	read := slices.Concat(s.Changed, s.Untracked, s.Included)
	for _, entry := range entries {
		// Lower case: assumed unchanged; S: outside of a sparse checkout.
		if tag, path, ok := strings.Cut(entry, " "); ok && (tag == "S" || strings.ToLower(tag) == tag) {
			read = append(read, path)
		}
	}
	for _, path := range read {
		fact, err := g.fileFact(ctx, worktree, path)
		if err != nil {
			return "", err
		}
		facts = append(facts, path, fact)
	}
	sum := sha256.Sum256([]byte(strings.Join(facts, "\x00")))
	return hex.EncodeToString(sum[:]), nil
}

// fileFact tells a file's kind and content: where a symlink leads, at which commit a submodule is. A repository inside that is
// no submodule is only named.
func (g *Git) fileFact(ctx context.Context, worktree, path string) (string, error) {
	full := filepath.Join(worktree, path)
	info, err := os.Lstat(full)
	if errors.Is(err, fs.ErrNotExist) {
		return "gone", nil
	}
	if err != nil {
		return "", err
	}
	kind := info.Mode().String() + " "
	switch {
	case info.Mode().IsRegular():
		sum, err := hashFile(ctx, full)
		return kind + sum, err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(full)
		return kind + target, err
	case info.IsDir() && !strings.HasSuffix(path, "/"):
		head, err := g.resolve(ctx, full, "HEAD")
		if exitCode(err) == 1 {
			err = nil // it has no commit yet
		}
		return kind + head, err
	}
	return kind, nil
}

// hashFile reads a file in parts, so that a large one is left alone as soon as nobody waits for it any more.
func hashFile(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // it was only read
	const part = 4 << 20
	sum := sha256.New()
	for {
		if _, err := io.CopyN(sum, f, part); errors.Is(err, io.EOF) {
			return hex.EncodeToString(sum.Sum(nil)), nil
		} else if err != nil {
			return "", err
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	}
}
