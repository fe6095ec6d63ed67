package inspector

import (
	"context"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// changesChoices lists what the person can do about requested changes besides what is legal for a client.
func changesChoices(s pieces.Snapshot) []choice {
	switch {
	case s.Piece.Activity == pieces.Changing:
		return []choice{{name: "action:stopChanges", label: "Stop the session", kind: kit.Destructive, way: stoppingChanges}}
	case s.Gate() == pieces.GateMergePullRequest && s.Piece.PR.PushNote != "":
		return []choice{{name: "action:pushChanges", label: "Push the changes", kind: kit.Primary, way: pushing}}
	default:
		return nil
	}
}

// askStopChanges asks before it ends the feedback session.
func (i *Inspector) askStopChanges(c choice) {
	words := kit.NewParagraph(phrase.Of("Ends the session that works on your changes. What it wrote stays in the worktree, and what it committed on the branch."))
	i.askSheet(phrase.Of(c.label)+"?", words, kit.NewButton("confirm:ok", c.label, kit.Destructive, func() {
		i.sheets.Close()
		i.carryOut(c, func(ctx context.Context, id string) error {
			_, err := i.o.Engine.StopChanges(ctx, id, pieces.ByPerson)
			return err
		})
	}), nil)
}
