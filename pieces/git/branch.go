package git

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"fermata/pieces"
)

// FreeBranch names a new branch for a title: fermata/<slug>, or fermata/<KEY>-<slug> when a tracker issue's key is given,
// with -2, -3 … when that is taken here or on a remote. Names are compared without case, because the file systems of
// Windows and macOS do, and a branch that is a folder of another one counts as taken. Where a branch called "fermata" makes
// fermata/… impossible, the name is fermata-<slug>. Nothing is made or held: AddWorktree says ErrBranchExists to the loser of a race.
func (g *Git) FreeBranch(ctx context.Context, repo, title, key string) (string, error) {
	if err := checkPath(repo); err != nil {
		return "", fmt.Errorf("name branch: %w", err)
	}
	taken, err := g.takenNames(ctx, repo)
	if err != nil {
		return "", fmt.Errorf("name branch in %s: %w", repo, err)
	}
	before := "fermata/"
	if slices.Contains(taken, "fermata") {
		before = "fermata-"
	}
	for n := 1; ; n++ {
		name := before + lastPart(title, key, n)
		if conflicts(taken, name) {
			continue
		}
		if _, err := g.read(ctx, repo, "check-ref-format", "--branch", name); err != nil {
			return "", fmt.Errorf("name branch in %s: %w", repo, err)
		}
		return name, nil
	}
}

// lastPart is the n-th try at a branch's last part, at most maxSlug bytes with all that belongs to it.
func lastPart(title, key string, n int) string {
	start, end := keyPart(key), ""
	if start != "" {
		start += "-"
	}
	if n > 1 {
		end = "-" + strconv.Itoa(n)
	}
	return start + slug(title, maxSlug-len(start)-len(end)) + end
}

// conflicts says whether git or the file system could not hold name beside what is there.
func conflicts(taken []string, name string) bool {
	name = fold(name)
	return slices.ContainsFunc(taken, func(t string) bool {
		return t == name || strings.HasPrefix(t, name+"/") || strings.HasPrefix(name, t+"/")
	})
}

// fold brings names that a file system may take for the same one to one form.
func fold(name string) string { return norm.NFC.String(cases.Fold().String(norm.NFC.String(name))) }

// takenNames lists the branches here and on the remotes, as last seen, folded.
func (g *Git) takenNames(ctx context.Context, repo string) ([]string, error) {
	remotes, err := g.Remotes(ctx, repo)
	if err != nil {
		return nil, err
	}
	out, err := g.read(ctx, repo, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
	if err != nil {
		return nil, err
	}
	var taken []string
	for ref := range strings.Lines(out) {
		ref = strings.TrimSuffix(ref, "\n")
		if local, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
			taken = append(taken, fold(local))
			continue
		}
		taken = append(taken, fold(withoutRemote(strings.TrimPrefix(ref, "refs/remotes/"), remotes)))
	}
	return taken, nil
}

// withoutRemote takes the remote's name, which may hold slashes, off a remote-tracking branch.
func withoutRemote(name string, remotes []pieces.Remote) string {
	longest := ""
	for _, r := range remotes {
		if strings.HasPrefix(name, r.Name+"/") && len(r.Name) > len(longest) {
			longest = r.Name
		}
	}
	if longest != "" {
		return name[len(longest)+1:]
	}
	_, branch, _ := strings.Cut(name, "/")
	return branch
}
