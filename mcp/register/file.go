package register

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// configFile is Claude Code's own file, which holds much besides our entry.
type configFile struct {
	path string
}

func (r *Registrar) file() configFile {
	dir := r.o.Home
	for _, v := range r.o.Environ() {
		if d, ok := strings.CutPrefix(v, "CLAUDE_CONFIG_DIR="); ok && d != "" {
			dir = d
		}
	}
	path := filepath.Join(dir, ".claude.json")
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a link, as people who keep their settings in git have, stays one
	}
	return configFile{path: path}
}

// read returns the text; nil when there is no file.
func (f configFile) read() ([]byte, error) {
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// entry returns our entry's JSON; nil when there is none.
func (f configFile) entry() ([]byte, error) {
	text, err := f.read()
	if err != nil {
		return nil, err
	}
	d, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	return d.entry(), nil
}

func (f configFile) parse(text []byte) (*document, error) {
	d, err := parseDocument(text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.path, err)
	}
	return d, nil
}

// put writes our entry, drop removes it. The rest of the file stays as it is, byte for byte.
func (f configFile) put(ctx context.Context, entry []byte) error {
	return f.edit(ctx, func(d *document) ([]byte, error) { return d.with(entry) })
}

func (f configFile) drop(ctx context.Context) error {
	return f.edit(ctx, func(d *document) ([]byte, error) { return d.without() })
}

// edit changes the file under the lock that Claude Code takes for it: a backup, then one rename.
func (f configFile) edit(ctx context.Context, change func(*document) ([]byte, error)) error {
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for range 5 {
		old, err := f.read()
		if err != nil {
			return err
		}
		d, err := f.parse(old)
		if err != nil {
			return err
		}
		text, err := change(d)
		if err != nil {
			return fmt.Errorf("edit %s: %w", f.path, err)
		}
		if bytes.Equal(text, old) {
			return nil
		}
		done, err := f.replace(old, text)
		if done || err != nil {
			return err
		}
	}
	return fmt.Errorf("edit %s: it keeps changing", f.path)
}

// replace writes text in place of old. It reports false when the file is not old any more.
func (f configFile) replace(old, text []byte) (bool, error) {
	mode := fs.FileMode(0o600) // the file holds our token
	if info, err := os.Stat(f.path); err == nil {
		mode = info.Mode().Perm()
	}
	if old != nil {
		if err := writeWhole(f.path+".before-fermata", old, mode); err != nil {
			return false, fmt.Errorf("back up %s: %w", f.path, err)
		}
	}
	next, err := writeBeside(f.path, text, mode)
	if err != nil {
		return false, fmt.Errorf("write %s: %w", f.path, err)
	}
	now, err := f.read()
	if err != nil || !bytes.Equal(now, old) {
		return false, errors.Join(err, os.Remove(next))
	}
	if err := os.Rename(next, f.path); err != nil {
		return false, errors.Join(err, os.Remove(next))
	}
	return true, nil
}

func writeWhole(path string, text []byte, mode fs.FileMode) error {
	next, err := writeBeside(path, text, mode)
	if err != nil {
		return err
	}
	return os.Rename(next, path)
}

// writeBeside writes text to a new file in the folder of path, down to the disk, and returns its name.
func writeBeside(path string, text []byte, mode fs.FileMode) (string, error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// staleLock is the age after which Claude Code itself takes a lock for forgotten.
const staleLock = 10 * time.Second

// lock takes Claude Code's lock of the file: a folder beside it.
func (f configFile) lock(ctx context.Context) (unlock func(), err error) {
	path := f.path + ".lock"
	ctx, cancel := context.WithTimeout(ctx, staleLock+5*time.Second)
	defer cancel()
	for {
		err := os.Mkdir(path, 0o700)
		if err == nil {
			return func() { _ = os.Remove(path) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("lock %s: %w", f.path, err)
		}
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > staleLock {
			_ = os.Remove(path)
			continue
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s: Claude Code holds it: %w", f.path, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
