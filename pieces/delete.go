package pieces

// Undeletable says in one sentence why a piece cannot be deleted now; empty when it can.
func (s Snapshot) Undeletable() Sentence {
	switch {
	case LiveState(s.State()):
		return Say("The piece is busy (%s). Stop it or let it end, then delete it.", Term(s.Piece.Activity.Working()))
	case s.Piece.Activity == StopFailed:
		return Say("Something that an agent of the piece started is still alive. Stop the agents first.")
	case s.Facts().AgentsRunning > 0 || len(s.Prompts) > 0:
		return Say("An agent of the piece is still running. Stop the agents first.")
	}
	return Sentence{}
}
