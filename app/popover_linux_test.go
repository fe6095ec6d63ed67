package app

import (
	"strings"
	"testing"

	"fermata/app/apptest"
	"fermata/pieces"
	"fermata/pieces/piecestest"
	"fermata/ui/popover"
)

// cuesWindow waits for the popover and returns its window.
func (r *rig) cuesWindow() *apptest.Window {
	r.t.Helper()
	if p := r.place("popover:list"); p.Window != popover.Title {
		r.t.Fatalf("the list of cues is in the window %q", p.Window)
	}
	return r.desk.Window(r.t, popover.Title)
}

// labels are the labels of the cues that a client sees, and how many are snoozed.
func (r *rig) cueLabels(m *mcpClient) (labels []string, snoozed float64) {
	r.t.Helper()
	all := m.call("list_cues", nil)
	for _, g := range all["groups"].([]any) {
		for _, c := range g.(map[string]any)["items"].([]any) {
			labels = append(labels, c.(map[string]any)["label"].(string))
		}
	}
	return labels, all["snoozedCount"].(float64)
}

func TestTheTraysClickOpensThePopoverAndItsKeysAnswerCues(t *testing.T) {
	t.Parallel()
	r := newRig(t, piecestest.Story([]piecestest.StoryAgent{{Key: "only", Name: "Only agent", File: "only.txt"}}), fullDesktop())
	r.start()
	r.click("welcome:later")
	m := r.connect(r.serverOn())
	id := r.fileDraft(m)
	m.call("release_draft", map[string]any{"draftId": id})
	r.untilGate(m, id, "specReady")

	// A click on the notification opens the piece, and the notification goes with its cue.
	ready := func(label string) func(apptest.Notification) bool {
		return func(n apptest.Notification) bool {
			return n.Summary == label && strings.HasPrefix(n.Body, "Upload retry (")
		}
	}
	n := r.desk.WaitNotification(t, ready("Spec ready"))
	n.InvokeAction(t, "default")
	project := r.place("action:approveSpec").Window
	if !strings.HasPrefix(project, "Fermata: ") {
		t.Errorf("the click opened the window %q", project)
	}
	r.desk.Window(t, project).Close()
	r.desk.WaitGone(t, project)

	tray := r.desk.TrayItem(t)
	tray.WaitMenu("Spec ready: Upload retry")
	tray.Activate()
	w := r.cuesWindow()
	const screen, edge = 1280, 8
	r.until("the popover to be in the upper right corner", func() bool {
		x, y := w.Corner()
		wide, _ := w.Size()
		return x+wide == screen-edge && y == edge
	})
	r.place("primary:piece:" + id)
	w.Key("Return")
	r.untilGate(m, id, "strategyReady")
	r.desk.WaitNotification(t, func(n apptest.Notification) bool { return n.Summary == "Spec ready" && n.Closed })
	r.until("the next cue in the popover", func() bool {
		labels, _ := r.cueLabels(m)
		return len(labels) == 1 && labels[0] == "Strategy ready" && r.shown("primary:piece:"+id)
	})
	r.until("the snooze", func() bool {
		w.Key("s")
		labels, snoozed := r.cueLabels(m)
		return len(labels) == 0 && snoozed == 1
	})
	r.until("the cue to leave the popover", func() bool { return !r.shown("primary:piece:" + id) })
	w.Key("Escape")
	r.desk.WaitGone(t, popover.Title)

	// A click opens it again; what takes the focus closes it.
	tray.Activate()
	r.cuesWindow()
	r.desk.Window(t, "Fermata").Activate()
	r.desk.WaitGone(t, popover.Title)
	r.quit()
}

func TestAnAgentsQuestionIsAnsweredInThePopover(t *testing.T) {
	t.Parallel()
	r := newRig(t, piecestest.Script{
		{Name: "writes", Match: piecestest.Contains("The person answered:\n\nThe server"), Replies: []piecestest.Reply{
			piecestest.Structured(map[string]any{"spec": piecestest.StorySpec, "analysis": piecestest.Analysis()}),
		}, Repeat: true},
		asks("asks", "# Step: spec", "Which uploads?"),
	}, fullDesktop())
	r.start()
	r.click("welcome:later")
	m := r.connect(r.serverOn())
	m.call("register_project", map[string]any{"path": r.repo.Path})
	id := m.call("create_piece", map[string]any{"prompt": "Try failed uploads again", "cwd": r.repo.Path})["pieceId"].(string)
	r.untilGate(m, id, "answerInterview")
	r.desk.TrayItem(t).Activate()
	r.cuesWindow()
	r.click("primary:piece:" + id)
	r.click("interview:option:1")
	r.click("interview:send")
	r.untilGate(m, id, "specReady")
	r.until("the form to go", func() bool { return !r.shown("interview:send") })
	r.place("primary:piece:" + id)
	r.quit()
}

func TestQuitAsksWhileWorkRunsAndStopsItTruthfully(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	r := newRig(t, piecestest.Story([]piecestest.StoryAgent{{Key: "only", Name: "Only agent", File: "only.txt", Hold: hold}}), fullDesktop())
	r.start()
	r.click("welcome:later")
	m := r.connect(r.serverOn())
	id := r.toPlan(m)
	m.act(id, "startExecution")
	tray := r.desk.TrayItem(t)
	r.until("the tooltip", func() bool {
		tip, ok := tray.Property("ToolTip").([]any)
		return ok && len(tip) > 2 && strings.HasPrefix(tip[2].(string), "Fermata: 1 running in ")
	})
	tray.ClickMenu("Quit")
	r.clickAway("quit:keep")
	if p := m.call("get_piece", map[string]any{"pieceId": id}); p["activity"] != "running" {
		t.Errorf("after Keep running it is %v", p["activity"])
	}
	tray.ClickMenu("Quit")
	r.click("quit:now")
	if code := r.app.Wait(); code != 0 {
		t.Errorf("quit with %d:\n%s", code, r.app.Log())
	}
	close(hold)
	r.start()
	m = r.connect(r.serverOn())
	r.untilGate(m, id, "interrupted")
	r.quit()
}

func TestATrayThatComesLaterIsTakenUp(t *testing.T) {
	t.Parallel()
	r := newRig(t, piecestest.Story(piecestest.StoryAgents()), apptest.Options{Bus: apptest.BusBare})
	r.start()
	r.click("welcome:later")
	r.place("home:add")
	if err := r.desk.StartTray(); err != nil {
		t.Fatal(err)
	}
	tray := r.desk.TrayItem(t)
	tray.WaitMenu("Open Fermata")
	r.desk.Window(t, "Fermata").Close()
	r.desk.WaitGone(t, "Fermata")
	tray.ClickMenu("Open Fermata")
	r.place("home:add")
	if all, err := r.settings(); err != nil || all[pieces.KeyWelcomeDone] != "true" {
		t.Errorf("the app does not answer any more: %v, %v", all, err)
	}
	r.quit()
}

// settings asks the running app.
func (r *rig) settings() (all map[string]string, err error) {
	err = tell(r.t.Context(), r.data, order{Do: orderSettings}, &all)
	return all, err
}
