package app

import (
	"image"
	"testing"
)

func TestThePopoverOpensAtThePanelThatWasClicked(t *testing.T) {
	t.Parallel()
	screen := image.Rect(0, 0, 1920, 1080)
	size := image.Pt(400, 560)
	for what, c := range map[string]struct {
		pointer image.Point
		area    image.Rectangle
		want    image.Point
	}{
		"no panel":                  {image.Pt(100, 100), screen, image.Pt(1512, 8)},
		"a tray at the upper right": {image.Pt(1880, 10), image.Rect(0, 32, 1920, 1080), image.Pt(1512, 40)},
		"a tray in the middle":      {image.Pt(900, 10), image.Rect(0, 32, 1920, 1080), image.Pt(700, 40)},
		"a panel below":             {image.Pt(1700, 1070), image.Rect(0, 0, 1920, 1040), image.Pt(1500, 472)},
		"a panel at the left":       {image.Pt(10, 1000), image.Rect(60, 0, 1920, 1080), image.Pt(68, 512)},
		"a panel at the right":      {image.Pt(1910, 20), image.Rect(0, 0, 1860, 1080), image.Pt(1452, 8)},
		"by a key, with a panel":    {image.Pt(300, 500), image.Rect(0, 32, 1920, 1080), image.Pt(1512, 40)},
		"a screen that is too low":  {image.Pt(500, 5), image.Rect(0, 32, 1920, 400), image.Pt(300, 40)},
		"a pointer on no screen":    {image.Pt(-50, -50), screen, image.Pt(1512, 8)},
	} {
		if got := placed(c.pointer, screen, c.area, size); got != c.want {
			t.Errorf("%s: at %v, want %v", what, got, c.want)
		}
	}
}
