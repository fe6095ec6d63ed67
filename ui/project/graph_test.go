package project_test

import (
	"fmt"
	"testing"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

// branching is a piece whose agents work side by side, with the review behind them.
func branching() pieces.Snapshot {
	s := piece("branching", "Sync between devices", pieces.PhaseAgents, pieces.Running,
		task(1, "Protocol", pieces.TaskCompleted), task(2, "Server", pieces.TaskCompleted), task(3, "Client store", pieces.TaskRunning),
		task(4, "Conflict screen", pieces.TaskFailed), task(5, "End-to-end tests", pieces.TaskBlocked), task(6, "Work review", pieces.TaskPending))
	s.Tasks[4].Brief += " " + s.Tasks[4].Brief
	s.Tasks[4].SessionID, s.Tasks[5].SessionID, s.Tasks[5].Kind = "", "", pieces.TaskReview
	for _, e := range [][2]int{{1, 2}, {1, 3}, {3, 4}, {2, 5}, {3, 5}, {1, 5}} {
		s.Edges = append(s.Edges, pieces.Edge{From: fmt.Sprint("t", e[0]), To: fmt.Sprint("t", e[1])})
	}
	for n := range 5 {
		s.Edges = append(s.Edges, pieces.Edge{From: fmt.Sprint("t", n+1), To: "t6"})
	}
	return s
}

func withGraph() *fakeEngine {
	e := usual()
	e.list = append(e.list, branching())
	return e
}

func TestTheGraphIsAPictureOfWhatComesAfterWhat(t *testing.T) {
	w := opened(t, withGraph(), "branching")
	at := func(id string) (x, y float32) {
		t.Helper()
		w.sees("node:" + id)
		o, _ := stage.Find(w.Window, "node:"+id)
		x, y, _, _ = kit.Rect(o)
		return x, y
	}
	w.sees("node:t6")
	stage.Settle(w.Window)
	for _, e := range branching().Edges {
		fromX, fromY := at(e.From)
		toX, toY := at(e.To)
		if toX <= fromX && toY <= fromY {
			t.Errorf("%s stands at %v %v, not behind %s at %v %v", e.To, toX, toY, e.From, fromX, fromY)
		}
	}
	for _, word := range []string{"Running", "Failed", "Blocked", "Pending"} {
		if !shows(w, word) {
			t.Errorf("the state %s is not told in words", word)
		}
	}
	w.engine.change(func() { w.engine.list[slot(w.engine, "branching")].Tasks[2].State = pieces.TaskWaiting })
	w.Until("the state is drawn anew", func() bool { return shows(w, "Waits for you") })
}

func TestAnAgentIsOpenedFromTheGraph(t *testing.T) {
	w := opened(t, withGraph(), "branching")
	w.click("node:t3")
	w.sees("session:s3")
	w.click("tab:agents")
	// Without a session it is the brief that is opened, here by the keyboard.
	w.sees("node:t5")
	o, _ := stage.Find(w.Window, "node:t5")
	w.Canvas().Focus(o.(*kit.Press))
	stage.Press(w.Window, "Return")
	w.sees("brief:t5")
	if got := w.label("brief:t5"); got != "Show less" {
		t.Errorf("the brief's button says %q", got)
	}
}

// fanned is a piece of so many agents that start together behind one, with the review behind them.
func fanned(n int) pieces.Snapshot {
	list := []pieces.Task{task(1, "Protocol", pieces.TaskCompleted)}
	for i := range n {
		list = append(list, task(2+i, fmt.Sprint("Part ", i+1), pieces.TaskPending))
	}
	s := piece("fanned", "Sync between devices", pieces.PhaseAgents, pieces.Running, list...)
	for i := range n {
		s.Edges = append(s.Edges, pieces.Edge{From: "t1", To: fmt.Sprint("t", 2+i)})
	}
	return s
}

// inGraph says whether an agent of the picture stands in the part of it that can be seen.
func (w *window) inGraph(id string) bool {
	w.Helper()
	w.sees("node:" + id)
	o, _ := stage.Find(w.Window, "node:"+id)
	x, _, wide, _ := kit.Rect(o)
	page, ok := stage.Find(w.Window, "page:agents")
	if !ok {
		w.Fatal("the agents are not shown")
	}
	left, _, room, _ := kit.Rect(page)
	return x >= left && x+wide <= left+room
}

func TestAWidePictureBeginsWhereTheWorkIs(t *testing.T) {
	for _, c := range []struct {
		runs string // the agent; empty for none
		sees string
	}{{"", "t1"}, {"t14", "t14"}, {"t2", "t2"}} {
		e := usual()
		s := fanned(13)
		for i := range s.Tasks {
			if s.Tasks[i].ID == c.runs {
				s.Tasks[i].State = pieces.TaskRunning
			}
		}
		e.list = append(e.list, s)
		w := opened(t, e, "fanned")
		w.click("tab:agents")
		w.Until(c.sees+" is in view", func() bool { return w.inGraph(c.sees) })
		if c.runs != "t14" {
			continue
		}
		// The person scrolls, and what happens to the agents leaves the picture there.
		o, _ := stage.Find(w.Window, "node:t2")
		kit.Reveal(w.Content(), o)
		stage.Settle(w.Window)
		if !w.inGraph("t2") {
			t.Fatal("the picture can't be scrolled")
		}
		w.engine.change(func() { w.engine.list[slot(w.engine, "fanned")].Tasks[13].State = pieces.TaskWaiting })
		w.Until("the state is drawn anew", func() bool { return shows(w, "Waits for you") })
		stage.Settle(w.Window)
		if !w.inGraph("t2") {
			t.Error("the picture was scrolled away from where the person had it")
		}
	}
}

func TestAPictureThatIsALittleTooWideIsDrawnSoThatItFits(t *testing.T) {
	deep := fanned(4) // and three more agents behind one of them, so that it is too wide in both directions
	for n := 6; n < 9; n++ {
		deep.Tasks = append(deep.Tasks, task(n, fmt.Sprint("Part ", n), pieces.TaskPending))
		deep.Edges = append(deep.Edges, pieces.Edge{From: fmt.Sprint("t", n-1), To: fmt.Sprint("t", n)})
	}
	for name, s := range map[string]pieces.Snapshot{"drawn to the right": fanned(5), "with narrower agents": deep} {
		e := usual()
		e.list = append(e.list, s)
		w := opened(t, e, "fanned")
		w.click("tab:agents")
		w.sees("node:t5")
		stage.Settle(w.Window)
		for _, task := range s.Tasks {
			if !w.inGraph(task.ID) {
				t.Errorf("%s: %s is out of view", name, task.ID)
			}
		}
	}
}
