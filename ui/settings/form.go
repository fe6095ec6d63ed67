package settings

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

const (
	numberWide float32 = 120
	choiceWide float32 = 160
	textWide   float32 = 360
	labelAt    float32 = 18 // where a check box has its label
	// byDefault stands for an empty choice.
	byDefault = "Default"
)

// form makes the widgets of settings, writes what they are changed to and shows what is stored.
type form struct {
	write func(key, value string, refused func(reason string))
	shows []func(values map[string]string)
}

func (f *form) show(values map[string]string) {
	for _, show := range f.shows {
		show(values)
	}
}

// row is a setting with its label, its sentence, and the reason when a value is refused.
func (f *form) row(key, label string) fyne.CanvasObject {
	s, known := pieces.SettingOf(key)
	if !known {
		return kit.NewNote("There is no setting " + key)
	}
	if s.Kind == pieces.SettingBool {
		return f.switchRow(s, label)
	}
	var field *kit.Field
	input := f.input(s, func(reason string) { field.Refuse(reason) })
	field = kit.NewField(label, input, s.Sentence)
	return field
}

// switchRow is a check box with the setting's sentence below it.
func (f *form) switchRow(s pieces.Setting, label string) fyne.CanvasObject {
	sentence := phrase.Of(s.Sentence)
	note := kit.NewNote(sentence)
	check := kit.NewCheck("set:"+s.Key, label, func(on bool) {
		value := "false"
		if on {
			value = "true"
		}
		f.write(s.Key, value, func(reason string) { refuse(note, sentence, reason) })
	})
	f.shows = append(f.shows, func(values map[string]string) {
		check.Checked = on(values, s.Key)
		check.Refresh()
	})
	indent := container.New(layout.NewCustomPaddedLayout(0, 0, labelAt, 0), note)
	return kit.Column(0, flush(container.NewHBox(check)), indent)
}

func refuse(note *kit.Paragraph, sentence, reason string) {
	if reason == "" {
		note.In(kit.ColorMuted).Set(sentence)
		return
	}
	note.In(kit.ColorFailed).Set(reason)
}

// input is the widget of a setting that is no switch, as wide as its values need.
func (f *form) input(s pieces.Setting, refused func(reason string)) fyne.CanvasObject {
	switch s.Kind {
	case pieces.SettingChoice:
		return wide(choiceWide, f.choice(s, refused))
	case pieces.SettingInt, pieces.SettingMoney, pieces.SettingHours:
		return wide(numberWide, f.line(s, refused))
	case pieces.SettingText, pieces.SettingAddress, pieces.SettingBool:
	}
	return wide(textWide, f.line(s, refused))
}

func (f *form) choice(s pieces.Setting, refused func(reason string)) fyne.CanvasObject {
	var words []string
	for _, c := range s.Choices {
		words = append(words, choiceWord(s.Key, c))
	}
	choose := kit.NewSelect("set:"+s.Key, words, nil)
	stored := ""
	f.shows = append(f.shows, func(values map[string]string) {
		stored = choiceWord(s.Key, values[s.Key])
		choose.Selected = stored
		choose.Refresh()
	})
	choose.OnChanged = func(word string) {
		at := slices.Index(words, word)
		if word == stored || at < 0 {
			return
		}
		f.write(s.Key, s.Choices[at], refused)
	}
	return choose
}

// choiceWord is what stands for a value in a list of choices.
func choiceWord(key, value string) string {
	switch {
	case key == pieces.KeyLanguage:
		// A language is named in itself.
		return map[string]string{pieces.LanguageDesktop: phrase.Of("As the desktop"), pieces.LanguageEnglish: "English", pieces.LanguageGerman: "Deutsch"}[value]
	case value == "":
		return phrase.Of(byDefault)
	case key == pieces.KeyTextSize:
		return value + " %"
	case key == pieces.KeyTheme:
		return phrase.Of(map[string]string{pieces.ThemeSystem: "As the desktop", pieces.ThemeLight: "Light", pieces.ThemeDark: "Dark"}[value])
	}
	return value
}

func (f *form) line(s pieces.Setting, refused func(reason string)) fyne.CanvasObject {
	e := newLine("set:" + s.Key)
	e.commit = func(value string) {
		f.write(s.Key, value, func(reason string) {
			if reason != "" {
				e.sent = nil
			}
			refused(reason)
		})
	}
	e.reverted = func() { refused("") }
	f.shows = append(f.shows, func(values map[string]string) { e.show(values[s.Key]) })
	return e
}

// line is an entry that hands its text on with Enter and when the focus leaves it; Esc brings back what is stored.
type line struct {
	kit.Entry

	stored   string
	sent     *string // handed on and not yet read back; nil when nothing is under way
	commit   func(string)
	reverted func()
}

func newLine(name string) *line {
	e := &line{}
	e.SetName(name)
	e.Wrapping = fyne.TextWrap(fyne.TextTruncateClip)
	e.ExtendBaseWidget(e)
	e.OnSubmitted = func(string) { e.hand() }
	e.OnEscape = func() {
		if e.Text == e.stored {
			kit.GoBack(e)
			return
		}
		e.sent = nil
		e.SetText(e.stored)
		e.reverted()
	}
	return e
}

func (e *line) hand() {
	if e.Text == e.stored || e.sent != nil && *e.sent == e.Text {
		return
	}
	text := e.Text
	e.sent = &text
	e.commit(text)
}

// show takes what is stored, unless the person is about to change it.
func (e *line) show(value string) {
	edited := e.Text != e.stored && (e.sent == nil || *e.sent != e.Text)
	e.stored = value
	if edited {
		return
	}
	e.sent = nil
	if e.Text != value {
		e.SetText(value)
	}
}

// Written is the text in the field.
func (e *line) Written() string { return e.Text }

// FocusGained brings the field into view.
func (e *line) FocusGained() {
	e.Entry.FocusGained()
	kit.RevealFocused(e)
}

// FocusLost hands the text on.
func (e *line) FocusLost() {
	e.Entry.FocusLost()
	e.hand()
}

// wide gives an object a width of its own, at the left. In less room it gets narrower.
func wide(width float32, o fyne.CanvasObject) fyne.CanvasObject {
	return container.New(&left{width}, o)
}

type left struct{ width float32 }

// MinSize is as high as the object.
func (l *left) MinSize(objects []fyne.CanvasObject) fyne.Size {
	least := objects[0].MinSize()
	return fyne.NewSize(min(l.width, least.Width), least.Height)
}

// Layout puts the object at the left.
func (l *left) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[0].Move(fyne.NewPos(0, 0))
	objects[0].Resize(fyne.NewSize(min(l.width, size.Width), size.Height))
}

// flush puts what keeps room for a highlight at its left under the texts above it.
func flush(o fyne.CanvasObject) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedLayout(0, 0, -kit.Together, 0), o)
}

// card is a group of settings under a title.
func card(title string, objects ...fyne.CanvasObject) fyne.CanvasObject {
	all := append([]fyne.CanvasObject{kit.Title(phrase.Of(title))}, objects...)
	return kit.NewSurface(kit.Column(kit.Groups, all...))
}
