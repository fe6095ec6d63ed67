package pump

import "time"

// longestHold bounds a Hold whose Release never comes, such as one of a window that is closed under the pressed button.
const longestHold = 10 * time.Second

// Hold keeps the outcomes of background work off the screen until Release: what the person presses must not move or be made
// anew between the press and the letting go, which would be taken for no click at all. It is called on the main goroutine.
func (p *Pump) Hold() {
	if p.hold != nil {
		p.hold.Stop()
	}
	p.hold = time.AfterFunc(longestHold, func() { p.Do(p.Release) })
}

// Release brings what Hold kept back onto the screen, in its order. Without a Hold it does nothing. It is called on the main
// goroutine.
func (p *Pump) Release() {
	if p.hold == nil {
		return
	}
	p.hold.Stop()
	p.hold = nil
	kept := p.kept
	p.kept = nil
	for _, f := range kept {
		f()
	}
}

// still runs f on the main goroutine once nothing is held.
func (p *Pump) still(f func()) {
	p.Do(func() {
		if p.hold == nil {
			f()
			return
		}
		p.kept = append(p.kept, f)
	})
}
