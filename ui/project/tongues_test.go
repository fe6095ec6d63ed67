package project_test

import (
	"testing"

	"fermata/pieces"
	"fermata/ui/stage"

	"fyne.io/fyne/v2"
)

const (
	german   = "Geschwindigkeitsbegrenzungsüberwachungsverordnung für Schnittstellenbenutzerinnen"
	japanese = "公開APIの速度制限をキーごととアドレスごとに設定して、ヘッダーで知らせる"
	korean   = "오프라인 모드에서 알림 설정을 다시 설계하고 동기화 충돌을 해결하기"
	emoji    = "🚀 Launch day 🎉 with 👩‍💻 and 🇩🇪 flags ✅"
	hidden   = "Invoice\u202efdp.exe \u200bhidden"
)

// foreign is the usual project with names in the languages and signs that people use.
func foreign() *fakeEngine {
	e := usual()
	for i, name := range []string{german, japanese, korean, emoji, hidden, german, japanese} {
		s := &e.list[i]
		s.Piece.Name = name
		s.Piece.Source = &pieces.Source{Key: "GEBÜHREN-12345", Kind: "linear"}
		for n := range s.Tasks {
			s.Tasks[n].Name = []string{german, japanese, korean, emoji}[n%4]
			s.Tasks[n].Brief = japanese + "。" + korean + ". " + german + " " + emoji
		}
	}
	e.drafts[0].Title, e.drafts[1].Title = emoji, korean
	e.project.Name = german
	e.project.Branch = "feature/" + german
	e.artifacts[pieces.ArtifactSpec] = "# " + german + "\n\n" + japanese + "。" + japanese + "。" + japanese + "\n\n- " + korean + "\n- " + emoji + "\n\n`" + german + "`\n"
	return e
}

func TestPicturesOfTongues(t *testing.T) {
	stage.Both(t, func(t *testing.T, word string, s *stage.Stage) {
		t.Helper()
		w := openWindow(t, s, foreign(), 1280, 800)
		w.sees("card:planned")
		s.Keep(w.Window, "tongues-board-"+word)
		for _, id := range []string{"spec", "planned", "running"} {
			w.project.ShowPiece(id)
			w.sees("closeItem")
			stage.Settle(w.Window)
			s.Keep(w.Window, "tongues-"+id+"-"+word)
		}
	})
}

func TestPicturesOfTheToolbar(t *testing.T) {
	stage.Both(t, func(t *testing.T, word string, s *stage.Stage) {
		t.Helper()
		e := foreign()
		e.project.LoopPlaying, e.project.LoopOpenPRs = true, 2
		for name, width := range map[string]float32{"small": 720, "middle": 960, "wide": 1600} {
			w := openWindow(t, s, e, width, 480)
			w.sees("pauseLoop")
			s.Keep(w.Window, "toolbar-"+name+"-"+word)
		}
	})
}

func TestTheToolbarFitsASmallWindow(t *testing.T) {
	w := openWindow(t, stage.New(t), foreign(), 720, 480)
	w.sees("card:planned")
	if least := w.Content().MinSize(); least.Width > 720 {
		t.Errorf("the window asks for %v, so that it cannot be 720 wide", least)
	}
	if stage.Has(w.Window, "projectSettings") {
		t.Error("the settings' button takes the room of the project's name")
	}
	w.click("projectMore")
	if menu := w.Canvas().Overlays().Top(); menu == nil {
		t.Fatal("no menu opens")
	}
	stage.Press(w.Window, "Down", "Down", "Down", "Down", "Down", "Return")
	w.sees("project:save")
	w.Resize(fyne.NewSize(1280, 800))
	stage.Settle(w.Window)
	w.Canvas().Overlays().Remove(w.Canvas().Overlays().Top())
	if !stage.Has(w.Window, "projectSettings") {
		t.Error("the settings' button stays in the menu where the bar has room")
	}
}
