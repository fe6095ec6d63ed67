package store_test

import (
	"fermata/pieces/engine"
	"fermata/store"
)

var _ engine.Store = (*store.Store)(nil)
