// Package main is the fermata program.
package main

import (
	"os"

	"fermata/app"
)

func main() {
	os.Exit(app.Main())
}
