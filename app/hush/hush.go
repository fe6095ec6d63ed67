// Package hush keeps what libraries remark while the program starts off the terminal, until the program knows what it was asked.
//
// Fyne complains about a locale such as C when it is imported, so before every command of ours, the agent host included.
// This package imports less than Fyne and sorts before it, so that Go initialises it first.
package hush

import (
	"io"
	"log"
	"os"
)

var hushed = begin()

func begin() bool {
	log.SetOutput(io.Discard)
	return true
}

// End gives the standard log its output back.
func End() {
	if hushed {
		log.SetOutput(os.Stderr)
	}
}
