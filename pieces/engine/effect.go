package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"fermata/pieces"
)

// Effect says in plain words what carrying a request out would do, and binds the words to what they speak of.
func (e *Engine) Effect(ctx context.Context, r Request) (pieces.Effect, error) {
	effect, _, err := e.effect(ctx, r, true)
	return effect, err
}

// Outline is as much of Effect as is known without asking git, for a card that shows at once. whole says that this is all;
// otherwise the effect has no fingerprint, since nothing may be allowed on it.
func (e *Engine) Outline(ctx context.Context, r Request) (effect pieces.Effect, whole bool, err error) {
	return e.effect(ctx, r, false)
}

// effect leaves out what git would have to be asked for, unless it is told to look.
func (e *Engine) effect(ctx context.Context, r Request, look bool) (effect pieces.Effect, whole bool, err error) {
	s, err := e.subject(ctx, r)
	if err != nil {
		return pieces.Effect{}, false, err
	}
	whole = true
	bound := []string{r.PieceID, string(r.Action), fmt.Sprint(s.Piece.Run)}
	var lines []pieces.Sentence
	switch r.Action {
	case pieces.StopAgents:
		lines = stopEffect(s)
	case pieces.MarkDone:
		var facts []string
		lines, facts, whole, err = e.markDoneEffect(ctx, s, look)
		bound = append(bound, facts...)
	case pieces.StartExecution, pieces.ResumeAgents:
		lines = []pieces.Sentence{pieces.Say("Starts the agents that have not completed: %s, at most %d side by side.", count(open(s), "agent"), max(1, s.Piece.Config.AgentsAtOnce))}
	case pieces.RetryFailedAgents:
		list, ferr := failedAgents(s, r.TaskIDs)
		if ferr != nil {
			return pieces.Effect{}, false, ferr
		}
		for _, t := range list {
			lines = append(lines, pieces.Say("Runs again: %s", t.Name))
			bound = append(bound, t.ID)
		}
	case pieces.CreatePR:
		lines, err = e.createPREffect(ctx, s, r, look)
		whole = look
	case pieces.ApproveSpec:
		lines = []pieces.Sentence{pieces.Say("Runs the piece unattended up to Review: strategy, plan and agents, without stopping at their gates.")}
	case pieces.EditTaskBrief, pieces.MessageTask, pieces.ResumeTask:
		lines = steerEffect(s, r)
		bound = append(bound, r.TaskID)
	case pieces.RequestChanges:
		lines = []pieces.Sentence{pieces.Say("Starts a feedback session in the piece's worktree.")}
	case pieces.SetLane:
		lines = []pieces.Sentence{pieces.Say("Moves the piece from the lane %s to %s.", s.Piece.Config.Lane, r.Lane)}
	case pieces.RunCodeReview:
		lines = []pieces.Sentence{pieces.Say("Starts a code review at the effort %s: Claude Code reads the piece's changes, and changes nothing.", levelOf(r))}
	case pieces.AnswerTaskQuestion:
		lines = []pieces.Sentence{pieces.Say("Answers the agent's question; it works on with the answer.")}
	default:
	}
	if err != nil {
		return pieces.Effect{}, false, err
	}
	if s.Piece.CostUSD > 0 {
		lines = append(lines, pieces.Say("Cost so far: $%.2f.", s.Piece.CostUSD))
	}
	writing := writingOf(s, r)
	if writing != nil {
		bound = append(bound, writing.Before)
	}
	effect = pieces.Effect{Lines: lines, Writing: writing}
	if whole {
		sum := sha256.Sum256([]byte(strings.Join(bound, "\x00")))
		effect.Fingerprint = hex.EncodeToString(sum[:])
	}
	return effect, whole, nil
}

// writingOf is the text that a request hands on; nil when it hands on none.
func writingOf(s pieces.Snapshot, r Request) *pieces.Writing {
	w := pieces.Writing{Name: "Note", After: r.Guidance}
	switch r.Action {
	case pieces.EditTaskBrief:
		t, _ := s.Task(r.TaskID)
		w = pieces.Writing{Name: "Brief", Before: t.Brief, After: r.Prompt}
	case pieces.MessageTask:
		w = pieces.Writing{Name: "Message", After: r.Text}
	case pieces.AnswerTaskQuestion:
		w = pieces.Writing{Name: "Answer", After: r.Text}
	case pieces.RequestChanges:
		w = pieces.Writing{Name: "Changes", After: r.Text}
	case pieces.CreatePR:
		w = pieces.Writing{Name: "Text", After: r.Body}
	default:
	}
	if w.After = strings.TrimSpace(w.After); w.After == "" {
		return nil
	}
	return &w
}

func open(s pieces.Snapshot) int {
	n := 0
	for _, t := range s.Tasks {
		if t.Kind == pieces.TaskAgent && t.State != pieces.TaskCompleted {
			n++
		}
	}
	return n
}

// count says how many there are of what has a plural in s.
func count(n int, what string) pieces.Sentence { return pieces.Count(n, "%d "+what, "%d "+what+"s") }

func stopEffect(s pieces.Snapshot) []pieces.Sentence {
	var running []string
	for _, t := range s.Tasks {
		if t.State == pieces.TaskRunning || t.State == pieces.TaskWaiting {
			running = append(running, t.Name)
		}
	}
	if len(running) == 0 {
		return []pieces.Sentence{pieces.Say("No agent is running; the run stays paused.")}
	}
	return []pieces.Sentence{
		pieces.Say("Stops %s: %s.", count(len(running), "running agent"), strings.Join(running, ", ")),
		pieces.Say("Everything they wrote stays in the worktree; they can be resumed."),
	}
}

// markDoneEffect says what removing the piece's worktrees would lose, and that it is saved first. The facts it returns
// change with every file in them. Without a look it only says which worktrees go.
func (e *Engine) markDoneEffect(ctx context.Context, s pieces.Snapshot, look bool) (lines []pieces.Sentence, facts []string, whole bool, err error) {
	p := s.Piece
	list, err := e.Store.Worktrees(ctx, p.ID)
	if err != nil {
		return nil, nil, false, fmt.Errorf("read worktrees: %w", err)
	}
	whole = true
	feedback, changing := feedbackOf(s)
	if changing {
		lines = []pieces.Sentence{pieces.Say("Ends the feedback session that works on the piece now; what it has written by then is kept like the rest.")}
		facts = []string{feedback}
	}
	if s.Facts().CodeReviewing {
		lines = append(lines, pieces.Say("Ends the code review that runs now; what it found so far is lost."))
		facts = append(facts, p.CodeReview.SessionID)
	}
	if p.Worktree == "" || p.WorktreeMissing {
		lines = append(lines, pieces.Say("Completes the piece. Its worktree is already gone; the branch %s stays.", p.Branch))
		facts = append(facts, "gone")
	}
	for _, w := range list {
		if w.Path == p.Worktree && p.WorktreeMissing {
			continue
		}
		if !look {
			lines, whole = append(lines, removalLine(w)), false
			continue
		}
		more, print, err := e.removalEffect(ctx, w)
		if err != nil {
			return nil, nil, false, err
		}
		if changing && w.Path == p.Worktree {
			print = "" // it changes all the time, and what the card says holds whatever is in it
		}
		lines, facts = append(lines, more...), append(facts, w.Path, print)
	}
	return lines, facts, whole, nil
}

func removalLine(w pieces.WorktreeRecord) pieces.Sentence {
	if w.TaskID != "" {
		return pieces.Say("Removes the agent's worktree %s; its branch %s stays.", w.Path, w.Branch)
	}
	return pieces.Say("Removes the worktree %s; the branch %s stays.", w.Path, w.Branch)
}

// removalEffect says what removing one worktree takes away, with a fingerprint of everything in it.
func (e *Engine) removalEffect(ctx context.Context, w pieces.WorktreeRecord) (lines []pieces.Sentence, print string, err error) {
	status, print, err := e.Git.Survey(ctx, w.Path)
	if err != nil && e.vanished(ctx, w) {
		return []pieces.Sentence{pieces.Say("The worktree %s is gone already; its branch %s stays.", w.Path, w.Branch)}, "gone", nil
	}
	if err != nil {
		return nil, "", refuse(err, "Fermata cannot read the worktree %s, so it will not remove it: %v", w.Path, err)
	}
	files := slices.Concat(status.Staged, status.Changed, status.Untracked)
	slices.Sort(files)
	files = slices.Compact(files)
	lines = append(lines, removalLine(w))
	if len(files) > 0 {
		lines = append(lines, pieces.Say("It has %s that no commit holds (%s). They are saved first and can be restored for 30 days.", count(len(files), "changed file"), sample(files)))
	} else {
		lines = append(lines, pieces.Say("It has no uncommitted changes."))
	}
	if len(status.Included) > 0 {
		lines = append(lines, pieces.Say("Its own versions of ignored files are saved too: %s.", sample(status.Included)))
	}
	if len(status.Ignored) > 0 {
		lines = append(lines, pieces.Say("Other ignored files go with it and are not saved: %s.", sample(status.Ignored)))
	}
	if status.Unpushed > 0 {
		lines = append(lines, pieces.Say("%s not pushed; the branch keeps what it has.", count(status.Unpushed, "commit")))
	}
	return lines, print, nil
}

func sample(files []string) pieces.Sentence {
	const most = 5
	if len(files) <= most {
		return pieces.Quote(strings.Join(files, ", "))
	}
	return pieces.Say("%s and %d more", strings.Join(files[:most], ", "), len(files)-most)
}

func (e *Engine) createPREffect(ctx context.Context, s pieces.Snapshot, r Request, look bool) (lines []pieces.Sentence, err error) {
	if !look {
		if r.HasTitle {
			lines = []pieces.Sentence{pieces.Say("Title: %s", r.Title)}
		}
		return lines, nil
	}
	project, err := e.Project(ctx, s.Piece.ProjectID)
	if err != nil {
		return nil, err
	}
	remote, err := e.remoteOf(ctx, project)
	if err != nil {
		return nil, err
	}
	kind := pieces.Say("a pull request")
	if r.IsDraft {
		kind = pieces.Say("a draft pull request")
	}
	lines = []pieces.Sentence{pieces.Say("Pushes %s to %s (%s) and opens %s into %s.", s.Piece.Branch, remote.Name, redactURL(remote.URL), kind, project.Branch)}
	if _, changing := feedbackOf(s); changing {
		lines = append(lines, feedbackGoesOn())
	}
	if r.HasTitle {
		lines = append(lines, pieces.Say("Title: %s", r.Title))
	}
	if s.Piece.Worktree == "" || s.Piece.WorktreeMissing {
		return lines, nil
	}
	if status, err := e.Git.Status(ctx, s.Piece.Worktree); err == nil && status.Dirty() {
		lines = append(lines, pieces.Say("Changes that are not committed are not part of it."))
	}
	return lines, nil
}

// redactURL takes a password out of a remote's address.
func redactURL(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	if at := strings.LastIndex(rest, "@"); at >= 0 && at < len(rest) {
		if slash := strings.Index(rest, "/"); slash < 0 || at < slash {
			rest = rest[at+1:]
		}
	}
	return scheme + "://" + rest
}

// allowInProject keeps an approval for the project by its rule.
func (e *Engine) allowInProject(ctx context.Context, p pieces.Prompt) error {
	if p.Rule == "" {
		return nil
	}
	session, err := e.Session(ctx, p.SessionID)
	if err != nil {
		return err
	}
	unlock, err := e.locks.lock(ctx, "project "+session.ProjectID)
	if err != nil {
		return err
	}
	defer unlock()
	project, err := e.Project(ctx, session.ProjectID)
	if err != nil {
		return err
	}
	if slices.Contains(project.AllowedCommands, p.Rule) {
		return nil
	}
	project.AllowedCommands = append(project.AllowedCommands, p.Rule)
	return e.Store.SaveProject(ctx, project)
}
