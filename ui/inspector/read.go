package inspector

import (
	"context"
	"errors"
	"time"

	"fermata/pieces"
	"fermata/ui/phrase"
)

// tab is one page of a piece.
type tab string

const (
	tabByPhase  tab = "" // the page that belongs to what the piece does now
	tabOverview tab = "overview"
	tabSpec     tab = "spec"
	tabStrategy tab = "strategy"
	tabAgents   tab = "agents"
	tabSessions tab = "sessions"
	tabReview   tab = "review"
	tabHistory  tab = "history"
)

// query says what is looked at: only that is read.
type query struct {
	id      string
	tab     tab
	session string // of the sessions page; the newest when empty
	earlier int    // how often earlier messages were asked for
}

// model is one reading. Parts that the query's page does not show are empty.
type model struct {
	query
	draft    *pieces.Draft
	on       map[string][]pieces.Dependency // what drafts wait on; nil while dependencies are turned off
	piece    *pieces.Snapshot               // one of draft and piece is set; neither when the item is gone
	since    time.Time                      // when the piece came to stand where it stands
	document string
	written  time.Time // when the document was
	history  []pieces.HistoryRow
	sessions []pieces.Session
	messages []pieces.Message
	more     bool // there are earlier messages
	review   reviewModel
}

// reviewModel is what the review page shows.
type reviewModel struct {
	diff    pieces.Diff
	problem string // why there is no diff
	verdict *pieces.WorkReview
	summary string
	code    *pieces.CodeReview // of the last code review that came to its end
	read    time.Time
	at      int64 // the history row at which the diff was read
}

// messagesShown is how many messages a transcript begins with: laying out a long text takes milliseconds each.
const messagesShown = 60

// reader reads for one query. It keeps the last diff, since one is not made for every wake.
type reader struct {
	engine Engine
	now    func() time.Time
	query  query
	review reviewModel
}

// read makes a model of what the query looks at.
func (r *reader) read(ctx context.Context) (model, error) {
	m := model{query: r.query}
	s, err := r.engine.Piece(ctx, r.query.id)
	if errors.Is(err, pieces.ErrNotFound) {
		return r.readDraft(ctx, m)
	}
	if err != nil {
		return m, err
	}
	m.piece = &s
	if m.history, err = r.engine.History(ctx, s.Piece.ID); err != nil {
		return m, err
	}
	m.since = s.Piece.UpdatedAt
	if n := len(m.history); n > 0 {
		m.since = m.history[n-1].At
	}
	if len(s.Prompts) > 0 {
		m.since = s.Prompts[0].At
	}
	if m.tab == tabByPhase {
		m.tab = tabOf(s)
	}
	return m, r.readPage(ctx, &m)
}

func (r *reader) readDraft(ctx context.Context, m model) (model, error) {
	d, err := r.engine.Draft(ctx, r.query.id)
	if errors.Is(err, pieces.ErrNotFound) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	m.draft = &d
	m.on, err = r.engine.Dependencies(ctx)
	return m, err
}

// tabOf names the page that the piece's phase is about.
func tabOf(s pieces.Snapshot) tab {
	switch s.Piece.Phase {
	case pieces.PhaseSpec:
		return tabSpec
	case pieces.PhaseStrategy:
		return tabStrategy
	case pieces.PhaseAgents:
		return tabAgents
	case pieces.PhaseReview:
		return tabReview
	default:
		return tabOverview
	}
}

func (r *reader) readPage(ctx context.Context, m *model) (err error) {
	switch m.tab {
	case tabSpec, tabStrategy:
		var a pieces.Artifact
		a, _, err = r.engine.Artifact(ctx, m.id, pieces.ArtifactKind(m.tab), "")
		m.document, m.written = a.Content, a.UpdatedAt
	case tabSessions:
		err = r.readSessions(ctx, m)
	case tabReview:
		err = r.readReview(ctx, m)
	default:
	}
	return err
}

func (r *reader) readSessions(ctx context.Context, m *model) (err error) {
	if m.sessions, err = r.engine.Sessions(ctx, pieces.SessionFilter{PieceID: m.id, IncludeHidden: true}); err != nil {
		return err
	}
	if m.session == "" && len(m.sessions) > 0 {
		m.session = m.sessions[0].ID
	}
	if m.session == "" {
		return nil
	}
	m.messages, m.more, err = transcriptPage(ctx, r.engine.Messages, m.session, m.earlier)
	return err
}

// transcriptPage reads the end of a transcript, more of it for each time that earlier messages were asked for.
func transcriptPage(ctx context.Context, read func(context.Context, string, int) ([]pieces.Message, error), session string, earlier int) (list []pieces.Message, more bool, err error) {
	most := messagesShown * (1 + earlier)
	list, err = read(ctx, session, most+1)
	if len(list) > most {
		list, more = list[1:], true
	}
	return list, more, err
}

// freshDiff is how old a diff may get while its piece stands still: agents change files without a transition.
const freshDiff = 10 * time.Second

func (r *reader) readReview(ctx context.Context, m *model) error {
	now := r.now()
	if r.review.at != m.piece.HistoryID || now.Sub(r.review.read) >= freshDiff {
		next := reviewModel{at: m.piece.HistoryID, read: now}
		var err error
		if next.diff, err = r.engine.Diff(ctx, m.id); err != nil {
			if ctx.Err() != nil {
				return err
			}
			next.problem = phrase.Err(err)
		}
		r.review = next
	}
	a, found, err := r.engine.Artifact(ctx, m.id, pieces.ArtifactWorkReview, "")
	if err != nil {
		return err
	}
	r.review.verdict = nil
	if found {
		verdict, err := pieces.ParseWorkReview(a.Content)
		if err != nil {
			return err
		}
		r.review.verdict = &verdict
	}
	a, _, err = r.engine.Artifact(ctx, m.id, pieces.ArtifactSummary, "")
	r.review.summary = a.Content
	if err == nil {
		r.review.code, err = r.codeReview(ctx, m.id)
	}
	m.review = r.review
	return err
}

func (r *reader) codeReview(ctx context.Context, id string) (*pieces.CodeReview, error) {
	a, found, err := r.engine.Artifact(ctx, id, pieces.ArtifactCodeReview, "")
	if err != nil || !found {
		return nil, err
	}
	record, err := pieces.ParseCodeReview(a.Content)
	return &record, err
}
