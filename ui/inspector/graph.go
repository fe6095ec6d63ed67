package inspector

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/kit/layered"
)

// graphView draws the agents of a piece and what each of them starts after. A press opens an agent. The picture runs to
// the right where that fits, and downwards elsewhere.
type graphView struct {
	widget.BaseWidget

	open func(taskID string)

	drawn  string
	layout layered.Layout
	nodes  []*graphNode
	lines  [][]*canvas.Line // of each path: its legs, then the two strokes of its arrow
	wide   float32          // the width it was given last
}

// graphNode is one agent in the picture.
type graphNode struct {
	name  *kit.Text
	state *kit.StateDot
	press *kit.Press
}

// The picture's measures. A layer takes its node and the way to the next.
const (
	nodeWide, nodeHigh   float32 = 152, 52
	layerAcross          float32 = 28 // between two layers that stand beside one another
	layerBelow           float32 = 24 // between two layers that stand below one another
	betweenNodes         float32 = kit.Together
	arrowLong, arrowSide float32 = 6, 3.5
)

func newGraphView(open func(taskID string)) *graphView {
	g := &graphView{open: open}
	g.ExtendBaseWidget(g)
	return g
}

// graphEdges are the edges as they are drawn: the review stands behind the last agents, which stand behind all others.
func graphEdges(tasks []pieces.Task, edges []pieces.Edge) []layered.Edge {
	at := map[string]int{}
	for i, t := range tasks {
		at[t.ID] = i
	}
	isReview := func(id string) bool { return tasks[at[id]].Kind == pieces.TaskReview }
	var drawn []layered.Edge
	for _, e := range edges {
		from, known := at[e.From]
		to, alsoKnown := at[e.To]
		implied := slices.ContainsFunc(edges, func(o pieces.Edge) bool { return o.From == e.From && !isReview(o.To) })
		if known && alsoKnown && (!isReview(e.To) || !implied) {
			drawn = append(drawn, layered.Edge{From: from, To: to})
		}
	}
	return drawn
}

// show draws a piece's graph. While the plan is the same only the states change, so that focus stays.
func (g *graphView) show(s pieces.Snapshot) {
	key := fmt.Sprint(s.Edges)
	for _, t := range s.Tasks {
		key += "\x00" + t.ID + t.Name
	}
	if key != g.drawn {
		g.drawn = key
		g.build(s)
	}
	for i, t := range s.Tasks {
		state, word := taskState(s, t)
		g.nodes[i].state.Set(state, word)
	}
	g.Refresh()
}

func (g *graphView) build(s pieces.Snapshot) {
	g.layout = layered.Arrange(len(s.Tasks), graphEdges(s.Tasks, s.Edges))
	g.nodes, g.lines = nil, nil
	for _, t := range s.Tasks {
		n := &graphNode{name: kit.Body(t.Name).Strong().CutEnd(), state: kit.NewStateDot(kit.StateIdle, "")}
		words := kit.Column(kit.Step, n.name, n.state)
		ground := kit.NewSurface(words).Inset(kit.Together)
		if t.Kind == pieces.TaskReview {
			ground.In(kit.ColorRaised, kit.ColorReview)
		}
		n.press = kit.NewPress("node:"+t.ID, ground, func() { g.open(t.ID) })
		g.nodes = append(g.nodes, n)
	}
	for _, path := range g.layout.Paths {
		var lines []*canvas.Line
		for range 2*len(path) - 3 + 2 {
			line := canvas.NewLine(theme.Color(kit.ColorMuted))
			line.StrokeWidth = 1
			lines = append(lines, line)
		}
		g.lines = append(g.lines, lines)
	}
}

// Children are the nodes.
func (g *graphView) Children() []fyne.CanvasObject {
	objects := make([]fyne.CanvasObject, len(g.nodes))
	for i, n := range g.nodes {
		objects[i] = n.press
	}
	return objects
}

// across says whether the picture runs to the right: it does where that is no wider than there is room, and is lower.
func (g *graphView) across() bool {
	wide, high := g.measure(true)
	_, down := g.measure(false)
	return wide <= g.wide && high < down
}

func (g *graphView) measure(across bool) (wide, high float32) {
	layers, breadth := float32(g.layout.Layers), float32(g.layout.Breadth)
	if across {
		return layers*(nodeWide+layerAcross) - layerAcross, breadth*(nodeHigh+betweenNodes) - betweenNodes
	}
	return breadth*(nodeWide+betweenNodes) - betweenNodes, layers*(nodeHigh+layerBelow) - layerBelow
}

// placeIn gives where a layer begins and how far along it something stands, as a position.
func placeIn(across bool, layer, along float32) fyne.Position {
	if across {
		return fyne.NewPos(layer, along)
	}
	return fyne.NewPos(along, layer)
}

func (g *graphView) arrange() {
	across := g.across()
	pitch, unit, deep := nodeHigh+layerBelow, nodeWide+betweenNodes, nodeHigh
	if across {
		pitch, unit, deep = nodeWide+layerAcross, nodeHigh+betweenNodes, nodeWide
	}
	for i, p := range g.layout.Nodes {
		o := g.nodes[i].press
		o.Move(placeIn(across, float32(p.Layer)*pitch, float32(p.At)*unit))
		o.Resize(fyne.NewSize(nodeWide, nodeHigh))
	}
	for i, path := range g.layout.Paths {
		// Every layer that the edge passes has two corners, so that it runs straight between the nodes there.
		var corners []fyne.Position
		for at, p := range path {
			along := float32(p.At)*unit - betweenNodes/2
			start := float32(p.Layer) * pitch
			if at > 0 {
				corners = append(corners, placeIn(across, start, along))
			}
			if at < len(path)-1 {
				corners = append(corners, placeIn(across, start+deep, along))
			}
		}
		g.draw(g.lines[i], corners, across)
	}
}

// draw lays the lines along the corners, and an arrow at their end.
func (g *graphView) draw(lines []*canvas.Line, corners []fyne.Position, across bool) {
	legs := len(corners) - 1
	for i := range legs {
		lines[i].Position1, lines[i].Position2 = corners[i], corners[i+1]
	}
	end := corners[legs]
	for side, line := range lines[legs : legs+2] {
		aside := arrowSide * float32(2*side-1)
		back := fyne.NewPos(end.X+aside, end.Y-arrowLong)
		if across {
			back = fyne.NewPos(end.X-arrowLong, end.Y+aside)
		}
		line.Position1, line.Position2 = back, end
	}
}

// CreateRenderer is for Fyne alone.
func (g *graphView) CreateRenderer() fyne.WidgetRenderer { return graphRenderer{g} }

type graphRenderer struct{ g *graphView }

func (r graphRenderer) Destroy() {}

func (r graphRenderer) Layout(size fyne.Size) {
	r.g.wide = size.Width
	r.g.arrange()
}

func (r graphRenderer) MinSize() fyne.Size {
	wide, high := r.g.measure(r.g.across())
	return fyne.NewSize(wide, high)
}

func (r graphRenderer) Objects() []fyne.CanvasObject {
	var objects []fyne.CanvasObject
	for _, path := range r.g.lines {
		for _, l := range path {
			objects = append(objects, l)
		}
	}
	return append(objects, r.g.Children()...)
}

func (r graphRenderer) Refresh() {
	for _, path := range r.g.lines {
		for _, l := range path {
			l.StrokeColor = theme.Color(kit.ColorMuted)
		}
	}
	r.g.arrange()
	canvas.Refresh(r.g)
}

// sideways scrolls a picture that is wider than the page, and is as high as the picture.
type sideways struct{ picture *graphView }

// newSideways makes a container of that layout.
func newSideways(picture *graphView) *fyne.Container {
	scroll := container.NewHScroll(picture)
	return container.New(sideways{picture}, scroll)
}

// MinSize asks for the picture's height alone.
func (s sideways) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(0, s.picture.MinSize().Height+kit.Together)
}

// Layout lets the picture know the room it has before it says what it needs.
func (s sideways) Layout(o []fyne.CanvasObject, size fyne.Size) {
	s.picture.wide = size.Width
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size)
}
