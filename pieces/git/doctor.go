package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"fermata/pieces"
)

// examineLimit bounds a whole examination, which takes a part of a second where git answers: it is asked for before work
// starts, and must not become the wait itself.
const examineLimit = 5 * time.Second

// patient is what the checks of one examination look at.
type patient struct {
	g      *Git
	repo   string // top of the checkout
	common string
	branch string // the base branch
	now    time.Time
	head   string
	on     string // checked-out branch
}

// check looks for one kind of trouble; a nil finding is good news.
type check func(context.Context, *patient) (*pieces.Finding, error)

// checks are all that can be found where there is a commit, in the order in which findings are told.
func checks() []check {
	return []check{
		configLocked, noIdentity, detached, remotes, behind, old, shallow, submodulesThere, lfs, sparse, twins, hooks, signing,
	}
}

// Examine looks over the repository that a path is in, for what is known to hurt work in it. It changes nothing, asks no
// remote, and takes about a second at most. branch is the base branch; the default one when empty. now dates what is old.
// A check that cannot be made is a finding too.
func (g *Git) Examine(ctx context.Context, path, branch string, now time.Time) ([]pieces.Finding, error) {
	ctx, cancel := context.WithTimeout(ctx, examineLimit)
	defer cancel()
	at, err := g.Inspect(ctx, path)
	switch {
	case errors.Is(err, ErrNotRepository):
		return []pieces.Finding{{Key: pieces.FindingNoRepository, What: pieces.Say("There is no git checkout at %s.", path), Fix: pieces.Say("Run `git init` there and make a first commit, or name another folder.")}}, nil
	case errors.Is(err, ErrNoCommit):
		return []pieces.Finding{{Key: pieces.FindingNoCommit, What: pieces.Say("The repository has no commit yet, so there is nothing to start work from."), Fix: pieces.Say("Make a first commit: `git commit --allow-empty -m \"Begin\"`.")}}, nil
	case err != nil:
		return nil, fmt.Errorf("examine: %w", err)
	}
	p := &patient{g: g, repo: at.Top, common: at.CommonDir, branch: branch, now: now, head: at.Head, on: at.Branch}
	var found []pieces.Finding
	if p.branch == "" {
		switch p.branch, err = g.DefaultBranch(ctx, p.repo); {
		case err != nil && !errors.Is(err, ErrNoBranch):
			found = append(found, unexamined(err))
		case err != nil:
			found = append(found, pieces.Finding{Key: pieces.FindingNoBranch, What: pieces.Say("Fermata cannot tell which branch work starts from: HEAD is detached and there is no main or master."), Fix: pieces.Say("Check a branch out, or set the base branch in the project's settings.")})
		}
	}
	return append(found, p.examine(ctx)...), nil
}

// unexamined says that a check could not be made: what it would have told is neither good news nor bad.
func unexamined(err error) pieces.Finding {
	return pieces.Finding{Key: pieces.FindingCannotExamine, What: pieces.Say("One check could not be made: %v", err), Fix: pieces.Say("Look at what git says, then check again.")}
}

// examine makes all checks at once: each is one or two short git calls.
func (p *patient) examine(ctx context.Context) []pieces.Finding {
	list := checks()
	results := make([]*pieces.Finding, len(list))
	var work sync.WaitGroup
	slots := make(chan struct{}, 4)
	for i, c := range list {
		work.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			f, err := c(ctx, p)
			if err != nil {
				f = new(unexamined(err))
			}
			results[i] = f
		})
	}
	work.Wait()
	var found []pieces.Finding
	for _, f := range results {
		if f != nil {
			found = append(found, *f)
		}
	}
	return found
}

func configLocked(_ context.Context, p *patient) (*pieces.Finding, error) {
	lock := filepath.Join(p.common, "config.lock")
	info, err := os.Lstat(lock)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &pieces.Finding{
		Key:  pieces.FindingConfigLocked,
		What: pieces.Say("%s is there since %s: another git holds the repository's configuration, or one that died left it. No branch or worktree can be made meanwhile.", lock, ago(p.now.Sub(info.ModTime()))),
		Fix:  pieces.Say("Wait for the other git to end. When none runs any more: `rm %s`.", quote(lock)),
	}, nil
}

func noIdentity(ctx context.Context, p *patient) (*pieces.Finding, error) {
	missing, err := p.g.identity(ctx, p.repo)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	var fix []string
	for i := 1; i < len(missing); i += 2 {
		key, _, _ := strings.Cut(missing[i], "=")
		example := `"Your Name"`
		if key == "user.email" {
			example = "you@example.com"
		}
		fix = append(fix, fmt.Sprintf("`git config --global %s %s`", key, example))
	}
	return &pieces.Finding{
		Key:  pieces.FindingNoIdentity,
		What: pieces.Say("Git does not know who commits: user.name or user.email is not set. Agents that commit fail, and what Fermata commits is signed \"%s\".", fallbackName),
		Fix:  runBoth(fix),
	}, nil
}

// runBoth says to run one command, or two.
func runBoth(commands []string) pieces.Sentence {
	what := pieces.Quote(commands[0])
	if len(commands) > 1 {
		what = pieces.Say("%s and %s", commands[0], commands[1])
	}
	return pieces.Say("Run %s.", what)
}

func detached(_ context.Context, p *patient) (*pieces.Finding, error) {
	if p.on != "" {
		return nil, nil
	}
	return &pieces.Finding{
		Key:  pieces.FindingDetached,
		What: pieces.Say("HEAD is detached: the checkout is on no branch. Pieces start from %s all the same, not from what is checked out.", baseOf(p.branch)),
		Fix:  pieces.Say("`git switch %s`, or `git switch -c <branch>` to keep what is checked out.", or(p.branch, "<branch>")),
	}, nil
}

func remotes(ctx context.Context, p *patient) (*pieces.Finding, error) {
	list, err := p.g.Remotes(ctx, p.repo)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return &pieces.Finding{
			Key:  pieces.FindingNoRemote,
			What: pieces.Say("The repository has no remote: pieces start from the local branch, and no pull request can be opened."),
			Fix:  pieces.Say("`git remote add origin <url>`, when there is one."),
		}, nil
	}
	from, err := p.g.source(ctx, p.repo, or(p.branch, "main"))
	if err != nil || from.remote != "" || primary(list) != "" {
		return nil, err
	}
	var names []string
	for _, r := range list {
		names = append(names, r.Name)
	}
	return &pieces.Finding{
		Key:  pieces.FindingNoOrigin,
		What: pieces.Say("There are several remotes (%s), none of them is named origin, and %s follows none: Fermata cannot tell where work comes from and where pull requests go.", strings.Join(names, ", "), baseOf(p.branch)),
		Fix:  pieces.Say("`git branch --set-upstream-to=%s/%s %[2]s`, or `git remote rename %[1]s origin`.", names[0], or(p.branch, "main")),
	}, nil
}

// baseOf names the base branch, or says that it is it.
func baseOf(branch string) pieces.Sentence {
	if branch == "" {
		return pieces.Say("the base branch")
	}
	return pieces.Quote(branch)
}

// or is the first of two words that is not empty.
func or(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return word
}

// quote makes a path one word of a shell's command line.
func quote(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// ago says how long something is past.
func ago(d time.Duration) pieces.Sentence {
	switch {
	case d < 2*time.Minute:
		return pieces.Say("a moment")
	case d < 2*time.Hour:
		return pieces.Say("%d minutes", int(d.Minutes()))
	case d < 48*time.Hour:
		return pieces.Say("%d hours", int(d.Hours()))
	}
	return pieces.Say("%d days", int(d.Hours()/24))
}
