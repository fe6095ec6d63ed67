package inspector

import (
	"context"

	"fermata/pieces"
)

// answer gives a session what the person answered.
func (i *Inspector) answer(p pieces.Prompt, a pieces.PromptAnswer) {
	i.background(func(ctx context.Context) error {
		return i.o.Engine.AnswerPrompt(ctx, p.ID, a)
	}, func(err error) {
		if err != nil {
			i.prompts.free()
		}
		i.showProblem("answer the session", err)
	})
}
