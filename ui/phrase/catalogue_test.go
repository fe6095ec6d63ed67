package phrase_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fermata/pieces"
)

// notSaid are the literals of the windows that read like a text of Fermata's and are none of the catalogue's, each with
// the reason.
var notSaid = map[string]string{
	"Auto-split is off":                 "the beginning of a sentence of the engine's",
	"(no answer: decide this yourself)": "it goes to Claude Code",
	"Comments on the diff:":             "it goes to Claude Code",
	"English":                           "a language is named in itself",
	"Deutsch":                           "a language is named in itself",
	"npm test":                          "an example",
	"fermata restore ":                  "a command",
	"diff --git ":                       "git's own",
	"MultiEdit":                         "a tool of Claude Code's",
	"Write":                             "a tool of Claude Code's",
	"MB":                                "a unit",
	"GB":                                "a unit",
	"TB":                                "a unit",
	"GSUB":                              "a table of a font",
	"g PR":                              "part of a name that is spaced out",
	"There is no setting ":              "only a fault of the code's shows it",
	"a branch and no pull request":      "a guard's name",
	"not confirmed":                     "a guard's name",
	"the branch or worktree is there":   "a guard's name",
}

// fynes are the words of Fyne's own widgets that the windows show.
var fynes = []string{"Copy", "Cut", "Paste", "Redo", "Select all", "Undo"}

// source is what the code of the windows says.
type source struct {
	said     map[string]string // a text of the catalogue, with where it stands
	literals map[string]string // every literal, joined where several are one text
}

func read(t *testing.T, root string, skip ...string) source {
	t.Helper()
	s := source{map[string]string{}, map[string]string{}}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(skip, d.Name()):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		at := func(n ast.Node) string { return files.Position(n.Pos()).String() }
		ast.Inspect(file, func(n ast.Node) bool { return s.take(n, at) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// take notes what one node says, and tells whether to look into it.
func (s source) take(n ast.Node, at func(ast.Node) string) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.Field:
		return n.Tag == nil
	case *ast.CallExpr:
		return s.call(n, at)
	case ast.Expr:
		if text, whole := literal(n); whole {
			s.literals[text] = at(n)
			return false
		}
	}
	return true
}

func (s source) call(c *ast.CallExpr, at func(ast.Node) string) bool {
	name := callee(c.Fun)
	arg := func(n int) string {
		if n >= len(c.Args) {
			return ""
		}
		text, _ := literal(c.Args[n])
		return text
	}
	switch {
	case name == "phrase.Of", name == "phrase.F", name == "phrase.Counted":
		// What is chosen from a table is said too.
		ast.Inspect(c.Args[0], func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if text, whole := literal(e); whole {
					s.said[text] = at(c)
					return false
				}
			}
			return true
		})
		for _, fact := range c.Args[1:] {
			ast.Inspect(fact, func(n ast.Node) bool { return s.take(n, at) })
		}
		return false
	case name == "phrase.N":
		s.said[arg(2)] = at(c) // it has all the forms
		return false
	case name == "count" && arg(1) != "":
		s.said["%d "+arg(1)+"s"] = at(c)
		return false
	case strings.HasSuffix(name, "rogress.Set") || strings.HasSuffix(name, "NewProgress"):
		s.said[strings.TrimSpace("%d of %d "+arg(2))] = at(c)
	case name == "fmt.Sscanf":
		return false
	case strings.Contains(name, ".Log."), name == "errors.New", name == "fmt.Errorf":
		return false
	}
	return true
}

func callee(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return callee(e.X) + "." + e.Sel.Name
	}
	return ""
}

// literal is the text of an expression that consists of literals only.
func literal(e ast.Expr) (text string, whole bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, ok := literal(e.X)
		right, also := literal(e.Y)
		return left + right, ok && also && e.Op == token.ADD
	}
	return "", false
}

var (
	names   = regexp.MustCompile(`^[a-z][A-Za-z0-9.]*(:[A-Za-z0-9%:]*)?$`)
	letters = regexp.MustCompile(`[A-Za-z]{2}`)
	caption = regexp.MustCompile(`^[A-Z“+]`)
	verbs   = regexp.MustCompile(`%(\[\d\])?[+.0-9]*[a-z]`)
)

// reads says whether a literal reads like something that is said to a person.
func reads(text string) bool {
	words := verbs.ReplaceAllString(text, "")
	return !names.MatchString(text) && letters.MatchString(words) && !strings.Contains(text, "\x00") &&
		(caption.MatchString(text) || strings.Contains(strings.TrimSpace(words), " "))
}

// domain is what the domain says in English and the windows draw in the person's language.
func domain(t *testing.T) map[string]string {
	t.Helper()
	said := map[string]string{}
	for _, s := range pieces.Settings() {
		if s.Key != pieces.KeyWelcomeDone {
			said[s.Sentence] = "a setting"
		}
	}
	for _, g := range pieces.CueGroups() {
		said[g.Title()] = "a group of cues"
	}
	for _, r := range pieces.Rules() {
		said[r.Label] = "an action"
	}
	for _, p := range append(pieces.Phases(), pieces.PhaseBacklog) {
		said[pieces.DisplayOf(p, 0, 0)] = "a station"
	}
	for _, m := range pieces.Moves() {
		if _, action := pieces.RuleOf(pieces.Action(m.On)); !action && m.On != pieces.OnSpecAsked {
			said[spaced(string(m.On))] = "what happened"
		}
		said[spaced(string(m.From.Activity))] = "what a piece did"
	}
	for _, s := range []pieces.PullRequestState{pieces.PullRequestOpen, pieces.PullRequestMerged, pieces.PullRequestClosed} {
		said[string(s)] = "a pull request"
	}
	said[pieces.StateDeleted] = "a blocker"
	said["The token is kept in your keychain."] = "the app's word of where the token is"
	for _, status := range []string{"Added", "Modified", "Deleted", "Renamed", "Copied", "Type changed"} {
		said[status] = "a changed file"
	}
	for _, m := range pieces.Moves() {
		if _, action := pieces.RuleOf(pieces.Action(m.On)); action && notSaid[m.Guard.Name] == "" {
			said[m.Guard.Name] = "a guard"
		}
	}
	said[pieces.Snapshot{Piece: pieces.Piece{Activity: pieces.Running}, Queued: []string{"t"}, Tasks: []pieces.Task{{ID: "t", State: pieces.TaskRunning}}}.Working()] = "what is done"
	for name, function := range map[string]string{"loop.go": "Sentence", "cue.go": "", "working.go": ""} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../../pieces", name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, isFunction := d.(*ast.FuncDecl)
			if isFunction && f.Name.Name != function {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if e, ok := n.(*ast.BasicLit); ok {
					if text, whole := literal(e); whole && reads(text) {
						said[text] = name
					}
				}
				return true
			})
		}
	}
	return said
}

// spaced is a key of the domain as the history shows it.
func spaced(key string) string {
	words := regexp.MustCompile(`[a-z][A-Z]`).ReplaceAllStringFunc(key, func(s string) string { return s[:1] + " " + strings.ToLower(s[1:]) })
	return strings.ToUpper(words[:1]) + words[1:]
}

func german(t *testing.T) map[string]any {
	t.Helper()
	data, err := os.ReadFile("de.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTheCatalogueHasEveryTextAndNoOther(t *testing.T) {
	t.Parallel()
	code := read(t, "..", "stage", "phrase", "glyphs")
	need := domain(t)
	maps.Copy(need, code.said)
	maps.Copy(need, sentences(t))
	maps.Copy(need, failures(t))
	for text, at := range code.literals {
		if reads(text) && notSaid[text] == "" {
			need[text] = at
		}
	}
	have := german(t)
	for _, text := range slices.Sorted(maps.Keys(need)) {
		if _, ok := have[text]; !ok && text != "" {
			t.Errorf("%s: the catalogue lacks %q", need[text], text)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(have)) {
		_, needed := need[text]
		_, literal := code.literals[text]
		if !needed && !literal && !slices.Contains(fynes, text) {
			t.Errorf("nothing says %q any more: take it out of the catalogue", text)
		}
	}
}

// sentences are the formats of what the domain, the engine, the doctor and the cards say.
func sentences(t *testing.T) map[string]string {
	t.Helper()
	s := source{map[string]string{}, map[string]string{}}
	for root, only := range map[string]string{"../../pieces": "", "../../mcp/control": "Say"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "piecestest":
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch c := n.(type) {
				case *ast.CompositeLit:
					s.labels(c)
				case *ast.CallExpr:
					if text, known := saidBy(t, c, only, files.Position(n.Pos()).String()); known {
						s.said[text] = files.Position(n.Pos()).String()
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(s.said) < 200 {
		t.Fatalf("only %d sentences were found", len(s.said))
	}
	for _, r := range pieces.Rules() {
		if r.Verb != "" {
			s.said[r.Verb] = "what a card asks for"
		}
	}
	s.said[pieces.VerbReleaseAuto] = "what a card asks for"
	return s.said
}

// labels notes how a drop and a text that is handed on are named.
func (s source) labels(c *ast.CompositeLit) {
	of := ""
	if c.Type != nil {
		of = strings.TrimPrefix(callee(c.Type), "pieces.")
	}
	for _, e := range c.Elts {
		field, ok := e.(*ast.KeyValueExpr)
		if !ok || of != "Drop" && of != "Writing" {
			continue
		}
		if name := callee(field.Key); name == "Label" || name == "Name" {
			if text, whole := literal(field.Value); whole {
				s.said[text] = of
			}
		}
	}
}

// failures are the sentences without facts with which a step or an agent fails; they are stored as text.
func failures(t *testing.T) map[string]string {
	t.Helper()
	said := map[string]string{}
	for name, only := range map[string]*regexp.Regexp{
		"agent/failure.go": regexp.MustCompile(`^(Claude Code is not|The turn).*\.$`), "engine/life.go": regexp.MustCompile(`^Fermata stopped.*\.$`), "engine/stop.go": regexp.MustCompile(`^Stopped\.$`),
	} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../../pieces", name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		ast.Inspect(file, func(n ast.Node) bool {
			if e, ok := n.(*ast.BasicLit); ok {
				if text, whole := literal(e); whole && only.MatchString(text) {
					said[text], found = name, true
				}
			}
			return true
		})
		if !found {
			t.Errorf("%s has no sentence of a failure any more", name)
		}
	}
	return said
}

// through are the functions that hand a format on to Say, with the place of the format among their arguments; what they are
// given is a sentence.
var through = map[string]int{
	"Say": 0, "pieces.Say": 0, "Fault": 0, "pieces.Fault": 0, "Count": 2, "pieces.Count": 2, "refuse": 1, "count": 1,
}

// saidBy is the format of a call that makes a sentence. One that is no literal fails the test: no catalogue could be checked
// against it. only is the one function that counts, where there is one.
func saidBy(t *testing.T, c *ast.CallExpr, only, at string) (string, bool) {
	t.Helper()
	name := callee(c.Fun)
	place, makes := through[name]
	if !makes || place >= len(c.Args) || only != "" && !strings.HasSuffix(name, only) || name == "count" && strings.Contains(at, "/forge/") || name == "count" && strings.Contains(at, "/git/") {
		return "", false
	}
	text, whole := literal(c.Args[place])
	switch given, hands := c.Args[place].(*ast.Ident); {
	case !whole && hands && (given.Name == "format" || given.Name == "sentenceMoved"):
		return "", false // it hands on what it was given
	case !whole && name == "pieces.Count":
		return "", false // count of the engine, which is looked through itself
	case !whole:
		t.Errorf("%s: %s is given no literal", at, name)
		return "", false
	case name == "count":
		return "%d " + text + "s", true
	}
	return text, text != "%s" && text != "%v"
}

// TestTheCatalogueKeepsTheFacts compares the verbs: a translation takes the same facts, and so of the same kind.
//
// It may put them in another order, and quote with other marks.
func TestTheCatalogueKeepsTheFacts(t *testing.T) {
	t.Parallel()
	for text, forms := range german(t) {
		all, many := forms.(map[string]any)
		if !many {
			all = map[string]any{"other": forms}
		}
		for form, said := range all {
			if said == "" || strings.TrimSpace(text) != text && !strings.HasPrefix(text, " ") && !strings.HasSuffix(said.(string), " ") {
				t.Errorf("%q is said as %q", text, said)
			}
			if got, want := facts(said.(string)), facts(text); !maps.Equal(got, want) {
				t.Errorf("%q takes %v, its German form %q takes %v", text, want, form, got)
			}
		}
	}
}

// facts are the kinds of what a format takes, by place.
func facts(format string) map[int]string {
	all, next := map[int]string{}, 1
	for _, verb := range verbs.FindAllStringSubmatch(format, -1) {
		if verb[1] != "" {
			next = int(verb[1][1] - '0')
		}
		kind := strings.Replace(verb[0], verb[1], "", 1)
		if kind == "%q" || kind == "%v" {
			kind = "%s"
		}
		all[next] = kind
		next++
	}
	return all
}
