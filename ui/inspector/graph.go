package inspector

import (
	"fmt"
	"math"
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
	wide   float32          // the room that it has before it has to be scrolled
	states []pieces.TaskState
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
	nodeNarrow           float32 = 116                           // where that saves the person the scrolling
	mostAcross           float32 = 6 * (nodeHigh + betweenNodes) // how high it gets to save that
	layerAcross          float32 = 28                            // between two layers that stand beside one another
	layerBelow           float32 = 24                            // between two layers that stand below one another
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
	g.states = g.states[:0]
	for i, t := range s.Tasks {
		g.states = append(g.states, t.State)
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

// shape is a way to draw the picture: its direction, and how wide a node is.
type shape struct {
	across bool
	node   float32
}

// shape picks the lowest way that needs no scrolling. Where there is none the nodes get narrower, as far as their names can
// still be told; a picture that is wide all the same is drawn downwards at full size.
func (g *graphView) shape() shape {
	down := shape{node: nodeWide}
	for _, node := range []float32{nodeWide, nodeNarrow} {
		d, a := shape{node: node}, shape{true, node}
		downWide, downHigh := g.measure(d)
		acrossWide, acrossHigh := g.measure(a)
		switch downFits := downWide <= g.wide; {
		case acrossWide <= g.wide && (acrossHigh < downHigh || !downFits && acrossHigh <= mostAcross):
			return shape{true, g.node(g.layout.Layers, layerAcross)}
		case downFits:
			return shape{node: g.node(int(math.Ceil(g.layout.Breadth)), betweenNodes)}
		}
	}
	return down
}

// node is how wide a node can be where so many stand beside one another.
func (g *graphView) node(beside int, gap float32) float32 {
	room := (g.wide+gap)/float32(max(1, beside)) - gap
	return max(nodeNarrow, min(nodeWide, float32(math.Floor(float64(room)))))
}

func (g *graphView) measure(s shape) (wide, high float32) {
	layers, breadth := float32(g.layout.Layers), float32(g.layout.Breadth)
	if s.across {
		return layers*(s.node+layerAcross) - layerAcross, breadth*(nodeHigh+betweenNodes) - betweenNodes
	}
	return breadth*(s.node+betweenNodes) - betweenNodes, layers*(nodeHigh+layerBelow) - layerBelow
}

// placeIn gives where a layer begins and how far along it something stands, as a position.
func placeIn(across bool, layer, along float32) fyne.Position {
	if across {
		return fyne.NewPos(layer, along)
	}
	return fyne.NewPos(along, layer)
}

func (g *graphView) arrange() {
	s := g.shape()
	across := s.across
	pitch, unit, deep := nodeHigh+layerBelow, s.node+betweenNodes, nodeHigh
	if across {
		pitch, unit, deep = s.node+layerAcross, nodeHigh+betweenNodes, s.node
	}
	for i, p := range g.layout.Nodes {
		o := g.nodes[i].press
		o.Move(placeIn(across, float32(p.Layer)*pitch, float32(p.At)*unit))
		o.Resize(fyne.NewSize(s.node, nodeHigh))
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

func (r graphRenderer) Layout(fyne.Size) { r.g.arrange() }

func (r graphRenderer) MinSize() fyne.Size {
	wide, high := r.g.measure(r.g.shape())
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

// wanted is the part of the picture that is looked for first, from its left: the agents that run or wait, else those that
// failed, else those that start first.
func (g *graphView) wanted() (left, right float32) {
	first := func(i int) bool { return g.layout.Nodes[i].Layer == 0 }
	for _, is := range []func(i int) bool{
		func(i int) bool { return g.states[i] == pieces.TaskRunning || g.states[i] == pieces.TaskWaiting },
		func(i int) bool { return g.states[i] == pieces.TaskFailed },
		first,
	} {
		found := false
		for i, n := range g.nodes {
			if !is(i) {
				continue
			}
			from := n.press.Position().X
			to := from + n.press.Size().Width
			if !found {
				left, right, found = from, to, true
			}
			left, right = min(left, from), max(right, to)
		}
		if found {
			break
		}
	}
	return left, right
}

// sideways scrolls a picture that is wider than the page, and is as high as the picture. A plan that comes into view shows
// what is wanted of it; from then on the person scrolls.
type sideways struct {
	picture *graphView
	scroll  *container.Scroll
	drawn   string  // the plan that was scrolled last
	wide    float32 // the room that there was then
	at      float32 // where that led
}

// newSideways makes a container of that layout.
func newSideways(picture *graphView) *fyne.Container {
	s := &sideways{picture: picture, scroll: container.NewHScroll(picture)}
	return container.New(s, s.scroll)
}

// MinSize asks for the picture's height alone.
func (s *sideways) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(0, s.picture.MinSize().Height+kit.Together)
}

// Layout lets the picture know the room it has before it says what it needs.
func (s *sideways) Layout(o []fyne.CanvasObject, size fyne.Size) {
	s.picture.wide = size.Width
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size)
	s.seek(size.Width)
}

// seek scrolls to what is wanted of another plan. A page that is still being laid out changes its room; that counts as the
// same coming into view as long as nobody scrolled.
func (s *sideways) seek(room float32) {
	same := s.drawn == s.picture.drawn
	if room <= 0 || same && (room == s.wide || s.scroll.Offset.X != s.at) {
		return
	}
	s.picture.arrange()
	left, right := s.picture.wanted()
	at := (left + right - room) / 2
	if right-left > room {
		at = left
	}
	at = max(0, min(at, s.picture.MinSize().Width-room))
	s.scroll.ScrollToOffset(fyne.NewPos(at, 0))
	s.drawn, s.wide, s.at = s.picture.drawn, room, s.scroll.Offset.X
}
