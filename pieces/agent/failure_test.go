package agent

import (
	"strings"
	"testing"
	"time"

	"fermata/pieces"
)

func TestFailuresAreRecognisedByClaudeCodesWords(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 8, 13, 20, 0, 0, time.UTC)
	at := func(day, hour, minute int) *time.Time {
		return new(time.Date(2026, 10, day, hour, minute, 0, 0, time.UTC))
	}
	tests := []struct {
		text  string
		kind  pieces.FailureKind
		names string
		ends  *time.Time
	}{
		{"Invalid API key · Please run /login", pieces.FailureNotLoggedIn, "`claude /login`", nil},
		{"Not logged in · Please run /login", pieces.FailureNotLoggedIn, "`claude /login`", nil},
		{"authentication_failed", pieces.FailureNotLoggedIn, "`claude setup-token`", nil},
		{"Failed to authenticate. API Error: 401 {}", pieces.FailureNotLoggedIn, "`claude /login`", nil},
		{"Claude AI usage limit reached|1791468000", pieces.FailureUsageLimit, "limit", new(time.Unix(1791468000, 0))},
		{"Claude AI usage limit reached", pieces.FailureUsageLimit, "limit", nil},
		{"You've hit your session limit · resets 3pm (UTC)", pieces.FailureUsageLimit, "limit", at(8, 15, 0)},
		{"You've hit your limit · resets 3:30am", pieces.FailureUsageLimit, "limit", at(9, 3, 30)},
		{"You've hit your weekly limit · resets Oct 12, 12am (UTC)", pieces.FailureUsageLimit, "limit", at(12, 0, 0)},
		{"You've hit your Opus limit · resets 2pm (Europe/Berlin)", pieces.FailureUsageLimit, "limit", at(9, 12, 0)},
		{"You've hit your limit · resets soon", pieces.FailureUsageLimit, "limit", nil},
		{"Error: Session ID 1 is already in use.", pieces.FailureCannotResume, "already in use", nil},
		{"No conversation found with session ID: 1", pieces.FailureCannotResume, "No conversation", nil},
		{"There's an issue with the selected model (x).", pieces.FailureModelNotFound, "model", nil},
		{"Reached maximum budget ($0.0001)", pieces.FailureBudget, "budget", nil},
		{"\n  API Error: 500 boom\nmore", pieces.FailureOther, "API Error: 500 boom", nil},
	}
	for _, tt := range tests {
		got := recognise(tt.text, now)
		if got.kind != tt.kind || !strings.Contains(got.sentence, tt.names) || strings.Contains(got.sentence, "\n") {
			t.Errorf("recognise(%q) = %+v", tt.text, got)
		}
		if (got.ends == nil) != (tt.ends == nil) || got.ends != nil && !got.ends.Equal(*tt.ends) {
			t.Errorf("recognise(%q) ends %v, want %v", tt.text, got.ends, tt.ends)
		}
	}
}

func TestEnvironmentOfAnAgentIsClean(t *testing.T) {
	t.Parallel()
	in := []string{
		"PATH=/bin", "GIT_DIR=/x", "GIT_SSH_COMMAND=ssh -i k", "FERMATA_MCP_TOKEN=s", "FERMATA_AGENT_HOST=1", "CLAUDECODE=1", "PWD=/elsewhere",
		"MCP_CONNECTION_NONBLOCKING=0", "GIT_INDEX_FILE=i", "ODD",
	}
	want := "PATH=/bin|GIT_SSH_COMMAND=ssh -i k|MCP_CONNECTION_NONBLOCKING=0|ODD|PWD=/tree"
	if got := strings.Join(clean(in, "/tree"), "|"); got != want {
		t.Errorf("clean = %s, want %s", got, want)
	}
}
