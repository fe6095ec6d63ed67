// Package glyphs gives every text its letters: it stands in for fonts that the desktop lacks, and holds no font in memory
// before a text needs it.
package glyphs

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"fermata/assets"
)

// errUnlike says that Fyne's fonts are not what this package was written for; nothing is changed then.
var errUnlike = errors.New("prepare fonts: Fyne keeps its own fonts in another way")

// Prepare lets Fyne find its own fallback fonts, and ours for Hangul, Kana and ideographs where the desktop has none, as
// files in a folder of ours. Fyne on its own parses its emoji font and a second font for every style, whether a text needs
// them or not, and that takes more memory than all the rest of a window; as files they are read when the first text needs
// one, and once for all styles. It must come before anything is drawn, once in a process, and the app's theme must have
// fonts of its own for all styles. What goes wrong leaves Fyne as it is.
//
// It does something on Linux alone: elsewhere the system has these fonts, and Fyne cannot be shown a folder.
func Prepare(folder string) error {
	if !searchable {
		return nil
	}
	emoji, fallbacks, ours := fyneFonts()
	if !ours {
		return errUnlike
	}
	if err := fill(filepath.Join(folder, fontsFolder), squared(emoji.StaticContent)); err != nil {
		return fmt.Errorf("prepare fonts: %w", err)
	}
	if err := scan(folder); err != nil {
		return fmt.Errorf("prepare fonts: %w", err)
	}
	// Fyne wants some font in each of these places: its smallest.
	least := theme.DefaultSymbolFont().Content()
	for _, f := range append(fallbacks, emoji) {
		f.StaticContent = least
	}
	return nil
}

// fyneFonts are the fonts that Fyne puts behind those of a theme.
func fyneFonts() (emoji *fyne.StaticResource, fallbacks []*fyne.StaticResource, ours bool) {
	if emoji, ours = theme.DefaultEmojiFont().(*fyne.StaticResource); !ours {
		return nil, nil, false
	}
	for _, f := range []fyne.Resource{
		theme.DefaultTextFont(), theme.DefaultTextBoldFont(), theme.DefaultTextItalicFont(), theme.DefaultTextBoldItalicFont(),
		theme.DefaultTextMonospaceFont(),
	} {
		static, ours := f.(*fyne.StaticResource)
		if !ours {
			return nil, nil, false
		}
		fallbacks = append(fallbacks, static)
	}
	return emoji, fallbacks, true
}

// fontsFolder is the name that the search asks for below each data folder.
const fontsFolder = "fonts"

// Names of the files that are written. The search parses the first one that it comes to as a trial, so the smallest is it.
const (
	monoFile      = "mono.ttf"
	sansFile      = "sans.ttf"
	emojiFile     = "sans-emoji.otf"
	eastAsianFile = "sans-east-asian.ttf"
)

// fill writes the fonts that are to be found into a folder.
func fill(folder string, emoji []byte) error {
	const private = 0o700
	if err := os.MkdirAll(folder, private); err != nil {
		return err
	}
	eastAsian := filepath.Join(folder, eastAsianFile)
	if hasEastAsian(folder) {
		// The desktop's own are nicer; ours would be found first.
		if err := os.Remove(eastAsian); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	} else if err := put(eastAsian, unzipped(assets.EastAsian())); err != nil {
		return err
	}
	return errors.Join(
		put(filepath.Join(folder, emojiFile), source{int64(len(emoji)), func() ([]byte, error) { return preferred(emoji), nil }}),
		put(filepath.Join(folder, sansFile), plain(theme.DefaultTextFont().Content())),
		put(filepath.Join(folder, monoFile), plain(theme.DefaultTextMonospaceFont().Content())),
	)
}

// source is what a file is to hold: how long it is, and the bytes, which are not made when a file of that length is there.
type source struct {
	size int64
	read func() ([]byte, error)
}

func plain(b []byte) source {
	return source{int64(len(b)), func() ([]byte, error) { return b, nil }}
}

// unzipped is the content of a gzip file, whose last four bytes say how long it is.
func unzipped(b []byte) source {
	var size int64
	for i := range 4 {
		size |= int64(b[len(b)-4+i]) << (8 * i)
	}
	return source{size, func() ([]byte, error) {
		r, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}}
}

// put writes a file whole or not at all; one of the same length is the same font.
func put(path string, s source) error {
	if info, err := os.Stat(path); err == nil && info.Size() == s.size {
		return nil
	}
	content, err := s.read()
	if err != nil {
		return err
	}
	// The search passes over names that it does not know as fonts.
	half, err := os.CreateTemp(filepath.Dir(path), "half-*.tmp")
	if err != nil {
		return err
	}
	_, err = half.Write(content)
	if err = errors.Join(err, half.Close()); err == nil {
		err = os.Rename(half.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(half.Name()))
	}
	return nil
}
