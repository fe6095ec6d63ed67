package mcp

import (
	"crypto/rand"
	"errors"
	"sync"
	"time"
)

var (
	errSessionEnded  = errors.New("session not found: it was ended")
	errSessionID     = errors.New("the Mcp-Session-Id header must be 1 to 128 visible ASCII characters")
	errDuplicateID   = errors.New("a request with this id is in flight")
	errTooManyCalls  = errors.New("too many calls in flight in this session")
	errSessionsTaken = errors.New("too many sessions with calls in flight")
)

// session scopes request ids, so that one client cannot cancel another's call. It is not a credential: the token is.
type session struct {
	client   Client
	inflight map[string]*call
	seen     time.Time
}

// sessions is the bounded table of them. An unknown id is adopted rather than refused: Claude Code does not
// initialize again after a 404, so a restart of the app would cut every running agent off.
type sessions struct {
	mu       sync.Mutex
	byID     map[string]*session
	ended    map[string]struct{} // these do get 404
	limit    int
	perCalls int
}

func newSessions(limit, perCalls int) *sessions {
	return &sessions{byID: map[string]*session{}, ended: map[string]struct{}{}, limit: limit, perCalls: perCalls}
}

// open mints a session for client.
func (t *sessions) open(client Client) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := "fermata-" + rand.Text()
	if _, err := t.insert(id, client); err != nil {
		return "", err
	}
	return id, nil
}

// touch finds or adopts session id. client is what is known of the caller without it.
func (t *sessions) touch(id string, client Client) (Client, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.get(id, client)
	if err != nil {
		return Client{}, err
	}
	return s.client, nil
}

// enter records c as in flight in session id, which is found or adopted.
func (t *sessions) enter(id string, client Client, c *call) (Client, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.get(id, client)
	if err != nil {
		return Client{}, err
	}
	if _, taken := s.inflight[c.key]; taken {
		return Client{}, errDuplicateID
	}
	if len(s.inflight) >= t.perCalls {
		return Client{}, errTooManyCalls
	}
	s.inflight[c.key] = c
	return s.client, nil
}

func (t *sessions) leave(id string, c *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.byID[id]; s != nil && s.inflight[c.key] == c {
		delete(s.inflight, c.key)
		s.seen = time.Now()
	}
}

// cancel ends the call with key in session id, if there is one.
func (t *sessions) cancel(id, key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s == nil {
		return
	}
	s.seen = time.Now()
	if c := s.inflight[key]; c != nil {
		c.cancel(ErrClientCancelled)
	}
}

// end forgets session id and ends its calls.
func (t *sessions) end(id string) error {
	if !goodSessionID(id) {
		return errSessionID
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.byID[id]; s != nil {
		for _, c := range s.inflight {
			c.cancel(ErrClientGone)
		}
		delete(t.byID, id)
	}
	if len(t.ended) >= t.limit {
		clear(t.ended)
	}
	t.ended[id] = struct{}{}
	return nil
}

func (t *sessions) get(id string, client Client) (*session, error) {
	if !goodSessionID(id) {
		return nil, errSessionID
	}
	if s := t.byID[id]; s != nil {
		s.seen = time.Now()
		return s, nil
	}
	if _, ended := t.ended[id]; ended {
		return nil, errSessionEnded
	}
	return t.insert(id, client)
}

func (t *sessions) insert(id string, client Client) (*session, error) {
	if len(t.byID) >= t.limit && !t.evict() {
		return nil, errSessionsTaken
	}
	s := &session{client: client, inflight: map[string]*call{}, seen: time.Now()}
	t.byID[id] = s
	return s, nil
}

// evict drops the session that was silent longest. Nothing is lost with it: its client comes back as an adopted one.
func (t *sessions) evict() bool {
	oldest := ""
	for id, s := range t.byID {
		if len(s.inflight) == 0 && (oldest == "" || s.seen.Before(t.byID[oldest].seen)) {
			oldest = id
		}
	}
	delete(t.byID, oldest)
	return oldest != ""
}

func goodSessionID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for i := range len(id) {
		if id[i] < 0x21 || id[i] > 0x7e {
			return false
		}
	}
	return true
}
