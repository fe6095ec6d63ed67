package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fermata/pieces"
)

func raw(t *testing.T, v any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestProfilesDecideByTool(t *testing.T) {
	t.Parallel()
	const safe, standard, trusted = pieces.ProfileSafe, pieces.ProfileStandard, pieces.ProfileTrusted
	tests := []struct {
		tool                     string
		safe, standard, trusted_ Verdict
		readOnly                 Verdict
	}{
		{"Read", VerdictAllow, VerdictAllow, VerdictAllow, VerdictAllow},
		{"Grep", VerdictAllow, VerdictAllow, VerdictAllow, VerdictAllow},
		{"Task", VerdictAllow, VerdictAllow, VerdictAllow, VerdictAllow},
		{"StructuredOutput", VerdictAllow, VerdictAllow, VerdictAllow, VerdictAllow},
		{"mcp__fermata__list_pieces", VerdictAllow, VerdictAllow, VerdictAllow, VerdictAllow},
		{"mcp__other__list_pieces", VerdictAsk, VerdictAsk, VerdictAllow, VerdictDeny},
		{"mcp__fermata__create_draft", VerdictDeny, VerdictDeny, VerdictDeny, VerdictDeny},
		{"mcp__my_own_name__piece_action", VerdictDeny, VerdictDeny, VerdictDeny, VerdictDeny},
		{"mcp__x__reveal_more", VerdictAsk, VerdictAsk, VerdictAllow, VerdictDeny},
		{"Write", VerdictAsk, VerdictAsk, VerdictAllow, VerdictDeny},
		{"Bash", VerdictAsk, VerdictAsk, VerdictAllow, VerdictDeny},
		{"WebFetch", VerdictAsk, VerdictAsk, VerdictAllow, VerdictDeny},
		{"NeverHeardOf", VerdictAsk, VerdictAsk, VerdictAllow, VerdictDeny},
		{"AskUserQuestion", VerdictAsk, VerdictAsk, VerdictAsk, VerdictAsk},
		{"ExitPlanMode", VerdictAsk, VerdictAsk, VerdictAsk, VerdictAsk},
	}
	for _, tt := range tests {
		for profile, want := range map[pieces.Profile]Verdict{safe: tt.safe, standard: tt.standard, trusted: tt.trusted_, "": tt.safe} {
			if got, _ := (Policy{Profile: profile}).Decide(tt.tool, nil); got != want {
				t.Errorf("%q: %s = %s, want %s", profile, tt.tool, got, want)
			}
			got, reason := Policy{Profile: profile, ReadOnly: true}.Decide(tt.tool, nil)
			if got != tt.readOnly || (got == VerdictDeny) != (reason != "") {
				t.Errorf("read only %q: %s = %s (%q), want %s", profile, tt.tool, got, reason, tt.readOnly)
			}
		}
	}
}

func TestEditsStayInsideTheWorktree(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	worktree, outside := filepath.Join(base, "tree"), filepath.Join(base, "tree-2")
	for _, dir := range []string{filepath.Join(worktree, "sub"), outside} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"out": outside, "dangling": filepath.Join(outside, "new.txt"), "in": "sub", "git": ".git"} {
		if err := os.Symlink(target, filepath.Join(worktree, name)); err != nil {
			t.Fatal(err)
		}
	}
	throughLink := filepath.Join(base, "link-to-tree")
	if err := os.Symlink(worktree, throughLink); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		path string
		want Verdict
	}{
		{worktree + "/a.txt", VerdictAllow},
		{worktree + "/new/deep/a.txt", VerdictAllow},
		{"sub/a.txt", VerdictAllow},
		{worktree + "/in/a.txt", VerdictAllow},
		{throughLink + "/a.txt", VerdictAllow},
		{worktree + "/.gitignore", VerdictAllow},
		{worktree + "/.github/workflows/ci.yml", VerdictAllow},
		{worktree, VerdictAsk},
		{"", VerdictAsk},
		{outside + "/a.txt", VerdictAsk},
		{worktree + "/../tree-2/a.txt", VerdictAsk},
		{worktree + "/sub/../../x", VerdictAsk},
		{"../x", VerdictAsk},
		{worktree + "/out/a.txt", VerdictAsk},
		{worktree + "/dangling", VerdictAsk},
		{worktree + "/git/config", VerdictAsk},
		{worktree + "/.git", VerdictAsk},
		{worktree + "/.git/hooks/pre-commit", VerdictAsk},
		{worktree + "/sub/.GIT/config", VerdictAsk},
		{worktree + "/GIT~1/config", VerdictAsk},
		{worktree + "/.claude/settings.local.json", VerdictAsk},
		{worktree + "/.mcp.json", VerdictAsk},
		{worktree + "/fixture/HEAD", VerdictAsk},
	}
	p := Policy{Profile: pieces.ProfileStandard, Worktree: worktree}
	for _, tt := range tests {
		for tool, key := range fileTools {
			if got, _ := p.Decide(tool, raw(t, map[string]string{key: tt.path})); got != tt.want {
				t.Errorf("%s %s = %s, want %s", tool, tt.path, got, tt.want)
			}
		}
	}
	for _, input := range []string{`{}`, `null`, `{"file_path":7}`, `[]`, ``} {
		if got, _ := p.Decide("Write", json.RawMessage(input)); got != VerdictAsk {
			t.Errorf("Write %s = %s, want ask", input, got)
		}
	}
}

func TestCommandsOfTheStandardProfile(t *testing.T) {
	t.Parallel()
	message := "git commit -m \"$(cat <<'EOF'\nAdd it (really); a & b | c\n\nIt's done.\nEOF\n)\""
	tests := []struct {
		command string
		want    Verdict
	}{
		{"git status", VerdictAllow},
		{" git  status --short ", VerdictAllow},
		{"git diff HEAD~1 -- a.txt", VerdictAllow},
		{"git log --oneline -n 5", VerdictAllow},
		{"git show HEAD^", VerdictAllow},
		{"git add -A", VerdictAllow},
		{"git add 'a b.txt' \"c d.txt\" übung.txt", VerdictAllow},
		{"git commit -m 'do; it && more $x'", VerdictAllow},
		{`git commit -m "say \"hi\"; all"`, VerdictAllow},
		{"git commit -am done", VerdictAllow},
		{"git commit -mn", VerdictAllow},
		{message, VerdictAllow},
		{"git add . && " + message, VerdictAllow},
		{"git rev-parse --show-toplevel", VerdictAllow},
		{"git branch --show-current", VerdictAllow},
		{"go test ./...", VerdictAllow},
		{"make", VerdictAllow},
		{"git add . && go test ./x", VerdictAllow},
		{"printf x > y | z", VerdictAllow}, // by its rule, exactly

		{"", VerdictAsk},
		{"git", VerdictAsk},
		{"git push", VerdictAsk},
		{"git branch", VerdictAsk},
		{"git branch -D main", VerdictAsk},
		{"git -C /elsewhere status", VerdictAsk},
		{"git -c core.fsmonitor=evil status", VerdictAsk},
		{"git --git-dir=/x status", VerdictAsk},
		{"git --exec-path=/x status", VerdictAsk},
		{"git diff --output=/etc/passwd", VerdictAsk},
		{"git log --outp=x", VerdictAsk},
		{"git diff --ext-diff", VerdictAsk},
		{"git commit --no-verify -m x", VerdictAsk},
		{"git commit --no-veri -m x", VerdictAsk},
		{"git commit -anm x", VerdictAsk},
		{"git commit -n", VerdictAsk},
		{"git status; rm -rf .", VerdictAsk},
		{"git status\nrm -rf .", VerdictAsk},
		{"git status & rm x", VerdictAsk},
		{"git status && rm x", VerdictAsk},
		{"git status || make", VerdictAsk},
		{"git status &&", VerdictAsk},
		{"&& git status", VerdictAsk},
		{"git log | sh", VerdictAsk},
		{"git log > x", VerdictAsk},
		{"git add <(x)", VerdictAsk},
		{"git add $(x)", VerdictAsk},
		{"git add \"$(x)\"", VerdictAsk},
		{"git add `x`", VerdictAsk},
		{"git add \"`x`\"", VerdictAsk},
		{"git add $HOME", VerdictAsk},
		{"git add ~/x", VerdictAsk},
		{"git add x=~/y", VerdictAsk},
		{"git add *", VerdictAsk},
		{"git add {a,b}", VerdictAsk},
		{"git add a\\ b", VerdictAsk},
		{"git add 'open", VerdictAsk},
		{"git add \"open", VerdictAsk},
		{"git add =x", VerdictAsk},
		{"git status # x", VerdictAsk},
		{"PATH=/x git status", VerdictAsk},
		{"'git status'", VerdictAsk},
		{"/x/git status", VerdictAsk},
		{"cd sub && git status", VerdictAsk},
		{"go vet ./...", VerdictAsk},
		{"go testing", VerdictAsk},
		{"go", VerdictAsk},
		{"printf x > y | z; w", VerdictAsk},
		{strings.Replace(message, "'EOF'", "EOF", 1), VerdictAsk},
		{strings.Replace(message, "really", "$(x)", 1), VerdictAsk},
		{strings.Replace(message, "really", `"; rm x; "`, 1), VerdictAsk},
		{strings.Replace(message, "\n)\"", "\nrm x)\"", 1), VerdictAsk},
		{strings.Replace(message, "cat", "sh", 1), VerdictAsk},
	}
	p := Policy{
		Profile: pieces.ProfileStandard, Worktree: t.TempDir(),
		Allowed: []string{"go test", "make", "Bash(printf x > y | z)", "a | b", ""},
	}
	for _, tt := range tests {
		if got, _ := p.Decide("Bash", raw(t, bash{Command: tt.command})); got != tt.want {
			t.Errorf("%q = %s, want %s", tt.command, got, tt.want)
		}
		p := Policy{Profile: pieces.ProfileSafe, Allowed: p.Allowed}
		if got, _ := p.Decide("Bash", raw(t, bash{Command: tt.command})); got != VerdictAsk {
			t.Errorf("safe: %q = %s, want ask", tt.command, got)
		}
	}
	if got, _ := p.Decide("Bash", raw(t, bash{Command: "git status", Unsandboxed: true})); got != VerdictAsk {
		t.Errorf("outside the sandbox = %s, want ask", got)
	}
}

func TestRulesTellUsesApart(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		tool  string
		input any
		want  string
	}{
		{"Bash", bash{Command: "npm ci"}, "Bash(npm ci)"},
		{"Bash", bash{Command: "npm ci", Unsandboxed: true}, "BashUnsandboxed(npm ci)"},
		{"Write", map[string]string{"file_path": dir + "/x/../y"}, "Edit(" + dir + "/y)"},
		{"Edit", map[string]string{"file_path": dir + "/y"}, "Edit(" + dir + "/y)"},
		{"WebFetch", map[string]string{"url": "https://Go.dev:443/x"}, "WebFetch(domain:go.dev)"},
		{"mcp__a__b", map[string]string{"x": "y"}, "mcp__a__b"},
	}
	for _, tt := range tests {
		if got := RuleFor(tt.tool, raw(t, tt.input)); got != tt.want {
			t.Errorf("RuleFor(%s, %v) = %q, want %q", tt.tool, tt.input, got, tt.want)
		}
	}
}
