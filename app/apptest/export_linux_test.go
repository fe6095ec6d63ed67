package apptest

// What the tests of this package look at besides its doors.
var (
	Kin    = kin
	Runs   = runs
	StatOf = statOf
)
