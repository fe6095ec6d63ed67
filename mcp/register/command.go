package register

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// commandTime bounds one run of claude, which takes about a second.
const commandTime = 30 * time.Second

// run starts claude with args in a process group of its own, and waits for it.
func (r *Registrar) run(ctx context.Context, claude string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, claude, args...)
	cmd.Dir = r.o.Home // not the app's folder: claude keeps notes about where it ran
	cmd.Env = slices.Concat(r.o.Environ(), []string{"HOME=" + r.o.Home, "USERPROFILE=" + r.o.Home})
	cmd.WaitDelay = 2 * time.Second
	ownGroup(cmd)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	what := strings.Join(args[:2], " ") // what follows holds the token
	if ctx.Err() != nil {
		return fmt.Errorf("run claude %s: %w", what, ctx.Err())
	}
	if text := strings.TrimSpace(string(out)); text != "" {
		return fmt.Errorf("run claude %s: %w", what, errors.New(lastLine(text)))
	}
	return fmt.Errorf("run claude %s: %w", what, err)
}

func lastLine(text string) string {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	if len(line) > 300 {
		line = strings.ToValidUTF8(line[:300], "") + "…"
	}
	return line
}
