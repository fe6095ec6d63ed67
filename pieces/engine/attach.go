package engine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fermata/pieces"
)

// attachmentFolder is where the files of a draft, and of the piece that it becomes, are kept.
func (e *Engine) attachmentFolder(id string) (string, error) {
	if e.AttachmentRoot == "" {
		return "", errors.New("no folder for attachments is set")
	}
	if id == "" || id == "." || id == ".." || filepath.Base(id) != id || strings.ContainsAny(id, `/\:`) {
		return "", fmt.Errorf("the id %q names no folder", id)
	}
	return filepath.Join(e.AttachmentRoot, id), nil
}

// keepFiles copies files into the folder of a draft, beside those that it has, and returns the new ones. When one of them
// cannot be copied none is kept.
func (e *Engine) keepFiles(id string, has []pieces.Attachment, paths []string) (kept []pieces.Attachment, err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	if len(has)+len(paths) > pieces.MaxAttachments {
		return nil, refuse(nil, "A draft takes at most %d files.", pieces.MaxAttachments)
	}
	folder, err := e.attachmentFolder(id)
	if err == nil {
		err = os.MkdirAll(folder, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("attach files: %w", err)
	}
	for _, path := range paths {
		a, err := keepFile(folder, path, slices.Concat(has, kept))
		if err != nil {
			e.dropFiles(id, has, kept)
			return nil, refuse(err, "The file %s could not be attached: %v", path, err)
		}
		kept = append(kept, a)
	}
	return kept, nil
}

func keepFile(folder, path string, kept []pieces.Attachment) (a pieces.Attachment, err error) {
	if !filepath.IsAbs(path) {
		return a, errors.New("its path is not absolute")
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return a, err
	case !info.Mode().IsRegular():
		return a, errors.New("it is no file")
	case info.Size() > pieces.MaxAttachmentBytes:
		return a, fmt.Errorf("it is larger than %d MB", pieces.MaxAttachmentBytes/1_000_000)
	}
	from, err := os.Open(path) //nolint:gosec // the person chose it
	if err != nil {
		return a, err
	}
	defer from.Close() //nolint:errcheck // it was only read
	a.Name = freeName(filepath.Base(path), kept)
	to, err := os.OpenFile(filepath.Join(folder, a.Name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return a, err
	}
	// A file that grows meanwhile is cut off one byte behind the limit, and refused.
	a.Bytes, err = io.Copy(to, io.LimitReader(from, pieces.MaxAttachmentBytes+1))
	if cerr := to.Close(); err == nil {
		err = cerr
	}
	if err == nil && a.Bytes > pieces.MaxAttachmentBytes {
		err = errors.New("it grew while it was read")
	}
	if err != nil {
		err = errors.Join(err, os.Remove(filepath.Join(folder, a.Name)))
	}
	return a, err
}

// freeName tells files of one name apart, such as "notes (2).txt".
func freeName(name string, kept []pieces.Attachment) string {
	taken := func(n string) bool {
		return slices.ContainsFunc(kept, func(a pieces.Attachment) bool { return strings.EqualFold(a.Name, n) })
	}
	ext := filepath.Ext(name)
	free := name
	for n := 2; taken(free); n++ {
		free = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), n, ext)
	}
	return free
}

// changeFiles takes files out of a draft that is about to be saved and copies others in, and returns what it then has and what
// was copied. Those that are taken out are not touched before the draft is saved.
func (e *Engine) changeFiles(d pieces.Draft, edit DraftEdit) (has, added []pieces.Attachment, err error) {
	for _, name := range edit.Detach {
		if !slices.ContainsFunc(d.Attachments, func(a pieces.Attachment) bool { return a.Name == name }) {
			return nil, nil, refuse(nil, "The draft has no file %s.", name)
		}
	}
	for _, a := range d.Attachments {
		if !slices.Contains(edit.Detach, a.Name) {
			has = append(has, a)
		}
	}
	// A name that is taken out is not free yet: its file is there until the draft is saved.
	added, err = e.keepFiles(d.ID, d.Attachments, edit.Attach)
	return append(has, added...), added, err
}

// detached are the files that a draft had and has no longer.
func detached(was, now []pieces.Attachment) []pieces.Attachment {
	return slices.DeleteFunc(slices.Clone(was), func(a pieces.Attachment) bool { return slices.Contains(now, a) })
}

// dropFiles removes recorded files of a draft or piece, and their folder unless some stay in it.
func (e *Engine) dropFiles(id string, stay, list []pieces.Attachment) {
	if len(list) == 0 {
		return
	}
	folder, err := e.attachmentFolder(id)
	if err == nil {
		for _, a := range list {
			if filepath.Base(a.Name) != a.Name {
				continue // no name of ours
			}
			if rerr := os.Remove(filepath.Join(folder, a.Name)); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
				err = errors.Join(err, rerr)
			}
		}
		if len(stay) == 0 {
			err = errors.Join(err, os.Remove(folder))
		}
	}
	if err != nil {
		e.Log.Warn("attached files stay", "item", id, "err", err)
	}
}

// filesOf are the paths of what a piece's draft took along.
func (e *Engine) filesOf(p pieces.Piece) []string {
	folder, err := e.attachmentFolder(p.ID)
	if err != nil {
		return nil
	}
	var paths []string
	for _, a := range p.Attachments {
		paths = append(paths, filepath.Join(folder, a.Name))
	}
	return paths
}

// foldersOf is where a session finds them; none for a piece without.
func (e *Engine) foldersOf(p pieces.Piece) []string {
	folder, err := e.attachmentFolder(p.ID)
	if err != nil || len(p.Attachments) == 0 {
		return nil
	}
	return []string{folder}
}
