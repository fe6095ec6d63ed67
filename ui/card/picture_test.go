package card_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/consent"
	. "fermata/ui/card"
	"fermata/ui/kit"
	"fermata/ui/stage"

	"fyne.io/fyne/v2"
)

const brief = "Add the retry policy to internal/upload: exponential backoff with jitter, at most five attempts, and a context that ends it.\nKeep the public API of Client as it is.\n\nTests go beside the code."

// kinds are the cards that there are, by the name of their picture.
func kinds() map[string]consent.Question {
	claude := consent.Client{Name: "claude-code", Version: "2.1.197"}
	ask := func(verb, on string) consent.Question {
		return consent.Question{
			ProjectID: "muse", Client: claude,
			Title: pieces.Say("Allow the MCP client to %s?", pieces.Term(verb)),
			Body:  pieces.Say("An external MCP client wants to %s on '%s' (%s).", pieces.Term(verb), on, "muse"),
		}
	}
	done := ask("mark the piece done", "Dark theme")
	done.Danger = true
	done.Effect = []pieces.Sentence{pieces.Quote("Removes the worktree /home/ada/.local/share/fermata/worktrees/muse/dark-theme; the branch fermata/dark-theme stays."), pieces.Quote("It has 2 changed files that no commit holds (a.css, b.css). They are saved first and can be restored for 30 days."), pieces.Quote("Cost so far: $1.37.")}
	pr := ask("create a pull request", "upload-retry")
	pr.Effect = []pieces.Sentence{pieces.Quote("Pushes fermata/upload-retry to origin (https://github.com/ada/muse) and opens a pull request into main."), pieces.Quote("Title: Uploads are tried again"), pieces.Quote("Cost so far: $1.37.")}
	pr.Writing = &pieces.Writing{Name: "Text", After: "Uploads are tried five times.\n\n- backoff with jitter\n- a context ends it\n"}
	edit := ask("change a task's brief", "upload-retry")
	edit.Effect = []pieces.Sentence{pieces.Quote(`Gives the agent "Retry policy" another brief; nothing starts.`), pieces.Quote("Cost so far: $0.42.")}
	edit.Writing = &pieces.Writing{Name: "Brief", Before: brief, After: strings.Replace(brief, "at most five attempts", "at most three attempts, none after a 4xx", 1)}
	draft := ask("release the draft and run it on Auto", "Rate limits")
	draft.Effect = []pieces.Sentence{pieces.Say("Makes a branch and a worktree, then runs the spec, the strategy and all agents unattended up to Review."), pieces.Say("The spec is written from the draft first.")}
	draft.Writing = &pieces.Writing{Name: "Seed", After: "Requests beyond a limit are answered with 429 and say when to come back."}
	nowhere := consent.Question{Title: pieces.Say("Allow the MCP client to %s?", pieces.Term("register a project")), Body: pieces.Say("An external MCP client wants to %s.", pieces.Term("register a project")), Effect: []pieces.Sentence{pieces.Quote("path: /home/ada/src/clio")}}
	foreign := ask("start agents", "Geschwindigkeitsbegrenzungsüberwachungsanlagenverordnung 速度制限 🚦 알림 설정을 다시 설계하기")
	foreign.Client = consent.Client{Name: "クライアント\u202etxt.exe", Version: strings.Repeat("9", 90)}
	foreign.Effect = []pieces.Sentence{pieces.Quote("Starts the agents that have not completed: 4 agents, at most 3 side by side.")}
	crowded := stop("muse")
	for i := range 16 {
		crowded.Effect = append(crowded.Effect, pieces.Quote(fmt.Sprintf("file %d\u202e of the worktree that has changes which no commit has, in some folder far away/%d", i, i)))
	}
	anew := done
	anew.Again = true
	rewritten := edit
	rewritten.Writing = &pieces.Writing{Name: "Brief", Before: strings.Repeat(brief+"\n\n", 12), After: strings.Repeat(strings.ReplaceAll(brief, "five", "three")+"\n\n", 12)}
	return map[string]consent.Question{
		"again": anew, "rewritten": rewritten, "stop": stop("muse"), "done": done, "pr": pr, "brief": edit, "draft": draft, "nowhere": nowhere, "foreign": foreign, "crowded": crowded,
	}
}

func TestCardPictures(t *testing.T) { stage.Both(t, pictures) }

func TestTheCardsSayNothingThatNoCatalogueHas(t *testing.T) {
	stage.Marked(t, pictures, kinds(), stop("muse"), "claude-code 2.1.197", "クライアント‹U+202E›txt.exe 9",
		"file 0‹U+202E› of the worktree that has changes which no commit has, in some folder far away/0")
}

func pictures(t *testing.T, word string, s *stage.Stage) {
	t.Helper()
	for name, q := range kinds() {
		t.Run(name, func(t *testing.T) {
			b := newTable(t, s, soon)
			w, _ := b.window(Scope{ProjectID: "muse"})
			_, withdraw := b.ask(q)
			_, other := b.ask(stop("muse"))
			b.ready(w)
			s.Keep(w, "card-"+name+"-"+word)
			if name == "brief" || name == "crowded" {
				w.Resize(fyne.NewSize(420, 300))
				stage.Settle(w)
				s.Keep(w, "card-"+name+"-tiny-"+word)
			}
			withdraw()
			other()
			b.Until("it is gone", func() bool { return !stage.Has(w, "card:allow") })
			if name == "stop" {
				s.Keep(w, "card-withdrawn-"+word)
			}
		})
	}
}

func TestCardThatIsLookedAtPicture(t *testing.T) {
	stage.Both(t, func(t *testing.T, word string, s *stage.Stage) {
		t.Helper()
		b := newTable(t, s, soon)
		w, _ := b.window(Scope{ProjectID: "muse"})
		q := kinds()["done"]
		q.Effect = []pieces.Sentence{q.Effect[0], q.Effect[2]}
		q.Look = func(ctx context.Context) (pieces.Effect, error) {
			<-ctx.Done()
			return pieces.Effect{}, ctx.Err()
		}
		_, withdraw := b.ask(q)
		defer withdraw()
		b.Until("Deny takes answers", func() bool { o, found := stage.Find(w, "card:deny"); return found && !o.(*kit.Button).Disabled() })
		s.Keep(w, "card-looking-"+word)
	})
}

func TestAllowAndDenyAreSeenInEveryWindow(t *testing.T) {
	for name, q := range kinds() {
		t.Run(name, func(t *testing.T) {
			b := newTable(t, stage.New(t), soon)
			w, _ := b.window(Scope{ProjectID: "muse"})
			b.ask(q)
			b.ready(w)
			for _, size := range []fyne.Size{{Width: 1600, Height: 1000}, {Width: 720, Height: 480}, {Width: 400, Height: 300}, {Width: 320, Height: 240}} {
				w.Resize(size)
				stage.Settle(w)
				for _, button := range []string{"card:deny", "card:allow"} {
					o, found := stage.Find(w, button)
					if !found {
						t.Fatalf("%q is not there at %v", button, size)
					}
					if x, y, wide, high := kit.Rect(o); x < 0 || y < 0 || x+wide > size.Width || y+high > size.Height {
						t.Errorf("%q is at %v,%v, outside of %v", button, x, y, size)
					}
				}
			}
		})
	}
}

func TestReplacedTextIsShownLineByLine(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	w, _ := b.window(Scope{ProjectID: "muse"})
	b.ask(kinds()["brief"])
	b.ready(w)
	text := words(w.Canvas().Overlays().Top())
	for _, line := range strings.Split(brief, "\n")[:2] {
		if !strings.Contains(text, line) {
			t.Errorf("the card does not show %q:\n%s", line, text)
		}
	}
	if !strings.Contains(text, "+Add the retry policy") || !strings.Contains(text, "-Add the retry policy") || !strings.Contains(text, "none after a 4xx") {
		t.Errorf("the card does not show what goes and what comes:\n%s", text)
	}
}

// words are all texts at or below an object, a line each.
func words(o fyne.CanvasObject) string {
	if t, ok := o.(interface{ Text() string }); ok {
		return t.Text() + "\n"
	}
	var out strings.Builder
	for _, child := range kit.Children(o) {
		out.WriteString(words(child))
	}
	return out.String()
}
