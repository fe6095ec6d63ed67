//go:build !linux

package assets

// EastAsian is nothing where the system always comes with such fonts.
func EastAsian() []byte { return nil }
