package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"fermata/pieces"
)

// notices are what there is to say about a folder before its first session begins. The zero value is ready.
type notices struct {
	mu sync.Mutex
	m  map[string][]string
}

func (n *notices) add(dir, words string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.m == nil {
		n.m = map[string][]string{}
	}
	n.m[dir] = append(n.m[dir], words)
}

func (n *notices) take(dir string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	words := n.m[dir]
	delete(n.m, dir)
	return words
}

// prepare makes a worktree of ours ready before the first session works there: it checks out its submodules, copies the files that the main checkout
// names in .worktreeinclude, then runs the project's setup script if the person allowed its text. It is done once for each
// worktree; after a failure the next session tries again. What there is to say goes into the next session's transcript.
func (e *Engine) prepare(ctx context.Context, pieceID, dir string) error {
	unlock, err := e.locks.lock(ctx, "setup "+dir)
	if err != nil {
		return fmt.Errorf("prepare worktree: %w", err)
	}
	defer unlock()
	w, known, err := e.recordOf(ctx, pieceID, dir)
	if err != nil || !known || w.Prepared {
		return err
	}
	project, err := e.Project(ctx, w.ProjectID)
	if err != nil {
		return err
	}
	e.furnish(ctx, project, dir)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if project.SetupWaits() {
		e.notices.add(dir, "The project's setup script was not run: nobody allowed its present text. Allow it in the project's settings.")
		return nil
	}
	if project.SetupRuns() {
		if err := e.runSetup(ctx, project, dir); err != nil {
			return err
		}
	}
	w.Prepared = true
	if err := e.Store.RecordWorktree(context.WithoutCancel(ctx), w); err != nil {
		return fmt.Errorf("record worktree %s: %w", dir, err)
	}
	return nil
}

// furnish puts into a new worktree what git leaves out.
func (e *Engine) furnish(ctx context.Context, project pieces.Project, dir string) {
	filled, err := e.Git.FillSubmodules(ctx, dir)
	if len(filled) > 0 {
		e.notices.add(dir, fmt.Sprintf("Checked out %s: %s.", count(len(filled), "submodule"), sample(filled)))
	}
	if err != nil && ctx.Err() == nil {
		e.Log.Warn("check out submodules", "worktree", dir, "err", err)
		e.notices.add(dir, "Submodules are missing from this worktree: "+err.Error()+". Run `git submodule update --init --recursive` in "+
			project.Path+", from where new worktrees take them, or fetch them in the project's setup script.")
	}
	e.include(ctx, project, dir)
}

// include copies the ignored files that a worktree needs. Without them work may fail, but not in a way that harms.
func (e *Engine) include(ctx context.Context, project pieces.Project, dir string) {
	done, err := e.Git.CopyIncluded(ctx, project.Path, dir)
	if err != nil {
		e.Log.Warn("copy included files", "worktree", dir, "err", err)
		e.notices.add(dir, "Files that .worktreeinclude names could not be copied: "+err.Error())
		return
	}
	if len(done.Copied) > 0 {
		e.notices.add(dir, fmt.Sprintf("Copied %s that .worktreeinclude names: %s.", count(len(done.Copied), "file"), sample(done.Copied)))
	}
	if len(done.Skipped) > 0 {
		e.notices.add(dir, "Not copied, though .worktreeinclude names it: "+sample(done.Skipped).String()+".")
	}
}

// runSetup runs the setup script. Its failure is an error that carries the end of its output.
func (e *Engine) runSetup(ctx context.Context, project pieces.Project, dir string) error {
	began := e.Now()
	out, err := e.Agents.Script(ctx, dir, project.SetupScript)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		words := pieces.Say("The project's setup script failed in %s: %v.", dir, err)
		if end := lastLines(out); end != "" {
			words = words.Then(pieces.Say("It said: %s", end))
		}
		return refuse(err, "%s", words)
	}
	words := fmt.Sprintf("The project's setup script ran for %.1f s.", e.Now().Sub(began).Seconds())
	if status, err := e.Git.Status(ctx, dir); err == nil && status.Dirty() {
		words += " It left files that git does not ignore; they will be committed with the work."
	}
	if out = strings.TrimSpace(out); out != "" {
		words += "\n\n" + out
	}
	e.notices.add(dir, words)
	return nil
}

// lastLines is the end of a script's output, for a sentence.
func lastLines(out string) string {
	const most = 600
	words := []rune(strings.TrimSpace(strings.ToValidUTF8(out, "\uFFFD")))
	if len(words) > most {
		return "…" + string(words[len(words)-most:])
	}
	return string(words)
}
