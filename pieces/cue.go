package pieces

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// CueGroup is one of the popover's three groups.
type CueGroup string

// The groups in the popover's order.
const (
	RequiresApproval CueGroup = "requiresApproval"
	ReadyForReview   CueGroup = "readyForReview"
	ReadyToMerge     CueGroup = "readyToMerge"
)

// CueGroups lists the groups in the popover's order.
func CueGroups() []CueGroup { return []CueGroup{RequiresApproval, ReadyForReview, ReadyToMerge} }

// Title is the group's heading.
func (g CueGroup) Title() string {
	switch g {
	case RequiresApproval:
		return "Requires approval"
	case ReadyForReview:
		return "Ready for review"
	case ReadyToMerge:
		return "Ready to merge"
	}
	return string(g)
}

// CueRule says how the popover shows a gate. Primary is the one action that answers it; empty when it can only be opened.
type CueRule struct {
	Group   CueGroup
	Label   string
	Primary Action
}

var cues = map[Gate]CueRule{
	GateAnswerInterview:   {RequiresApproval, "Answer the interview", ""},
	GateAgentWaiting:      {RequiresApproval, "An agent is waiting for you", ""},
	GateReviewSplit:       {RequiresApproval, "Review split", ""},
	GateSpecReady:         {RequiresApproval, "Spec ready", ApproveSpec},
	GateStrategyReady:     {RequiresApproval, "Strategy ready", ApproveStrategy},
	GatePlanReady:         {RequiresApproval, "Plan ready", StartExecution},
	GateSpecFailed:        {RequiresApproval, "Spec failed", ""},
	GateStrategyFailed:    {RequiresApproval, "Strategy failed", GenerateStrategy},
	GatePlanFailed:        {RequiresApproval, "Plan failed", Decompose},
	GateAgentsFailed:      {RequiresApproval, "Agents failed", RetryFailedAgents},
	GateWorkReviewFailed:  {RequiresApproval, "Work review found problems", SendBackToAgents},
	GateReviewStepFailed:  {RequiresApproval, "Work review failed", ResumeAgents},
	GateInterrupted:       {RequiresApproval, "Interrupted", ResumeAgents},
	GateLimitReached:      {RequiresApproval, "Limit reached", ""},
	GateBudgetReached:     {RequiresApproval, "Budget reached", ""},
	GateStopFailed:        {RequiresApproval, "Could not stop", StopAgents},
	GateDependencyBlocked: {RequiresApproval, "Dependency needs you", ""},
	GateWorktreeMissing:   {RequiresApproval, "Worktree missing", ""},
	GateReviewWork:        {ReadyForReview, "Ready for review", ""},
	GateOpenPullRequest:   {ReadyForReview, "Open pull request", CreatePR},
	GateConfirmDone:       {ReadyForReview, "Confirm done", ConfirmDone},
	GateMergePullRequest:  {ReadyToMerge, "Ready to merge", ""},
}

// CueOf returns how a gate is shown; ok is false for a gate that is no cue (none, and a pause of the person's own).
func CueOf(g Gate) (CueRule, bool) {
	c, ok := cues[g]
	return c, ok
}

// Cue is a gate as the popover shows it.
type Cue struct {
	PieceID     string
	Gate        Gate
	Group       CueGroup
	Label       string
	Primary     Action
	Fingerprint string
}

// Cue returns the piece's cue; ok is false when nothing needs the person. The primary action is left out where it is not
// legal right now.
func (s Snapshot) Cue() (Cue, bool) {
	g := s.Gate()
	r, ok := CueOf(g)
	if !ok {
		return Cue{}, false
	}
	primary := r.Primary
	if g == GateReviewWork && s.Facts().Unapproved == 1 {
		primary = ApproveTask
	}
	if primary != "" && !s.Legal(primary) {
		primary = ""
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%s\x00%d", s.Piece.ID, g, s.HistoryID)
	for _, p := range s.Prompts {
		fmt.Fprintf(sum, "\x00%s", p.ID)
	}
	return Cue{s.Piece.ID, g, r.Group, r.Label, primary, hex.EncodeToString(sum.Sum(nil)[:12])}, true
}
