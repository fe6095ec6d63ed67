package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lock holds the writes of one repository's shared state apart, in this process and across processes: two `worktree add`
// at once race for config.lock and read each other's half-written files. The caller calls the release.
func (g *Git) lock(ctx context.Context, commonDir string) (release func(), err error) {
	inner := g.inner(commonDir)
	select {
	case inner <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for repository %s: %w", commonDir, ctx.Err())
	}
	file, err := g.lockFile(commonDir)
	if err == nil {
		_, err = file.TryLockContext(ctx, 50*time.Millisecond)
	}
	if err != nil {
		<-inner
		return nil, fmt.Errorf("lock repository %s: %w", commonDir, err)
	}
	return func() {
		// Closing the file gives the lock up even when Unlock reports an error.
		_ = file.Unlock()
		<-inner
	}, nil
}

// inner is the lock within this process; flock is held by a file, so it is no lock between goroutines by itself.
func (g *Git) inner(key string) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.locks[key] == nil {
		g.locks[key] = make(chan struct{}, 1)
	}
	return g.locks[key]
}

// lockFile names the lock file after the repository's shared folder, which all its worktrees have in common.
func (g *Git) lockFile(commonDir string) (*flock.Flock, error) {
	dir := g.lockDir
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(cache, "fermata", "locks")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(commonDir))
	return flock.New(filepath.Join(dir, hex.EncodeToString(sum[:12])+".lock")), nil
}
