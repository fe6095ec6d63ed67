// Package pieces says what a piece of work is and which moves are legal: the domain of Fermata, without I/O, clock or goroutine.
package pieces
