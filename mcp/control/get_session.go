package control

import "context"

var getSession = tool{
	name: "get_session", title: "Read a session", reads: true, repeatable: true,
	description: "Read one session: its row and, with transcriptLimit, its latest messages in order.",
	args: []arg{
		{name: "sessionId", kind: kindText, required: true, format: notBlank, maxLen: maxID},
		{name: "transcriptLimit", kind: kindWhole, min: 0, max: 200, def: 0, note: "How many of the latest messages to include."},
	},
	run: func(c *control, ctx context.Context, a args) (any, error) {
		s, err := c.Engine.Session(ctx, a.text("sessionId"))
		if err != nil {
			return nil, err
		}
		detail := struct {
			sessionRow
			Transcript []messageView `json:"transcript"`
		}{sessionRowOf(s), []messageView{}}
		n := a.whole("transcriptLimit")
		if n == 0 {
			return detail, nil
		}
		list, err := c.Engine.Messages(ctx, s.ID, n)
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			detail.Transcript = append(detail.Transcript, messageOf(m))
		}
		return detail, nil
	},
}
