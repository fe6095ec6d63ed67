package inspector

import (
	"context"
	"math"
	"strconv"
	"strings"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// gateSentence says what the gate waits for, and when a run goes on by itself.
func gateSentence(s pieces.Snapshot) string {
	at, resumes := s.ResumesAt()
	if resumes {
		what := "run"
		if s.Gate() != pieces.GateLimitReached {
			what = "step"
		}
		return phrase.F("A usage limit stopped the %s. It goes on by itself at %s.", phrase.Of(what), kit.Exact(at))
	}
	if s.Gate() == pieces.GateLimitReached && !at.IsZero() {
		return phrase.F("A usage limit until %s stopped the run.", kit.Exact(at))
	}
	if reason, _ := s.SplitHold(); !reason.Empty() {
		return phrase.Said(reason)
	}
	if reason := phrase.Said(s.SplitWaits()); reason != "" {
		return strings.TrimSpace(reason + " " + phrase.Of(gateSentences[s.Gate()]))
	}
	return phrase.Of(gateSentences[s.Gate()])
}

// limits lists what the person can do about a run that a limit parked, besides what is legal.
func limits(s pieces.Snapshot) []choice {
	switch {
	case s.Gate() == pieces.GateBudgetReached:
		return []choice{{name: "action:budget", label: "Change the budget", way: limited}}
	case s.Piece.Pause == pieces.PauseLimitReached && s.AfterLimit() != "":
		if s.Piece.LimitEnds.IsZero() || s.Piece.LimitResumed {
			return nil
		}
		label := phrase.Of("Go on by itself then")
		if s.Piece.Config.ResumeAfterLimit {
			label = phrase.Of("Don't go on by itself")
		}
		return []choice{{name: "action:resumeAfterLimit", label: label, way: toggling}}
	default:
		return nil
	}
}

// askBudget asks what the piece may cost.
func (i *Inspector) askBudget(c choice) {
	p := i.last.piece.Piece
	amount := kit.NewEntry("budget:usd")
	amount.SetText(strconv.FormatFloat(p.Config.BudgetUSD, 'f', -1, 64))
	amount.OnEscape = i.sheets.Close
	field := kit.NewField("Budget in US dollars", amount, phrase.F("The piece has cost %s. 0 is no limit.", kit.Money(p.CostUSD)))
	i.askSheet(c.label, field, kit.NewButton("budget:set", c.label, kit.Primary, func() {
		usd, err := strconv.ParseFloat(strings.TrimSpace(amount.Text), 64)
		if err != nil || usd < 0 || math.IsNaN(usd) || usd > 1e6 {
			field.Refuse("That is no amount from 0 to 1000000.")
			i.sheets.Fits()
			return
		}
		i.sheets.Close()
		i.edit(c, engine.PieceEdit{BudgetUSD: &usd})
	}), amount)
}

func (i *Inspector) toggleResume(c choice) {
	resumes := !i.last.piece.Piece.Config.ResumeAfterLimit
	i.edit(c, engine.PieceEdit{ResumeAfterLimit: &resumes})
}

func (i *Inspector) edit(c choice, edit engine.PieceEdit) {
	i.carryOut(c, func(ctx context.Context, id string) error {
		_, err := i.o.Engine.EditPiece(ctx, id, edit)
		return err
	})
}
