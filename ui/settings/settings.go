// Package settings shows every setting in panes and writes each change at once.
package settings
