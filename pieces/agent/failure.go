package agent

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fermata/pieces"
)

const (
	notInstalledSentence = "Claude Code is not installed: run `npm install -g @anthropic-ai/claude-code`, then start again."
	notLoggedInSentence  = "Claude Code is not logged in: run `claude /login` (or `claude setup-token` on a machine without a browser), then start again."
	interruptedSentence  = "The turn was interrupted."
)

// failure is what went wrong, as the person reads it.
type failure struct {
	kind     pieces.FailureKind
	sentence string
	ends     *time.Time // of a usage limit
}

// Claude Code's own words, by which a failure is known. They come as the result's text, an error line or a retry's reason.
var (
	loginWords = []string{
		"please run /login", "invalid api key", "not logged in", "authentication_failed", "authentication_error",
		"oauth token has expired", "invalid authentication credentials", "api error: 401",
	}
	limitOld    = regexp.MustCompile(`(?i)usage limit reached(?:\|(\d{9,13}))?`)
	limitNew    = regexp.MustCompile(`(?i)you've (?:hit|reached) your [^·\n]*limit(?:\s*·\s*resets?\s+([^\n]+))?`)
	resumeWords = []string{"no conversation found", "is already in use"}
	modelWords  = []string{"issue with the selected model", "model_not_found"}
	budgetWords = []string{"error_max_budget_usd", "reached maximum budget"}
)

// recognise sorts an error text. Words it does not know make FailureOther with the text's first line.
func recognise(text string, now time.Time) failure {
	low := strings.ToLower(text)
	if containsAny(low, loginWords) {
		return failure{kind: pieces.FailureNotLoggedIn, sentence: notLoggedInSentence}
	}
	if m := limitOld.FindStringSubmatch(text); m != nil {
		return usageLimit(epoch(m[1]))
	}
	if m := limitNew.FindStringSubmatch(text); m != nil {
		return usageLimit(resetTime(m[1], now))
	}
	switch {
	case containsAny(low, resumeWords):
		return failure{kind: pieces.FailureCannotResume, sentence: "The conversation can't be continued: " + firstLine(text)}
	case containsAny(low, modelWords):
		return failure{kind: pieces.FailureModelNotFound, sentence: "Claude Code can't use this model: choose another one with `claude --model` or in the settings."}
	case containsAny(low, budgetWords):
		return failure{kind: pieces.FailureBudget, sentence: "The session reached its budget."}
	}
	return failure{kind: pieces.FailureOther, sentence: firstLine(text)}
}

func usageLimit(ends *time.Time) failure {
	sentence := "Claude's usage limit is reached."
	if ends != nil {
		sentence = fmt.Sprintf("Claude's usage limit is reached until %s.", ends.Local().Format("2006-01-02 15:04 MST"))
	}
	return failure{kind: pieces.FailureUsageLimit, sentence: sentence, ends: ends}
}

// epoch reads seconds, or milliseconds where the number is too long for seconds.
func epoch(digits string) *time.Time {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 {
		return nil
	}
	const newestSeconds = 100_000_000_000
	if n > newestSeconds {
		return new(time.UnixMilli(n))
	}
	return new(time.Unix(n, 0))
}

var resetForm = regexp.MustCompile(`(?i)^(?:at\s+)?(?:([A-Z][a-z]{2} \d{1,2})(?:,| at)?\s+)?(\d{1,2})(?::(\d{2}))?\s*([ap]m)\b(?:\s*\(([^)]+)\))?`)

// resetTime reads "3pm", "3:30pm (Europe/Berlin)" or "Oct 9, 3pm" as the next such time after now; nil if it can't.
func resetTime(text string, now time.Time) *time.Time {
	m := resetForm.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return nil
	}
	place := now.Location()
	if m[5] != "" {
		named, err := time.LoadLocation(m[5])
		if err != nil {
			return nil
		}
		place = named
	}
	hour, _ := strconv.Atoi(m[2])
	minute, _ := strconv.Atoi("0" + m[3])
	hour %= 12
	if strings.EqualFold(m[4], "pm") {
		hour += 12
	}
	day := now.In(place)
	if m[1] == "" {
		at := time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, place)
		if !at.After(now) {
			at = time.Date(day.Year(), day.Month(), day.Day()+1, hour, minute, 0, 0, place)
		}
		return &at
	}
	date, err := time.Parse("Jan 2", m[1])
	if err != nil {
		return nil
	}
	at := time.Date(day.Year(), date.Month(), date.Day(), hour, minute, 0, 0, place)
	const aLimitIsNeverThatOld = 180 * 24 * time.Hour
	if now.Sub(at) > aLimitIsNeverThatOld {
		at = at.AddDate(1, 0, 0)
	}
	return &at
}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// firstLine is the first line with anything in it, short enough for a sentence.
func firstLine(text string) string {
	const longest = 300
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return strings.ToValidUTF8(line[:min(len(line), longest)], "")
		}
	}
	return ""
}
