package glyphs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"
	"github.com/go-text/typesetting/fontscan"
)

// searchable says whether the search for fonts can be shown a folder.
const searchable = true

// quiet keeps what the search passes over out of the log.
type quiet struct{}

// Printf drops what it is told.
func (quiet) Printf(string, ...any) {}

// scan searches the desktop's fonts, and ours below the folder, where the search keeps its index too. The search is made
// once in a process, so what it finds now is what Fyne finds later.
func scan(folder string) (err error) {
	const variable = "XDG_DATA_DIRS"
	was, set := os.LookupEnv(variable)
	if err := os.Setenv(variable, strings.TrimPrefix(was+string(filepath.ListSeparator)+folder, string(filepath.ListSeparator))); err != nil {
		return err
	}
	defer func() {
		if set {
			err = errors.Join(err, os.Setenv(variable, was))
			return
		}
		err = errors.Join(err, os.Unsetenv(variable))
	}()
	_, err = fontscan.SystemFonts(quiet{}, folder)
	return err
}

// hasEastAsian says whether the desktop's fonts have Hangul, Kana and ideographs. What is in our own folder does not count.
func hasEastAsian(own string) bool {
	dirs, err := fontscan.DefaultFontDirectories(quiet{})
	if err != nil {
		return false
	}
	wanted := []rune{'한', 'か', '語'}
	for _, dir := range dirs {
		// A folder that cannot be read has no fonts for us.
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil || path == own:
				return filepath.SkipDir
			case len(wanted) == 0:
				return filepath.SkipAll
			case isLargeFont(path, entry):
				wanted = lacks(path, wanted)
			}
			return nil
		})
	}
	return len(wanted) == 0
}

// isLargeFont says whether a file can be a font with thousands of glyphs, so that the others need not be opened.
func isLargeFont(path string, entry fs.DirEntry) bool {
	const least = 500 << 10
	switch strings.ToLower(filepath.Ext(path)) {
	case ".ttf", ".otf", ".ttc", ".otc":
	default:
		return false
	}
	if entry.IsDir() {
		return false
	}
	info, err := os.Stat(path) // follows a link
	return err == nil && info.Size() >= least
}

// lacks returns those of the letters that no face of a font file has.
func lacks(path string, letters []rune) []rune {
	file, err := os.Open(path)
	if err != nil {
		return letters
	}
	defer func() { _ = file.Close() }() // it was read only
	faces, err := opentype.NewLoaders(file)
	if err != nil {
		return letters
	}
	for _, face := range faces {
		letters = lackedBy(face, letters)
		if len(letters) == 0 {
			break
		}
	}
	return letters
}

func lackedBy(face *opentype.Loader, letters []rune) []rune {
	raw, err := face.RawTable(opentype.MustNewTag("cmap"))
	if err != nil {
		return letters
	}
	parsed, _, err := tables.ParseCmap(raw)
	if err != nil {
		return letters
	}
	cmap, _, err := font.ProcessCmap(parsed, tables.FPNone)
	if err != nil {
		return letters
	}
	var left []rune
	for _, r := range letters {
		if _, has := cmap.Lookup(r); !has {
			left = append(left, r)
		}
	}
	return left
}
