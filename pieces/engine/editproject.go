package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fermata/pieces"
)

// ProjectEdit changes a project's settings; nil fields keep their value.
type ProjectEdit struct {
	Branch *string
	// SetupScript is the text that makes new worktrees ready; an empty one needs no permission.
	SetupScript *string
	// AllowSetup says whether the person allows the script's text as it then is. A changed text that is not allowed anew waits.
	AllowSetup *bool
	// ForgetCommands are allowed commands that agents have to ask for again.
	ForgetCommands []string
	// AllowCommands are commands that agents need not ask for any more, each by how it begins.
	AllowCommands []string
	// LoopAtOnce and LoopOpenPRs are the Loop's numbers; see pieces.Project.
	LoopAtOnce, LoopOpenPRs *int
}

// EditProject changes a project's settings. Only the person does, in the app: what is allowed here runs on their machine.
func (e *Engine) EditProject(ctx context.Context, id string, edit ProjectEdit) (pieces.Project, error) {
	unlock, err := e.locks.lock(ctx, "project "+id)
	if err != nil {
		return pieces.Project{}, fmt.Errorf("edit project %s: %w", id, err)
	}
	defer unlock()
	p, err := e.Project(ctx, id)
	if err != nil {
		return p, err
	}
	if edit.Branch != nil && strings.TrimSpace(*edit.Branch) != p.Branch {
		branch := strings.TrimSpace(*edit.Branch)
		if branch == "" {
			return p, refuse(nil, "Name the branch that pieces start from.")
		}
		if _, err := e.Git.Base(ctx, p.Path, branch); err != nil {
			return p, refuse(err, "Pieces cannot start from %s: %v", branch, err)
		}
		p.Branch = branch
	}
	if n := edit.LoopAtOnce; n != nil && (*n < 1 || *n > pieces.LoopAtOnceMost) {
		return p, refuse(nil, "The Loop works on 1 to %d pieces at once.", pieces.LoopAtOnceMost)
	}
	if n := edit.LoopOpenPRs; n != nil && (*n < 1 || *n > pieces.LoopOpenPRsMost) {
		return p, refuse(nil, "The Loop leaves 1 to %d open pull requests.", pieces.LoopOpenPRsMost)
	}
	set(&p.LoopAtOnce, edit.LoopAtOnce)
	set(&p.LoopOpenPRs, edit.LoopOpenPRs)
	if edit.SetupScript != nil {
		p.SetupScript = strings.TrimSpace(strings.ReplaceAll(*edit.SetupScript, "\r\n", "\n"))
	}
	switch {
	case p.SetupScript == "" || edit.AllowSetup != nil && !*edit.AllowSetup:
		p.SetupAllowed = ""
	case edit.AllowSetup != nil:
		p.SetupAllowed = pieces.SetupHash(p.SetupScript)
	}
	p.AllowedCommands = slices.DeleteFunc(slices.Clone(p.AllowedCommands), func(c string) bool { return slices.Contains(edit.ForgetCommands, c) })
	for _, c := range edit.AllowCommands {
		c = strings.TrimSpace(c)
		if reason := unfitCommand(c); !reason.Empty() {
			return p, refuse(nil, "%s", reason)
		}
		if !slices.Contains(p.AllowedCommands, c) {
			p.AllowedCommands = append(p.AllowedCommands, c)
		}
	}
	if err := e.Store.SaveProject(ctx, p); err != nil {
		return p, fmt.Errorf("write project %s: %w", id, err)
	}
	return p, nil
}

// unfitCommand says why a text does not allow a command; it is empty when it does. A text that every command begins with
// would allow them all.
func unfitCommand(c string) pieces.Sentence {
	const longest = 200
	switch {
	case c == "" || strings.Trim(c, "*?") == "":
		return pieces.Say("Write how the command begins, such as `npm test`.")
	case len(c) > longest:
		return pieces.Say("A command's beginning has at most %d bytes.", longest)
	case strings.ContainsAny(c, "\r\n\x00"):
		return pieces.Say("Write one command on one line.")
	}
	return pieces.Sentence{}
}
