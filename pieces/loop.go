package pieces

// The Loop's numbers where a project names none, and the most that it may name.
const (
	LoopAtOnceDefault  = 1
	LoopOpenPRsDefault = 3
	LoopAtOnceMost     = 16
	LoopOpenPRsMost    = 100
)

// LoopLimits returns how many pieces the project's Loop works on side by side, and how many open pull requests it may leave.
func (p Project) LoopLimits() (atOnce, openPRs int) {
	atOnce, openPRs = p.LoopAtOnce, p.LoopOpenPRs
	if atOnce <= 0 {
		atOnce = LoopAtOnceDefault
	}
	if openPRs <= 0 {
		openPRs = LoopOpenPRsDefault
	}
	return atOnce, openPRs
}
