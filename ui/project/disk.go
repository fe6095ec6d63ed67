package project

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/kit/sheet"
	"fermata/ui/phrase"
)

const diskWidth float32 = 720

// diskView shows what the project's worktrees take, the largest first.
type diskView struct {
	p       *Project
	total   *kit.Text
	rows    *fyne.Container
	problem *kit.Paragraph
	release *kit.Button
	clean   []string // the pieces whose worktrees can be released
}

// ShowDisk measures the project's worktrees and shows them.
func (p *Project) ShowDisk() {
	d := &diskView{p: p, total: kit.Caption(phrase.Of("Measuring…")), rows: kit.Column(kit.Step), problem: kit.NewParagraph("").In(kit.ColorFailed)}
	d.problem.Hide()
	d.release = kit.NewButton("disk:release", "Release", kit.Normal, d.releaseClean)
	d.release.Hide()
	done := kit.NewButton("disk:close", "Close", kit.Normal, p.sheets.Close)
	p.sheets.Ask(sheet.Sheet{
		Title: phrase.Of("Disk use"), Aside: d.total, Problem: d.problem, Width: diskWidth, Buttons: []*kit.Button{done, d.release},
		Body: kit.Column(gap, d.rows,
			kit.NewNote(phrase.Of("Releasing removes the worktrees of finished pieces that hold nothing which no commit has. Their branches stay, and a worktree can be made again."))),
	})
	d.measure()
}

func (d *diskView) measure() {
	var list []engine.DiskUse
	d.p.background(func(ctx context.Context) (err error) {
		list, err = d.p.o.Engine.DiskUse(ctx, d.p.o.ProjectID)
		return err
	}, func(err error) {
		if err != nil {
			d.refuse(said("The worktrees could not be measured", err))
			return
		}
		d.show(list)
	})
}

func (d *diskView) show(list []engine.DiskUse) {
	slices.SortStableFunc(list, func(a, b engine.DiskUse) int { return cmp.Compare(b.Bytes, a.Bytes) })
	d.rows.Objects, d.clean = nil, nil
	keeps := map[string]bool{}
	sum := int64(0)
	for i, u := range list {
		sum += u.Bytes
		keeps[u.PieceID] = keeps[u.PieceID] || u.Keeps != ""
		name := cmp.Or(u.Piece, phrase.Of("A deleted piece"))
		if u.Agent != "" {
			name += ", " + u.Agent
		}
		about := cmp.Or(u.Keeps, phrase.Of("Can be released"))
		tail := kit.Line(kit.Together, kit.Caption(kit.Bytes(u.Bytes)).In(kit.ColorText))
		if u.Piece != "" && u.Agent == "" {
			b := kit.NewButton(fmt.Sprintf("disk:delete:%d", i), "Delete piece…", kit.Quiet, func() {
				d.p.sheets.Close()
				d.p.DeletePiece(u.PieceID)
			})
			b.OnEscape = d.p.sheets.Close
			tail.Add(b)
		}
		d.rows.Add(kit.NewRow(nil, name, about, tail))
	}
	for _, u := range list {
		if !keeps[u.PieceID] && !slices.Contains(d.clean, u.PieceID) {
			d.clean = append(d.clean, u.PieceID)
		}
	}
	if len(list) == 0 {
		d.rows.Add(kit.NewParagraph(phrase.Of("No piece of this project has a worktree.")).In(kit.ColorMuted))
	}
	d.total.Set(kit.Bytes(sum))
	d.release.SetLabel(phrase.F("Release %d", len(d.clean)))
	show(d.release, len(d.clean) > 0)
	d.rows.Refresh()
	d.p.sheets.Fits()
}

func (d *diskView) releaseClean() {
	if d.release.Disabled() {
		return
	}
	d.release.DisableFor("removing worktrees")
	ids := d.clean
	d.p.background(func(ctx context.Context) error {
		for _, id := range ids {
			if err := d.p.o.Engine.ReleaseWorktree(ctx, id, pieces.ByPerson); err != nil {
				return err
			}
		}
		return nil
	}, func(err error) {
		d.release.Enable()
		show(d.problem, false)
		if err != nil {
			d.refuse(said("Not all were released", err))
		}
		d.measure()
	})
}

func (d *diskView) refuse(reason string) {
	d.problem.Set(reason)
	show(d.problem, true)
	d.p.sheets.Fits()
}
