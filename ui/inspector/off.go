package inspector

import (
	"cmp"
	"slices"

	"fermata/pieces"
	"fermata/ui/phrase"
)

// off is an action that the piece's step knows and that is not possible now, with what it needs.
type off struct {
	label, needs string
}

// words say it in one line.
func (o off) words() string {
	return phrase.F("%s: only when %s", phrase.Of(o.label), phrase.Of(o.needs))
}

// guardWords say what a guard of the rail asks for where its name alone is no clause.
var guardWords = map[string]string{
	"a branch and no pull request":    "there is a branch and no pull request yet",
	"the branch or worktree is there": "its branch or worktree is there",
	"not confirmed":                   "it is not confirmed yet",
}

// needs says what keeps an action from being possible. A worktree that is missing comes first: its return may be all it takes.
func needs(g pieces.Guard, f pieces.Facts) string {
	there := f
	there.WorktreeMissing = false
	if f.WorktreeMissing && g.Test(there) {
		return phrase.Of("the worktree is there")
	}
	return cmp.Or(guardWords[g.Name], g.Name)
}

// offNow lists them. What belongs to another step is left out: it would say no more than where the piece stands.
func offNow(s pieces.Snapshot) []off {
	var list []off
	var seen []pieces.Action
	facts := s.Facts()
	for _, m := range pieces.Moves() {
		a := pieces.Action(m.On)
		rule, isAction := pieces.RuleOf(a)
		switch {
		case !isAction, m.From != s.State(), m.Guard.Test == nil, m.Guard.Test(facts), s.Legal(a), slices.Contains(seen, a):
			continue
		}
		seen = append(seen, a)
		list = append(list, off{rule.Label, needs(m.Guard, facts)})
	}
	return list
}
