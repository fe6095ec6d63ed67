package pieces

import (
	"crypto/sha256"
	"encoding/hex"
)

// SetupHash is what allowing a setup script is bound to; empty for no script.
func SetupHash(script string) string {
	if script == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(script))
	return hex.EncodeToString(sum[:])
}

// SetupRuns says whether the project has a setup script and the person allowed exactly this text of it.
func (p Project) SetupRuns() bool {
	return p.SetupScript != "" && p.SetupAllowed == SetupHash(p.SetupScript)
}

// SetupWaits says whether the project has a setup script that the person did not allow, or that changed since.
func (p Project) SetupWaits() bool { return p.SetupScript != "" && !p.SetupRuns() }

// Included is what came of copying the files that a .worktreeinclude names.
type Included struct {
	Copied  []string // with slashes, relative to the worktree
	Skipped []string // a name and why
}
