package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"fermata/pieces/git"
)

// errFindings ends `fermata doctor` where it found something: its exit code says so, and the findings are printed.
var errFindings = errors.New("found what can hurt work in this repository")

// doctorCommand looks a repository over. It needs neither the app nor its data.
func doctorCommand(ctx context.Context, f folder, args []string, out io.Writer) error {
	if len(args) != 1 {
		return usage("doctor takes the path of a repository")
	}
	path, err := filepath.Abs(args[0])
	if err != nil {
		return fmt.Errorf("find %s: %w", args[0], err)
	}
	found, err := git.New(git.Options{LockDir: f.gitLocks(), Environ: os.Environ}).Examine(ctx, path, "", time.Now())
	if err != nil {
		return err
	}
	if len(found) == 0 {
		fmt.Fprintln(out, "Nothing found that hurts work in "+path+".")
		return nil
	}
	for i, finding := range found {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s: %s\n  Fix: %s\n", finding.Key, finding.What, finding.Fix)
	}
	return errFindings
}
