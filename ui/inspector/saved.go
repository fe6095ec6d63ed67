package inspector

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// savedPart shows what a removed worktree held, and brings it back.
type savedPart struct {
	restore func(pieceID, ref string, done func(said string))

	ref    string // that said is about
	said   string // what came of bringing it back
	button *kit.Button
}

// key changes with all that content draws.
func (s *savedPart) key(p pieces.Piece, now time.Time) string {
	if s.ref != p.SavedRef {
		s.ref, s.said = p.SavedRef, ""
	}
	if p.SavedRef == "" {
		return ""
	}
	return savedWords(p.SavedRef, now) + "\x00" + s.said
}

func savedWords(ref string, now time.Time) string {
	words := phrase.Of("Saved when the worktree was removed")
	if age := kit.Age(pieces.SavedAt(ref), now); age != "" && age != phrase.Of("now") {
		words += " " + ago(age)
	}
	if pieces.SavedExpired(ref, now) {
		return words + phrase.Of(". That is more than the 30 days for which it is kept; it is still there.")
	}
	return words + phrase.Of(", and kept for 30 days.")
}

// content is drawn anew after every change of key.
func (s *savedPart) content(p pieces.Piece, now time.Time) fyne.CanvasObject {
	s.button = kit.NewButton("restoreSaved", "Restore what the worktree held", kit.Normal, func() {
		s.button.DisableFor("it is being brought back")
		s.restore(p.ID, p.SavedRef, func(said string) {
			s.button.Enable()
			if s.ref == p.SavedRef {
				s.said = said
			}
		})
	})
	lines := kit.Column(kit.Step,
		kit.NewParagraph(phrase.Of("What the worktree held")).Strong(),
		kit.NewNote(savedWords(p.SavedRef, now)),
		container.New(factRow{}, kit.Caption(phrase.Of("Saved as")), kit.NewCopyable("savedRef", p.SavedRef)),
		container.NewHBox(s.button))
	if s.said != "" {
		lines.Add(kit.NewParagraph(s.said))
	}
	return kit.NewSurface(lines).Inset(kit.Groups - kit.Step)
}

// restore brings saved work back; done gets what to say of it, or "" when a problem says it.
func (i *Inspector) restore(pieceID, ref string, done func(said string)) {
	var r engine.Restored
	i.background(func(ctx context.Context) (err error) {
		r, err = i.o.Engine.Restore(ctx, pieceID, ref, pieces.ByPerson)
		return err
	}, func(err error) {
		said := ""
		switch {
		case err != nil:
			i.showProblem("Restore what the worktree held", err)
		case r.Fresh:
			said = phrase.Of("It is back, in a worktree of its own since the piece's holds something else or is in use: ") + r.Path
		default:
			said = phrase.Of("It is back in the piece's worktree.")
		}
		done(said)
		i.Tick()
	})
}
