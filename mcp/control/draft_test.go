package control

import (
	"errors"
	"strings"
	"testing"

	"fermata/pieces"
)

const newID = "77777777-7777-4777-8777-777777777777"

func filing(more ...any) values {
	v := values{"spec": "# New\n\nText", "projectId": projectID, "id": newID}
	for i := 0; i < len(more); i += 2 {
		v[more[i].(string)] = more[i+1]
	}
	return v
}

func TestDraftIsFiledWithItsDefaults(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.ok("create_draft", values{"seed": "Do it", "projectId": projectID, "title": "Given", "id": strings.ToUpper("aaaaaaaa-7777-4777-8777-777777777777")})
	got := k.engine.filed[0]
	if got.Lane != pieces.LaneManual || got.Refine != pieces.RefineIfGaps || got.ID != "aaaaaaaa-7777-4777-8777-777777777777" || got.Title != "Given" || got.RunAt != "" {
		t.Errorf("filed %+v", got)
	}
	k.ok("create_draft", filing("lane", "loop", "refine", "always", "model", "claude-x", "runAt", "THISMAC", "seed", "too", "dependsOn", []string{}))
	got = k.engine.filed[1]
	if got.Lane != pieces.LaneLoop || got.Refine != pieces.RefineAlways || got.Model != "claude-x" || got.RunAt != "thisMac" || got.Seed != "too" || got.Spec == "" {
		t.Errorf("filed %+v", got)
	}
}

func TestDraftThatCannotBeFiledSaysWhy(t *testing.T) {
	t.Parallel()
	on := map[string]string{pieces.KeyEdgeEnabled: "true", keyLoopIntake: "true", keyEchoes: "true"}
	for _, c := range []struct {
		name     string
		settings map[string]string
		args     values
		want     string
	}{
		{"no project", nil, values{"seed": "x"}, "No project is named: pass projectId, or cwd with your working directory."},
		{"foreign folder", nil, values{"seed": "x", "cwd": "/tmp/other"}, "No project contains /tmp/other: pass projectId, or call register_project with the repository's path first."},
		{"keys", nil, filing("keys", []string{"SUP-12", "o/r#3"}), "Couldn't verify SUP-12: Loop Intake is off."},
		{"keys and a card", map[string]string{keyAsk: "true"}, filing("keys", []string{"SUP-12"}, "lane", "auto", "release", true), "Couldn't verify SUP-12: Loop Intake is off."},
		{"keys without a source", on, filing("keys", []string{"o/r#3"}), "Couldn't verify o/r#3: the project links no GitHub source."},
		{"issue", nil, values{"issue": "SUP-12", "projectId": projectID}, "Couldn't fetch SUP-12: Loop Intake is off."},
		{"issue without a source", on, values{"issue": "SUP-12", "projectId": projectID}, "Couldn't fetch SUP-12: the project links no Linear source."},
		{"Echo", nil, filing("runAt", "studio"), `Echoes is off in Settings › Edge, so the work cannot run at "studio": pass thisMac, or leave runAt out.`},
		{"unknown Echo", on, filing("runAt", "studio"), `Unknown Echo "studio": there are no Echoes, so pass thisMac or leave runAt out.`},
		{"dependencies", nil, filing("dependsOn", []string{"nothing"}), "Unknown blocker nothing."},
		{"dependencies and a card", map[string]string{keyAsk: "true"}, filing("dependsOn", []string{"nothing"}, "lane", "auto", "release", true), "Unknown blocker nothing."},
	} {
		k := newRig(t)
		for key, v := range c.settings {
			k.engine.settings[key] = v
		}
		if got := k.refused("create_draft", c.args); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if len(k.engine.filed) != 0 || len(k.desk.Pending()) != 0 {
			t.Errorf("%s: something was filed or asked", c.name)
		}
	}
}

func TestResendFilesNothing(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	first := k.ok("create_draft", filing())
	same(t, first, `{"ok": true, "draftId": "`+newID+`", "title": "New", "lane": "manual"}`)
	same(t, k.ok("create_draft", filing("title", "other")), `{"ok": true, "draftId": "`+newID+`", "title": "New", "lane": "manual"}`)
	if len(k.engine.filed) != 1 {
		t.Errorf("%d drafts were filed", len(k.engine.filed))
	}
	k.ok("release_draft", values{"draftId": newID})
	same(t, k.ok("create_draft", filing()), `{"ok": true, "draftId": "`+newID+`", "pieceId": "`+newID+`", "released": true}`)
	same(t, k.ok("create_draft", filing("release", true)), `{"ok": true, "draftId": "`+newID+`", "pieceId": "`+newID+`", "released": true}`)
	row := k.ok("release_draft", values{"draftId": newID}).(map[string]any)
	if row["id"] != newID || row["kind"] != "piece" || len(k.engine.released) != 1 {
		t.Errorf("a second release returned %v and released %v", row, k.engine.released)
	}
	for range 2 {
		if got := k.refused("cancel_draft", values{"draftId": newID}); got != "Unknown draftId" {
			t.Errorf("cancelling a released draft: %q", got)
		}
	}
	k.ok("cancel_draft", values{"draftId": draftID})
	if got := k.refused("cancel_draft", values{"draftId": draftID}); got != "Unknown draftId" {
		t.Errorf("cancelling twice: %q", got)
	}
}

func TestResendReleasesWhatTheFirstCallDidNot(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.ok("create_draft", filing())
	row := k.ok("create_draft", filing("release", true)).(map[string]any)
	if row["released"] != true || row["id"] != newID || row["kind"] != "piece" || len(k.engine.filed) != 1 {
		t.Errorf("returned %v", row)
	}
}

func TestCreateWithReleaseReturnsThePiece(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	got := k.ok("create_draft", values{"spec": "# Balanced controls", "projectId": projectID, "id": strings.Replace(draftID, "3", "9", 1), "release": true, "lane": "auto"})
	same(t, got, `{`+strings.Replace(wantReleasedFields, draftID, strings.Replace(draftID, "3", "9", 1), 1)+`, "released": true}`)
	if len(k.engine.released) != 1 || !strings.HasPrefix(k.engine.released[0], "client ") {
		t.Errorf("released %v", k.engine.released)
	}
}

func TestReleaseThatFailsNamesTheFiledDraft(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.releaseErr = errors.New("disk full")
	wants(t, k.refused("create_draft", filing("release", true)), "The draft was filed with the id "+newID+" but not released: ", "Call release_draft with that id")
	wants(t, k.logged(), "disk full")
}

func TestReleaseOnAutoAsksWhileTheSettingIsOn(t *testing.T) {
	t.Parallel()
	calls := map[string]func(lane string) (string, values){
		"release_draft": func(string) (string, values) { return "release_draft", values{"draftId": draftID} },
		"create_draft":  func(lane string) (string, values) { return "create_draft", filing("lane", lane, "release", true) },
		"resend": func(lane string) (string, values) {
			return "create_draft", values{"spec": "# x", "id": draftID, "release": true, "lane": lane, "projectId": projectID}
		},
	}
	for name, call := range calls {
		for _, lane := range pieces.Lanes() {
			for _, setting := range []string{"true", "false"} {
				k := newRig(t)
				k.engine.drafts[0].Lane = lane
				k.engine.settings[keyAsk] = setting
				tool, args := call(string(lane))
				done := k.start(t.Context(), tool, args)
				if setting == "true" && lane == pieces.LaneAuto {
					q := k.cards(1)[0]
					if q.Title.String() != "Allow the MCP client to release the draft and run it on Auto?" || !strings.HasSuffix(q.Body.String(), "' (muse).") || q.Danger || q.Writing == nil {
						t.Errorf("%s asks %+v", name, q)
					}
					if len(k.engine.filed)+len(k.engine.released) != 0 {
						t.Errorf("%s did something before the answer", name)
					}
					k.allow(q)
				}
				if a := k.ended(done); a.error || len(k.engine.released) != 1 {
					t.Errorf("%s, %s, setting %s: %+v", name, lane, setting, a)
				}
			}
		}
	}
}

func TestDeniedReleaseLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.settings[keyAsk] = "true"
	done := k.start(t.Context(), "create_draft", filing("lane", "auto", "release", true))
	if err := k.desk.Answer(k.cards(1)[0].ID, false, ""); err != nil {
		t.Fatal(err)
	}
	if a := k.ended(done); a.text != sentenceDenied || len(k.engine.filed) != 0 {
		t.Errorf("denied: %+v, filed %v", a, k.engine.filed)
	}
}

func TestDraftThatChangedUnderItsCardIsAskedAnew(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.settings[keyAsk] = "true"
	done := k.start(t.Context(), "release_draft", values{"draftId": draftID, "model": "claude-x"})
	first := k.cards(1)[0]
	k.ok("update_draft", values{"draftId": draftID, "title": "Other controls"})
	k.allow(first)
	second := k.cards(1)[0]
	for second.ID == first.ID {
		second = k.cards(1)[0]
	}
	wants(t, second.Body.String(), "'Other controls'")
	if len(k.engine.released) != 0 {
		t.Error("released what nobody allowed")
	}
	k.allow(second)
	if a := k.ended(done); a.error {
		t.Errorf("allowed anew: %+v", a)
	}
}

func TestDraftReleasedUnderItsCardIsReturned(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.settings[keyAsk] = "true"
	done := k.start(t.Context(), "release_draft", values{"draftId": draftID})
	q := k.cards(1)[0]
	if _, err := k.engine.ReleaseDraft(t.Context(), draftID, "", pieces.ByPerson); err != nil {
		t.Fatal(err)
	}
	k.allow(q)
	a := k.ended(done)
	same(t, decode(t, a.text), `{`+wantReleasedFields+`}`)
	if len(k.engine.released) != 1 {
		t.Errorf("released %v", k.engine.released)
	}
}

func TestUpdateWritesOnlyWhatIsGiven(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	row := k.ok("update_draft", values{"draftId": draftID, "lane": "manual", "model": "", "seed": "s", "runAt": "thisMac"}).(map[string]any)
	if row["lane"] != "manual" || row["modelId"] != nil || row["name"] != "Balanced controls" || row["runAt"].(map[string]any)["choice"] != "thisMac" {
		t.Errorf("row is %v", row)
	}
	d := k.engine.drafts[0]
	if d.Seed != "s" || d.Spec != "# Balanced controls\n" {
		t.Errorf("draft is %+v", d)
	}
}

func TestKeysThatCannotBeVerifiedLeaveTheDraftAlone(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	if got := k.refused("update_draft", values{"draftId": draftID, "title": "x", "keys": []string{"SUP-1"}}); got != "Couldn't verify SUP-1: Loop Intake is off." {
		t.Errorf("refused with %q", got)
	}
	if k.engine.drafts[0].Title != "Balanced controls" {
		t.Error("the title was written")
	}
}
