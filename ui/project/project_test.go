package project_test

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

// opened opens an item of the usual project.
func opened(t *testing.T, e *fakeEngine, id string) *window {
	t.Helper()
	w := openWindow(t, stage.New(t), e, 1280, 800)
	w.click("card:" + id)
	w.sees("closeItem")
	return w
}

func TestPrimaryButtonNamesItsEffectAndAsksTheEngine(t *testing.T) {
	for id, want := range map[string]struct {
		name, label string
		action      pieces.Action
	}{
		"planned": {"action:startExecution", "Start 4 agents", pieces.StartExecution},
		"spec":    {"action:approveSpec", "Approve spec", pieces.ApproveSpec},
		"failed":  {"action:retryFailedAgents", "Recover 1 failed agent", pieces.RetryFailedAgents},
	} {
		t.Run(id, func(t *testing.T) {
			w := opened(t, usual(), id)
			w.sees(want.name)
			if got := w.label(want.name); got != want.label {
				t.Errorf("the button says %q, want %q", got, want.label)
			}
			w.click(want.name)
			r := w.acted()
			if r.Action != want.action || r.PieceID != id || r.By != pieces.ByPerson {
				t.Errorf("the engine was asked for %+v", r)
			}
		})
	}
}

func TestOnlyLegalActionsAreOffered(t *testing.T) {
	w := opened(t, usual(), "planned")
	w.sees("action:startExecution")
	for _, name := range kit.Names(w.Content()) {
		action, is := strings.CutPrefix(name, "action:")
		if is && !planned().Legal(pieces.Action(action)) {
			t.Errorf("%s is offered although it is not legal", name)
		}
	}
}

func TestButtonsFollowThePiece(t *testing.T) {
	e := usual()
	w := opened(t, e, "planned")
	w.sees("action:startExecution")
	e.change(func() {
		e.list[2].Piece.Activity = pieces.Running
		e.list[2].Tasks[0].State = pieces.TaskRunning
	})
	w.sees("action:pauseAgents")
	if stage.Has(w.Window, "action:startExecution") {
		t.Error("agents that run can be started again")
	}
}

func TestRefusalIsShownAsItsSentence(t *testing.T) {
	e := usual()
	e.refuse = &engine.Refusal{Sentence: pieces.Say("Another agent of this branch still runs.")}
	w := opened(t, e, "planned")
	w.click("action:startExecution")
	w.acted()
	w.Until("the refusal is shown", func() bool { return shows(w, e.refuse.Error()) })
}

func TestStopShowsItsEffectAndStartsOnCancel(t *testing.T) {
	e := usual()
	e.effect = pieces.Effect{Lines: []pieces.Sentence{pieces.Say("Stops 2 running agents.")}, Fingerprint: "f1"}
	w := opened(t, e, "running")
	w.click("action:stopAgents")
	w.sees("confirm:ok")
	if !shows(w, "Stops 2 running agents.") {
		t.Error("the sheet does not say what stopping does")
	}
	if f, ok := w.Canvas().Focused().(kit.Named); !ok || f.Name() != "confirm:cancel" {
		t.Errorf("the focus is on %v, want Cancel", w.Canvas().Focused())
	}
	stage.Press(w.Window, fyne.KeyReturn)
	w.Drain()
	if stage.Has(w.Window, "confirm:ok") || len(e.acts) != 0 {
		t.Errorf("Enter on Cancel asked the engine for %+v", e.acts)
	}
	w.click("action:stopAgents")
	w.click("confirm:ok")
	if r := w.acted(); r.Action != pieces.StopAgents || r.Bound != "f1" {
		t.Errorf("the engine was asked for %+v, want stopAgents bound to f1", r)
	}
}

func TestChangedEffectIsShownAgain(t *testing.T) {
	e := usual()
	e.effect = pieces.Effect{Lines: []pieces.Sentence{pieces.Say("Removes the worktree.")}, Fingerprint: "f1"}
	w := opened(t, e, "review")
	w.click("action:markDone")
	w.sees("confirm:ok")
	e.change(func() {
		e.effect = pieces.Effect{Lines: []pieces.Sentence{pieces.Say("One file more would be lost.")}, Fingerprint: "f2"}
	})
	w.click("confirm:ok")
	w.acted()
	w.Until("the new effect is shown", func() bool { return shows(w, "One file more would be lost.") })
	w.click("confirm:ok")
	if r := w.acted(); r.Bound != "f2" {
		t.Errorf("the second answer is bound to %q, want f2", r.Bound)
	}
}

func TestApprovalShowsTheWholeInputAndAnswersOnce(t *testing.T) {
	for name, want := range map[string]pieces.PromptAnswer{
		"prompt:allow":        {Allow: true, Scope: pieces.ScopeOnce},
		"prompt:allowSession": {Allow: true, Scope: pieces.ScopeSession},
		"prompt:allowProject": {Allow: true, Scope: pieces.ScopeProject},
		"prompt:deny":         {Message: "Use the one that is there"},
	} {
		t.Run(name, func(t *testing.T) {
			e := usual()
			w := opened(t, e, "running")
			w.sees(name)
			if !shows(w, "npm install --save-dev left-pad && npm test -- --runInBand") {
				t.Error("the command is not shown")
			}
			if name == "prompt:deny" {
				w.Type(w.Window, "prompt:reason", want.Message)
			}
			w.click(name)
			w.sees("prompt:send") // the next prompt takes the place
			if got := e.answers["q1"]; got.Allow != want.Allow || got.Scope != want.Scope || got.Message != want.Message {
				t.Errorf("the session was answered %+v, want %+v", got, want)
			}
		})
	}
}

func TestAlwaysIsOfferedOnlyWhereThereIsARuleToKeep(t *testing.T) {
	e := usual()
	p := approval()
	p.Rule = ""
	e.list[3].Prompts = []pieces.Prompt{p}
	w := opened(t, e, "running")
	w.sees("prompt:allowSession")
	if stage.Has(w.Window, "prompt:allowProject") {
		t.Error("what has no rule can be allowed for the project")
	}
}

func TestQuestionIsAnsweredByOptionAndWords(t *testing.T) {
	e := usual()
	e.list[3].Prompts = []pieces.Prompt{ask()}
	w := opened(t, e, "running")
	w.click("prompt:send")
	w.Drain()
	if len(e.answers) != 0 {
		t.Fatalf("an empty answer was sent: %+v", e.answers)
	}
	w.click("prompt:option:1")
	w.Type(w.Window, "prompt:answer", "and Esc closes it")
	w.click("prompt:send")
	w.Until("the prompt is gone", func() bool { return !stage.Has(w.Window, "prompt:send") })
	if got := e.answers["q2"]; !got.Allow || got.Answers["Which key opens the search?"] != "Ctrl+K, and Esc closes it" {
		t.Errorf("the session was answered %+v", got)
	}
}

func TestTypedAnswerOutlivesAReading(t *testing.T) {
	e := usual()
	e.list[3].Prompts = []pieces.Prompt{ask()}
	w := opened(t, e, "running")
	w.sees("prompt:answer")
	w.Type(w.Window, "prompt:answer", "half an answ")
	e.change(func() { e.list[3].Piece.Name = "Renamed" })
	w.Until("the new name is shown", func() bool { return shows(w, "Renamed") })
	o, _ := stage.Find(w.Window, "prompt:answer")
	if got := o.(*kit.Entry).Text; got != "half an answ" {
		t.Errorf("the answer became %q", got)
	}
}

func TestAgentsAreApprovedOneByOne(t *testing.T) {
	e := usual()
	e.after = func(r engine.Request) {
		for i := range e.list[5].Tasks {
			if t := &e.list[5].Tasks[i]; t.ID == r.TaskID {
				t.Approved = true
			}
		}
	}
	w := opened(t, e, "review")
	w.click("action:review")
	w.click("approveTask:t1")
	if r := w.acted(); r.Action != pieces.ApproveTask || r.TaskID != "t1" {
		t.Errorf("the engine was asked for %+v", r)
	}
	w.sees("action:approveTask")
	if got := w.label("action:approveTask"); got != "Approve Download button" {
		t.Errorf("the last approval says %q", got)
	}
}

func TestAgentOpensItsSession(t *testing.T) {
	e := usual()
	e.list[3].Prompts = nil
	w := opened(t, e, "running")
	w.click("task:t3")
	w.sees("session:s3")
	w.Until("the transcript is shown", func() bool { return shows(w, "Next I wire the form.") })
	if shows(w, "rg -n 'template' internal/web\n") || shows(w, "template.Must") {
		t.Error("a tool's result is shown before it was folded out")
	}
}

func TestNewMessagesAreAdded(t *testing.T) {
	e := usual()
	e.list[3].Prompts = nil
	w := opened(t, e, "running")
	w.click("tab:sessions")
	w.sees("call:c1")
	e.change(func() {
		e.messages = append(e.messages, pieces.Message{Seq: 9, Role: pieces.RoleAssistant, Text: "Done with the form."})
	})
	w.Until("the new message is shown", func() bool { return shows(w, "Done with the form.") })
}

func TestDraftIsFiledAndOpened(t *testing.T) {
	e := usual()
	w := openWindow(t, stage.New(t), e, 1280, 800)
	w.click("newDraft")
	w.click("draft:file")
	if !shows(w, "Write a seed or a spec first.") {
		t.Error("an empty draft is not refused")
	}
	w.Type(w.Window, "draft:title", "Faster start")
	w.Type(w.Window, "draft:seed", "The app should start in a second")
	w.click("draft:file")
	w.sees("card:filed")
	w.sees("release")
	n := e.filed[0]
	if n.ProjectID != "p1" || n.Title != "Faster start" || n.Seed != "The app should start in a second" || n.Lane != pieces.LaneManual || n.Refine != pieces.RefineIfGaps {
		t.Errorf("filed %+v", n)
	}
}

func TestRunSavesFirstWhatWasTyped(t *testing.T) {
	e := usual()
	w := opened(t, e, "draft")
	w.sees("release")
	if got := w.label("release"); got != "Run spec" {
		t.Errorf("the button says %q, want Run spec", got)
	}
	w.Type(w.Window, "edit:title", "Remap keys")
	w.click("release")
	w.logged("release by person")
	if got := strings.Join(e.log, ", "); got != "update, release by person" {
		t.Errorf("the engine was asked for %s", got)
	}
	if e.edits[0].Spec != nil || *e.edits[0].Title != "Remap keys" {
		t.Errorf("the edit was %+v, want the title alone", e.edits[0])
	}
	w.sees("tab:spec") // the piece takes the draft's place
}

func TestAutoDraftIsPlayed(t *testing.T) {
	w := opened(t, usual(), "draft2")
	w.sees("release")
	if got := w.label("release"); got != "Play" {
		t.Errorf("the button says %q, want Play", got)
	}
}

func TestCancellingADraftIsConfirmed(t *testing.T) {
	e := usual()
	w := opened(t, e, "draft")
	w.click("cancelDraft")
	w.click("confirm:ok")
	w.logged("cancel")
	w.Until("the card is gone", func() bool { return !stage.Has(w.Window, "card:draft") })
}

func TestEditsOfOthersDoNotTouchWhatIsTyped(t *testing.T) {
	e := usual()
	w := opened(t, e, "draft")
	w.sees("edit:title")
	w.Type(w.Window, "edit:title", "Mine")
	e.change(func() {
		e.drafts[0].Title, e.drafts[0].Seed = "Theirs", "A better seed"
		e.drafts[0].Version++
	})
	w.Until("the change is told", func() bool { return shows(w, "was changed from elsewhere") })
	o, _ := stage.Find(w.Window, "edit:title")
	seed, _ := stage.Find(w.Window, "edit:seed")
	if o.(*kit.Entry).Text != "Mine" || seed.(*kit.Entry).Text != "A better seed" {
		t.Errorf("the fields say %q and %q", o.(*kit.Entry).Text, seed.(*kit.Entry).Text)
	}
}

func TestArchivedPiecesAreHidden(t *testing.T) {
	e := usual()
	w := openWindow(t, stage.New(t), e, 1280, 800)
	w.sees("card:done")
	e.change(func() { e.list[6].Piece.Archived = true })
	w.Until("the card is gone", func() bool { return !stage.Has(w.Window, "card:done") })
}

func TestItemIsOpenedByItsIDAndClosed(t *testing.T) {
	w := openWindow(t, stage.New(t), usual(), 720, 480)
	w.sees("card:spec")
	w.project.ShowPiece("spec")
	w.sees("tab:overview")
	if stage.Has(w.Window, "card:spec") {
		t.Error("a window too narrow for both shows the board too")
	}
	w.click("closeItem")
	w.sees("card:spec")
	if w.project.Shown() != "" {
		t.Errorf("%q is still open", w.project.Shown())
	}
}

func TestKeysDoWhatTheMenuSays(t *testing.T) {
	w := opened(t, usual(), "planned")
	w.sees("action:startExecution")
	press := &desktop.CustomShortcut{KeyName: fyne.KeyReturn, Modifier: fyne.KeyModifierShortcutDefault}
	w.Canvas().(interface{ TypedShortcut(fyne.Shortcut) }).TypedShortcut(press)
	if r := w.acted(); r.Action != pieces.StartExecution {
		t.Errorf("Ctrl+Enter asked for %+v", r)
	}
}

func TestPullRequestOpensInTheBrowser(t *testing.T) {
	e := usual()
	w := opened(t, e, "done")
	w.click("action:viewPullRequest")
	w.logged("open https://github.com/ada/muse/pull/42")
}

func TestDiffOfTheChosenFileIsShown(t *testing.T) {
	w := opened(t, usual(), "review")
	w.click("file:web/list.html")
	o, ok := stage.Find(w.Window, "diffPath")
	if !ok || o.(*kit.Copyable).Shown() != "web/list.html" {
		t.Error("the diff is not that of the chosen file")
	}
}

// shows says whether a text can be read anywhere in the window.
func shows(w *window, text string) bool {
	w.Drain()
	roots := append([]fyne.CanvasObject{w.Content()}, w.Canvas().Overlays().List()...)
	for _, root := range roots {
		if hasText(root, text) {
			return true
		}
	}
	return false
}
