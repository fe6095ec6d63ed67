package control

import "fermata/pieces/engine"

// The engine of the app is what the tools drive.
var _ Engine = (*engine.Engine)(nil)
