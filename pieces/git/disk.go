package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// DiskUse is how many bytes the files below a folder hold. Links are counted as themselves and not followed, and what
// goes away meanwhile is left out. A folder that is not there is fs.ErrNotExist.
func (g *Git) DiskUse(ctx context.Context, folder string) (int64, error) {
	if err := checkPath(folder); err != nil {
		return 0, fmt.Errorf("measure: %w", err)
	}
	if _, err := os.Lstat(folder); err != nil {
		return 0, fmt.Errorf("measure %s: %w", folder, err)
	}
	var sum int64
	err := filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if err != nil {
		return sum, fmt.Errorf("measure %s: %w", folder, err)
	}
	return sum, nil
}

// Adopt makes sure that a repository has all the commits, which tells one that was moved from another, and then lets git
// find its worktrees again, whose link to it a move breaks. Nothing else is changed.
func (g *Git) Adopt(ctx context.Context, repo string, commits []string) error {
	if err := checkPath(repo); err != nil {
		return fmt.Errorf("adopt repository: %w", err)
	}
	for _, c := range commits {
		err := checkRevision(c)
		if err == nil {
			_, err = g.resolve(ctx, repo, c)
		}
		if err != nil {
			return fmt.Errorf("adopt repository %s: it has no commit %s: %w", repo, c, err)
		}
	}
	common, err := g.commonDir(ctx, repo)
	if err != nil {
		return fmt.Errorf("adopt repository %s: %w", repo, err)
	}
	release, err := g.lock(ctx, common)
	if err != nil {
		return fmt.Errorf("adopt repository %s: %w", repo, err)
	}
	defer release()
	if _, err := g.read(ctx, repo, "worktree", "repair"); err != nil {
		return fmt.Errorf("adopt repository %s: %w", repo, err)
	}
	return nil
}
