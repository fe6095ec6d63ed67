package kit

import "fyne.io/fyne/v2"

// worn remembers the theme that something was last drawn in. Fyne tells a change of theme only to what is in a window, so
// what comes back into one may still wear the theme of before.
type worn struct {
	theme   fyne.Theme
	variant fyne.ThemeVariant
}

// changed says whether the theme is another than at the last call. The first call says no.
func (w *worn) changed() bool {
	s := fyne.CurrentApp().Settings()
	was := *w
	*w = worn{theme: s.Theme(), variant: s.ThemeVariant()}
	return was.theme != nil && was != *w
}
