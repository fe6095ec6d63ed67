package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/git"
	"fermata/store"
)

// Orders of the command line to the running app.
const (
	orderShow     = "show"
	orderEndpoint = "endpoint"
	orderSettings = "settings"
	orderSet      = "set"
	orderLocate   = "locate"
)

// printEndpoint prints the MCP server's URL. Only the running app knows it: the port may have moved.
func printEndpoint(ctx context.Context, f folder, out io.Writer) error {
	var url string
	if err := tell(ctx, f, order{Do: orderEndpoint}, &url); err != nil {
		return err
	}
	fmt.Fprintln(out, url)
	return nil
}

// settingsCommand lists, reads or writes settings: through the running app, else in the store.
func settingsCommand(ctx context.Context, f folder, args []string, out io.Writer) error {
	verb := ""
	if len(args) > 0 {
		verb = args[0]
	}
	switch {
	case verb == "list" && len(args) == 1:
		return listSettings(ctx, f, out)
	case verb == "get" && len(args) == 2:
		return getSetting(ctx, f, args[1], out)
	case verb == "set" && len(args) == 3:
		return setSetting(ctx, f, args[1], args[2], out)
	}
	return usage("settings takes list, get KEY, or set KEY VALUE")
}

func listSettings(ctx context.Context, f folder, out io.Writer) error {
	all, err := readSettings(ctx, f)
	if err != nil {
		return err
	}
	for _, s := range pieces.Settings() {
		fmt.Fprintf(out, "%s=%s\n", s.Key, all[s.Key])
	}
	return nil
}

func getSetting(ctx context.Context, f folder, key string, out io.Writer) error {
	if _, ok := pieces.SettingOf(key); !ok {
		return usage("unknown setting %q (see fermata settings list)", key)
	}
	all, err := readSettings(ctx, f)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, all[key])
	return nil
}

func setSetting(ctx context.Context, f folder, key, value string, out io.Writer) error {
	s, ok := pieces.SettingOf(key)
	if !ok {
		return usage("unknown setting %q (see fermata settings list)", key)
	}
	value, err := s.Check(value)
	if err != nil {
		return usage("%v", err)
	}
	err = tell(ctx, f, order{Do: orderSet, Key: key, Value: value}, nil)
	if errors.Is(err, errNotRunning) {
		err = withStore(ctx, f, func(e *engine.Engine) error { return e.SetSetting(ctx, key, value) })
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s=%s\n", key, value)
	if key == pieces.KeyMCPEnabled && value == "true" {
		fmt.Fprintf(out, "%s and %s are on with it.\n", pieces.KeyEdgeEnabled, pieces.KeyEdgeControlPlane)
	}
	return nil
}

func readSettings(ctx context.Context, f folder) (map[string]string, error) {
	var all map[string]string
	err := tell(ctx, f, order{Do: orderSettings}, &all)
	if !errors.Is(err, errNotRunning) {
		return all, err
	}
	err = withStore(ctx, f, func(e *engine.Engine) error {
		var err error
		all, err = e.Settings(ctx)
		return err
	})
	return all, err
}

// withStore works on the store while no app has it.
func withStore(ctx context.Context, f folder, work func(*engine.Engine) error) error {
	release, err := claim(f)
	if err != nil {
		return fmt.Errorf("%w, but it does not answer; try again in a moment", err)
	}
	defer release()
	db, err := store.Open(ctx, store.Options{Path: f.database(), Log: slog.New(slog.DiscardHandler), Now: time.Now})
	if err != nil {
		return err
	}
	login, err := newAtLogin(f, os.Getenv)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	// The engine is not started: nothing runs, and what needs an agent or a forge is not asked of it.
	err = work(engine.New(engine.Options{
		Store: db, Git: git.New(git.Options{LockDir: f.gitLocks(), Environ: os.Environ}), WorktreeRoot: f.worktrees(),
		Login: login, Now: time.Now, NewID: newID, Log: slog.New(slog.DiscardHandler),
	}))
	return errors.Join(err, db.Close())
}
