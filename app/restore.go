package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"fermata/pieces"
	"fermata/pieces/engine"
)

// Orders about saved work.
const (
	orderRestore = "restore"
	orderSaved   = "saved"
)

// restored is the answer to orderRestore.
type restored struct {
	Ref    string `json:"ref"`
	Path   string `json:"path"`
	Branch string `json:"branch"`
	Fresh  bool   `json:"fresh"`
}

// restoreCommand brings back what a piece's worktree held, or lists what is saved: through the running app, else in the store.
func restoreCommand(ctx context.Context, f folder, args []string, out io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == "list":
		return printSaved(ctx, f, "", out)
	case len(args) == 2 && args[0] == "list":
		return printSaved(ctx, f, args[1], out)
	case len(args) == 1 || len(args) == 2:
		return restorePiece(ctx, f, args, out)
	}
	return usage("restore takes PIECE [REF], or list [PIECE]")
}

func restorePiece(ctx context.Context, f folder, args []string, out io.Writer) error {
	o := order{Do: orderRestore, Key: args[0]}
	if len(args) == 2 {
		o.Value = args[1]
	}
	var r restored
	err := tell(ctx, f, o, &r)
	if errors.Is(err, errNotRunning) {
		err = withStore(ctx, f, func(e *engine.Engine) error {
			var err error
			r, err = restore(ctx, e, o)
			return err
		})
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is back in %s, on the branch %s.\n", r.Ref, r.Path, r.Branch)
	if r.Fresh {
		fmt.Fprintln(out, "The piece's own worktree holds something else by now, or is in use, so this one was made for it.")
	}
	return nil
}

// restore carries orderRestore out.
func restore(ctx context.Context, e *engine.Engine, o order) (restored, error) {
	id, err := pieceOf(ctx, e, o.Key)
	if err != nil {
		return restored{}, err
	}
	r, err := e.Restore(ctx, id, o.Value, pieces.ByPerson)
	return restored{Ref: r.Ref, Path: r.Path, Branch: r.Branch, Fresh: r.Fresh}, err
}

func printSaved(ctx context.Context, f folder, piece string, out io.Writer) error {
	var list []engine.SavedWork
	o := order{Do: orderSaved, Key: piece}
	err := tell(ctx, f, o, &list)
	if errors.Is(err, errNotRunning) {
		err = withStore(ctx, f, func(e *engine.Engine) error {
			var err error
			list, err = savedWork(ctx, e, o)
			return err
		})
	}
	if err != nil {
		return err
	}
	for _, s := range list {
		fmt.Fprintln(out, savedLine(s))
	}
	return nil
}

// savedWork carries orderSaved out.
func savedWork(ctx context.Context, e *engine.Engine, o order) ([]engine.SavedWork, error) {
	if o.Key == "" {
		return e.SavedWork(ctx, "")
	}
	id, err := pieceOf(ctx, e, o.Key)
	if err != nil {
		return nil, err
	}
	return e.SavedWork(ctx, id)
}

// savedLine is one saved ref for the terminal, with tabs between the parts.
func savedLine(s engine.SavedWork) string {
	words := []string{s.Ref, s.At.Local().Format(time.DateTime), s.Piece}
	if s.At.IsZero() {
		words[1] = "-"
	}
	if s.Piece == "" {
		words[2] = "(a piece that is gone)"
	}
	if s.Agent {
		words[2] += " (an agent's worktree)"
	}
	if s.Expired {
		words = append(words, "expired")
	}
	return strings.Join(words, "\t")
}

// pieceOf finds the piece that a word of the command line means: its id, its branch, or its name where only one has it.
func pieceOf(ctx context.Context, e *engine.Engine, word string) (string, error) {
	list, err := e.Pieces(ctx, pieces.PieceFilter{IncludeArchived: true})
	if err != nil {
		return "", err
	}
	var found []string
	for _, s := range list {
		p := s.Piece
		if p.ID == word || p.Branch == word {
			return p.ID, nil
		}
		if strings.EqualFold(p.Name, word) {
			found = append(found, p.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("there is no piece %q (see fermata restore list)", word)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%d pieces are named %q: give the id of one: %s", len(found), word, strings.Join(found, ", "))
}
