package pieces

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MaxSplits is how many proposals may wait on one piece.
const MaxSplits = 8

// SplitDirection says which of two pieces of a split lands first.
type SplitDirection string

// The directions: the new piece lands before the original, or after it.
const (
	SplitPrerequisite SplitDirection = "prerequisite"
	SplitFollowUp     SplitDirection = "followUp"
)

// SplitSource says who proposed a split: the strategy pass or the person.
type SplitSource string

// The sources of a proposal.
const (
	SplitByAgent  SplitSource = "agent"
	SplitByPerson SplitSource = "manual"
)

// SplitMode says how a split started its pieces, as splitStart's `mode` does.
type SplitMode string

// The modes: the new pieces kept the original's lane, they wait for the person, or the original was Manual.
const (
	SplitAutomatic SplitMode = "automatic"
	SplitWaits     SplitMode = "waitsForYou"
	SplitManual    SplitMode = "manual"
)

// SplitEventKind says what happened in a piece's split history.
type SplitEventKind string

// The kinds of split event.
const (
	SplitProposed     SplitEventKind = "proposed"
	SplitRevised      SplitEventKind = "revised"
	SplitWithdrawn    SplitEventKind = "withdrawn" // a later strategy pass no longer proposes it
	SplitRejected     SplitEventKind = "rejected"
	SplitApplied      SplitEventKind = "applied"
	SplitStartsAnyway SplitEventKind = "startedAnyway"
)

// What happens to a piece's splits.
const (
	OnSplitProposed Trigger = "splitProposed"
	OnSplitReviewed Trigger = "splitReviewed"
	OnSplitStarted  Trigger = "splitStartedAnyway"
)

// SplitProposal is a part of a piece that is proposed to become a piece of its own.
type SplitProposal struct {
	ID        string         `json:"id"`
	Title     string         `json:"title"`
	Direction SplitDirection `json:"direction"`
	Source    SplitSource    `json:"source"`
	Why       string         `json:"why"`
	Spec      string         `json:"spec"` // of the new piece, in markdown
	// First is the title that it was first shown under; a later strategy pass may revise the title.
	First string    `json:"first"`
	At    time.Time `json:"at"`
}

// RevisedFrom is the title that the proposal was first shown under when a later strategy pass revised it, else empty.
func (p SplitProposal) RevisedFrom() string {
	if p.First == p.Title {
		return ""
	}
	return p.First
}

// SplitLink joins two pieces of a split; both carry it.
type SplitLink struct {
	OriginalID string         `json:"originalID"`
	SplitOffID string         `json:"splitOffID"`
	Direction  SplitDirection `json:"direction"`
	ProposalID string         `json:"proposalId"`
}

// SplitEvent is one entry of a piece's split history, kept for ever.
type SplitEvent struct {
	At      time.Time      `json:"at"`
	Kind    SplitEventKind `json:"kind"`
	Summary string         `json:"summary"`
	// StartMode is set on the events of an applied split, ProposalID on those that tell of one proposal.
	StartMode  SplitMode `json:"startMode"`
	ProposalID string    `json:"proposalId"`
}

// Splits is all that a piece knows of its splits.
type Splits struct {
	Proposals []SplitProposal `json:"proposals"` // that wait for the person
	Rejected  []string        `json:"rejected"`  // titles that the person turned down
	Links     []SplitLink     `json:"links"`
	// Kin are the other pieces of the piece's splits; an unmet link to one of them holds it in any lane.
	Kin []string `json:"kin"`
	// Mode is how its latest split started its pieces; WaitsForYou is set until the person moves the piece on.
	Mode        SplitMode    `json:"mode"`
	WaitsForYou bool         `json:"waitsForYou"`
	Events      []SplitEvent `json:"events"` // oldest first
}

// Clone shares nothing with s that could be changed through it.
func (s Splits) Clone() Splits {
	s.Proposals, s.Rejected, s.Links = slices.Clone(s.Proposals), slices.Clone(s.Rejected), slices.Clone(s.Links)
	s.Kin, s.Events = slices.Clone(s.Kin), slices.Clone(s.Events)
	return s
}

// Empty says whether the piece never had to do with a split.
func (s Splits) Empty() bool {
	return len(s.Proposals)+len(s.Rejected)+len(s.Links)+len(s.Kin)+len(s.Events) == 0 && s.Mode == "" && !s.WaitsForYou
}

// Proposal returns the waiting proposal of an id.
func (s Splits) Proposal(id string) (SplitProposal, bool) {
	i := slices.IndexFunc(s.Proposals, func(p SplitProposal) bool { return p.ID == id })
	if i < 0 {
		return SplitProposal{}, false
	}
	return s.Proposals[i], true
}

func (s *Splits) note(at time.Time, k SplitEventKind, proposal, summary string) {
	s.Events = append(s.Events, SplitEvent{At: at, Kind: k, Summary: summary, ProposalID: proposal})
}

// ProposedSplit is a proposal as the strategy pass or the person words it. ID names the waiting proposal that it revises.
type ProposedSplit struct {
	ID        string         `json:"id"`
	Title     string         `json:"title"`
	Direction SplitDirection `json:"direction"`
	Why       string         `json:"why"`
	Spec      string         `json:"spec"`
}

// CheckSplits says in one sentence what makes proposals unusable; nil when they can be shown.
func CheckSplits(list []ProposedSplit) error {
	if len(list) > MaxSplits {
		return fmt.Errorf("%d splits are proposed; at most %d are allowed", len(list), MaxSplits)
	}
	for _, p := range list {
		switch {
		case oneLine(p.Title) == "":
			return errors.New("a proposed split has no title")
		case p.Direction != SplitPrerequisite && p.Direction != SplitFollowUp:
			return fmt.Errorf("the proposed split “%s” is neither a prerequisite nor a follow-up", oneLine(p.Title))
		case strings.TrimSpace(p.Spec) == "":
			return fmt.Errorf("the proposed split “%s” has no spec", oneLine(p.Title))
		}
	}
	return nil
}

// Proposed returns the splits after a strategy pass. A proposal that it answers with again is revised, one of an earlier
// pass that it leaves out is withdrawn, and what the person proposed stays. A title that the person turned down is not shown
// again. newID mints the ids of new proposals.
func (s Splits) Proposed(list []ProposedSplit, now time.Time, newID func() string) Splits {
	s = s.Clone()
	before := s.Proposals
	s.Proposals = nil
	answered := map[string]ProposedSplit{}
	for _, p := range list {
		answered[p.ID] = p
	}
	for _, old := range before {
		p, again := answered[old.ID]
		switch {
		case again:
			s.Proposals = append(s.Proposals, s.revised(old, p, now))
		case old.Source == SplitByPerson:
			s.Proposals = append(s.Proposals, old)
		default:
			s.note(now, SplitWithdrawn, old.ID, fmt.Sprintf("The strategy no longer proposes to split off “%s”.", old.Title))
		}
	}
	for _, p := range list {
		known := slices.ContainsFunc(before, func(o SplitProposal) bool { return o.ID == p.ID })
		if !known && len(s.Proposals) < MaxSplits && !s.turnedDown(p.Title) {
			s = s.Propose(p, SplitByAgent, now, newID())
		}
	}
	return s
}

func (s *Splits) turnedDown(title string) bool {
	return slices.ContainsFunc(s.Rejected, func(r string) bool { return strings.EqualFold(r, oneLine(title)) })
}

func (s *Splits) revised(old SplitProposal, p ProposedSplit, now time.Time) SplitProposal {
	next := old
	next.Title, next.Direction, next.Why, next.Spec = cut(oneLine(p.Title), MaxTitle), p.Direction, p.Why, p.Spec
	if next.Title != old.Title || next.Direction != old.Direction {
		s.note(now, SplitRevised, old.ID, fmt.Sprintf("“%s” (%s) became “%s” (%s).", old.Title, old.Direction.words(), next.Title, next.Direction.words()))
	}
	return next
}

// Propose returns the splits with one proposal more.
func (s Splits) Propose(p ProposedSplit, by SplitSource, now time.Time, id string) Splits {
	s = s.Clone()
	title := cut(oneLine(p.Title), MaxTitle)
	s.Proposals = append(s.Proposals, SplitProposal{
		ID: id, Title: title, Direction: p.Direction, Source: by, Why: p.Why, Spec: p.Spec, First: title, At: now,
	})
	s.note(now, SplitProposed, id, fmt.Sprintf("Proposed to split off “%s” as a %s.", title, p.Direction.words()))
	return s
}

func (d SplitDirection) words() string {
	if d == SplitPrerequisite {
		return "prerequisite"
	}
	return "follow-up"
}

// SplitAnswer is the person's answer to one proposal. The zero value turns it down.
type SplitAnswer struct {
	ProposalID string
	Accept     bool
	Title      string // of the new piece; the proposal's own when empty
}

// AcceptAll accepts every proposal that waits, as it is.
func (s Splits) AcceptAll() []SplitAnswer {
	var list []SplitAnswer
	for _, p := range s.Proposals {
		list = append(list, SplitAnswer{ProposalID: p.ID, Accept: true})
	}
	return list
}

// StartedAnyway returns the splits of a piece that the person started although the blockers were not done.
func (s Splits) StartedAnyway(now time.Time, blockers []Dependency) Splits {
	s = s.Clone()
	s.WaitsForYou = false
	var names []string
	for _, d := range blockers {
		names = append(names, fmt.Sprintf("“%s” (%s)", d.Name, d.State))
	}
	s.note(now, SplitStartsAnyway, "", "Started anyway, without waiting for "+strings.Join(names, ", ")+".")
	return s
}

// SplitOff is a piece that a split makes.
type SplitOff struct {
	ID       string
	Proposal SplitProposal
	Title    string
	Spec     string
	Lane     Lane
	Play     bool
	Splits   Splits
}

// SplitPlan is what applying the person's answers makes of a piece.
type SplitPlan struct {
	Original Piece
	Parts    []SplitOff
	Note     Sentence // what was decided, for the history
}

// DecideSplits applies the person's answers to the proposals of a piece. start is the setting "Start split pieces
// automatically"; newID mints the ids of the new pieces. Proposals without an answer go on waiting. An answer about a
// proposal that does not wait is ErrNotFound.
func DecideSplits(p Piece, answers []SplitAnswer, start bool, now time.Time, newID func() string) (SplitPlan, error) {
	p.Splits = p.Splits.Clone()
	plan := SplitPlan{}
	var turnedDown []string
	for _, a := range answers {
		old, ok := p.Splits.Proposal(a.ProposalID)
		if !ok {
			return plan, fmt.Errorf("split piece %s: proposal %s: %w", p.ID, a.ProposalID, ErrNotFound)
		}
		p.Splits.Proposals = slices.DeleteFunc(p.Splits.Proposals, func(o SplitProposal) bool { return o.ID == old.ID })
		if !a.Accept {
			p.Splits.Rejected = append(p.Splits.Rejected, old.Title)
			p.Splits.note(now, SplitRejected, old.ID, fmt.Sprintf("“%s” stays in the piece.", old.Title))
			turnedDown = append(turnedDown, old.Title)
			continue
		}
		title := TitleOf("", a.Title, old.Title)
		plan.Parts = append(plan.Parts, SplitOff{ID: newID(), Proposal: old, Title: title, Spec: WithTitle(old.Spec, title)})
	}
	if len(plan.Parts) > 0 {
		mode := splitMode(p, start)
		p.Splits.Mode, p.Splits.WaitsForYou = mode, mode == SplitWaits
		for i := range plan.Parts {
			plan.Parts[i].join(&p, mode, now)
		}
		for i := range plan.Parts {
			for _, o := range plan.Parts {
				if o.ID != plan.Parts[i].ID {
					plan.Parts[i].Splits.Kin = append(plan.Parts[i].Splits.Kin, o.ID)
				}
			}
		}
	}
	plan.Original, plan.Note = p, plan.words(turnedDown)
	return plan, nil
}

func splitMode(p Piece, start bool) SplitMode {
	switch {
	case p.Config.Lane == LaneManual:
		return SplitManual
	case start:
		return SplitAutomatic
	default:
		return SplitWaits
	}
}

// join ties a new piece to its original and books it in both.
func (o *SplitOff) join(p *Piece, mode SplitMode, now time.Time) {
	o.Lane = LaneManual
	if mode == SplitAutomatic {
		o.Lane, o.Play = p.Config.Lane, p.Play
	}
	link := SplitLink{OriginalID: p.ID, SplitOffID: o.ID, Direction: o.Proposal.Direction, ProposalID: o.Proposal.ID}
	p.Splits.Links = append(p.Splits.Links, link)
	p.Splits.Kin = append(p.Splits.Kin, o.ID)
	order := "It lands before this piece."
	if o.Proposal.Direction == SplitFollowUp {
		order = "It follows this piece."
	}
	p.Splits.Events = append(p.Splits.Events, SplitEvent{
		At: now, Kind: SplitApplied, Summary: fmt.Sprintf("Split off “%s”. %s", o.Title, order), StartMode: mode, ProposalID: o.Proposal.ID,
	})
	o.Splits = Splits{
		Links: []SplitLink{link}, Kin: []string{p.ID}, Mode: mode, WaitsForYou: mode == SplitWaits,
		Events: []SplitEvent{{
			At: now, Kind: SplitApplied, Summary: fmt.Sprintf("Split off from “%s” as its %s.", p.Name, o.Proposal.Direction.words()),
			StartMode: mode, ProposalID: o.Proposal.ID,
		}},
	}
}

func (plan SplitPlan) words(turnedDown []string) Sentence {
	var off []string
	var split, kept Sentence
	for _, o := range plan.Parts {
		off = append(off, o.Title)
	}
	if len(off) > 0 {
		split = Say("Split off “%s”", strings.Join(off, "”, “"))
	}
	if len(turnedDown) > 0 {
		kept = Say("Kept “%s”", strings.Join(turnedDown, "”, “"))
	}
	switch {
	case split.Empty():
		return kept
	case kept.Empty():
		return split
	}
	return Say("%s. %s", split, kept)
}

// WithTitle returns a spec whose title heading is the given one.
func WithTitle(spec, title string) string {
	spec = strings.TrimSpace(spec)
	if SpecTitle(spec) == "" {
		return "# " + title + "\n\n" + spec + "\n"
	}
	first, rest, _ := strings.Cut(spec, "\n")
	if !strings.HasPrefix(first, "# ") { // the heading is further down: the new one goes before all
		return "# " + title + "\n\n" + spec + "\n"
	}
	return "# " + title + "\n" + rest + "\n"
}

const splitOffHeading = "## Split off"

// WithoutParts returns a spec that says which parts belong to pieces of their own, so that every later step leaves them out.
func WithoutParts(spec string, parts []SplitOff) string {
	spec = strings.TrimSpace(spec)
	if last := strings.LastIndex(spec, "\n## "); last < 0 || !strings.HasPrefix(spec[last+1:], splitOffHeading+"\n") {
		spec += "\n\n" + splitOffHeading + "\n\nThese parts are pieces of their own now. They are not part of this one, and neither are their acceptance criteria:\n"
	}
	for _, o := range parts {
		order := "lands before this piece"
		if o.Proposal.Direction == SplitFollowUp {
			order = "follows this piece"
		}
		spec += fmt.Sprintf("\n- %s (%s)", o.Title, order)
	}
	return spec + "\n"
}
