package engine

import (
	"context"
	"sync"

	"fermata/pieces"
)

// checkups remembers what the last examination of each project found. The zero value is ready.
type checkups struct {
	mu    sync.Mutex
	found map[string][]pieces.Finding
}

func (c *checkups) keep(projectID string, found []pieces.Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found == nil {
		c.found = map[string][]pieces.Finding{}
	}
	c.found[projectID] = found
}

func (c *checkups) last(projectID string) ([]pieces.Finding, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, known := c.found[projectID]
	return found, known
}

// Examine looks a project's repository over now, for what is known to hurt work in it, and remembers what it found.
func (e *Engine) Examine(ctx context.Context, projectID string) ([]pieces.Finding, error) {
	p, err := e.Project(ctx, projectID)
	if err != nil {
		return nil, err
	}
	found, err := e.Git.Examine(ctx, p.Path, p.Branch, e.Now())
	if err != nil {
		return nil, refuse(err, "Fermata could not look %s over: %v", p.Path, err)
	}
	e.checkups.keep(projectID, found)
	e.hub.Wake()
	return found, nil
}

// Findings is what the last examination of a project found; false while there was none since Fermata started.
func (e *Engine) Findings(projectID string) ([]pieces.Finding, bool) {
	return e.checkups.last(projectID)
}

// examineNew looks a new project over, beside the call that registered it.
func (e *Engine) examineNew(projectID string) {
	if e.ctx == nil {
		return // an engine that is not started does nothing by itself
	}
	e.spawn("examine project", func(ctx context.Context) error {
		_, err := e.Examine(ctx, projectID)
		return err
	})
}
