package card

import (
	"context"
	"errors"
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"fermata/pieces/consent"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// dimAlpha takes light away from what lies below a card, in both variants.
const dimAlpha = 0x40

// Host is one window's place for a card.
type Host struct {
	cards  *Cards
	window fyne.Window
	scope  Scope

	now    *face             // nil when no card is shown
	cover  fyne.CanvasObject // the card and what dims the window below it
	disarm context.CancelFunc
	// inAWhile runs something once the card that is shown now has been seen for a moment, unless it goes before.
	inAWhile func(f func())

	notice  *kit.Text
	layer   *fyne.Container
	silence context.CancelFunc // ends the notice's timer
}

func newHost(c *Cards, w fyne.Window, s Scope) *Host {
	h := &Host{cards: c, window: w, scope: s, notice: kit.Body("").CutEnd()}
	hide := kit.NewButton("card:hideNotice", "Hide", kit.Quiet, h.hush)
	bar := kit.NewSurface(container.NewBorder(nil, nil, nil, hide, h.notice)).Inset(kit.Together).In(kit.ColorRaised, kit.ColorNeedsYou)
	h.layer = container.NewVBox(layout.NewSpacer(), kit.Pad(kit.Groups, bar))
	h.layer.Hide()
	return h
}

// Notice is what the window's content shows over everything else: it is there only while there is something to say.
func (h *Host) Notice() fyne.CanvasObject { return h.layer }

// Shown is the question that the window asks now; false when it asks none.
func (h *Host) Shown() (consent.Question, bool) {
	if h.now == nil {
		return consent.Question{}, false
	}
	return h.now.question, true
}

// show asks the first of the window's questions. The one that is asked already stays until it ends, however the others
// change: a card never changes under the pointer.
func (h *Host) show(mine, pending []consent.Question) {
	if h.now != nil && !waits(mine, h.now.question.ID) {
		q := h.now.question
		if !waits(pending, q.ID) && !h.cards.answered[q.ID] {
			h.say(phrase.Of("Withdrawn, nothing was changed: ") + kit.Plain(phrase.Said(q.Title)))
		}
		h.takeAway()
	}
	if len(mine) == 0 {
		return
	}
	if h.now == nil {
		h.present(mine[0])
	}
	place := slices.IndexFunc(mine, func(q consent.Question) bool { return q.ID == h.now.question.ID })
	h.now.count(place+1, len(mine))
	if q := mine[place]; h.now.question.Looking && !q.Looking {
		h.fill(q)
	}
}

func (h *Host) present(q consent.Question) {
	typing := h.typing()
	h.now = newFace(q, h.answer)
	h.cover = container.NewStack(canvas.NewRectangle(color.NRGBA{A: dimAlpha}), h.now.content)
	h.window.Canvas().Overlays().Add(h.cover)
	h.cover.Resize(h.window.Canvas().Size())
	h.now.arm()
	ctx, cancel := context.WithCancel(h.cards.ctx)
	h.disarm = cancel
	h.inAWhile = func(f func()) { h.cards.after(ctx, h.cards.ArmAfter, f) }
	h.inAWhile(func() { h.armed(typing) })
}

// fill shows what the card's Allow does, which was not known when it came. Allow can be pressed once that has been seen for a
// moment too.
func (h *Host) fill(q consent.Question) {
	h.now.fill(q)
	h.inAWhile(func() {
		h.now.known = true
		h.now.arm()
	})
}

// armed lets the card be answered. Somebody who was typing goes on typing into nothing, so that a space denies nothing.
func (h *Host) armed(typing bool) {
	if h.now == nil {
		return
	}
	h.now.seen = true
	h.now.arm()
	if !typing && h.window.Canvas().Overlays().Top() == h.cover && h.window.Canvas().Focused() == nil {
		h.window.Canvas().Focus(h.now.deny)
	}
}

func (h *Host) typing() bool {
	f := h.window.Canvas().Focused()
	_, takesText := f.(fyne.Shortcutable)
	return f != nil && takesText
}

func (h *Host) answer(q consent.Question, allow bool, note string) {
	if h.now == nil || h.now.question.ID != q.ID {
		return
	}
	err := h.cards.answer(q, allow, note)
	switch {
	case errors.Is(err, consent.ErrGone):
		h.say(phrase.Of("The question had been withdrawn before your answer; nothing was changed."))
	case err != nil:
		h.say(phrase.Of("The answer was not taken: ") + phrase.Err(err))
	}
	h.cards.deal()
}

func (h *Host) takeAway() {
	h.disarm()
	h.window.Canvas().Overlays().Remove(h.cover)
	h.now, h.cover = nil, nil
}

func (h *Host) say(words string) {
	h.hush()
	h.notice.Set(words)
	h.layer.Show()
	ctx, cancel := context.WithCancel(h.cards.ctx)
	h.silence = cancel
	h.cards.after(ctx, h.cards.Linger, h.hush)
}

func (h *Host) hush() {
	if h.silence != nil {
		h.silence()
		h.silence = nil
	}
	h.layer.Hide()
}

func (h *Host) close() {
	h.hush()
	if h.now != nil {
		h.takeAway()
	}
}
