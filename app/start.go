package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	fyneapp "fyne.io/fyne/v2/app"
	"github.com/go-gl/glfw/v3.3/glfw"

	"fermata/assets"
	"fermata/pieces"
	"fermata/ui"
	"fermata/ui/kit/glyphs"
	"fermata/ui/pump"
)

// appID names the app to the desktop.
const appID = "run.fermata.app"

// start runs the app until it quits, or shows the window of the one that has the data folder.
func start(ctx context.Context, f folder, log *slog.Logger, hidden bool) error {
	release, err := claim(f)
	if errors.Is(err, errRunning) {
		if err := tell(ctx, f, order{Do: orderShow}, nil); err != nil {
			return fmt.Errorf("%w, but it did not show its window: %w", errRunning, err)
		}
		fmt.Fprintln(os.Stderr, "fermata: it runs already; its window is shown.")
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	if err := hasDisplay(os.Getenv); err != nil {
		return err
	}
	if err := keepCrashes(f); err != nil {
		log.Warn("keep a crash file", "err", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := build(ctx, f, log)
	if err != nil {
		return err
	}
	return errors.Join(c.live(ctx, cancel, hidden), c.calls.close(), c.store.Close())
}

// keepCrashes lets a crash of the runtime itself leave its reason in the data folder.
func keepCrashes(f folder) error {
	file, err := os.OpenFile(f.crash(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(debug.SetCrashOutput(file, debug.CrashOptions{}), file.Close())
}

func hasDisplay(env func(string) string) error {
	if runtime.GOOS == "linux" && env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
		return errors.New("there is no display to open a window on: set DISPLAY, or start it with `make run`, which brings one of its own")
	}
	return nil
}

// live runs the windows on this goroutine and everything else beside it, and ends all of it in order.
func (c *core) live(ctx context.Context, cancel context.CancelFunc, hidden bool) error {
	// The keychain and the fonts know nothing of pieces, and reading them takes as long as mending: it is done beside it.
	var work sync.WaitGroup
	c.plane.readAhead(ctx, &work)
	fonts := make(chan error, 1)
	work.Go(func() { fonts <- glyphs.Prepare(c.folder.fonts()) })
	// The engine ends by Close, after the waiting calls were answered, and not by the signal itself.
	if err := c.engine.Start(context.WithoutCancel(ctx)); err != nil {
		cancel()
		work.Wait()
		return err
	}
	defer c.engine.Close()
	// Clients are answered while the windows are still being made.
	serving, stopServing := context.WithCancel(ctx)
	work.Go(func() { c.plane.run(serving) })
	var l *listener
	// However this ends, even by a panic, it ends: waiting calls are answered before anything else does.
	defer func() {
		stopServing()
		cancel()
		if l != nil {
			l.close()
		}
		work.Wait()
		c.desk.Wait()
	}()
	a := fyneapp.NewWithID(appID)
	stopHook := takeStopHook(a)
	a.SetIcon(fyne.NewStaticResource(assets.IconName, assets.Icon))
	if err := <-fonts; err != nil {
		c.log.Warn("the windows are drawn with Fyne's own fonts", "err", err)
	}
	dress := newLook(a, c.log)
	first, err := c.engine.Settings(ctx)
	if err != nil {
		return err
	}
	wanted := ui.LookOf(first)
	c.keepAtLogin(first)
	screen := pump.New()
	var shell *ui.Shell
	// What comes from the desktop waits for the main goroutine, and that for the shell.
	host := findTray(ctx, a, c.log, func() { screen.Do(func() { shell.TrayChanged() }) })
	shell = ui.New(ui.Options{
		App: a, Engine: c.engine, Desk: c.desk, Plane: c.plane, Calls: c.calls, Pump: screen, Log: c.log, Version: Version,
		Tray: host, DataFolder: string(c.folder), Wear: dress.wear, Look: wanted, Hidden: hidden,
		OpenIn: c.opener.open, Placer: &placer{log: c.log, watched: map[*glfw.Window]bool{}},
		Pointer:  &pointer{log: c.log},
		Notifier: c.notifier(ctx, &work, a, func(key string) { screen.Do(func() { shell.OpenNotice(key) }) }),
	})
	l, err = listen(c.folder, c.log, c.guard.admit, func(ctx context.Context, o order) (any, error) {
		return c.order(ctx, o, func() { screen.Do(shell.Show) }, func(name string) (any, error) { return locate(ctx, screen, shell, name) })
	})
	if err != nil {
		return err
	}
	work.Go(func() { l.serve(ctx) })
	work.Go(func() {
		look := time.NewTicker(restLook)
		defer look.Stop()
		giveBack(ctx, look.C, readHeap(), give)
	})
	c.plane.windows(
		func(projectID, pieceID string) { screen.Do(func() { shell.OpenPiece(projectID, pieceID) }) },
		func(id string) { screen.Do(func() { shell.OpenSession(id) }) },
	)
	a.Lifecycle().SetOnStarted(func() {
		// Fyne follows the desktop only while no theme was set before it runs.
		dress.wear(wanted)
		shell.Start(ctx)
	})
	a.Lifecycle().SetOnEnteredForeground(func() { screen.Do(func() { shell.Foreground(true) }) })
	a.Lifecycle().SetOnExitedForeground(func() { screen.Do(func() { shell.Foreground(false) }) })
	quit := context.AfterFunc(ctx, func() {
		screen.Do(func() {
			screen.Stop()
			a.Quit()
		})
	})
	a.Run()
	screen.Stop() // Fyne may also quit by itself
	stopHook()
	quit()
	stopServing()
	cancel()
	shell.Close()
	screen.Wait()
	return nil
}

// notifier returns what shows notifications that can be clicked, or nil where Fyne's have to do.
func (c *core) notifier(ctx context.Context, work *sync.WaitGroup, a fyne.App, clicked func(key string)) ui.Notifier {
	if runtime.GOOS != "linux" {
		return nil
	}
	icon := c.folder.icon()
	if err := os.WriteFile(icon, assets.Icon, 0o600); err != nil {
		c.log.Warn("write the icon of notifications", "err", err)
		icon = ""
	}
	n := newNotifier(c.log, icon, clicked, func(notice ui.Notice) { a.SendNotification(fyne.NewNotification(notice.Title, notice.Body)) })
	work.Go(func() { n.run(ctx) })
	return n
}

// locate says where a named widget is on its window, so that tests can click it as a person would. It runs on the main
// goroutine and waits for it.
func locate(ctx context.Context, screen *pump.Pump, shell *ui.Shell, name string) (ui.Place, error) {
	type found struct {
		place ui.Place
		err   error
	}
	back := make(chan found, 1)
	screen.Do(func() {
		p, err := shell.Locate(name)
		back <- found{p, err}
	})
	select {
	case f := <-back:
		return f.place, f.err
	case <-ctx.Done():
		return ui.Place{}, context.Cause(ctx)
	}
}

// keepAtLogin repairs what the desktop starts at login: this program may have moved, and the command line may have changed
// the setting.
func (c *core) keepAtLogin(settings map[string]string) {
	if err := c.login.StartAtLogin(settings[pieces.KeyStartAtLogin] == "true"); err != nil {
		c.log.Warn("start at login", "err", err)
	}
}
