package project

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/ui/kit"
)

// picked is a field of a form that gathers things one by one, each with a button that takes it out again.
type picked struct {
	name   string
	escape func()
	fits   func() // makes room for another row
	list   []pick
	rows   *fyne.Container
	body   *fyne.Container
}

type pick struct{ value, label string }

// newPicked makes an empty one; what adds to it is put below its rows.
func newPicked(name, label string, escape, fits func()) *picked {
	p := &picked{name: name, escape: escape, fits: fits, rows: kit.Column(kit.Step)}
	p.body = kit.Column(kit.Step, kit.Caption(label).In(kit.ColorText).Strong(), p.rows)
	return p
}

// add gathers one more; what is there already stays once.
func (p *picked) add(value, label string) {
	if slices.ContainsFunc(p.list, func(o pick) bool { return o.value == value }) {
		return
	}
	p.list = append(p.list, pick{value, label})
	p.draw()
}

func (p *picked) values() []string {
	var values []string
	for _, o := range p.list {
		values = append(values, o.value)
	}
	return values
}

func (p *picked) draw() {
	p.rows.Objects = nil
	for i, o := range p.list {
		remove := kit.NewButton(fmt.Sprint(p.name, i), "Remove", kit.Quiet, func() {
			p.list = slices.DeleteFunc(p.list, func(other pick) bool { return other == o })
			p.draw()
		})
		remove.OnEscape = p.escape
		p.rows.Add(container.NewBorder(nil, nil, nil, remove, kit.Body(o.label).CutMiddle()))
	}
	p.rows.Refresh()
	p.body.Refresh()
	p.fits()
}
