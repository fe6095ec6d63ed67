package patch

import (
	"fmt"
	"strings"
	"testing"
)

const diff = `diff --git a/x/a.go b/x/a.go
index 1..2 100644
--- a/x/a.go
+++ b/x/a.go
@@ -3,4 +3,4 @@ func a() {
 one
-two
-three
+drei
+--- not a header
 four
\ No newline at end of file
diff --git "a/b\303\244.txt" "b/b\303\244.txt"
new file mode 100755
index 0000000..1b2c3d4
--- /dev/null
+++ "b/b\303\244.txt"
@@ -0,0 +1 @@
+x
diff --git a/p.png b/p.png
index 1..2 100644
Binary files a/p.png and b/p.png differ
diff --git a/gone b/gone
deleted file mode 100644
index 1..0000000
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-bye
`

func words(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%d %d %d %s\n", l.Kind, l.Old, l.New, l.Text)
	}
	return b.String()
}

func TestADiffIsReadLineByLine(t *testing.T) {
	files, err := Read(diff, false)
	if err != nil || len(files) != 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	want := "3 0 0 @@ -3,4 +3,4 @@ func a() {\n0 3 3 one\n2 4 0 two\n2 5 0 three\n1 0 4 drei\n1 0 5 --- not a header\n0 6 6 four\n" +
		"4 0 0 No line break at the end of the file.\n"
	if got := words(files[0].Lines); got != want {
		t.Errorf("the first file is\n%s", got)
	}
	for i, path := range []string{"x/a.go", "bä.txt", "p.png", "gone"} {
		if files[i].Path != path {
			t.Errorf("file %d is %q", i, files[i].Path)
		}
	}
	if got := words(files[2].Lines); got != "4 0 0 The file is binary.\n" {
		t.Errorf("the picture says %q", got)
	}
}

func TestWhatACutLeftIsRead(t *testing.T) {
	at := 0
	for i := range strings.Count(diff, "\n") {
		at += strings.Index(diff[at:], "\n") + 1
		files, err := Read(diff[:at], true)
		if err != nil {
			t.Errorf("cut after line %d: %v", i+1, err)
		}
		for n, f := range files {
			whole, _ := Read(diff, false)
			if f.Path != whole[n].Path || len(f.Lines) > len(whole[n].Lines) {
				t.Errorf("cut after line %d: %+v", i+1, f)
			}
		}
	}
	files, _ := Read(diff[:strings.Index(diff, "+drei")], true)
	if got := words(files[0].Lines); got != "3 0 0 @@ -3,3 +3,1 @@\n0 3 3 one\n2 4 0 two\n2 5 0 three\n" {
		t.Errorf("cut within a hunk it is\n%s", got)
	}
}

func TestRubbishIsAnError(t *testing.T) {
	if _, err := Read("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-x\n", false); err == nil {
		t.Error("a hunk that lacks lines was read")
	}
}

func TestLinesStandBesideThoseThatReplaceThem(t *testing.T) {
	files, _ := Read(diff, false)
	if got := fmt.Sprint(Pairs(files[0].Lines)); got != "[{0 0} {1 1} {2 4} {3 5} {6 6} {7 7}]" {
		t.Errorf("the pairs are %s", got)
	}
	apart := []Line{{Kind: Added}, {Kind: Deleted}, {Kind: Deleted}, {Kind: Added}}
	if got := fmt.Sprint(Pairs(apart)); got != "[{-1 0} {1 3} {2 -1}]" {
		t.Errorf("the pairs are %s", got)
	}
}

func TestATextThatReplacesAnotherKeepsWhatBothShare(t *testing.T) {
	for want, in := range map[string][2]string{
		"0 0 0 a\n2 0 0 b\n1 0 0 x\n1 0 0 y\n0 0 0 c\n": {"a\nb\nc\n", "a\nx\ny\nc\n"},
		"1 0 0 new\n":          {"", "new"},
		"0 0 0 a\n1 0 0 a\n":   {"a", "a\na"},
		"2 0 0 old\n2 0 0 b\n": {"old\nb", ""},
	} {
		if got := words(Replaced(in[0], in[1])); got != want {
			t.Errorf("%q became %q:\n%s", in[0], in[1], got)
		}
	}
}

func TestReplacedTellsEachChangedLineApart(t *testing.T) {
	t.Parallel()
	for want, in := range map[string][2]string{
		"0 0 0 a\n2 0 0 b\n1 0 0 B\n0 0 0 c\n2 0 0 d\n1 0 0 D\n0 0 0 e\n": {"a\nb\nc\nd\ne", "a\nB\nc\nD\ne"},
		"1 0 0 x\n0 0 0 a\n2 0 0 b\n0 0 0 c\n1 0 0 y\n":                   {"a\nb\nc", "x\na\nc\ny"},
		"2 0 0 a\n2 0 0 b\n1 0 0 c\n1 0 0 d\n":                            {"a\nb", "c\nd"},
	} {
		if got := words(Replaced(in[0], in[1])); got != want {
			t.Errorf("%q became %q:\n%s", in[0], in[1], got)
		}
	}
}

func TestReplacedOfTwoLongTextsLosesNoLine(t *testing.T) {
	t.Parallel()
	var was, is strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&was, "was %d\n", i)
		fmt.Fprintf(&is, "is %d\n", i)
	}
	goes, comes := 0, 0
	for _, l := range Replaced(was.String(), is.String()) {
		switch l.Kind {
		case Deleted:
			goes++
		case Added:
			comes++
		default:
			t.Fatalf("%q is in neither", l.Text)
		}
	}
	if goes != 3000 || comes != 3000 {
		t.Errorf("%d lines go and %d come", goes, comes)
	}
}
