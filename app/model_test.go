package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// modelRun drives one engine step by step with what a seed chooses: legal and illegal actions, answers, restarts, and what
// befalls the disk from outside. The rail's table is the model; after each step what must always hold has to hold soon.
type modelRun struct {
	*chaosWorld
	random *rand.Rand
	main   string
	steps  []string
}

func (m *modelRun) chance(n int) bool { return m.random.IntN(100) < n }

func (m *modelRun) did(format string, args ...any) {
	m.steps = append(m.steps, fmt.Sprintf(format, args...))
}

func (m *modelRun) pieces(ctx context.Context) []pieces.Snapshot {
	m.t.Helper()
	list, err := m.engine.Pieces(ctx, pieces.PieceFilter{IncludeArchived: true})
	if err != nil {
		m.t.Fatal(err)
	}
	return list
}

// step does one thing.
func (m *modelRun) step(ctx context.Context) {
	m.t.Helper()
	list := m.pieces(ctx)
	if len(list) < 2 || len(list) < len(m.ids) && m.chance(10) {
		m.file(ctx, m.ids[len(list)])
		return
	}
	s := list[m.random.IntN(len(list))]
	switch n := m.random.IntN(100); {
	case n < 55:
		m.legal(ctx, s)
	case n < 65:
		m.illegal(ctx, s)
	case n < 80:
		m.answer(ctx)
	case n < 88:
		m.spoilFolder(s)
	case n < 94:
		if _, err := m.engine.OpenWorkspace(ctx, s.Piece.ID, pieces.ByPerson); err != nil {
			m.sentence(err)
		}
		m.did("open the workspace of %s", s.Piece.Name)
	default:
		m.did("restart")
		m.close()
		m.open(ctx)
		m.afterStart(ctx)
	}
}

func (m *modelRun) file(ctx context.Context, id string) {
	m.t.Helper()
	n := slices.Index(m.ids, id)
	m.did("file and release item %d", n)
	filed, err := m.engine.FileDraft(ctx, engine.NewDraft{
		ID: id, ProjectID: m.id(ctx), Spec: fmt.Sprintf("# Item %d\n\nMake it.\n", n), Refine: pieces.RefineNone,
		Lane: []pieces.Lane{pieces.LaneManual, pieces.LaneManual, pieces.LaneAuto}[m.random.IntN(3)],
	})
	if err != nil {
		m.t.Fatalf("file: %v", err)
	}
	if _, err := m.engine.ReleaseDraft(ctx, filed.Draft.ID, "", pieces.ByPerson); err != nil {
		m.t.Fatalf("release: %v", err)
	}
}

func (m *modelRun) id(ctx context.Context) string {
	m.t.Helper()
	list, err := m.engine.Projects(ctx)
	if err != nil || len(list) != 1 {
		m.t.Fatalf("projects %+v, %v", list, err)
	}
	return list[0].ID
}

// request is an action with arguments that fit the piece.
func (m *modelRun) request(s pieces.Snapshot, a pieces.Action) engine.Request {
	r := engine.Request{PieceID: s.Piece.ID, Action: a, By: pieces.ByPerson, Prompt: "Make it better", Text: "This", Level: "high"}
	if len(s.Tasks) > 0 {
		r.TaskID = s.Tasks[m.random.IntN(len(s.Tasks))].ID
	}
	if a == pieces.SetLane {
		r.Lane = []pieces.Lane{pieces.LaneManual, pieces.LaneAuto}[m.random.IntN(2)]
	}
	if a == pieces.AddDependency || a == pieces.RemoveDependency {
		r.Blocker = m.ids[m.random.IntN(len(m.ids))]
	}
	return r
}

// legal does what the table allows. The agents move on meanwhile, so it may be refused by now; what is refused says why.
func (m *modelRun) legal(ctx context.Context, s pieces.Snapshot) {
	m.t.Helper()
	legal := s.LegalActions()
	if len(legal) == 0 {
		return
	}
	a := legal[m.random.IntN(len(legal))]
	if a == pieces.Archive && !m.chance(20) {
		return
	}
	res, err := m.engine.Act(ctx, m.request(s, a))
	m.did("%s on %s at %v: %v", a, s.Piece.Name, s.State(), err)
	if err != nil {
		m.sentence(err)
		return
	}
	if res.Piece.Piece.ID != s.Piece.ID {
		m.t.Errorf("%s on %s answers with the piece %s", a, s.Piece.ID, res.Piece.Piece.ID)
	}
}

// illegal does what no state that the piece can be in by now allows, and must be refused with the legal ones named.
func (m *modelRun) illegal(ctx context.Context, s pieces.Snapshot) {
	m.t.Helper()
	if pieces.LiveState(s.State()) {
		return // it may move on in this moment
	}
	var not []pieces.Action
	for _, rule := range pieces.Rules() {
		if !s.Legal(rule.Action) {
			not = append(not, rule.Action)
		}
	}
	a := not[m.random.IntN(len(not))]
	_, err := m.engine.Act(ctx, m.request(s, a))
	m.did("%s, illegal, on %s at %v: %v", a, s.Piece.Name, s.State(), err)
	var refusal *engine.Refusal
	if now, rerr := m.engine.Piece(ctx, s.Piece.ID); rerr != nil || now.Piece.Version != s.Piece.Version {
		return // the poll saw its pull request or its folder change
	}
	if !errors.As(err, &refusal) {
		m.t.Errorf("%s on %s at %v was not refused: %v", a, s.Piece.Name, s.State(), err)
	}
}

// sentence checks that an error is one that a person may read.
func (m *modelRun) sentence(err error) {
	m.t.Helper()
	var refusal *engine.Refusal
	if !errors.As(err, &refusal) && !errors.Is(err, pieces.ErrStale) {
		m.t.Errorf("not a refusal: %v", err)
	}
}

// answer answers what agents ask.
func (m *modelRun) answer(ctx context.Context) {
	list := m.engine.Prompts("")
	for _, p := range list {
		// It may be gone by now.
		_ = m.engine.AnswerPrompt(ctx, p.ID, pieces.PromptAnswer{Allow: m.chance(70)})
	}
	m.did("answer %d prompts", len(list))
}

// spoilFolder deletes the worktree of a piece on which nothing runs, or puts an empty folder in its place. Only pieces that
// are still worked on are watched; the others' folders are looked at by a start.
func (m *modelRun) spoilFolder(s pieces.Snapshot) {
	m.t.Helper()
	if s.Piece.Archived || s.Piece.Phase == pieces.PhaseComplete {
		return
	}
	if s.Piece.Worktree == "" || pieces.LiveState(s.State()) || len(s.Tasks) > 0 && s.Piece.Phase == pieces.PhaseAgents {
		return
	}
	m.did("delete the worktree of %s at %v", s.Piece.Name, s.State())
	if err := os.RemoveAll(s.Piece.Worktree); err != nil {
		m.t.Error(err)
	}
	switch m.random.IntN(3) {
	case 0:
		m.did("and put an empty folder there")
		if err := os.Mkdir(s.Piece.Worktree, 0o700); err != nil {
			m.t.Error(err)
		}
	case 1:
		m.did("and prune")
		m.repo.Git("worktree", "prune")
	}
}

// afterStart checks that a start says of nothing that it runs unless it has just begun to.
func (m *modelRun) afterStart(ctx context.Context) {
	m.t.Helper()
	for _, s := range m.pieces(ctx) {
		if s.Piece.Config.Lane == pieces.LaneManual && pieces.LiveState(s.State()) {
			m.t.Errorf("after a restart %s is said to be at %v", s.Piece.Name, s.State())
		}
	}
}

// atWork says what of a piece is said to run and does not; "" when all of it does.
func (m *modelRun) atWork(s pieces.Snapshot) string {
	missing := func(dir string) bool { return !m.agents.worksIn(dir) }
	switch s.Piece.Activity {
	case pieces.Interviewing, pieces.Planning, pieces.Decomposing, pieces.WorkReviewing, pieces.Changing:
		if missing(s.Piece.Worktree) {
			return fmt.Sprintf("%s is at %v, and nothing works in %s", s.Piece.Name, s.State(), s.Piece.Worktree)
		}
	default:
	}
	for _, t := range s.Tasks {
		dir := t.Worktree
		if dir == "" {
			dir = s.Piece.Worktree
		}
		if (t.State == pieces.TaskRunning || t.State == pieces.TaskWaiting) && missing(dir) {
			return fmt.Sprintf("the agent %s of %s is %s, and nothing works in %s", t.Name, s.Piece.Name, t.State, dir)
		}
	}
	return ""
}

// onDisk says what is recorded of a piece's folders and not so; "" when all of it is.
func (m *modelRun) onDisk(ctx context.Context, s pieces.Snapshot) string {
	records, err := m.store.Worktrees(ctx, s.Piece.ID)
	if err != nil {
		return err.Error()
	}
	own := false
	for _, r := range records {
		own = own || r.Path == s.Piece.Worktree
		_, err := os.Stat(r.Path)
		if err != nil && (r.Path != s.Piece.Worktree || !s.Piece.WorktreeMissing) {
			return fmt.Sprintf("the recorded worktree %s of %s (missing: %v) is not there", r.Path, s.Piece.Name, s.Piece.WorktreeMissing)
		}
	}
	if s.Piece.Worktree != "" && !own {
		return fmt.Sprintf("the worktree %s of %s is not recorded", s.Piece.Worktree, s.Piece.Name)
	}
	return ""
}

// holds waits until each piece has been seen to be as it is said to be.
func (m *modelRun) holds(ctx context.Context) {
	m.t.Helper()
	seen := map[string]bool{}
	for end := time.Now().Add(3 * soon); ; time.Sleep(5 * time.Millisecond) {
		var wrong []string
		for _, s := range m.pieces(ctx) {
			if seen[s.Piece.ID] {
				continue
			}
			if lie := m.atWork(s) + m.onDisk(ctx, s); lie != "" {
				wrong = append(wrong, lie)
				continue
			}
			seen[s.Piece.ID] = true
		}
		if len(wrong) == 0 {
			break
		}
		if time.Now().After(end) {
			m.t.Fatalf("%s", strings.Join(wrong, "\n"))
		}
	}
	if now := checkout(m.t, m.repo); now != m.main {
		m.t.Fatalf("the main checkout changed from\n%s\nto\n%s", m.main, now)
	}
}

// followModel runs so many steps of a seed.
func followModel(t *testing.T, seed uint64, steps int) {
	t.Helper()
	w := &chaosWorld{t: t, dir: t.TempDir(), repo: piecestest.NewRepo(t).WithRemote(), spoiled: map[string]bool{}}
	m := &modelRun{chaosWorld: w, random: rand.New(rand.NewPCG(seed, 0)), main: checkout(t, w.repo)}
	for range 6 {
		m.ids = append(m.ids, uuid.NewString())
	}
	ctx := context.WithoutCancel(t.Context())
	m.open(ctx)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d:\n%s", seed, strings.Join(m.steps, "\n"))
		}
	})
	if _, _, err := m.engine.RegisterProject(ctx, m.repo.Path); err != nil {
		t.Fatal(err)
	}
	for range steps {
		m.step(ctx)
		m.holds(ctx)
		if t.Failed() {
			break
		}
	}
	m.close()
	m.open(ctx)
	m.afterStart(ctx)
	for _, s := range m.pieces(ctx) {
		history, err := m.store.History(ctx, s.Piece.ID)
		if err == nil {
			err = replay(s.Piece, history)
		}
		if err != nil {
			t.Errorf("%s: %v", s.Piece.Name, err)
		}
	}
	m.close()
	for _, line := range m.faults.lines {
		t.Errorf("logged: %s", line)
	}
}

func TestRandomStepsFollowTheRail(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			followModel(t, seed, 150)
		})
	}
}
