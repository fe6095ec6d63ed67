package kit

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

func TestEntryTakesTextAndEscape(t *testing.T) {
	e := NewEntry("title")
	escaped, submitted := false, ""
	e.OnEscape = func() { escaped = true }
	e.OnSubmitted = func(s string) { submitted = s }
	w := show(t, Column(0, e), 300, 80)
	w.Canvas().Focus(e)
	test.Type(e, "Login form")
	press(w, fyne.KeyReturn, fyne.KeyEscape)
	if e.Text != "Login form" || submitted != "Login form" || !escaped {
		t.Errorf("text %q, submitted %q, escaped %v", e.Text, submitted, escaped)
	}
}

func TestCheckTurnsWithClickSpaceAndEnter(t *testing.T) {
	var turns []bool
	c := NewCheck("resume", "Resume after the limit", func(on bool) { turns = append(turns, on) })
	w := show(t, Column(0, c), 300, 80)
	w.Canvas().Focus(c)
	c.TypedRune(' ')
	press(w, fyne.KeyReturn)
	x, y, _, h := Rect(c)
	test.TapCanvas(w.Canvas(), fyne.NewPos(x+10, y+h/2))
	if len(turns) != 3 || !turns[0] || turns[1] || !turns[2] {
		t.Errorf("turns %v, want on, off, on", turns)
	}
	c.Disable()
	press(w, fyne.KeyReturn)
	if len(turns) != 3 {
		t.Error("a disabled box turned")
	}
}

func TestSelectOpensWithEnter(t *testing.T) {
	s := NewSelect("profile", []string{"safe", "standard", "trusted"}, nil)
	w := show(t, Column(0, s), 300, 200)
	w.Canvas().Focus(s)
	press(w, fyne.KeyReturn)
	if w.Canvas().Overlays().Top() == nil {
		t.Error("the choice did not open")
	}
}

func TestFieldShowsItsHintOrWhatIsWrong(t *testing.T) {
	f := NewField("Budget", NewEntry("budget"), "US dollars for the whole piece")
	show(t, Column(0, f), 300, 140)
	f.Refuse("A budget is a number above 0.")
	if f.Hint() != "A budget is a number above 0." {
		t.Errorf("hint %q, want the reason", f.Hint())
	}
	f.Refuse("")
	if f.Hint() != "US dollars for the whole piece" {
		t.Errorf("hint %q, want the first one back", f.Hint())
	}
}

func TestFieldPicture(t *testing.T) {
	capture(t, "field", 420, 470, func() fyne.CanvasObject {
		title, budget := NewEntry("title"), NewEntry("budget")
		title.SetText("Rework the login form")
		budget.SetText("ten")
		seed := NewMultiEntry("seed", 3)
		seed.SetPlaceHolder("What should change, and why?")
		seed.FocusGained()
		wrong := NewField("Budget", budget, "US dollars for the whole piece")
		wrong.Refuse("A budget is a number above 0.")
		profile := NewSelect("profile", []string{"safe", "standard", "trusted"}, nil)
		profile.SetSelected("standard")
		check := NewCheck("resume", "Resume after the limit", nil)
		check.SetChecked(true)
		off := NewCheck("off", "Never without asking", nil)
		return Column(Groups,
			NewField("Title", title, ""), NewField("Seed", seed, "Markdown is fine"), wrong,
			NewField("Profile", profile, ""), Line(Groups, check, off))
	}, shows(ColorText, ColorAccent))
}
