package pieces

var working = map[Activity]string{
	Interviewing:  "Writing the spec",
	Planning:      "Writing the strategy",
	Decomposing:   "Splitting into agents",
	Running:       "Agents are running",
	Pausing:       "Pausing",
	Stopping:      "Stopping agents",
	WorkReviewing: "Reviewing the work",
	CreatingPR:    "Opening the pull request",
	Changing:      "Working on changes",
}

// Working says in a few words what Fermata does by itself in an activity; "" where it does nothing.
func (a Activity) Working() string { return working[a] }
