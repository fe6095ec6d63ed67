package project

import "context"

// search is a text that is looked for through what the board does not know. One search runs at a time, and what was typed
// meanwhile is looked for after it.
type search struct {
	text string
	busy bool
}

// search looks for a text in the specs and seeds of the project.
func (p *Project) search(text string) {
	p.looking.text = text
	p.searchAgain()
}

// searchAgain looks for the present text once more: what holds it may have changed.
func (p *Project) searchAgain() {
	text := p.looking.text
	if text == "" || p.looking.busy {
		return
	}
	p.looking.busy = true
	var ids []string
	p.background(func(ctx context.Context) (err error) {
		ids, err = p.o.Engine.Search(ctx, p.o.ProjectID, text)
		return err
	}, func(err error) {
		p.looking.busy = false
		if text != p.looking.text {
			p.searchAgain()
			return
		}
		if err != nil {
			p.showProblem(err)
			return
		}
		p.o.Board.Found(text, ids)
	})
}

// showArchived reads archived pieces too, or no longer.
func (p *Project) showArchived(shown bool) {
	p.archived.Store(shown)
	select {
	case p.again <- struct{}{}:
	default: // one is waiting
	}
}

// either wakes for the engine's changes and for the window's own.
func (p *Project) either(wake <-chan struct{}) <-chan struct{} {
	both := make(chan struct{}, 1)
	p.background(func(ctx context.Context) error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-wake:
			case <-p.again:
			}
			select {
			case both <- struct{}{}:
			default:
			}
		}
	}, func(error) {})
	return both
}
