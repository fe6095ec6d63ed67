package control

import (
	"context"
	"strings"

	"fermata/pieces"
)

const (
	keyLoopIntake = "edge.loopIntake"
	keyEchoes     = "edge.echoes"
)

// verifyKeys says why tracker keys cannot be linked. Nothing is filed and no card shows unless all of them can.
func (c *control) verifyKeys(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	why, err := c.noTracker(ctx, keys[0])
	if err != nil {
		return err
	}
	return refuse("Couldn't verify %s: %s", keys[0], why)
}

// fetchIssue says why a tracker issue cannot be fetched.
func (c *control) fetchIssue(ctx context.Context, key string) error {
	why, err := c.noTracker(ctx, key)
	if err != nil {
		return err
	}
	return refuse("Couldn't fetch %s: %s", key, why)
}

// noTracker says what keeps a key from being looked up: no tracker is ever linked so far.
func (c *control) noTracker(ctx context.Context, key string) (string, error) {
	for _, k := range []string{pieces.KeyEdgeEnabled, keyLoopIntake} {
		on, err := c.on(ctx, k)
		if err != nil {
			return "", err
		}
		if !on {
			return "Loop Intake is off.", nil
		}
	}
	kind := "Linear"
	if strings.Contains(key, "#") {
		kind = "GitHub"
	}
	return "the project links no " + kind + " source.", nil
}

// runAt returns where an item runs: thisMac, or empty to follow the project.
func (c *control) runAt(ctx context.Context, choice string) (string, error) {
	choice = strings.TrimSpace(choice)
	if choice == "" {
		return "", nil
	}
	if strings.EqualFold(choice, thisMac) {
		return thisMac, nil
	}
	on, err := c.on(ctx, keyEchoes)
	if err != nil {
		return "", err
	}
	if !on {
		return "", refuse("Echoes is off in Settings › Edge, so the work cannot run at %q: pass thisMac, or leave runAt out.", clip(choice))
	}
	return "", refuse("Unknown Echo %q: there are no Echoes, so pass thisMac or leave runAt out.", clip(choice))
}
