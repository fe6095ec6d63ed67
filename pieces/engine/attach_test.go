package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

func TestAttachedFilesAreCopiedReadByTheSpecStepAndDeletedWithTheirItem(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	from := t.TempDir()
	w.put(from, "sketch.md", "the button is copper")
	w.put(filepath.Join(from, "b"), "sketch.md", "another")
	filed, err := w.engine.FileDraft(t.Context(), engine.NewDraft{
		ProjectID: w.id, Seed: "A button", Attach: []string{filepath.Join(from, "sketch.md"), filepath.Join(from, "b", "sketch.md")},
	})
	if err != nil {
		t.Fatal(err)
	}
	id := filed.Draft.ID
	want := []pieces.Attachment{{Name: "sketch.md", Bytes: 20}, {Name: "sketch (2).md", Bytes: 7}}
	if !slices.Equal(filed.Draft.Attachments, want) {
		t.Fatalf("kept %+v", filed.Draft.Attachments)
	}
	kept := filepath.Join(w.dir, "attachments", id, "sketch.md")
	if err := os.RemoveAll(from); err != nil {
		t.Fatal(err)
	}
	w.model.SetScript(piecestest.Script{rule("reads", []piecestest.Reply{
		piecestest.Use("Read", map[string]any{"file_path": kept}), writing(piecestest.StorySpec),
	}, "# Step: spec", "Attached files", kept)})
	if _, err := w.engine.ReleaseDraft(t.Context(), id, "", pieces.ByPerson); err != nil {
		t.Fatal(err)
	}
	s := w.untilGate(id, pieces.GateSpecReady)
	if !slices.Equal(s.Piece.Attachments, want) {
		t.Errorf("the piece has %+v", s.Piece.Attachments)
	}
	if !slices.ContainsFunc(w.model.Requests(), func(r piecestest.Request) bool {
		return slices.ContainsFunc(r.Messages, func(m piecestest.Message) bool {
			return strings.Contains(strings.Join(m.Results, "\n"), "the button is copper")
		})
	}) {
		t.Error("the spec step did not get to read the file without being asked about")
	}
	w.deleted(id)
	if _, err := os.Stat(filepath.Dir(kept)); !errors.Is(err, os.ErrNotExist) {
		t.Error("the files outlive their piece", err)
	}
}

func TestAttachedFilesGoWithTheirDraftAndOnlyTheyDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	from := t.TempDir()
	w.put(from, "a.txt", "a")
	attach := func(paths ...string) (engine.Filed, error) {
		return w.engine.FileDraft(t.Context(), engine.NewDraft{ProjectID: w.id, Seed: "x", Attach: paths})
	}
	for name, paths := range map[string][]string{
		"a folder": {from}, "nothing": {filepath.Join(from, "none")}, "no whole path": {"a.txt"}, "one good, one bad": {filepath.Join(from, "a.txt"), from},
		"too many": slices.Repeat([]string{filepath.Join(from, "a.txt")}, pieces.MaxAttachments+1),
	} {
		if _, err := attach(paths...); err == nil {
			t.Errorf("%s was attached", name)
		}
	}
	if left, err := filepath.Glob(filepath.Join(w.dir, "attachments", "*", "*")); err != nil || len(left) > 0 {
		t.Errorf("what was refused left %q, %v", left, err)
	}
	filed, err := attach(filepath.Join(from, "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(w.dir, "attachments", filed.Draft.ID)
	w.put(folder, "not-ours.txt", "x")
	if err := w.engine.CancelDraft(t.Context(), filed.Draft.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "a.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the file outlives its draft", err)
	}
	w.holds(folder, "not-ours.txt", "x")
	w.holds(from, "a.txt", "a")
}

func TestFilesAreAddedToADraftAndTakenOutOfIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	from := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		w.put(from, name, "the first "+name)
	}
	path := func(name string) string { return filepath.Join(from, name) }
	filed, err := w.engine.FileDraft(t.Context(), engine.NewDraft{ProjectID: w.id, Seed: "x", Attach: []string{path("a.txt"), path("b.txt")}})
	if err != nil {
		t.Fatal(err)
	}
	id := filed.Draft.ID
	folder := filepath.Join(w.dir, "attachments", id)
	names := func() []string {
		t.Helper()
		d, err := w.engine.Draft(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var recorded, there []string
		for _, a := range d.Attachments {
			recorded = append(recorded, a.Name)
		}
		files, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for _, f := range files {
			there = append(there, f.Name())
		}
		slices.Sort(recorded)
		slices.Sort(there)
		if !slices.Equal(recorded, there) {
			t.Errorf("recorded are %q, there are %q", recorded, there)
		}
		return recorded
	}
	edit := func(e engine.DraftEdit) error {
		_, err := w.engine.UpdateDraft(t.Context(), id, e)
		return err
	}
	// The new a.txt comes before the old one goes, so it gets a name of its own.
	w.put(from, "a.txt", "the second a.txt")
	if err := edit(engine.DraftEdit{Attach: []string{path("c.txt"), path("a.txt")}, Detach: []string{"a.txt"}}); err != nil {
		t.Fatal(err)
	}
	if got := names(); !slices.Equal(got, []string{"a (2).txt", "b.txt", "c.txt"}) {
		t.Fatalf("after the change it has %q", got)
	}
	w.holds(folder, "a (2).txt", "the second a.txt")

	// What is refused changes nothing, neither the record nor the folder.
	for name, e := range map[string]engine.DraftEdit{
		"a file that it has not":   {Detach: []string{"a.txt"}},
		"a name that is a path":    {Detach: []string{"../" + id + "/b.txt"}},
		"one good, one bad":        {Attach: []string{path("a.txt"), path("none")}, Detach: []string{"b.txt"}},
		"too many":                 {Attach: slices.Repeat([]string{path("a.txt")}, pieces.MaxAttachments-2)},
		"a draft without anything": {Attach: []string{path("a.txt")}, Seed: new(string)},
	} {
		if err := edit(e); err == nil {
			t.Errorf("%s was taken", name)
		}
		if got := names(); !slices.Equal(got, []string{"a (2).txt", "b.txt", "c.txt"}) {
			t.Errorf("%s: it has %q", name, got)
		}
	}
	w.put(folder, "not-ours.txt", "x")
	if err := edit(engine.DraftEdit{Detach: []string{"a (2).txt", "b.txt", "c.txt"}}); err != nil {
		t.Fatal(err)
	}
	w.holds(folder, "not-ours.txt", "x")
	if err := os.Remove(filepath.Join(folder, "not-ours.txt")); err != nil {
		t.Fatal(err)
	}
	if got := names(); len(got) != 0 {
		t.Errorf("it still has %q", got)
	}
	w.holds(from, "b.txt", "the first b.txt")
}
