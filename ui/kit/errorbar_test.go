package kit

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

func trouble() Problem {
	return Problem{
		What:    "The branch could not be pushed",
		Safe:    "All commits are kept on this machine.",
		Next:    "Check that you can reach the remote, then push again.",
		Details: "push branch: exit status 128\nfatal: could not read from remote repository",
	}
}

func TestErrorBarFoldsItsDetailsOutAndIn(t *testing.T) {
	e := NewErrorBar("push", trouble())
	w := show(t, Column(0, e), 500, 400)
	folded := e.MinSize().Height
	fold, _ := Find(w.Content(), "push.details")
	test.Tap(fold.(*Button))
	settle(w)
	if !e.Unfolded() || fold.(*Button).Label() != "Hide details" || e.MinSize().Height <= folded {
		t.Fatalf("unfolded %v, label %q, height %v after %v", e.Unfolded(), fold.(*Button).Label(), e.MinSize().Height, folded)
	}
	test.Tap(fold.(*Button))
	settle(w)
	if e.Unfolded() || e.MinSize().Height != folded {
		t.Error("the details did not fold in")
	}
}

func TestErrorBarCopiesTheWholeProblem(t *testing.T) {
	e := NewErrorBar("push", trouble())
	w := show(t, Column(0, e), 500, 400)
	b, _ := Find(w.Content(), "push.copy")
	test.Tap(b.(*Button))
	got := fyne.CurrentApp().Clipboard().Content()
	for _, want := range []string{trouble().What, trouble().Safe, trouble().Next, trouble().Details} {
		if !strings.Contains(got, want) {
			t.Errorf("the copy lacks %q: %q", want, got)
		}
	}
	if b.(*Button).Label() != "Copied" {
		t.Errorf("the button says %q, want that it copied", b.(*Button).Label())
	}
}

func TestErrorBarWithoutDetailsHasNoFold(t *testing.T) {
	e := NewErrorBar("push", Problem{What: "The disk is full"})
	w := show(t, Column(0, e), 500, 200)
	if names := Names(w.Content()); len(names) != 0 {
		t.Errorf("buttons %v, want none", names)
	}
}

func TestErrorBarPicture(t *testing.T) {
	capture(t, "errorbar", 560, 330, func() fyne.CanvasObject {
		open := NewErrorBar("b", trouble(), NewButton("b.retry", "Push again", Normal, nil))
		open.turn()
		return Column(Groups, NewErrorBar("a", Problem{What: "The disk is full", Safe: "Nothing was lost.", Next: "Free some space."}), open)
	}, shows(ColorFailed, ColorText))
}
