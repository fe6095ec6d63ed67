package pieces

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
)

func TestASentenceIsItsEnglishTextAndOutlivesTheStore(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]Sentence{
		"":                                      {},
		"It is busy: Pausing.":                  Say("It is busy: %s.", Term("Pausing")),
		"1 agent":                               Count(1, "%d agent", "%d agents"),
		"0 agents":                              Count(0, "%d agent", "%d agents"),
		"Stops 2 agents: a, b.":                 Say("Stops %s: %s.", Count(2, "%d agent", "%d agents"), "a, b"),
		"Cost so far: $3.00.":                   Say("Cost so far: $%.2f.", 3.0),
		"From auto to loop":                     Say("From %s to %s", LaneAuto, LaneLoop),
		"100% is what she wrote: %s":            Quote("100% is what she wrote: %s"),
		"100 % are done.":                       Say("100 % are done."),
		"It failed: The disk is full.":          Say("It failed: %v", Fault("The %s is full.", "disk")),
		"It failed: write: The disk is full.":   Say("It failed: %v", fmt.Errorf("write: %w", Fault("The disk is full."))),
		`The agent "A" works. It said: why not`: Say("The agent %q works.", "A").Then(Say("It said: %s", "why not")),
	} {
		if got := s.String(); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var read Sentence
		if err := json.Unmarshal(data, &read); err != nil || !reflect.DeepEqual(read, s) {
			t.Errorf("%s is read as %#v, %v; want %#v", data, read, err, s)
		}
	}
}

func TestWhatSomebodyWroteIsAQuote(t *testing.T) {
	t.Parallel()
	if text, quoted := Quote("Stopped.").Quoted(); text != "Stopped." || !quoted {
		t.Errorf("%q, %v", text, quoted)
	}
	for _, s := range []Sentence{Say("Stopped."), Say("Saved to %s", "x"), Say("%s", Say("Stopped."))} {
		if _, quoted := s.Quoted(); quoted {
			t.Errorf("%q is a quote", s)
		}
	}
	if said := Said(Fault("No %s.", "disk")); said.Format != "No %s." {
		t.Errorf("a fault says %#v", said)
	}
	if text, quoted := Said(errors.New("no disk")).Quoted(); text != "no disk" || !quoted {
		t.Errorf("an error of somebody else's says %q, %v", text, quoted)
	}
}
