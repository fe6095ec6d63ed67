package pieces

import (
	"encoding/json"
	"fmt"
	"time"
)

// WorkReview is the stored record of a work review, the content of the `workReview` artifact.
type WorkReview struct {
	Verdict   WorkReviewState   `json:"verdict"`
	Criteria  []ReviewCriterion `json:"criteria"`
	Findings  []ReviewFinding   `json:"findings"`
	CostUSD   float64           `json:"costUSD"`
	SessionID string            `json:"sessionId"`
	At        time.Time         `json:"at"`
}

// ReviewCriterion is one acceptance criterion with what the review found.
type ReviewCriterion struct {
	Criterion string `json:"criterion"`
	Met       bool   `json:"met"`
	Evidence  string `json:"evidence"`
}

// ReviewFinding names an agent that the review failed, and what is wrong with its work.
type ReviewFinding struct {
	TaskID  string `json:"taskId"`
	Ordinal int    `json:"ordinal"`
	Name    string `json:"name"`
	Finding string `json:"finding"`
}

// FailedTask is a row of get_artifact's `failedTasks`.
type FailedTask struct {
	TaskID  string `json:"taskId"`
	Ordinal int    `json:"ordinal"`
	Name    string `json:"name"`
}

// ParseWorkReview reads the stored record.
func ParseWorkReview(content string) (WorkReview, error) {
	var r WorkReview
	if err := json.Unmarshal([]byte(content), &r); err != nil {
		return r, fmt.Errorf("read work review: %w", err)
	}
	return r, nil
}

// Outcome is `pass` when the verdict says so and no agent was failed, else `fail`.
func (r WorkReview) Outcome() WorkReviewState {
	if r.Verdict == WorkReviewPassed && len(r.Findings) == 0 {
		return WorkReviewPassed
	}
	return WorkReviewFailed
}

// FailedTasks lists the agents that the review failed; never nil.
func (r WorkReview) FailedTasks() []FailedTask {
	list := []FailedTask{}
	for _, f := range r.Findings {
		list = append(list, FailedTask{f.TaskID, f.Ordinal, f.Name})
	}
	return list
}
