package inspector

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// inputOf shows the arguments of a tool, each under its name and all of it: a person must see what is allowed.
func inputOf(input json.RawMessage) []fyne.CanvasObject {
	fields, ok := fieldsOf(input)
	if !ok {
		return whole(indented(input))
	}
	var objects []fyne.CanvasObject
	for _, f := range fields {
		objects = append(objects, kit.Column(kit.Step, append([]fyne.CanvasObject{kit.Caption(f.name)}, whole(f.value)...)...))
	}
	return objects
}

type field struct{ name, value string }

// fieldsOf reads an object's fields in their order; ok is false for anything else.
func fieldsOf(input json.RawMessage) (fields []field, ok bool) {
	d := json.NewDecoder(bytes.NewReader(input))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, false
		}
		var words string
		if json.Unmarshal(value, &words) != nil {
			words = indented(value)
		}
		fields = append(fields, field{fmt.Sprint(name), words})
	}
	return fields, len(fields) > 0
}

func indented(raw json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

const (
	blockLines = 400    // that one kit.Code shows in full
	mostBytes  = 200000 // of one argument
)

// whole shows a text in full, in as many blocks as that takes. What is longer than any screen is cut, and says so.
func whole(s string) []fyne.CanvasObject {
	left := 0
	if len(s) > mostBytes {
		s, left = s[:mostBytes], len(s)-mostBytes
	}
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	var blocks []fyne.CanvasObject
	for len(lines) > 0 {
		n := min(blockLines, len(lines))
		blocks = append(blocks, kit.NewCode(strings.Join(lines[:n], "\n")))
		lines = lines[n:]
	}
	if left > 0 {
		blocks = append(blocks, kit.NewNote(phrase.F("%d more bytes are not shown.", left)).In(kit.ColorFailed))
	}
	return blocks
}

// newHead puts a mark before a title and a caption behind it.
func newHead(mark, title, caption fyne.CanvasObject) *fyne.Container {
	return container.NewBorder(nil, nil, mark, caption, container.New(titleRow{}, title))
}

// newTail puts a button behind an entry that gets the rest of the width.
func newTail(entry, button fyne.CanvasObject) *fyne.Container {
	return container.NewBorder(nil, nil, nil, container.New(titleRow{}, button), entry)
}

// newMarked puts a small mark before text that wraps.
func newMarked(mark, words fyne.CanvasObject) *fyne.Container {
	return container.New(marked{}, mark, words)
}

type marked struct{}

// MinSize is both beside one another.
func (marked) MinSize(o []fyne.CanvasObject) fyne.Size {
	mark, words := o[0].MinSize(), o[1].MinSize()
	return fyne.NewSize(mark.Width+kit.Together+words.Width, max(mark.Height, words.Height))
}

// Layout gives the words the rest of the width.
func (marked) Layout(o []fyne.CanvasObject, size fyne.Size) {
	mark := o[0].MinSize()
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(mark)
	o[1].Move(fyne.NewPos(mark.Width+kit.Together, 0))
	o[1].Resize(fyne.NewSize(max(0, size.Width-mark.Width-kit.Together), size.Height))
}
