package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"fermata/pieces"
)

// How much is too much.
const (
	oldFetch   = 14 * 24 * time.Hour // since the base branch's remote was last asked
	mostNamed  = 3                   // examples in one finding
	mostListed = 16 << 20            // bytes of a listing of files
)

// behind compares the base branch with what was last seen of its remote. Nothing is fetched: that could ask for a password.
func behind(ctx context.Context, p *patient) (*pieces.Finding, error) {
	if p.branch == "" {
		return nil, nil
	}
	from, err := p.g.source(ctx, p.repo, p.branch)
	if err != nil || from.remote == "" {
		return nil, err
	}
	local := "refs/heads/" + p.branch
	for _, ref := range []string{local, from.tracking()} {
		if _, err := p.g.resolve(ctx, p.repo, ref); exitCode(err) == 1 {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	out, err := p.g.line(ctx, p.repo, "rev-list", "--count", "--left-right", local+"..."+from.tracking(), "--")
	if err != nil {
		return nil, err
	}
	aheadText, behindText, _ := strings.Cut(out, "\t")
	count, err := strconv.Atoi(behindText)
	if err != nil || count == 0 {
		return nil, err
	}
	remote := from.remote + "/" + strings.TrimPrefix(from.merge, "refs/heads/")
	fix := pieces.Say("`git pull --ff-only` on %s.", p.branch)
	if aheadText != "0" {
		fix = pieces.Say("It has %s commits of its own as well: `git rebase %s` or `git merge %s` on %s.", aheadText, remote, remote, p.branch)
	}
	commits := pieces.Count(count, "%d commit", "%d commits")
	return &pieces.Finding{
		Key:  pieces.FindingBehind,
		What: pieces.Say("The local %s is %s behind %s. Pieces start from %[3]s, so they see code that your checkout does not have.", p.branch, commits, remote),
		Fix:  fix,
	}, nil
}

// old says when the remote was asked last, by the newest of what a fetch writes.
func old(ctx context.Context, p *patient) (*pieces.Finding, error) {
	if p.branch == "" {
		return nil, nil
	}
	from, err := p.g.source(ctx, p.repo, p.branch)
	if err != nil || from.remote == "" {
		return nil, err
	}
	if ours := p.g.lastFetch(p.common + "\x00" + from.tracking()); ours != nil && ours.err == nil {
		return nil, nil
	}
	var last time.Time
	for _, name := range []string{"FETCH_HEAD", filepath.FromSlash(from.tracking()), filepath.FromSlash("logs/" + from.tracking()), "packed-refs"} {
		if info, err := os.Stat(filepath.Join(p.common, name)); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	if last.IsZero() || p.now.Sub(last) < oldFetch {
		return nil, nil
	}
	return &pieces.Finding{
		Key:  pieces.FindingOld,
		What: pieces.Say("%s was last fetched %s ago, as far as git's files tell. Fermata fetches before a piece starts; where that cannot reach the remote, work starts from this old state.", from.remote, ago(p.now.Sub(last))),
		Fix:  pieces.Say("`git fetch %s`, to see that it works without a question.", from.remote),
	}, nil
}

func shallow(ctx context.Context, p *patient) (*pieces.Finding, error) {
	out, err := p.g.line(ctx, p.repo, "rev-parse", "--is-shallow-repository")
	if err != nil || out != "true" {
		return nil, err
	}
	return &pieces.Finding{
		Key:  pieces.FindingShallow,
		What: pieces.Say("The clone is shallow: it lacks old commits, and a merge or diff that needs one of them fails."),
		Fix:  pieces.Say("`git fetch --unshallow`."),
	}, nil
}

func submodulesThere(ctx context.Context, p *patient) (*pieces.Finding, error) {
	out, err := p.g.listing(ctx, p.repo, "ls-tree", "-r", "-z", p.head, "--")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range fields(out) {
		if info, name, _ := strings.Cut(entry, "\t"); strings.HasPrefix(info, "160000 ") && !checkedOutAt(p.repo, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	return &pieces.Finding{
		Key:  pieces.FindingSubmodules,
		What: pieces.Say("There are submodules that this checkout does not have (%s). Each new worktree has to fetch them, and agents do not see what is in them where that fails or needs a password.", some(names)),
		Fix:  pieces.Say("`git submodule update --init --recursive`: worktrees take from here what is there."),
	}, nil
}

func lfs(ctx context.Context, p *patient) (*pieces.Finding, error) {
	_, err := p.g.read(ctx, p.repo, "grep", "--quiet", "--no-textconv", "-I", "-e", "filter=lfs", p.head, "--", ".gitattributes", "*/.gitattributes")
	if exitCode(err) == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := p.g.read(ctx, p.repo, "lfs", "version"); err != nil {
		// A git that was set up for it refuses to check such files out, and thereby to make a worktree.
		if out, err := p.g.line(ctx, p.repo, "config", "--type=bool", "--get", "filter.lfs.required"); err == nil && out == "true" {
			return &pieces.Finding{
				Key:  pieces.FindingLFS,
				What: pieces.Say("Files are kept in Git LFS, git is set up to need git-lfs, and Fermata does not find it: git can make no worktree, so no piece can start."),
				Fix:  pieces.Say("Install git-lfs. Where it is installed, put it on the PATH that desktop programs get, or start Fermata from a terminal in which `git lfs version` works."),
			}, nil
		}
		return &pieces.Finding{
			Key:  pieces.FindingLFS,
			What: pieces.Say("Files are kept in Git LFS, and git-lfs is not installed: worktrees get small pointer files in their place, and a commit of such a file without it breaks the file for everybody."),
			Fix:  pieces.Say("Install git-lfs, then `git lfs install` and `git lfs pull`."),
		}, nil
	}
	if _, err := p.g.read(ctx, p.repo, "config", "--get", "filter.lfs.process"); exitCode(err) == 1 {
		return &pieces.Finding{
			Key:  pieces.FindingLFS,
			What: pieces.Say("Files are kept in Git LFS, and git-lfs is installed but not set up: worktrees get small pointer files in their place."),
			Fix:  pieces.Say("`git lfs install`, then `git lfs pull`."),
		}, nil
	}
	return nil, nil
}

func sparse(ctx context.Context, p *patient) (*pieces.Finding, error) {
	out, err := p.g.line(ctx, p.repo, "config", "--type=bool", "--get", "core.sparseCheckout")
	if exitCode(err) == 1 || err == nil && out != "true" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &pieces.Finding{
		Key:  pieces.FindingSparse,
		What: pieces.Say("Sparse checkout is on: worktrees hold the same part of the files, so agents do not see the rest."),
		Fix:  pieces.Say("`git sparse-checkout add <folder>` for what the work needs, or `git sparse-checkout disable`."),
	}, nil
}

// twins finds files and folders whose names differ in case only: where the file system does not tell them apart, one hides
// the other and the worktree is never clean.
func twins(ctx context.Context, p *patient) (*pieces.Finding, error) {
	out, err := p.g.listing(ctx, p.repo, "ls-tree", "-r", "-z", "--name-only", p.head, "--")
	if err != nil {
		return nil, err
	}
	seen := map[string]string{}
	var pairs []string
	var look func(name string)
	look = func(name string) {
		if name == "." {
			return
		}
		folded := strings.ToLower(name)
		first, known := seen[folded]
		if known && first == name {
			return
		}
		if !known {
			seen[folded] = name
			look(path.Dir(name))
			return
		}
		if path.Dir(first) == path.Dir(name) {
			pairs = append(pairs, first+" and "+path.Base(name))
			return
		}
		look(path.Dir(name))
	}
	for _, name := range fields(out) {
		look(name)
	}
	if len(pairs) == 0 {
		return nil, nil
	}
	slices.Sort(pairs)
	pairs = slices.Compact(pairs)
	return &pieces.Finding{
		Key:  pieces.FindingTwins,
		What: pieces.Say("Names differ in case only (%s): on a file system that does not tell them apart, as on macOS and Windows, one hides the other and every worktree looks changed.", some(pairs)),
		Fix:  pieces.Say("Rename one of each with `git mv`."),
	}, nil
}

// hookNames are the hooks that run when agents or Fermata commit and push; post-checkout runs when an agent switches.
var hookNames = []string{
	"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-merge-commit", "post-merge", "post-checkout", "pre-push", "reference-transaction",
}

func hooks(ctx context.Context, p *patient) (*pieces.Finding, error) {
	dir, err := p.g.line(ctx, p.repo, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.repo, dir)
	}
	var names []string
	for _, name := range hookNames {
		info, err := os.Stat(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	return &pieces.Finding{
		Key:  pieces.FindingHooks,
		What: pieces.Say("Hooks run at every commit or push of an agent (%s, in %s). One that asks something or takes minutes holds the agent up; git is ended after 3 minutes.", strings.Join(names, ", "), dir),
		Fix:  pieces.Say("Let them need no terminal and no answer, and let the setup script install what they call."),
	}, nil
}

func signing(ctx context.Context, p *patient) (*pieces.Finding, error) {
	out, err := p.g.line(ctx, p.repo, "config", "--type=bool", "--get", "commit.gpgSign")
	if exitCode(err) == 1 || err == nil && out != "true" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &pieces.Finding{
		Key:  pieces.FindingSigning,
		What: pieces.Say("Commits are signed (commit.gpgSign). A key that asks for a passphrase, a touch or an app's approval holds every commit of an agent up, and fails it after 3 minutes."),
		Fix:  pieces.Say("Unlock the key for the day (an agent that keeps it), or `git config commit.gpgSign false` here and sign when you merge."),
	}, nil
}

// listing is a read whose output is cut, so that a huge repository costs no more than a big one.
func (g *Git) listing(ctx context.Context, dir string, args ...string) (string, error) {
	return g.run(ctx, call{dir: dir, args: args, max: mostListed})
}

// some are the first of many.
func some(names []string) pieces.Sentence {
	if len(names) <= mostNamed {
		return pieces.Quote(strings.Join(names, ", "))
	}
	return pieces.Say("%s and %d more", strings.Join(names[:mostNamed], ", "), len(names)-mostNamed)
}
