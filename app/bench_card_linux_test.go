//go:build bench

package app

import (
	"fmt"
	"image"
	"net/http"
	"strings"
	"testing"
	"time"

	"fermata/app/apptest"
)

const cardRounds = 100

// TestBenchCards measures what a person and a client wait for, on the real screen: from a client's call to the picture of its
// card, and from the click on Deny to the client's answer.
func TestBenchCards(t *testing.T) {
	r, m, url, id := toReview(t)
	project := m.call("get_piece", map[string]any{"pieceId": id})["projectId"]
	r.click(fmt.Sprint("project:", project))
	r.place("card:" + id)

	b := &cardBench{rig: r, screen: r.desk.Screen(t), url: url, call: benchMessage("piece_action", fmt.Sprintf(`{"pieceId":%q,"action":"markDone"}`, id))}
	b.aim()
	b.round() // what is made once is made now
	var shown, answered []time.Duration
	for range cardRounds {
		s, a := b.round()
		shown, answered = append(shown, s), append(answered, a)
	}
	printTail(t, "call_to_card", 50*time.Millisecond, shown)
	printTail(t, "click_to_answer", 30*time.Millisecond, answered)
	r.quit()
}

// cardBench asks for a card again and again and denies it.
type cardBench struct {
	*rig
	screen    *apptest.Screen
	url, call string
	deny      image.Rectangle // where the card's button is on the screen
	ground    uint32          // how it looks there without a card
}

type cardAnswer struct {
	at   time.Time
	text string
	err  error
}

func (b *cardBench) ask() <-chan cardAnswer {
	answer := make(chan cardAnswer, 1)
	go func() {
		got, err := post(b.t.Context(), http.DefaultClient, b.url, "card", b.call)
		answer <- cardAnswer{time.Now(), string(got), err}
	}()
	return answer
}

// aim learns where the card's button is, and leaves the pointer there.
func (b *cardBench) aim() {
	answer := b.ask()
	p := b.place("card:deny")
	w := b.desk.Window(b.t, p.Window)
	w.Activate()
	x, y := w.Corner()
	b.deny = image.Rect(p.X, p.Y, p.X+p.W, p.Y+p.H).Add(image.Pt(x, y))
	b.screen.Point(b.deny.Min.Add(b.deny.Size().Div(2)))
	b.denied(answer)
	b.until("the card to go", func() bool { return !b.shown("card:deny") })
	b.ground = b.still(time.Second)
}

// round is one call and its answer.
func (b *cardBench) round() (shown, answered time.Duration) {
	called := time.Now()
	answer := b.ask()
	card, at := b.changed(b.ground)
	shown = at.Sub(called)
	// What Allow does is filled in, and a while later the card takes an answer; it looks different after each.
	b.changed(card)
	b.still(800 * time.Millisecond)
	answered = b.denied(answer)
	b.until("the card to go", func() bool { return b.screen.Look(b.deny) == b.ground })
	return shown, answered
}

// denied clicks until the call is answered, and returns how long the last click took.
func (b *cardBench) denied(answer <-chan cardAnswer) time.Duration {
	const again = 3 * time.Second
	for end := time.Now().Add(patience); time.Now().Before(end); {
		clicked := time.Now()
		b.screen.Click()
		select {
		case a := <-answer:
			if a.err != nil || !strings.Contains(a.text, "denied") {
				b.t.Fatalf("the call was answered with %s, %v", a.text, a.err)
			}
			return a.at.Sub(clicked)
		case <-time.After(again):
		}
	}
	b.t.Fatalf("the click is not answered; the app said:\n%s", b.app.Log())
	return 0
}

// blink is how often the screen is looked at.
const blink = 500 * time.Microsecond

// changed waits until the button's place looks different.
func (b *cardBench) changed(from uint32) (now uint32, at time.Time) {
	for end := time.Now().Add(patience); ; time.Sleep(blink) {
		now, at = b.screen.Look(b.deny), time.Now()
		if now != from {
			return now, at
		}
		if at.After(end) {
			b.t.Fatalf("the screen does not change; the app said:\n%s", b.app.Log())
		}
	}
}

// still waits until the button's place has looked the same for a while.
func (b *cardBench) still(d time.Duration) uint32 {
	look, since := b.screen.Look(b.deny), time.Now()
	for time.Since(since) < d {
		time.Sleep(blink)
		if now := b.screen.Look(b.deny); now != look {
			look, since = now, time.Now()
		}
	}
	return look
}
