package ui

import (
	"context"
	"strings"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/ui/kit"
)

// notifyQuestion tells the person of a question whose project has no open window.
func (s *Shell) notifyQuestion(q consent.Question) {
	s.Pump.Go(s.ctx, func(ctx context.Context) error {
		all, err := s.Engine.Settings(ctx)
		if err != nil || all[pieces.KeyNotifyRequired] != "true" {
			return err
		}
		s.send(q.Title, q.Body)
		return nil
	}, func(err error) {
		if err != nil {
			s.Log.Error("read whether to notify", "err", err)
		}
	})
}

// notifyCues tells of the approvals that have come since the last reading and belong to no open window.
func (s *Shell) notifyCues(o overview) {
	first := s.seen == nil
	now := map[string]bool{}
	for _, w := range o.cues() {
		now[w.cue.Fingerprint] = true
		p := w.piece.Piece
		if first || !o.notify || s.seen[w.cue.Fingerprint] || w.cue.Group != pieces.RequiresApproval || s.find(projectKey(p.ProjectID)) != nil {
			continue
		}
		title, body := w.cue.Label, p.Name+" ("+o.name(p.ProjectID)+")"
		s.Pump.Go(s.ctx, func(context.Context) error { s.send(title, body); return nil }, func(error) {})
	}
	s.seen = now
}

// send asks the desktop to show a notification: it talks to another process, so it is not called on the main goroutine.
func (s *Shell) send(title, body string) {
	s.App.SendNotification(fyne.NewNotification(unmarked(title), unmarked(body)))
}

// unmarked keeps a name from becoming markup: desktops draw tags and links in notifications.
func unmarked(text string) string {
	return strings.NewReplacer("<", "‹", ">", "›").Replace(kit.Plain(text))
}
