package pieces

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// CodeReviewState says where the last code review of a piece stands.
type CodeReviewState string

// The states of a code review.
const (
	CodeReviewNone    CodeReviewState = ""
	CodeReviewRunning CodeReviewState = "running"
	CodeReviewDone    CodeReviewState = "done"
	CodeReviewFailed  CodeReviewState = "failed"
)

// CodeReviewRun is the last code review of a piece as a run; what it found is the `codeReview` artifact.
type CodeReviewRun struct {
	State     CodeReviewState `json:"state"`
	Level     string          `json:"level"` // of CodeReviewLevels
	SessionID string          `json:"sessionId"`
	Failure   string          `json:"failure"` // why it failed; empty otherwise
	At        time.Time       `json:"at"`      // when it came to stand there
}

// CodeReviewLevels lists the efforts that a code review takes, the lower first.
func CodeReviewLevels() []string { return []string{"high", "max"} }

// OnCodeReviewEnded is the end of a code review, whatever came of it.
const OnCodeReviewEnded Trigger = "codeReviewEnded"

// CodeReview is the stored record of a code review, the content of the `codeReview` artifact.
type CodeReview struct {
	Summary   string              `json:"summary"`
	Findings  []CodeReviewFinding `json:"findings"` // the weightiest first
	Level     string              `json:"level"`
	CostUSD   float64             `json:"costUSD"`
	SessionID string              `json:"sessionId"`
	Head      string              `json:"head"` // the commit that was reviewed
	Cut       bool                `json:"cut"`  // the diff was too long to be given whole
	At        time.Time           `json:"at"`
}

// CodeReviewFinding is one problem that a code review found.
type CodeReviewFinding struct {
	Severity   FindingSeverity `json:"severity"`
	Title      string          `json:"title"`
	File       string          `json:"file"` // from the repository's top; empty when it is about no single file
	Line       int             `json:"line"` // from 1; 0 when it is about the whole file
	Problem    string          `json:"problem"`
	Suggestion string          `json:"suggestion"`
}

// FindingSeverity says how much a finding weighs.
type FindingSeverity string

// The severities, the weightiest first.
const (
	SeverityHigh   FindingSeverity = "high"
	SeverityMedium FindingSeverity = "medium"
	SeverityLow    FindingSeverity = "low"
)

// ParseCodeReview reads the stored record.
func ParseCodeReview(content string) (CodeReview, error) {
	var r CodeReview
	if err := json.Unmarshal([]byte(content), &r); err != nil {
		return r, fmt.Errorf("read code review: %w", err)
	}
	return r, nil
}

// SortFindings puts the weightiest findings first; those of one weight stay in their order.
func SortFindings(list []CodeReviewFinding) {
	weight := map[FindingSeverity]int{SeverityHigh: 0, SeverityMedium: 1, SeverityLow: 2}
	slices.SortStableFunc(list, func(a, b CodeReviewFinding) int { return cmp.Compare(weight[a.Severity], weight[b.Severity]) })
}
