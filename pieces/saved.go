package pieces

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrOccupied says that a worktree is not as it was when its work was saved, so that restoring could write over something.
var ErrOccupied = errors.New("the worktree holds something else")

// SavedFor is how long saved work is promised to stay. What is older is shown as expired, and still there until the
// person deletes its ref.
const SavedFor = 30 * 24 * time.Hour

// savedRefs is where the refs of saved work live; a piece's id follows.
const savedRefs = "refs/fermata/saved/"

// savedStamp is how a saved ref's name says when it was made; refs made in the same second have a "-<n>" behind it.
const savedStamp = "20060102T150405Z"

// SavedRef names the hidden ref for what a piece's worktree held at a time. n above 0 tells an agent's worktree from the
// piece's own.
func SavedRef(pieceID string, at time.Time, n int) string {
	ref := SavedRefs(pieceID) + at.UTC().Format(savedStamp)
	if n > 0 {
		ref += fmt.Sprintf("-%d", n)
	}
	return ref
}

// AllSavedRefs is what the names of all saved refs begin with.
const AllSavedRefs = savedRefs

// SavedOf reads the piece's id and whether the work was an agent's off a saved ref's name.
func SavedOf(ref string) (pieceID string, agent bool) {
	pieceID, name, _ := strings.Cut(strings.TrimPrefix(ref, savedRefs), "/")
	return pieceID, strings.Contains(name, "-")
}

// SavedRefs is what the names of all saved refs of a piece begin with.
func SavedRefs(pieceID string) string { return savedRefs + pieceID + "/" }

// Saved is work that no commit held when its worktree was removed.
type Saved struct {
	Ref    string
	Commit string
	// Base is the commit that was checked out.
	Base string
	// Staged is the tree of what was staged.
	Staged string
	// Files is the tree of the files.
	Files string
}

// At is when the work was saved, by its ref's name; the zero time when the name does not say.
func (s Saved) At() time.Time { return SavedAt(s.Ref) }

// SavedAt reads the time off a saved ref's name.
func SavedAt(ref string) time.Time {
	name, _, _ := strings.Cut(ref[strings.LastIndexByte(ref, '/')+1:], "-")
	at, err := time.Parse(savedStamp, name)
	if err != nil {
		return time.Time{}
	}
	return at
}

// SavedExpired says whether the promise for a saved ref is over.
func SavedExpired(ref string, now time.Time) bool {
	at := SavedAt(ref)
	return !at.IsZero() && now.Sub(at) > SavedFor
}
