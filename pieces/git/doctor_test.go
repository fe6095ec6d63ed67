package git

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fermata/pieces"
)

// healthy is a place whose examination finds nothing: a commit, an identity, and an origin.
func healthy(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	p.remote()
	return p
}

// examined gives the keys and the findings.
func (p *place) examined(path string) ([]pieces.FindingKey, []pieces.Finding) {
	p.t.Helper()
	found, err := p.Examine(p.t.Context(), path, "", time.Now())
	if err != nil {
		p.t.Fatal(err)
	}
	var keys []pieces.FindingKey
	for _, f := range found {
		keys = append(keys, f.Key)
		if f.What.Empty() || f.Fix.Empty() {
			p.t.Errorf("%s: %+v says not what it is or what mends it", f.Key, f)
		}
	}
	return keys, found
}

func TestTheDoctorFindsWhatHurtsAndSaysItsFix(t *testing.T) {
	t.Parallel()
	type sick struct {
		ail  func(p *place)
		want []pieces.FindingKey
		what string // in the first finding's words
		fix  string
	}
	for name, c := range map[string]sick{
		"nothing":  {func(*place) {}, nil, "", ""},
		"detached": {func(p *place) { p.git(p.repo, "switch", "-q", "--detach") }, []pieces.FindingKey{pieces.FindingDetached}, "detached", "git switch main"},
		"no remote": {
			func(p *place) { p.git(p.repo, "remote", "remove", "origin") },
			[]pieces.FindingKey{pieces.FindingNoRemote},
			"no remote", "git remote add origin",
		},
		"one remote of another name": {func(p *place) { p.git(p.repo, "remote", "rename", "origin", "up") }, nil, "", ""},
		"several without origin": {
			func(p *place) {
				p.git(p.repo, "remote", "rename", "origin", "up")
				p.git(p.repo, "remote", "add", "fork", "/nowhere")
				p.git(p.repo, "branch", "--unset-upstream")
			},
			[]pieces.FindingKey{pieces.FindingNoOrigin},
			"up, fork", "git remote rename",
		},
		"several without origin, one followed": {
			func(p *place) {
				p.git(p.repo, "remote", "rename", "origin", "up")
				p.git(p.repo, "remote", "add", "fork", "/nowhere")
			}, nil, "", "",
		},
		"submodules": {
			func(p *place) {
				p.git(p.repo, "update-index", "--add", "--cacheinfo", "160000,"+p.head(p.repo)+",lib/sub")
				p.git(p.repo, "commit", "-q", "-m", "sub")
			},
			[]pieces.FindingKey{pieces.FindingSubmodules},
			"lib/sub", "git submodule update --init --recursive",
		},
		"submodules that are checked out": {
			func(p *place) {
				other := newPlace(p.t)
				p.git(p.repo, "submodule", "--quiet", "add", other.repo, "mod")
				p.git(p.repo, "commit", "-q", "-m", "module")
			}, nil, "", "",
		},
		"LFS without its binary": {
			func(p *place) {
				p.write(p.repo, "art/.gitattributes", "*.psd filter=lfs diff=lfs merge=lfs -text\n")
				p.git(p.repo, "add", ".")
				p.git(p.repo, "commit", "-q", "-m", "lfs")
				p.git(p.repo, "config", "alias.lfs", "!false") // as git answers where git-lfs is not installed
			},
			[]pieces.FindingKey{pieces.FindingLFS},
			"LFS", "git lfs install",
		},
		"LFS that git is set up to need": {
			func(p *place) {
				p.write(p.repo, "art/.gitattributes", "*.psd filter=lfs diff=lfs merge=lfs -text\n")
				p.git(p.repo, "add", ".")
				p.git(p.repo, "commit", "-q", "-m", "lfs")
				p.git(p.repo, "config", "alias.lfs", "!false")
				p.git(p.repo, "config", "filter.lfs.required", "true")
			},
			[]pieces.FindingKey{pieces.FindingLFS},
			"git can make no worktree", "PATH that desktop programs get",
		},
		"sparse": {
			func(p *place) { p.git(p.repo, "sparse-checkout", "set", "--cone", "src") },
			[]pieces.FindingKey{pieces.FindingSparse},
			"Sparse", "git sparse-checkout disable",
		},
		"hooks": {
			func(p *place) { p.hook("pre-commit", "read answer\n"); p.hook("post-checkout", "sleep 600\n") },
			[]pieces.FindingKey{pieces.FindingHooks},
			"pre-commit, post-checkout", "no terminal",
		},
		"hooks elsewhere": {
			func(p *place) {
				p.write(p.repo, ".husky/commit-msg", "#!/bin/sh\n")
				p.chmod(filepath.Join(p.repo, ".husky/commit-msg"))
				p.git(p.repo, "config", "core.hooksPath", ".husky")
			},
			[]pieces.FindingKey{pieces.FindingHooks},
			"commit-msg", "no terminal",
		},
		"samples and files that cannot run": {
			func(p *place) {
				p.write(p.repo, ".git/hooks/pre-commit", "#!/bin/sh\n")
				p.write(p.repo, ".git/hooks/pre-push.sample", "#!/bin/sh\n")
				p.chmod(filepath.Join(p.repo, ".git/hooks/pre-push.sample"))
			}, nil, "", "",
		},
		"signing": {
			func(p *place) { p.git(p.repo, "config", "commit.gpgsign", "yes") },
			[]pieces.FindingKey{pieces.FindingSigning},
			"passphrase", "git config commit.gpgSign false",
		},
		"config.lock": {
			func(p *place) { p.write(p.repo, ".git/config.lock", "") },
			[]pieces.FindingKey{pieces.FindingConfigLocked},
			"config.lock", "rm '",
		},
		"twins": {
			func(p *place) {
				blob := p.git(p.repo, "rev-parse", "HEAD:a.txt")
				for _, name := range []string{"src/Read.go", "src/read.go", "Docs/x", "docs/y"} {
					p.git(p.repo, "update-index", "--add", "--cacheinfo", "100644,"+blob+","+name)
				}
				p.git(p.repo, "commit", "-q", "-m", "twins")
			},
			[]pieces.FindingKey{pieces.FindingTwins},
			"Docs and docs, src/Read.go and read.go", "git mv",
		},
		"no identity": {
			func(p *place) {
				p.git(p.repo, "config", "--global", "--unset", "user.email")
			},
			[]pieces.FindingKey{pieces.FindingNoIdentity},
			"user.email", "git config --global user.email",
		},
		"behind": {
			func(p *place) {
				for i := range 3 {
					p.git(p.repo, "commit", "-q", "--allow-empty", "-m", fmt.Sprint(i))
				}
				p.git(p.repo, "push", "-q")
				p.git(p.repo, "reset", "-q", "--hard", "HEAD~2")
			},
			[]pieces.FindingKey{pieces.FindingBehind},
			"2 commits behind origin/main", "git pull --ff-only",
		},
		"behind and ahead": {
			func(p *place) {
				p.git(p.repo, "commit", "-q", "--allow-empty", "-m", "theirs")
				p.git(p.repo, "push", "-q")
				p.git(p.repo, "reset", "-q", "--hard", "HEAD~1")
				p.git(p.repo, "commit", "-q", "--allow-empty", "-m", "ours")
			},
			[]pieces.FindingKey{pieces.FindingBehind},
			"1 commit behind", "git rebase origin/main",
		},
		"fetched long ago": {
			func(p *place) {
				long := time.Now().AddDate(0, 0, -100)
				for _, name := range []string{"refs/remotes/origin/main", "logs/refs/remotes/origin/main"} {
					p.must(os.Chtimes(filepath.Join(p.repo, ".git", name), long, long))
				}
			},
			[]pieces.FindingKey{pieces.FindingOld},
			"100 days ago", "git fetch origin",
		},
		"shallow": {
			func(p *place) {
				p.git(p.repo, "commit", "-q", "--allow-empty", "-m", "second")
				p.git(p.repo, "push", "-q")
				p.must(os.RemoveAll(p.repo))
				p.git(p.dir, "clone", "-q", "--depth=1", "file://"+filepath.Join(p.dir, "origin.git"), p.repo)
			},
			[]pieces.FindingKey{pieces.FindingShallow},
			"shallow", "--unshallow",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := healthy(t)
			c.ail(p)
			keys, found := p.examined(p.repo)
			if !slices.Equal(keys, c.want) {
				t.Fatalf("found %+v, want %v", found, c.want)
			}
			if len(found) > 0 && (!strings.Contains(found[0].What.String(), c.what) || !strings.Contains(found[0].Fix.String(), c.fix)) {
				t.Errorf("it says %+v", found[0])
			}
		})
	}
}

func TestTheDoctorSaysWhatIsNoRepositoryOrHasNoCommit(t *testing.T) {
	t.Parallel()
	p := emptyPlace(t)
	for path, want := range map[string]pieces.FindingKey{p.root: pieces.FindingNoRepository, filepath.Join(p.dir, "none"): pieces.FindingNoRepository, p.repo: pieces.FindingNoCommit} {
		keys, _ := p.examined(path)
		if !slices.Equal(keys, []pieces.FindingKey{want}) {
			t.Errorf("%s: %v, want %s", path, keys, want)
		}
	}
	if _, err := p.Examine(t.Context(), "relative", "", time.Now()); err == nil {
		t.Error("a relative path was taken")
	}
}

func TestTheDoctorTakesAboutASecondAndChangesNothing(t *testing.T) {
	t.Parallel()
	p := healthy(t)
	blob := p.git(p.repo, "rev-parse", "HEAD:a.txt")
	var index strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&index, "100644 %s\tsrc/%d/file%d.go\n", blob, i%300, i)
	}
	p.write(p.dir, "index", index.String())
	p.git(p.dir, "-C", p.repo, "read-tree", "--empty")
	p.git(p.dir, "-C", p.repo, "config", "alias.fill", "!git update-index --index-info < '"+filepath.Join(p.dir, "index")+"'")
	p.git(p.repo, "fill")
	p.git(p.repo, "commit", "-q", "-m", "many")
	before := p.git(p.repo, "for-each-ref") + p.git(p.repo, "config", "--list", "--local")
	began := time.Now()
	p.examined(p.repo)
	// The machine that tests may be busy with others; alone it takes a tenth of this.
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
	if after := p.git(p.repo, "for-each-ref") + p.git(p.repo, "config", "--list", "--local"); after != before {
		t.Error("refs or configuration changed")
	}
}

// stub stands before git: it does what the script says for calls with a word among their arguments, and else what git does.
func (p *place) stub(word, script string) {
	p.t.Helper()
	real, err := exec.LookPath("git")
	p.must(err)
	dir := filepath.Join(p.dir, "stub")
	p.write(dir, "git", "#!/bin/sh\nfor word; do [ \"$word\" = '"+word+"' ] && { "+script+"; }; done\nexec '"+real+"' \"$@\"\n")
	p.chmod(filepath.Join(dir, "git"))
	p.program = filepath.Join(dir, "git")
}

func TestTheDoctorSaysWhatItCouldNotLookAt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ word, script string }{
		"a git that hangs":             {"ls-tree", "exec sleep 600"},
		"a default branch that fails":  {"--get-regexp", "echo broken >&2; exit 128"},
		"a look that fails in one way": {"ls-tree", "echo broken >&2; exit 128"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := healthy(t)
			p.stub(c.word, c.script)
			keys, _ := p.examined(p.repo)
			if !slices.Contains(keys, pieces.FindingCannotExamine) || slices.Contains(keys, pieces.FindingNoBranch) {
				t.Errorf("found %q", keys)
			}
		})
	}
}
