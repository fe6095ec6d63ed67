package git

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBranchNamesAreSafeForAnyTitle(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	cases := []struct{ title, key, want string }{
		{"Fix the login", "", "fermata/fix-the-login"},
		{"Fix the login", "ENG-123", "fermata/ENG-123-fix-the-login"},
		{"Fix", "owner/repo#45", "fermata/owner-repo-45-fix"},
		{"Fix", "--", "fermata/fix"},
		{"../../etc/passwd", "", "fermata/etc-passwd"},
		{"-rf --force", "", "fermata/rf-force"},
		{"", "", "fermata/piece"},
		{"🚀🎉", "", "fermata/piece"},
		{"I ❤️ it 1️⃣", "", "fermata/i-it-1"},
		{"로그인 오류 수정!", "", "fermata/로그인-오류-수정"},
		{"e\u0301te\u0301", "", "fermata/été"},
		{"हिन्दी पाठ", "", "fermata/हिन्दी-पाठ"},
		{"CON", "", "fermata/con-x"},
		{"nul", "", "fermata/nul-x"},
		{"COM1", "", "fermata/com1-x"},
		{"packages.lock", "", "fermata/packages-lock"},
		{"a..b@{c}~^:?*[\\ d", "", "fermata/a-b-c-d"},
		{"tab\tnew\nline\x00nul", "", "fermata/tab-new-line-nul"},
		{"HEAD", "", "fermata/head"},
		{"\xff\xfe bad", "", "fermata/bad"},
		{strings.Repeat("word ", 40), "", "fermata/word-word-word-word-word-word-word-word-word-word-word-word"},
		{strings.Repeat("한", 40), "", "fermata/" + strings.Repeat("한", 20)},
	}
	for _, c := range cases {
		got, err := p.FreeBranch(t.Context(), p.repo, c.title, c.key)
		if err != nil || got != c.want {
			t.Errorf("%q %q: got %q, want %q, %v", c.title, c.key, got, c.want, err)
		}
		if last := strings.TrimPrefix(got, "fermata/"); len(last) > maxSlug || !utf8.ValidString(last) {
			t.Errorf("%q: %d bytes", got, len(last))
		}
		if checkBranch(got) != nil {
			t.Errorf("%q is refused by our own check", got)
		}
	}
}

func TestBranchNamesAvoidWhatIsTaken(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.remote()
	for _, name := range []string{"fermata/Login", "fermata/login-2", "fermata/release/x", "other"} {
		p.git(p.repo, "branch", name)
	}
	p.git(p.repo, "push", "-q", "origin", "main:refs/heads/fermata/remote-only", "main:refs/heads/fermata/été")
	p.git(p.repo, "fetch", "-q")
	cases := map[string]string{
		"login":       "fermata/login-3",
		"release":     "fermata/release-2",
		"Remote only": "fermata/remote-only-2",
		"ÉTÉ":         "fermata/été-2",
		"other":       "fermata/other",
	}
	for title, want := range cases {
		if got, err := p.FreeBranch(t.Context(), p.repo, title, ""); err != nil || got != want {
			t.Errorf("%q: got %q, want %q, %v", title, got, want, err)
		}
	}
}

func TestBranchCalledFermataGivesWay(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.git(p.repo, "branch", "fermata")
	name, err := p.FreeBranch(t.Context(), p.repo, "Login", "")
	if err != nil || name != "fermata-login" {
		t.Fatalf("%q, %v", name, err)
	}
	if err := p.AddWorktree(t.Context(), p.repo, filepath.Join(p.root, "x"), name, "main"); err != nil {
		t.Error(err)
	}
}

func TestRefsThatGitWouldMisreadAreRefused(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "-x", "--all", "a b", "a..b", "a^", "a~1", "a:b", "@", "@{-1}", "a@{1}", ".a", "a/.b", "a.lock", "a.lock/b", "a//b", "/a", "a/", "a.", "a\x00", "a\nb", "a*", `a\b`, "\xff"} {
		if checkRef(bad) == nil {
			t.Errorf("%q passed", bad)
		}
	}
	for _, good := range []string{"main", "fermata/x", "ünï/코드", "a-b_c.d"} {
		if err := checkRef(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"refs/heads/x", "fermata/saved", "refs/fermata/../heads/x", "refs/fermata/"} {
		if checkHidden(bad) == nil {
			t.Errorf("%q passed as hidden", bad)
		}
	}
}
