package settings

import (
	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

func permissionsPane(s *Settings) fyne.CanvasObject {
	profile := func(name pieces.Profile, words string) fyne.CanvasObject {
		return kit.Column(kit.Step, kit.Body(string(name)).Strong(), kit.NewNote(words))
	}
	return kit.Column(kit.Groups,
		kit.Heading(phrase.Of(Permissions)),
		card("Permission profile",
			s.form.row(pieces.KeyPermissionProfile, "Profile of new pieces"),
			profile(pieces.ProfileSafe, phrase.Of("Every tool beyond reading asks you first.")),
			profile(pieces.ProfileStandard, phrase.Of("Edits inside the worktree, git status, diff, add and commit there, and the commands that the project lists "+
				"run without asking. Everything else asks: once, for the session, or always for the project.")),
			profile(pieces.ProfileTrusted, phrase.Of("Nothing asks.")),
			kit.NewNote(phrase.Of("A profile is no sandbox: what an agent may run, runs with your rights. Approvals are answered in Fermata alone; "+
				"an MCP client can never answer one.")),
		),
		card("Allowed in a project",
			kit.NewNote(phrase.Of("What agents on the standard profile run without asking: commands by how they begin, and tools that you allowed with “Always in this project”. A removed one is asked for again, from a session's next start on.")),
			s.projects.commands,
		),
	)
}
