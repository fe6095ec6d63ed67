package git

import (
	"context"
	"fmt"
	"strings"

	"fermata/pieces"
)

// Status reads a worktree's files and unpushed commits. A conflicted file is among the changed ones; an untracked folder
// that is a repository of its own is listed with a '/' at its end. In a repository without any remote-tracking branch,
// where all commits are unpushed, those count that are on no other local branch.
func (g *Git) Status(ctx context.Context, worktree string) (pieces.WorkStatus, error) {
	var s pieces.WorkStatus
	err := g.ownTop(ctx, worktree)
	if err == nil {
		s, err = g.status(ctx, worktree)
	}
	if err == nil {
		s.UnpushedIDs, err = g.unpushed(ctx, worktree, s)
		s.Unpushed = len(s.UnpushedIDs)
	}
	if err != nil {
		return s, fmt.Errorf("read status of %s: %w", worktree, err)
	}
	return s, nil
}

// status reads all but the unpushed commits.
func (g *Git) status(ctx context.Context, worktree string) (pieces.WorkStatus, error) {
	out, err := g.porcelain(ctx, worktree)
	if err != nil {
		return pieces.WorkStatus{}, err
	}
	return readStatus(out), nil
}

func (g *Git) porcelain(ctx context.Context, worktree string) (string, error) {
	return g.read(ctx, worktree, "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--no-renames",
		"--untracked-files=all", "--ignore-submodules=none")
}

func readStatus(porcelain string) pieces.WorkStatus {
	var s pieces.WorkStatus
	for entry := range strings.SplitSeq(porcelain, "\x00") {
		readEntry(&s, entry)
	}
	return s
}

// readEntry takes one record of porcelain v2; the path is what follows the fixed number of fields.
func readEntry(s *pieces.WorkStatus, entry string) {
	kind, rest, _ := strings.Cut(entry, " ")
	switch kind {
	case "#":
		switch name, value, _ := strings.Cut(rest, " "); {
		case name == "branch.oid" && value != "(initial)":
			s.Head = value
		case name == "branch.head" && value != "(detached)":
			s.Branch = value
		}
	case "1":
		fields := strings.SplitN(rest, " ", 8)
		if len(fields) < 8 || len(fields[0]) != 2 {
			return
		}
		if fields[0][0] != '.' {
			s.Staged = append(s.Staged, fields[7])
		}
		if fields[0][1] != '.' {
			s.Changed = append(s.Changed, fields[7])
		}
	case "u":
		if fields := strings.SplitN(rest, " ", 10); len(fields) == 10 {
			s.Changed = append(s.Changed, fields[9])
		}
	case "?":
		s.Untracked = append(s.Untracked, rest)
	}
}

// unpushed lists the commits on HEAD that no remote is known to have, newest first.
func (g *Git) unpushed(ctx context.Context, worktree string, s pieces.WorkStatus) ([]string, error) {
	if s.Head == "" {
		return nil, nil
	}
	known, err := g.read(ctx, worktree, "for-each-ref", "--count=1", "--format=%(refname)", "refs/remotes")
	if err != nil {
		return nil, err
	}
	args := []string{"rev-list", "HEAD", "--not", "--remotes"}
	if known == "" {
		args = []string{"rev-list", "HEAD", "--not"}
		if s.Branch != "" {
			args = append(args, "--exclude="+s.Branch)
		}
		args = append(args, "--branches")
	}
	out, err := g.read(ctx, worktree, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	return strings.Fields(out), nil
}
