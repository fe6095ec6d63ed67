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
