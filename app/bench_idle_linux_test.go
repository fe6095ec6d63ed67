//go:build bench

package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fermata/app/apptest"
	"fermata/pieces"
	"fermata/pieces/piecestest"
	"fermata/store"
)

const (
	idleProjects = 5
	idlePieces   = 100 // of all projects
	idleSpans    = 3
	idleSpan     = 15 * time.Second
	idleSettle   = 10 * time.Second
)

// TestBenchIdle measures the processor time of the app with nothing to do, at the same time as that of a bare Fyne window on
// the same screen: first with a window of each of five projects, then with the tray alone.
func TestBenchIdle(t *testing.T) {
	r := newRig(t, piecestest.Story(piecestest.StoryAgents()), fullDesktop())
	bin := buildBare(t)
	names := r.addFilledProjects(idleProjects, idlePieces)
	r.start()
	r.serverOn()
	bare := r.startBare(bin)
	for _, p := range names {
		r.click("project:" + p.ID)
		r.desk.Window(t, "Fermata: "+p.Name)
	}
	r.closed("Fermata")
	ours, theirs := r.idle(bare)
	printRatio(t, "idle_cpu", 1.1, ours, theirs)
	for _, p := range names {
		r.closed("Fermata: " + p.Name)
	}
	ours, theirs = r.idle(bare)
	printRatio(t, "idle_cpu_tray", 1, ours, theirs)
	r.quit()
}

// addFilledProjects registers repositories with pieces that ask for nothing of a forge, for a person who was welcomed before.
func (r *rig) addFilledProjects(projects, count int) (list []pieces.Project) {
	r.t.Helper()
	s, err := store.Open(r.t.Context(), store.Options{Path: r.data.database()})
	if err != nil {
		r.t.Fatal(err)
	}
	defer s.Close()
	noErr(r.t, s.SetSetting(r.t.Context(), pieces.KeyWelcomeDone, "true"))
	var ids []string
	for i := range projects {
		p := pieces.Project{ID: newID(), Name: fmt.Sprint("shop ", i+1), Path: piecestest.NewRepo(r.t).Path, Branch: "main", CreatedAt: time.Now()}
		noErr(r.t, s.AddProject(r.t.Context(), p))
		list, ids = append(list, p), append(ids, p.ID)
	}
	fillStore(r.t, s, filling{projects: ids, count: count, noPRs: true})
	return list
}

func (r *rig) closed(title string) {
	r.t.Helper()
	r.desk.Window(r.t, title).Close()
	r.desk.WaitGone(r.t, title)
}

// idle is what both used in the same spans of time.
func (r *rig) idle(bare *apptest.App) (ours, theirs []time.Duration) {
	r.t.Helper()
	r.rest(idleSettle)
	for range idleSpans {
		a, b := processorTime(r.t, r.app.PID()), processorTime(r.t, bare.PID())
		r.rest(idleSpan)
		ours, theirs = append(ours, processorTime(r.t, r.app.PID())-a), append(theirs, processorTime(r.t, bare.PID())-b)
	}
	return ours, theirs
}

func (r *rig) rest(d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.t.Context().Done():
	}
}

// processorTime is what all threads of a process have run so far.
func processorTime(t *testing.T, pid int) (sum time.Duration) {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		t.Fatalf("the threads of %d: %v", pid, err)
	}
	for _, path := range threads {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it ended meanwhile
		}
		ran, _, _ := strings.Cut(string(b), " ")
		n, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += time.Duration(n)
	}
	return sum
}
