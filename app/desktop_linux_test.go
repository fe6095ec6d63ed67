package app

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fermata/app/apptest"
	"fermata/pieces"
	"fermata/pieces/piecestest"
)

func TestThePersonTurnsTheServerOnAndOffInSettings(t *testing.T) {
	t.Parallel()
	r := newRig(t, piecestest.Story([]piecestest.StoryAgent{{Key: "only", Name: "Only agent", File: "only.txt"}}), fullDesktop())
	r.start()
	r.click("welcome:later")
	tray := r.desk.TrayItem(t)
	for _, label := range []string{"Open Fermata", "Settings…", "Quit"} {
		tray.WaitMenu(label)
	}
	tray.ClickMenu("Settings…")
	r.click("pane:Edge")
	if r.shown("pane:MCP") {
		t.Error("the MCP pane shows before Edge is on")
	}
	r.click("set:" + pieces.KeyEdgeEnabled)
	r.click("set:" + pieces.KeyEdgeControlPlane)
	r.click("pane:MCP")
	r.click("set:" + pieces.KeyMCPEnabled)
	var url string
	r.until("the server", func() bool {
		out, code := r.fermata("endpoint")
		url = out
		return code == 0
	})
	m := r.connect(url)
	id := r.toPlan(m)
	tray.WaitMenu("New draft…")

	// A card waits while the person switches the server off: the call is answered, and nothing was done.
	if out, code := r.fermata("settings", "set", pieces.KeyMCPAskBefore, "true"); code != 0 {
		t.Fatal(out)
	}
	done := make(chan string, 1)
	go func() {
		text, _, err := m.try(context.WithoutCancel(t.Context()), "piece_action", map[string]any{"pieceId": id, "action": "startExecution"})
		if err != nil {
			text = err.Error()
		}
		done <- text
	}()
	r.place("card:allow")
	r.click("pane:Edge")
	r.click("set:" + pieces.KeyEdgeControlPlane)
	if text := <-done; !strings.Contains(text, "stopped before the card was answered") {
		t.Errorf("the waiting call read %q", text)
	}
	r.until("the card to go", func() bool { return !r.shown("card:allow") })
	r.until("the pane to go", func() bool { return !r.shown("pane:MCP") })
	if out, code := r.fermata("endpoint"); code == 0 {
		t.Errorf("the server still has an address: %s", out)
	}
	tray.ClickMenu("Quit")
	if code := r.app.Wait(); code != 0 {
		t.Errorf("quit with %d:\n%s", code, r.app.Log())
	}
	if s, _ := r.database(id); s.Piece.Activity != pieces.Idle || s.Piece.Phase != pieces.PhaseAgents {
		t.Errorf("the stopped call moved the piece to %s/%s", s.Piece.Phase, s.Piece.Activity)
	}
}

func TestWithoutATrayTheWindowStaysAndClosingItQuits(t *testing.T) {
	t.Parallel()
	for name, bus := range map[string]apptest.Bus{"no bus": apptest.BusNone, "no tray host": apptest.BusBare} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, piecestest.Story(piecestest.StoryAgents()), apptest.Options{Bus: bus})
			r.start()
			r.click("welcome:later")
			r.place("home:add")
			if out, code := r.fermata(); code != 0 || !strings.Contains(out, "its window is shown") {
				t.Errorf("a second start: %d %q", code, out)
			}
			r.desk.Window(t, "Fermata").Close()
			if code := r.app.Wait(); code != 0 {
				t.Errorf("quit with %d:\n%s", code, r.app.Log())
			}
		})
	}
}

func TestClosingAWindowUnderTheMovingPointerIsNoPanic(t *testing.T) {
	t.Parallel()
	r := newRig(t, piecestest.Story(piecestest.StoryAgents()), fullDesktop())
	r.start()
	r.click("welcome:later")
	for range 10 {
		r.place("home:add")
		r.desk.Window(t, "Fermata").CloseUnderTheMovingPointer()
		r.desk.WaitGone(t, "Fermata")
		if out, code := r.fermata(); code != 0 {
			t.Fatalf("show it again: %d %q", code, out)
		}
	}
	r.place("home:add")
}

func TestThePersonFilesAndReleasesADraftByMouseAndKeys(t *testing.T) {
	t.Parallel()
	r := newRig(t, piecestest.Story(piecestest.StoryAgents()), fullDesktop())
	r.start()
	r.click("welcome:later")
	r.click("home:path")
	home := r.desk.Window(t, "Fermata")
	home.Type(r.repo.Path)
	r.click("home:add")
	var project string
	m := r.connect(r.serverOn())
	r.until("the project", func() bool {
		list := m.call("list_projects", nil)["projects"].([]any)
		if len(list) == 1 {
			project = list[0].(map[string]any)["id"].(string)
		}
		return project != ""
	})
	r.click("project:" + project)
	r.click("newDraft")
	r.click("draft:title")
	w := r.desk.Window(t, r.place("draft:title").Window)
	w.Type("Upload retry")
	r.click("draft:spec")
	w.Type("Uploads are tried again.")
	r.click("draft:file")
	var id string
	r.until("the draft", func() bool {
		list := m.call("list_pieces", map[string]any{"projectId": project})["pieces"].([]any)
		if len(list) == 1 {
			id = list[0].(map[string]any)["id"].(string)
		}
		return id != ""
	})
	r.click("card:" + id)
	r.click("release")
	p := r.untilGate(m, id, "specReady")
	if p["name"] != "Upload retry" || p["branchName"] != "fermata/upload-retry" {
		t.Errorf("released as %v on %v", p["name"], p["branchName"])
	}
	r.click("action:approveSpec")
	r.untilGate(m, id, "strategyReady")
	if legal := m.call("get_piece", map[string]any{"pieceId": id})["legalActions"].([]any); !slices.Contains(legal, any("approveStrategy")) {
		t.Errorf("legal now: %v", legal)
	}
	r.quit()
}

func TestQuittingWithACardOnTheScreenAnswersTheCallAndEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t, piecestest.Story(piecestest.StoryAgents()), fullDesktop())
	r.start()
	r.click("welcome:later")
	m := r.connect(r.serverOn())
	id := r.toPlan(m)
	m.call("reveal", map[string]any{"pieceId": id})
	r.place("action:startExecution")
	if out, code := r.fermata("settings", "set", pieces.KeyMCPAskBefore, "true"); code != 0 {
		t.Fatal(out)
	}
	done := make(chan string, 1)
	go func() {
		text, _, err := m.try(context.WithoutCancel(t.Context()), "piece_action", map[string]any{"pieceId": id, "action": "startExecution"})
		if err != nil {
			text = err.Error()
		}
		done <- text
	}()
	r.place("card:allow")
	r.quit()
	if text := <-done; !strings.Contains(text, "nothing was changed") {
		t.Errorf("the waiting call read %q", text)
	}
}
