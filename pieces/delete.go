package pieces

// Undeletable says in one sentence why a piece cannot be deleted now; empty when it can.
func (s Snapshot) Undeletable() string {
	switch {
	case LiveState(s.State()):
		return "The piece is busy (" + s.Piece.Activity.Working() + "). Stop it or let it end, then delete it."
	case s.Piece.Activity == StopFailed:
		return "Something that an agent of the piece started is still alive. Stop the agents first."
	case s.Facts().AgentsRunning > 0 || len(s.Prompts) > 0:
		return "An agent of the piece is still running. Stop the agents first."
	}
	return ""
}
