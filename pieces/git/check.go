package git

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hiddenRefs is where refs live that hold saved work. No branch, tag or fetch of the person's reaches in there.
const hiddenRefs = "refs/fermata/"

var objectID = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// checkBranch refuses what git would not take as a branch's name, and what it would take for an option or an expression.
func checkBranch(name string) error {
	if err := checkRef(name); err != nil {
		return fmt.Errorf("branch %q: %w", name, err)
	}
	return nil
}

// checkHidden refuses any ref outside the hidden ones.
func checkHidden(ref string) error {
	if !strings.HasPrefix(ref, hiddenRefs) || checkRef(ref) != nil {
		return fmt.Errorf("ref %q: %w", ref, ErrBadName)
	}
	return nil
}

// checkRemote refuses what is no plain remote name: an option, a URL or a path.
func checkRemote(name string) error {
	if checkRef(name) != nil || strings.HasPrefix(name, "/") {
		return fmt.Errorf("remote %q: %w", name, ErrBadName)
	}
	return nil
}

// checkRevision takes an object id or the name of a ref, and no expression.
func checkRevision(name string) error {
	if objectID.MatchString(name) || checkRef(name) == nil {
		return nil
	}
	return fmt.Errorf("revision %q: %w", name, ErrBadName)
}

// checkRef holds a name to the rules of git-check-ref-format.
func checkRef(name string) error {
	if name == "" || name == "@" || name[0] == '-' || !utf8.ValidString(name) {
		return ErrBadName
	}
	if strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.HasSuffix(name, ".") {
		return ErrBadName
	}
	if strings.ContainsAny(name, ` ~^:?*[\`) || strings.ContainsFunc(name, unicode.IsControl) {
		return ErrBadName
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return ErrBadName
		}
	}
	return nil
}

// checkPath takes absolute paths only, which can be no option and depend on no working folder.
func checkPath(path string) error {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return fmt.Errorf("path %q: %w", path, ErrBadName)
	}
	return nil
}

// real is path without symlinks as far as it exists: two spellings of one place become one.
func real(path string) string {
	path = filepath.Clean(filepath.FromSlash(path))
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(real(parent), filepath.Base(path))
}

// within says whether path is strictly under root; both without symlinks.
func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
