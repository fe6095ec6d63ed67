package project_test

import (
	"image"
	imagedraw "image/draw"
	"reflect"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"fermata/ui/stage"
)

func TestAPageTurnsLightThoughAnotherIsShown(t *testing.T) {
	tabs := []string{"spec", "strategy", "agents", "sessions", "review", "history"}
	look := func(t *testing.T, first fyne.ThemeVariant) map[string]*image.NRGBA {
		t.Helper()
		s := stage.New(t, first)
		w := openWindow(t, s, everyday(), 1280, 800)
		w.sees("card:piece")
		w.project.ShowPiece("piece")
		for _, tab := range tabs {
			w.click("tab:" + tab)
			w.sees("page:" + tab)
		}
		w.click("tab:overview")
		w.sees("page:overview")
		s.Wear(theme.VariantLight)
		drawn := map[string]*image.NRGBA{}
		for _, tab := range tabs {
			w.click("tab:" + tab)
			w.sees("page:" + tab)
			stage.Settle(w.Window)
			side := image.NewNRGBA(image.Rect(0, 0, 560, 740)) // the ground of the rest is the test's own
			imagedraw.Draw(side, side.Bounds(), stage.Picture(w.Window), image.Pt(1280-560, 60), imagedraw.Src)
			drawn[tab] = side
		}
		return drawn
	}
	want, got := look(t, theme.VariantLight), look(t, theme.VariantDark)
	for _, tab := range tabs {
		if !reflect.DeepEqual(want[tab], got[tab]) {
			t.Errorf("a part of the page %s is drawn in the theme of before", tab)
		}
	}
}
