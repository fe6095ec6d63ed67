package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// scratch is a copy of a worktree's index in a temporary folder. Git works on the copy, so that neither the index nor the
// files change and an agent's own git is never locked out.
type scratch struct {
	g    *Git
	dir  string // the worktree
	file string
}

// scratch copies the worktree's index. The caller calls close.
func (g *Git) scratch(ctx context.Context, worktree string) (*scratch, error) {
	index, err := g.line(ctx, worktree, "rev-parse", "--git-path", "index")
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(index) {
		index = filepath.Join(worktree, index)
	}
	temp, err := os.MkdirTemp("", "fermata-index-")
	if err != nil {
		return nil, err
	}
	s := &scratch{g: g, dir: worktree, file: filepath.Join(temp, "index")}
	// Without an index file the index is empty.
	if err := s.copyFrom(index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.close()
		return nil, fmt.Errorf("copy index: %w", err)
	}
	return s, nil
}

// copyFrom copies the index with its time. Git looks again at files that changed in the moment the index was written, and
// that moment is the index file's time: with a newer one such a change would be taken for none.
func (s *scratch) copyFrom(index string) error {
	info, err := os.Stat(index)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(index)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.file, content, 0o600); err != nil {
		return err
	}
	return os.Chtimes(s.file, info.ModTime(), info.ModTime())
}

func (s *scratch) close() {
	// What is left is a file in the system's temporary folder, which is cleared by the system.
	_ = os.RemoveAll(filepath.Dir(s.file))
}

// run runs git on the copy. Line-end checks are off: they exist to warn the person who commits, and here they would lose work.
func (s *scratch) run(ctx context.Context, stdin string, args ...string) (string, error) {
	return s.g.run(ctx, call{
		dir: s.dir, set: append([]string{"-c", "core.safecrlf=false"}, noHooks...), stdin: stdin, write: true,
		env: []string{"GIT_INDEX_FILE=" + s.file}, limit: s.g.limits.tree, args: args,
	})
}

// tree writes the index as it stands, as a tree. Empty: there are conflicts in it.
func (s *scratch) tree(ctx context.Context) (string, error) {
	conflicts, err := s.run(ctx, "", "ls-files", "--unmerged", "-z")
	if err != nil || conflicts != "" {
		return "", err
	}
	out, err := s.run(ctx, "", "write-tree")
	return strings.TrimSpace(out), err
}

// addAll brings the copy to what the files are: changed, deleted and untracked ones that are not ignored, without the
// repositories inside, of which git would record no more than a commit's number.
func (s *scratch) addAll(ctx context.Context) error {
	if err := s.lookAgain(ctx); err != nil {
		return err
	}
	paths, err := s.g.ownPaths(ctx, s.dir)
	if err != nil {
		return err
	}
	_, err = s.run(ctx, paths, "add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul")
	return err
}

// lookAgain takes the marks off files that git was told to believe unchanged; their changes would be lost like any other.
func (s *scratch) lookAgain(ctx context.Context) error {
	out, err := s.run(ctx, "", "ls-files", "-v", "-z")
	if err != nil {
		return err
	}
	var marked strings.Builder
	for entry := range strings.SplitSeq(out, "\x00") {
		if tag, path, ok := strings.Cut(entry, " "); ok && strings.ToLower(tag) == tag {
			marked.WriteString(path + "\x00")
		}
	}
	if marked.Len() == 0 {
		return nil
	}
	_, err = s.run(ctx, marked.String(), "update-index", "--no-assume-unchanged", "-z", "--stdin")
	return err
}

// content are the trees of a worktree: what is staged and what the files are.
type content struct {
	head   string // HEAD's commit
	base   string // HEAD's tree
	staged string // empty while there are conflicts
	files  string
}

// content reads a worktree's trees; the objects are written, nothing else is.
func (g *Git) content(ctx context.Context, worktree string) (content, error) {
	var c content
	var err error
	if c.head, err = g.resolve(ctx, worktree, "HEAD"); exitCode(err) == 1 {
		return c, ErrNoCommit
	} else if err != nil {
		return c, err
	}
	if c.base, err = g.line(ctx, worktree, "rev-parse", "--verify", c.head+"^{tree}"); err != nil {
		return c, err
	}
	s, err := g.scratch(ctx, worktree)
	if err != nil {
		return c, err
	}
	defer s.close()
	if c.staged, err = s.tree(ctx); err != nil {
		return c, err
	}
	if err = s.addAll(ctx); err != nil {
		return c, err
	}
	if err = s.addIncluded(ctx); err != nil {
		return c, err
	}
	c.files, err = s.tree(ctx)
	return c, err
}

// clean says whether nothing is staged, changed, untracked or included work.
func (c content) clean() bool { return c.staged == c.base && c.files == c.base }
