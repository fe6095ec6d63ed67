package inspector

import (
	"encoding/json"
	"fmt"
	"testing"

	"fermata/pieces"
)

func TestACallThatChangesAFileIsShownAsItsDiff(t *testing.T) {
	for _, row := range []struct{ tool, input, want string }{
		{"Edit", `{"file_path":"a.go","old_string":"a\nb","new_string":"a\nc"}`, "[{0 0 0 a} {2 0 0 b} {1 0 0 c}]"},
		{"Edit", `{"file_path":"a.go","old_string":"a","new_string":"","replace_all":true}`, "[{4 0 0 Everywhere in the file:} {2 0 0 a}]"},
		{"Write", `{"file_path":"a.go","content":"x\n"}`, "[{1 0 0 x}]"},
		{"MultiEdit", `{"file_path":"a.go","edits":[{"old_string":"a","new_string":"b"}]}`, "[{3 0 0 Change 1 of 1} {2 0 0 a} {1 0 0 b}]"},
		{"Write", `{"file_path":"a.go"}`, "[]"},
		{"Bash", `{"file_path":"a.go","content":"x"}`, "[]"},
		{"Edit", `{"old_string":"a","new_string":"b"}`, "[]"},
		{"Edit", `broken`, "[]"},
	} {
		lines, _ := changeOf(pieces.Message{Tool: row.tool, Input: json.RawMessage(row.input)})
		if got := fmt.Sprint(lines); got != row.want {
			t.Errorf("%s %s is %s, want %s", row.tool, row.input, got, row.want)
		}
	}
}
