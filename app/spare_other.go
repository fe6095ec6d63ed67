//go:build !linux

package app

// trimC does nothing: the C libraries of other systems give freed memory back by themselves.
func trimC() {}
