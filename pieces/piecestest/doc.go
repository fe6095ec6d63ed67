// Package piecestest is the world that tests and the demo run Fermata in: a scripted model, a small GitHub and real repositories.
package piecestest
