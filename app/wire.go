package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"time"

	"github.com/google/uuid"
	"github.com/zalando/go-keyring"

	"fermata/mcp/register"
	"fermata/pieces"
	"fermata/pieces/agent"
	"fermata/pieces/agent/host"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
	"fermata/pieces/forge"
	"fermata/pieces/git"
	"fermata/store"
)

func newID() string { return uuid.NewString() }

// core is the object graph without its windows.
type core struct {
	folder  folder
	log     *slog.Logger
	store   *store.Store
	engine  *engine.Engine
	desk    *consent.Desk
	secrets *secrets
	guard   *guard
	calls   *callBook
	plane   *controlPlane
	login   atLogin
	opener  *opener
}

// build makes the object graph: what everything is made of is said here and nowhere else.
func build(ctx context.Context, f folder, log *slog.Logger) (*core, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	db, err := store.Open(ctx, store.Options{Path: f.database(), Log: log, Now: time.Now})
	if err != nil {
		return nil, err
	}
	c := &core{
		folder: f, log: log, store: db, desk: &consent.Desk{},
		secrets: &secrets{file: f.token(), log: log, get: keyring.Get, set: keyring.Set},
	}
	if c.login, err = newAtLogin(f, os.Getenv); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	environ := environment()
	setting := func(key string) string {
		all, err := db.SettingValues(ctx)
		if err != nil {
			log.Error("read a setting", "key", key, "err", err)
		}
		return all[key]
	}
	c.opener = newOpener(setting, environ)
	claude := func() string { return setting(pieces.KeyClaudePath) }
	driver := agent.New(agent.Options{Claude: claude, Host: []string{program, hostCommand}, Environ: environ, Log: log})
	c.engine = engine.New(engine.Options{
		Store:  db,
		Git:    git.New(git.Options{LockDir: f.gitLocks(), Environ: environ}),
		Agents: agents{driver},
		Forge: forge.New(forge.Options{
			APIURL: func() string {
				if url := setting(pieces.KeyGitHubAPIURL); url != "" {
					return url
				}
				return os.Getenv("GITHUB_API_URL")
			},
			Token: func(ctx context.Context, host string) (string, error) {
				return forge.Token(ctx, host, func() (string, error) { return c.secrets.gitHub(ctx) }, os.Getenv)
			},
			HTTP: &http.Client{Timeout: time.Minute},
		}),
		Login:        c.login,
		WorktreeRoot: f.worktrees(), AttachmentRoot: f.attached(), Now: time.Now, NewID: newID, Log: log,
	})
	home, err := os.UserHomeDir()
	if err != nil {
		log.Warn("find the home folder", "err", err)
	}
	reg := register.New(register.Options{Claude: func() string { return claudePath(claude()) }, Home: home, Environ: environ})
	c.guard = newGuard(c.engine, log)
	c.calls = &callBook{path: f.audit(), log: log}
	c.plane = newControlPlane(planeParts{engine: c.engine, desk: c.desk, secrets: c.secrets, guard: c.guard, calls: c.calls, reg: reg, log: log})
	return c, nil
}

// claudePath returns where the claude command is, or "".
func claudePath(set string) string {
	if set != "" {
		return set
	}
	path, err := exec.LookPath("claude")
	if err != nil {
		return ""
	}
	return path
}

// agents is the driver as the engine wants it.
type agents struct{ driver *agent.Driver }

func (a agents) Start(ctx context.Context, l pieces.Launch, emit func(pieces.SessionEvent)) (engine.Conversation, error) {
	run, err := a.driver.Start(ctx, l, emit)
	if err != nil {
		return nil, err
	}
	return run, nil
}

func (a agents) Script(ctx context.Context, dir, script string) (string, error) {
	return a.driver.Script(ctx, dir, script)
}

func (a agents) Gone(ctx context.Context, h pieces.HostProcess) error { return host.EndStale(ctx, h) }

func (a agents) Health(ctx context.Context) (string, pieces.FailureKind, string) {
	return a.driver.Health(ctx)
}

// locateVariable lets tests ask where a widget is, so that they can click it with real input events.
const locateVariable = "FERMATA_LOCATE"

// order answers the command line.
func (c *core) order(ctx context.Context, o order, show func(), locate func(string) (any, error)) (any, error) {
	switch o.Do {
	case orderShow:
		show()
		return true, nil
	case orderEndpoint:
		return c.plane.endpoint()
	case orderSettings:
		return c.engine.Settings(ctx)
	case orderSet:
		return true, c.engine.SetSetting(ctx, o.Key, o.Value)
	case orderRestore:
		return restore(ctx, c.engine, o)
	case orderSaved:
		return savedWork(ctx, c.engine, o)
	case orderLocate:
		if os.Getenv(locateVariable) == "1" {
			return locate(o.Key)
		}
	}
	return nil, fmt.Errorf("unknown order %q", o.Do)
}
