package agent

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"fermata/pieces"
)

// FenceSentence is what an agent reads when it tries to drive Fermata.
const FenceSentence = "Fermata's own agents can't drive Fermata through its MCP server. Ask the person to do this from the app or from their own MCP client."

const readOnlySentence = "This session only reads: it can't change files, run commands or use this tool. Go on without it."

// Verdict is a decision about one use of a tool.
type Verdict string

// The verdicts. The zero value is none of them and must be taken as VerdictAsk.
const (
	VerdictAllow Verdict = "allow"
	VerdictAsk   Verdict = "ask"
	VerdictDeny  Verdict = "deny"
)

// writeTools are the control plane's tools that change something.
var writeTools = []string{
	"create_piece", "create_draft", "update_draft", "cancel_draft", "release_draft",
	"register_project", "open_piece_workspace", "piece_action", "snooze_cue", "reveal",
}

// readTools are the control plane's other tools.
var readTools = []string{
	"list_projects", "list_echoes", "list_pieces", "get_piece", "get_artifact", "list_sessions", "get_session", "list_cues",
}

// fenceMatcher hits the write tools under any server name: the person chose the name, not we.
var fenceMatcher = "^mcp__.*__(" + strings.Join(writeTools, "|") + ")$"

var fence = regexp.MustCompile(fenceMatcher)

// quietTools read, or change nothing but the session itself.
var quietTools = []string{
	"Read", "Glob", "Grep", "LS", "NotebookRead", "LSP", "ToolSearch", "ListMcpResourcesTool", "ReadMcpResourceTool",
	"Task", "Agent", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskUpdate", "TaskStop", "TodoWrite", "TodoRead",
	"BashOutput", "KillShell", "ReportFindings", "StructuredOutput", "EnterPlanMode",
}

// fileTools write the file that their input names, under the key of this table.
var fileTools = map[string]string{
	"Edit": "file_path", "MultiEdit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path",
}

const (
	questionTool = "AskUserQuestion"
	planTool     = "ExitPlanMode"
)

// Policy is what a session may do without asking.
type Policy struct {
	Profile  pieces.Profile
	ReadOnly bool
	Worktree string // absolute
	// Allowed are command prefixes ("go test") and rules as RuleFor makes them ("Bash(make)").
	Allowed []string
}

// Decide says whether a tool may be used with this input, and with VerdictDeny why not, in words for the agent. It
// looks at the file system only to follow symbolic links.
func (p Policy) Decide(tool string, input json.RawMessage) (Verdict, string) {
	switch {
	case fence.MatchString(tool):
		return VerdictDeny, FenceSentence
	case tool == questionTool:
		return VerdictAsk, ""
	case p.ReadOnly && tool != planTool && !quiet(tool):
		return VerdictDeny, readOnlySentence
	case tool == planTool:
		return VerdictAsk, ""
	case quiet(tool), p.Profile == pieces.ProfileTrusted:
		return VerdictAllow, ""
	case p.Profile == pieces.ProfileStandard && p.standard(tool, input):
		return VerdictAllow, ""
	}
	return VerdictAsk, ""
}

func quiet(tool string) bool {
	if name, ok := strings.CutPrefix(tool, "mcp__fermata__"); ok {
		return slices.Contains(readTools, name)
	}
	return slices.Contains(quietTools, tool)
}

func (p Policy) standard(tool string, input json.RawMessage) bool {
	if slices.Contains(p.Allowed, RuleFor(tool, input)) {
		return true
	}
	if _, ok := fileTools[tool]; ok {
		return p.editable(filePath(tool, input))
	}
	if tool != "Bash" {
		return false
	}
	in := bashInput(input)
	commands, ok := plainCommands(in.Command)
	if !ok || in.Unsandboxed {
		return false
	}
	for _, words := range commands {
		if !p.commandAllowed(words) {
			return false
		}
	}
	return true
}

// editable says whether path is a file in the worktree that gives nobody more rights when it is written. Git's own
// files and Claude Code's settings would; so would a file called HEAD, without which no folder is a repository whose
// configuration git obeys.
func (p Policy) editable(path string) bool {
	if path == "" || p.Worktree == "" {
		return false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Worktree, path)
	}
	root, ok := resolve(p.Worktree)
	if !ok {
		return false
	}
	full, ok := resolve(path)
	if !ok {
		return false
	}
	inside, err := filepath.Rel(root, full)
	if err != nil || inside == "." || !filepath.IsLocal(inside) {
		return false
	}
	// Case counts for nothing: on macOS and Windows .GIT is .git.
	parts := strings.Split(strings.ToLower(filepath.ToSlash(inside)), "/")
	for _, part := range parts {
		if part == ".git" || part == ".claude" || strings.HasPrefix(part, "git~") {
			return false
		}
	}
	name := parts[len(parts)-1]
	return name != "head" && name != ".mcp.json"
}

// resolve cleans the path and follows its symbolic links; what does not exist yet is kept as it is written.
func resolve(path string) (string, bool) {
	path = filepath.Clean(path)
	var missing []string
	for {
		_, err := os.Lstat(path)
		if err == nil {
			break
		}
		parent := filepath.Dir(path)
		if !os.IsNotExist(err) || parent == path {
			return "", false
		}
		missing = append(missing, filepath.Base(path))
		path = parent
	}
	// A link whose target is missing exists for Lstat and fails here, which is right: it could lead anywhere.
	full, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	slices.Reverse(missing)
	return filepath.Join(append([]string{full}, missing...)...), true
}

func (p Policy) commandAllowed(words []string) bool {
	if words[0] == "git" && gitAllowed(words[1:]) {
		return true
	}
	for _, prefix := range p.Allowed {
		commands, ok := plainCommands(prefix)
		if ok && len(commands) == 1 && len(commands[0]) <= len(words) && slices.Equal(commands[0], words[:len(commands[0])]) {
			return true
		}
	}
	return false
}

// gitAllowed knows the git commands of daily work that neither leave the repository nor run another program. An option
// before the command (-C, -c, --git-dir …) is always asked about.
func gitAllowed(words []string) bool {
	if len(words) == 0 {
		return false
	}
	options := words[1:]
	switch words[0] {
	case "branch":
		return slices.Equal(options, []string{"--show-current"})
	case "commit":
		return !slices.ContainsFunc(options, skipsHooks)
	case "status", "add", "rev-parse":
		return true
	case "diff", "log", "show":
		// Git takes any unambiguous beginning of an option's name for it.
		return !slices.ContainsFunc(options, func(o string) bool {
			return strings.HasPrefix(o, "--ou") || strings.HasPrefix(o, "--ext")
		})
	}
	return false
}

// skipsHooks hits -n, alone or among other short options, and --no-verify in all its lengths.
func skipsHooks(option string) bool {
	if strings.HasPrefix(option, "--") {
		return strings.HasPrefix(option, "--no-v")
	}
	if !strings.HasPrefix(option, "-") {
		return false
	}
	for _, c := range option[1:] {
		if c == 'n' {
			return true
		}
		if !strings.ContainsRune("aeiopqsvz", c) {
			return false // takes the rest as its value
		}
	}
	return false
}

// RuleFor is the text of the rule that an approval for a session or a project stands for: the tool with what is
// particular about this use. Two uses with the same text are the same to the person who approved one.
func RuleFor(tool string, input json.RawMessage) string {
	if _, ok := fileTools[tool]; ok {
		path := filePath(tool, input)
		if full, ok := resolve(path); ok {
			path = full
		}
		return "Edit(" + path + ")"
	}
	switch tool {
	case "Bash":
		in := bashInput(input)
		if in.Unsandboxed {
			return "BashUnsandboxed(" + in.Command + ")"
		}
		return "Bash(" + in.Command + ")"
	case "WebFetch":
		var in struct{ URL string }
		_ = json.Unmarshal(input, &in)
		if address, err := url.Parse(in.URL); err == nil {
			return "WebFetch(domain:" + strings.ToLower(address.Hostname()) + ")"
		}
	}
	return tool
}

type bash struct {
	Command     string `json:"command"`
	Unsandboxed bool   `json:"dangerouslyDisableSandbox"`
}

func bashInput(input json.RawMessage) bash {
	var in bash
	_ = json.Unmarshal(input, &in) // an unreadable input has an empty command, which nothing allows
	return in
}

func filePath(tool string, input json.RawMessage) string {
	var in map[string]json.RawMessage
	_ = json.Unmarshal(input, &in)
	var path string
	_ = json.Unmarshal(in[fileTools[tool]], &path)
	return path
}

// promptKind sorts what is asked of the person.
func promptKind(tool string) pieces.PromptKind {
	switch tool {
	case questionTool:
		return pieces.PromptQuestion
	case planTool:
		return pieces.PromptPlan
	}
	return pieces.PromptApproval
}
