package git

import (
	"context"
	"os/exec"
	"strings"
)

// redirecting are the variables that would send a call to another repository or change what it prints. They leak from
// hooks and from terminals; git's own list is added to it. Those that say how to reach a remote, such as GIT_SSH_COMMAND, stay.
var redirecting = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS",
	"GIT_DIFF_OPTS", "GIT_DIR", "GIT_EXTERNAL_DIFF", "GIT_GLOB_PATHSPECS", "GIT_GRAFT_FILE", "GIT_ICASE_PATHSPECS",
	"GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_LITERAL_PATHSPECS", "GIT_NAMESPACE",
	"GIT_NOGLOB_PATHSPECS", "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH",
	"GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
}

// redirectingPrefixes are families of such variables.
var redirectingPrefixes = []string{"GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_TRACE"}

// always is set for every call: messages in English for the few that are read, and no way to ask. Credentials come from
// helpers and agents; a question that nobody sees would hold a call until its time limit.
var always = []string{
	"LC_ALL=C",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_ASKPASS=",
	"SSH_ASKPASS_REQUIRE=never",
	"GCM_INTERACTIVE=never",
	"GIT_EDITOR=:",
	"GIT_SEQUENCE_EDITOR=:",
	"GIT_MERGE_AUTOEDIT=no",
	"GIT_PAGER=cat",
}

// clean gives the environment of one call. Reads must not refresh the index, whose lock a person's own git may want.
func (g *Git) clean(ctx context.Context, read bool) []string {
	local := g.repositoryVariables(ctx)
	var env []string
	for _, entry := range g.environ() {
		if !redirects(entry, local) {
			env = append(env, entry)
		}
	}
	env = append(env, always...)
	if read {
		env = append(env, "GIT_OPTIONAL_LOCKS=0")
	}
	return env
}

// redirects says whether an environment entry must not reach git.
func redirects(entry string, local map[string]bool) bool {
	name, _, _ := strings.Cut(entry, "=")
	name = strings.ToUpper(name)
	if local[name] {
		return true
	}
	for _, p := range redirectingPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// repositoryVariables is the table above with the list of this git version, asked once. A git that does not answer leaves
// the table.
func (g *Git) repositoryVariables(ctx context.Context) map[string]bool {
	g.mu.Lock()
	known := g.local
	g.mu.Unlock()
	if known != nil {
		return known
	}
	names := map[string]bool{}
	for _, name := range redirecting {
		names[name] = true
	}
	cmd := exec.CommandContext(ctx, g.program, "rev-parse", "--local-env-vars")
	cmd.WaitDelay = grace
	group(cmd)
	out, err := cmd.Output()
	if err != nil {
		return names
	}
	for name := range strings.FieldsSeq(string(out)) {
		names[name] = true
	}
	g.mu.Lock()
	g.local = names
	g.mu.Unlock()
	return names
}
