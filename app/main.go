// Package app is the process: its command line, the object graph, start, quit and the single instance.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"fermata/app/hush"
	"fermata/pieces/agent/host"
)

// Version is what `fermata version` prints and clients see.
const Version = "0.1.0"

// hostCommand is the hidden command that every Claude Code session runs under.
const hostCommand = "agent-host"

// hiddenFlag starts the app without a window.
const hiddenFlag = "hidden"

// Exit codes: 1 for what could not be done, 2 for wrong usage.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// errUsage marks an error as wrong usage.
var errUsage = errors.New("usage")

func usage(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUsage, fmt.Sprintf(format, args...))
}

// Main runs the command line of this process and returns its exit code.
func Main() int {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == hostCommand {
		return host.Serve(context.Background(), args[1:], os.Stdin, os.Stdout, os.Stderr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, args, os.Stdout)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errUsage):
		fmt.Fprintf(os.Stderr, "fermata: %s\n", strings.TrimPrefix(err.Error(), errUsage.Error()+": "))
		return exitUsage
	}
	fmt.Fprintf(os.Stderr, "fermata: %v\n", err)
	return exitFailed
}

const helpText = `Fermata runs your own Claude Code on pieces of work and stops where you decide.

  fermata                           start the app, or show the one that runs
  fermata endpoint                  print the URL of the MCP server
  fermata settings list             print every setting
  fermata settings get KEY          print one setting
  fermata settings set KEY VALUE    change one setting
  fermata audit export [FILE|-]     write every call of the MCP server to FILE, or print it, as JSON lines
  fermata audit verify              prove that nobody changed the book of calls
  fermata restore PIECE [REF]       bring back what a piece's removed worktree held
  fermata restore list [PIECE]      print what is saved
  fermata doctor PATH               look a repository over for what can hurt work in it
  fermata version                   print the version

  --data-dir DIR      where Fermata keeps its data (else FERMATA_DATA_DIR, else the platform's data folder)
  --log-level LEVEL   debug, info, warn or error
  --hidden            start without a window where there is a tray, as at login
`

// run parses the command line and does what it says.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := pflag.NewFlagSet("fermata", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	dataDir := flags.String("data-dir", "", "")
	level := flags.String("log-level", "info", "")
	hidden := flags.Bool(hiddenFlag, false, "")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			fmt.Fprint(out, helpText)
			return nil
		}
		return usage("%v (see fermata --help)", err)
	}
	folder, err := dataFolder(*dataDir, os.Getenv)
	if err != nil {
		return err
	}
	log, err := newLog(*level, folder)
	if err != nil {
		return err
	}
	rest := flags.Args()
	if len(rest) == 0 {
		hush.End()
		return start(ctx, folder, log, *hidden)
	}
	switch rest[0] {
	case "version":
		if len(rest) > 1 {
			return usage("version takes no argument")
		}
		fmt.Fprintln(out, "fermata "+Version)
		return nil
	case "endpoint":
		if len(rest) > 1 {
			return usage("endpoint takes no argument")
		}
		return printEndpoint(ctx, folder, out)
	case "settings":
		return settingsCommand(ctx, folder, rest[1:], out)
	case "restore":
		return restoreCommand(ctx, folder, rest[1:], out)
	case "doctor":
		return doctorCommand(ctx, folder, rest[1:], out)
	case "audit":
		return auditCommand(folder, rest[1:], out)
	}
	return usage("unknown command %q (see fermata --help)", rest[0])
}
