package inspector

import (
	"context"
	"time"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/pump"
)

// Answerer takes what the person answers. *engine.Engine is one.
type Answerer interface {
	Act(ctx context.Context, r engine.Request) (engine.Result, error)
	AnswerPrompt(ctx context.Context, promptID string, a pieces.PromptAnswer) error
}

// AsksOptions is what Asks are made of. All fields are needed.
type AsksOptions struct {
	Engine Answerer
	Pump   *pump.Pump
	// Ended is called with the outcome of an answer; a nil error when it was taken.
	Ended func(what string, err error)
	// Grown is called when the content has come to need another height.
	Grown func()
}

// Asks shows what a piece or a session asks of the person, to be answered where no inspector is open. It is touched on the
// main goroutine only.
type Asks struct {
	o       AsksOptions
	ctx     context.Context // the life of what it stands in
	pieceID string
	prompts *promptBox
	chat    *interviewBox
	body    fyne.CanvasObject
}

// NewAsks makes a form that asks nothing until Show. Its answers end with ctx.
func NewAsks(ctx context.Context, o AsksOptions) *Asks {
	a := &Asks{o: o, ctx: ctx}
	a.prompts = newPromptBox(a.answer, o.Grown)
	a.chat = newInterviewBox(a.say, o.Grown)
	a.body = kit.Column(kit.Together, a.prompts.body, a.chat.body)
	return a
}

// Content is what stands in the window.
func (a *Asks) Content() fyne.CanvasObject { return a.body }

// Show draws what the piece asks, or for a session a snapshot that has its prompts alone; false when nothing is asked. While
// it is the same, what the person typed stays.
func (a *Asks) Show(s pieces.Snapshot, now time.Time) bool {
	a.pieceID = s.Piece.ID
	a.prompts.show(s, now)
	a.chat.show(s, now)
	return Asking(s)
}

// Asking says whether something is asked that Asks can show.
func Asking(s pieces.Snapshot) bool {
	return len(s.Prompts) > 0 || s.Gate() == pieces.GateAnswerInterview
}

func (a *Asks) answer(p pieces.Prompt, given pieces.PromptAnswer) {
	a.o.Pump.Go(a.ctx, func(ctx context.Context) error {
		return a.o.Engine.AnswerPrompt(ctx, p.ID, given)
	}, func(err error) {
		if err != nil {
			a.prompts.free()
		}
		a.o.Ended("answer the session", err)
	})
}

func (a *Asks) say(words string) {
	r := engine.Request{PieceID: a.pieceID, Action: pieces.InterviewMessage, By: pieces.ByPerson, Prompt: words}
	a.o.Pump.Go(a.ctx, func(ctx context.Context) error {
		_, err := a.o.Engine.Act(ctx, r)
		return err
	}, func(err error) {
		if err != nil {
			a.chat.free()
		}
		a.o.Ended("answer the interview", err)
	})
}

// Primary is a cue's primary action with the words of its button.
type Primary struct {
	Label   string
	Request engine.Request
	Confirm bool // its effect is shown before anything is done
}

// PrimaryOf returns the one action that answers the piece's cue; ok is false when the piece can only be opened.
func PrimaryOf(s pieces.Snapshot) (p Primary, ok bool) {
	cue, ok := s.Cue()
	if !ok || cue.Primary == "" {
		return p, false
	}
	c := variants(s, cue.Primary, true)[0]
	return Primary{c.label, c.req, c.way == confirmed}, true
}
