package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// Notice is a notification of the desktop's. One with the key of another replaces it.
type Notice struct {
	Key, Title, Body string
	Sound            bool
}

// Notifier shows notifications on the desktop. Its methods neither block nor fail: what cannot be shown is logged.
type Notifier interface {
	Notify(Notice)
	// Withdraw takes away the notification of a key, if it is still there.
	Withdraw(key string)
}

// The kinds of keys: what a click on a notification opens.
const (
	keyPiece   = "piece:"
	keySession = "session:"
	keyCard    = "card:"
)

func noticeKey(t engine.Target) string { return string(t.Kind) + ":" + t.ID }

// OpenNotice opens what a notification is about, after a click on it.
func (s *Shell) OpenNotice(key string) {
	if s.ctx == nil || s.ctx.Err() != nil || s.quitting {
		return
	}
	if id, ok := strings.CutPrefix(key, keySession); ok {
		s.OpenSession(id)
		return
	}
	if id, ok := strings.CutPrefix(key, keyCard); ok {
		at := slices.IndexFunc(s.Desk.Pending(), func(q consent.Question) bool { return q.ID == id })
		if at < 0 {
			s.openHome() // it was answered meanwhile
			return
		}
		s.openQuestion(s.Desk.Pending()[at].ProjectID)
		return
	}
	id := strings.TrimPrefix(key, keyPiece)
	var found pieces.Snapshot
	s.Pump.Go(s.ctx, func(ctx context.Context) (err error) {
		found, err = s.Engine.Piece(ctx, id)
		return err
	}, func(err error) {
		if err != nil {
			s.Log.Warn("open what was notified", "key", key, "err", err)
			s.openHome()
			return
		}
		s.openPiece(found.Piece.ProjectID, id)
	})
}

// Foreground is told whether one of the app's windows has the focus.
func (s *Shell) Foreground(front bool) { s.behind = !front }

// notifyQuestion tells the person of a question that no open window shows them.
func (s *Shell) notifyQuestion(q consent.Question) {
	var all map[string]string
	s.Pump.Go(s.ctx, func(ctx context.Context) (err error) {
		all, err = s.Engine.Settings(ctx)
		return err
	}, func(err error) {
		switch {
		case err != nil:
			s.Log.Error("read whether to notify", "err", err)
		case all[pieces.KeyNotifyRequired] == "true" && !pieces.Quiet(all[pieces.KeyNotifyQuiet], time.Now()):
			s.notified[keyCard+q.ID] = true
			s.notify(keyCard+q.ID, phrase.Said(q.Title), phrase.Said(q.Body), all)
		}
	})
}

// forgetQuestions takes away the notifications of questions that wait no more.
func (s *Shell) forgetQuestions() {
	pending := s.Desk.Pending()
	for key := range s.notified {
		if !slices.ContainsFunc(pending, func(q consent.Question) bool { return keyCard+q.ID == key }) {
			delete(s.notified, key)
			s.withdraw(key)
		}
	}
}

// notifyCues tells of the cues that have changed since the last reading and that nobody looks at.
func (s *Shell) notifyCues(o overview) {
	var list []pieces.Noticeable
	words := map[string]engine.Cue{}
	for _, c := range o.cues.Items {
		key := noticeKey(c.Target)
		words[key] = c
		list = append(list, pieces.Noticeable{
			Key: key, Fingerprint: c.Fingerprint, Group: c.Group, Reason: c.Reason,
			Watched: !s.behind && s.find(projectKey(c.ProjectID)) != nil || s.pop != nil && s.pop.shown,
		})
	}
	tell, gone := s.notices.Next(list, o.settings, time.Now())
	for _, key := range gone {
		s.withdraw(key)
	}
	for _, n := range tell {
		c := words[n.Key]
		body := c.Title
		if c.ProjectName != "" {
			body += " (" + c.ProjectName + ")"
		}
		s.notify(n.Key, phrase.Of(c.Label), body, o.settings)
	}
}

func (s *Shell) notify(key, title, body string, settings map[string]string) {
	n := Notice{Key: key, Title: unmarked(title), Body: unmarked(body), Sound: settings[pieces.KeyNotifySound] == "true"}
	if s.Notifier != nil {
		s.Notifier.Notify(n)
		return
	}
	// Fyne talks to another process here, so it is not called on the main goroutine.
	s.Pump.Go(s.ctx, func(context.Context) error {
		s.App.SendNotification(fyne.NewNotification(n.Title, n.Body))
		return nil
	}, func(error) {})
}

func (s *Shell) withdraw(key string) {
	if s.Notifier != nil {
		s.Notifier.Withdraw(key)
	}
}

// unmarked keeps a name from becoming markup: desktops draw tags and links in notifications.
func unmarked(text string) string {
	return strings.NewReplacer("<", "‹", ">", "›").Replace(kit.Plain(text))
}
