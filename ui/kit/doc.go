// Package kit draws Fermata's theme and widgets, which know no piece: they are shown plain values and forward taps.
//
// Every text that a widget shows goes through Plain or PlainLines, so a caller may hand over untrusted text as it is.
// Everything here is touched on Fyne's main goroutine only, except the pure functions on text, times and money.
package kit
