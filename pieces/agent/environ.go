package agent

import (
	"slices"
	"strings"
)

// gitLocal are the variables that bind git to one repository: `git rev-parse --local-env-vars`.
var gitLocal = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_DIR",
	"GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NO_REPLACE_OBJECTS",
	"GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
}

// nested are the variables by which a Claude Code session tells the programs it starts that they run inside it. The
// app may have been started there; its agents are not part of that session.
var nested = []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID"}

// clean returns the environment of an agent that works in dir: the app's own without what binds git to another
// repository, and without everything of Fermata's, secrets first of all.
func clean(environ []string, dir string) []string {
	kept := make([]string, 0, len(environ)+1)
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if name == "PWD" || strings.HasPrefix(name, "FERMATA_") || slices.Contains(gitLocal, name) || slices.Contains(nested, name) {
			continue
		}
		kept = append(kept, entry)
	}
	return append(kept, "PWD="+dir)
}
