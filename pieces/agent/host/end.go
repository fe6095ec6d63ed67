package host

import "time"

// family is the set of processes that descend from this one. Each platform has its own way to keep it together.
type family interface {
	// adopt makes this process the one that descendants cannot leave. Called once, before the first child.
	adopt() error
	// watch keeps the family's book until the returned function is called; child is the one that others wait for.
	watch(child int) (stop func())
	// members lists the living descendants, without this process.
	members() ([]Survivor, error)
	// strike asks a member to end, or kills it. It never hits another process that got the same pid.
	strike(m Survivor, kill bool)
}

const pollEvery = 15 * time.Millisecond

// ender ends a family: TERM first, KILL after the grace, and again for as long as new members turn up.
type ender struct {
	family family
	grace  time.Duration
	limit  time.Duration
	hurry  <-chan struct{} // closed: no more grace
}

// end returns the members that are still alive at the limit; empty means that all were verified gone.
func (e ender) end() []Survivor {
	start := time.Now()
	asked := map[processKey]bool{}
	calm := false // the last look found nobody
	for {
		members, err := e.family.members()
		if err == nil && len(members) == 0 {
			// A process that forks and dies between two reads of the process table can hide its child once, not twice.
			if calm {
				return []Survivor{}
			}
			calm = true
			continue
		}
		calm = false
		if time.Since(start) >= e.limit {
			return members
		}
		kill := e.hurried() || time.Since(start) >= e.grace
		for _, m := range members {
			if kill || !asked[m.key()] {
				e.family.strike(m, kill)
				asked[m.key()] = true
			}
		}
		e.pause(kill)
	}
}

func (e ender) hurried() bool {
	select {
	case <-e.hurry:
		return true
	default:
		return false
	}
}

func (e ender) pause(killing bool) {
	t := time.NewTimer(pollEvery)
	defer t.Stop()
	if killing {
		<-t.C
		return
	}
	select {
	case <-t.C:
	case <-e.hurry:
	}
}
