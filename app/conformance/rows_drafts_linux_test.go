package conformance

import (
	"strings"

	"github.com/google/uuid"
)

const draftFields = "kind string, id uuid, name string, projectId uuid, lane string, phase object, createdAt time, hasSpec bool, refine string, " +
	"modelId string?, source object?, related array, attachmentCount int, dependsOn array, waiting bool, blockingKeys array, runAt object"

// file files a draft in the world's project and returns its id.
func (p *probe) file(a args) string {
	p.Helper()
	full := args{"cwd": p.w.repo.Path}
	for k, v := range a {
		full[k] = v
	}
	return str(p.call("create_draft", full), "draftId")
}

// drop takes a draft away again.
func (p *probe) drop(id string) {
	p.Helper()
	p.call("cancel_draft", args{"draftId": id})
}

// items counts what list_pieces shows in the project.
func (p *probe) items() int {
	p.Helper()
	return len(list(p.call("list_pieces", args{"projectId": p.w.project, "includeArchived": true}), "pieces"))
}

// filesNothing runs work that must not leave a draft behind.
func (p *probe) filesNothing(work func()) {
	p.Helper()
	before := p.items()
	work()
	if after := p.items(); after != before {
		p.Errorf("there were %d items, now there are %d", before, after)
	}
}

// get reads a piece or draft.
func (p *probe) get(id string) object {
	p.Helper()
	return p.call("get_piece", args{"pieceId": id})
}

func draftRows() []row {
	return join(createDraftRows(), keyRows(), updateDraftRows(), part("000", "cancel_draft",
		is("deletes a draft and returns {ok, draftId}", func(p *probe) {
			id := p.file(args{"seed": "to be deleted"})
			p.same("the result", p.call("cancel_draft", args{"draftId": id}), args{"ok": true, "draftId": id})
			p.refused("get_piece", args{"pieceId": id}, "Unknown pieceId")
		}),
		is("needs a draft", func(p *probe) {
			p.malformed("cancel_draft", args{}, "'draftId'", "is required")
			p.refused("cancel_draft", args{"draftId": unknownID}, "Unknown draftId")
		}),
		later("deletes the files staged with it", "clients cannot stage files; the app does later"),
	))
}

func createDraftRows() []row {
	return part("000", "create_draft",
		is("files from a spec, named by its title heading, and starts nothing", func(p *probe) {
			o := p.call("create_draft", args{"spec": "# Balanced controls\n\n## Goal\n\nx", "title": "Not this", "cwd": p.w.repo.Path})
			id := str(o, "draftId")
			p.same("the result", o, args{"ok": true, "draftId": id, "title": "Balanced controls", "lane": "manual"})
			p.same("kind", p.get(id)["kind"], "draft")
			p.drop(id)
		}),
		is("files from a seed, named by title, else by the seed", func(p *probe) {
			for title, want := range map[string]string{"": "a rough prompt", "Given": "Given"} {
				a := args{"seed": "a rough prompt"}
				if title != "" {
					a["title"] = title
				}
				id := p.file(a)
				p.same("name", p.get(id)["name"], want)
				p.drop(id)
			}
		}),
		is("title is used when the spec has no title heading", func(p *probe) {
			id := p.file(args{"spec": "No heading here.", "title": "From title"})
			p.same("name", p.get(id)["name"], "From title")
			p.drop(id)
		}),
		is("needs one of spec, seed and issue", func(p *probe) {
			p.malformed("create_draft", args{"cwd": p.w.repo.Path}, "'spec'", "'seed'", "'issue'")
		}),
		is("lane is manual by default; manual, auto and loop are taken", func(p *probe) {
			for _, lane := range []string{"manual", "auto", "loop"} {
				id := p.file(args{"seed": "x", "lane": lane})
				p.same("lane", p.get(id)["lane"], lane)
				p.drop(id)
			}
			p.malformed("create_draft", args{"seed": "x", "lane": "fast"}, "'lane'", "manual, auto, loop")
		}),
		is("refine is if_gaps by default; none, if_gaps and always are taken", func(p *probe) {
			for given, want := range map[string]string{"": "if_gaps", "none": "none", "always": "always", "if_gaps": "if_gaps"} {
				a := args{"seed": "x"}
				if given != "" {
					a["refine"] = given
				}
				id := p.file(a)
				p.same("refine", p.get(id)["refine"], want)
				p.drop(id)
			}
			p.malformed("create_draft", args{"seed": "x", "refine": "maybe"}, "'refine'", "none, if_gaps, always")
		}),
		is("model is kept for the spec step", func(p *probe) {
			id := p.file(args{"seed": "x", "model": "claude-opus-4-5"})
			p.same("modelId", p.get(id)["modelId"], "claude-opus-4-5")
			p.drop(id)
			p.malformed("create_draft", args{"seed": "x", "model": "the best one"}, "'model'", "model id")
		}),
		is("the project is found from projectId, else from cwd", func(p *probe) {
			id := p.file(args{"seed": "x", "projectId": p.w.project, "cwd": p.TempDir()})
			p.same("projectId", p.get(id)["projectId"], p.w.project)
			p.drop(id)
			p.refused("create_draft", args{"seed": "x"}, "projectId", "cwd")
			p.refused("create_draft", args{"seed": "x", "cwd": p.TempDir()}, "register_project")
			p.refused("create_draft", args{"seed": "x", "projectId": unknownID}, "Unknown projectId")
		}),
		is("an id of the client's makes a retry file nothing twice", func(p *probe) {
			a := args{"id": uuid.NewString(), "seed": "once", "cwd": p.w.repo.Path}
			first := p.call("create_draft", a)
			p.same("draftId", first["draftId"], a["id"])
			p.filesNothing(func() { p.same("the retry", p.call("create_draft", a), first) })
			p.drop(str(first, "draftId"))
			p.malformed("create_draft", args{"id": "mine", "seed": "x"}, "'id'", "UUID")
		}),
		is("runAt takes thisMac; an Echo fails the call while Echoes is off, and nothing is filed", func(p *probe) {
			id := p.file(args{"seed": "x", "runAt": "thisMac"})
			p.same("runAt", p.get(id)["runAt"], args{"choice": "thisMac", "resolved": "thisMac", "echoName": nil, "removed": false})
			p.drop(id)
			p.filesNothing(func() {
				p.refused("create_draft", args{"seed": "x", "cwd": p.w.repo.Path, "runAt": "studio"}, "Echoes is off")
			})
		}),
		is("dependsOn is an array of at most 20", func(p *probe) {
			p.malformed("create_draft", args{"seed": "x", "dependsOn": "SUP-1"}, "'dependsOn'", "array of strings")
			p.malformed("create_draft", args{"seed": "x", "dependsOn": strings.Split(strings.Repeat("a,", 20)+"a", ",")}, "'dependsOn'", "at most 20")
		}),
		is("a dependsOn that cannot be resolved fails the call and files nothing", func(p *probe) {
			p.filesNothing(func() {
				p.refused("create_draft", args{"seed": "x", "cwd": p.w.repo.Path, "dependsOn": []string{unknownID}}, "Unknown blocker")
			})
		}),
	)
}

func keyRows() []row {
	combined := func(name string, value any) func(*probe) {
		return func(p *probe) {
			p.malformed("create_draft", args{"issue": "SUP-12", name: value, "cwd": p.w.repo.Path}, "create_draft 'issue' can't be combined with '"+name+"':")
		}
	}
	return part("000", "create_draft: trackers",
		is("issue is a key, not a URL", func(p *probe) {
			for _, bad := range []string{"https://linear.app/x/SUP-12", "SUP", "owner/repo", "#12", ""} {
				p.malformed("create_draft", args{"issue": bad, "cwd": p.w.repo.Path}, "'issue'", "SUP-12", "owner/repo#12")
			}
		}),
		is("issue cannot be combined with spec", combined("spec", "# x")),
		is("issue cannot be combined with seed", combined("seed", "x")),
		is("issue cannot be combined with refine", combined("refine", "none")),
		is("issue cannot be combined with keys", combined("keys", []string{"SUP-13"})),
		is("issue fails with a sentence saying why while Loop Intake is unavailable", func(p *probe) {
			p.filesNothing(func() {
				for _, key := range []string{"SUP-12", "acme/app#12"} {
					p.refused("create_draft", args{"issue": key, "cwd": p.w.repo.Path}, key, "Loop Intake")
				}
			})
		}),
		is("issue fails when the project links no source of that kind", func(p *probe) {
			p.during("edge.loopIntake", "true")
			p.refused("create_draft", args{"issue": "SUP-12", "cwd": p.w.repo.Path}, "no Linear source")
			p.refused("create_draft", args{"issue": "acme/app#12", "cwd": p.w.repo.Path}, "no GitHub source")
		}),
		is("keys hold 1 to 10", func(p *probe) {
			p.malformed("create_draft", args{"seed": "x", "keys": []string{}}, "'keys'", "at least 1")
			eleven := []string{"A-1", "A-2", "A-3", "A-4", "A-5", "A-6", "A-7", "A-8", "A-9", "A-10", "A-11"}
			p.malformed("create_draft", args{"seed": "x", "keys": eleven}, "'keys'", "at most 10")
		}),
		is("a malformed key is an argument error that names it", func(p *probe) {
			p.malformed("create_draft", args{"seed": "x", "keys": []string{"SUP-12", "nope"}}, "'keys'", "nope")
		}),
		is("keys need spec or seed", func(p *probe) {
			p.malformed("create_draft", args{"keys": []string{"SUP-12"}, "cwd": p.w.repo.Path}, "'keys'", "needs 'spec' or 'seed'")
		}),
		is("a key that cannot be verified fails the call with its reason, and nothing is filed", func(p *probe) {
			p.filesNothing(func() {
				p.refused("create_draft", args{"seed": "x", "keys": []string{"SUP-12"}, "cwd": p.w.repo.Path}, "Couldn't verify SUP-12: ", "Loop Intake")
			})
		}),
		later("the issue becomes the spec, with source, blockedBy and blockedByCount", "no tracker can be linked yet"),
		later("the first key becomes the source, the others are related", "no tracker can be linked yet"),
	)
}

func updateDraftRows() []row {
	return part("000", "update_draft",
		is("needs at least one field to change", func(p *probe) {
			id := p.file(args{"seed": "x"})
			p.malformed("update_draft", args{"draftId": id}, "at least one field")
			p.drop(id)
		}),
		is("changes what is given, keeps the rest and returns the draft's row", func(p *probe) {
			id := p.file(args{"seed": "a seed", "lane": "auto", "refine": "none", "model": "m-1", "title": "Old"})
			o := p.call("update_draft", args{"draftId": id, "title": "New"})
			p.shape("the row", o, draftFields)
			for field, want := range map[string]any{"id": id, "name": "New", "lane": "auto", "refine": "none", "modelId": "m-1"} {
				p.same(field, o[field], want)
			}
			p.same("seed", p.get(id)["seed"], "a seed")
			o = p.call("update_draft", args{"draftId": id, "lane": "manual", "refine": "always", "model": "m-2", "runAt": "thisMac", "seed": "another"})
			for field, want := range map[string]any{"name": "New", "lane": "manual", "refine": "always", "modelId": "m-2"} {
				p.same(field, o[field], want)
			}
			p.drop(id)
		}),
		is("a spec with a title heading renames the draft", func(p *probe) {
			id := p.file(args{"seed": "x"})
			p.same("name", p.call("update_draft", args{"draftId": id, "spec": "# Renamed\n\nx"})["name"], "Renamed")
			p.drop(id)
		}),
		is("an empty seed or spec clears it, but one of the two stays", func(p *probe) {
			id := p.file(args{"seed": "x", "spec": "# Y\n\ny"})
			p.call("update_draft", args{"draftId": id, "seed": ""})
			p.same("seed", p.get(id)["seed"], nil)
			p.refused("update_draft", args{"draftId": id, "spec": ""}, "spec or a seed")
			p.same("spec", p.get(id)["spec"], "# Y\n\ny")
			p.drop(id)
		}),
		is("keys are verified before any field is written", func(p *probe) {
			id := p.file(args{"seed": "x", "title": "Old"})
			p.refused("update_draft", args{"draftId": id, "title": "New", "keys": []string{"SUP-12"}}, "Couldn't verify SUP-12: ")
			p.same("name", p.get(id)["name"], "Old")
			p.drop(id)
		}),
		is("an empty array of keys clears every link", func(p *probe) {
			id := p.file(args{"seed": "x"})
			o := p.call("update_draft", args{"draftId": id, "keys": []string{}})
			p.same("source", o["source"], nil)
			p.same("related", o["related"], []any{})
			p.drop(id)
		}),
		is("an Echo in runAt fails the call before anything is changed", func(p *probe) {
			id := p.file(args{"seed": "x", "title": "Old"})
			p.refused("update_draft", args{"draftId": id, "title": "New", "runAt": "studio"}, "Echoes is off")
			p.same("name", p.get(id)["name"], "Old")
			p.drop(id)
		}),
		is("an unknown draft is refused", func(p *probe) { p.refused("update_draft", args{"draftId": unknownID, "title": "x"}, "Unknown draftId") }),
		later("a draft filed from an issue refuses keys", "no tracker can be linked yet"),
	)
}
