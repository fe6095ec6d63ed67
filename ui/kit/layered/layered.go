// Package layered lays a directed graph out in layers, so that every edge leads on to a later layer.
package layered

import (
	"math"
	"slices"
)

// Edge leads from one node to another, each named by its number.
type Edge struct{ From, To int }

// Point is a place in the layout: a layer, counted from 0, and how far along it, in widths of a node from 0.
type Point struct {
	Layer int
	At    float64
}

// Layout is where everything stands. A node takes the width of 1 from its place on; a path goes through the middles.
type Layout struct {
	Nodes []Point
	// Paths has, for each edge that is drawn, the places it goes through, its two nodes included: one for each layer.
	Paths [][]Point
	// Layers is how many layers there are, Breadth how wide the widest is, in widths of a node.
	Layers  int
	Breadth float64
}

// lane is how much of a node's width an edge takes that passes a layer.
const lane = 0.4

// sweeps is how often the order of the layers is improved; small graphs stand still much earlier.
const sweeps = 12

// Arrange lays out n nodes. Edges of unknown nodes, from a node to itself, and those that would close a loop are left out.
func Arrange(n int, edges []Edge) Layout {
	if n <= 0 {
		return Layout{}
	}
	g := newGraph(n, edges)
	g.order()
	g.place()
	return g.layout(n)
}

// graph is a layout in the making. Where an edge passes a layer, a point of its own stands for it there.
type graph struct {
	edges  []Edge
	rank   []int   // of every point
	layers [][]int // points by layer, in their order
	chains [][]int // the points of each edge
	before [][]int // of every point: its neighbours in the layer before
	after  [][]int
	at     []float64
	nodes  int
}

func newGraph(n int, edges []Edge) *graph {
	g := &graph{nodes: n}
	for _, e := range edges {
		known := e.From >= 0 && e.From < n && e.To >= 0 && e.To < n && e.From != e.To
		if known && !slices.Contains(g.edges, e) && !g.reaches(e.To, e.From) {
			g.edges = append(g.edges, e)
		}
	}
	g.rank = make([]int, n)
	for changed := true; changed; {
		changed = false
		for _, e := range g.edges {
			if g.rank[e.To] <= g.rank[e.From] {
				g.rank[e.To], changed = g.rank[e.From]+1, true
			}
		}
	}
	for _, e := range g.edges {
		chain := []int{e.From}
		for r := g.rank[e.From] + 1; r < g.rank[e.To]; r++ {
			chain = append(chain, len(g.rank))
			g.rank = append(g.rank, r)
		}
		g.chains = append(g.chains, append(chain, e.To))
	}
	g.before, g.after = make([][]int, len(g.rank)), make([][]int, len(g.rank))
	for _, chain := range g.chains {
		for i := 1; i < len(chain); i++ {
			from, to := chain[i-1], chain[i]
			g.after[from], g.before[to] = append(g.after[from], to), append(g.before[to], from)
		}
	}
	g.layers = make([][]int, slices.Max(g.rank)+1)
	for p, r := range g.rank {
		g.layers[r] = append(g.layers[r], p)
	}
	return g
}

func (g *graph) reaches(from, to int) bool {
	seen := map[int]bool{}
	var visit func(int) bool
	visit = func(at int) bool {
		if at == to {
			return true
		}
		if seen[at] {
			return false
		}
		seen[at] = true
		for _, e := range g.edges {
			if e.From == at && visit(e.To) {
				return true
			}
		}
		return false
	}
	return visit(from)
}

// order puts the points of each layer where their neighbours are, forth and back, and keeps the order with the fewest
// crossings.
func (g *graph) order() {
	best, fewest := g.copied(), g.crossings()
	for sweep := 0; sweep < sweeps && fewest > 0; sweep++ {
		back := sweep%2 == 1
		for i := range g.layers {
			at, beside := i, g.before
			if back {
				at, beside = len(g.layers)-1-i, g.after
			}
			g.sort(g.layers[at], beside)
		}
		if n := g.crossings(); n < fewest {
			best, fewest = g.copied(), n
		}
	}
	g.layers = best
}

func (g *graph) copied() [][]int {
	list := make([][]int, len(g.layers))
	for i, l := range g.layers {
		list[i] = slices.Clone(l)
	}
	return list
}

func (g *graph) sort(layer []int, beside [][]int) {
	place := g.places()
	weight := map[int]float64{}
	for i, p := range layer {
		weight[p] = float64(i)
		if len(beside[p]) > 0 {
			sum := 0.0
			for _, q := range beside[p] {
				sum += float64(place[q])
			}
			weight[p] = sum / float64(len(beside[p]))
		}
	}
	slices.SortStableFunc(layer, func(a, b int) int {
		switch {
		case weight[a] < weight[b]:
			return -1
		case weight[a] > weight[b]:
			return 1
		}
		return 0
	})
}

// places says for every point how many stand before it in its layer.
func (g *graph) places() []int {
	place := make([]int, len(g.rank))
	for _, l := range g.layers {
		for i, p := range l {
			place[p] = i
		}
	}
	return place
}

func (g *graph) crossings() (n int) {
	place := g.places()
	for _, l := range g.layers {
		var ends []int
		for _, p := range l {
			next := make([]int, len(g.after[p]))
			for i, q := range g.after[p] {
				next[i] = place[q]
			}
			for _, a := range ends {
				for _, b := range next {
					if a > b {
						n++
					}
				}
			}
			ends = append(ends, next...)
		}
	}
	return n
}

// place gives every point its distance along its layer: as near to its neighbours as order and room let it.
func (g *graph) place() {
	g.at = make([]float64, len(g.rank))
	for _, l := range g.layers {
		along := g.offsets(l)
		for i, p := range l {
			g.at[p] = along[i] - along[len(along)-1]/2
		}
	}
	for round := range 2 * sweeps {
		for i := range g.layers {
			l, beside := g.layers[i], g.before
			if round%2 == 1 {
				l, beside = g.layers[len(g.layers)-1-i], g.after
			}
			g.pull(l, beside)
		}
	}
	first := math.Inf(1)
	for p, at := range g.at {
		first = min(first, at-g.width(p)/2)
	}
	for p := range g.at {
		g.at[p] -= first
	}
}

func (g *graph) width(p int) float64 {
	if p < g.nodes {
		return 1
	}
	return lane
}

// offsets are the least distances of a layer's points from its first.
func (g *graph) offsets(layer []int) []float64 {
	along := make([]float64, len(layer))
	for i := 1; i < len(layer); i++ {
		along[i] = along[i-1] + (g.width(layer[i-1])+g.width(layer[i]))/2
	}
	return along
}

// pull moves a layer's points to the middle of their neighbours. Points that would come too near share the way out: their
// wishes are averaged, which is the least squares answer.
func (g *graph) pull(layer []int, beside [][]int) {
	type block struct {
		sum float64
		n   int
	}
	along := g.offsets(layer)
	var blocks []block
	for i, p := range layer {
		wish := g.at[p]
		if len(beside[p]) > 0 {
			wish = 0
			for _, q := range beside[p] {
				wish += g.at[q] / float64(len(beside[p]))
			}
		}
		blocks = append(blocks, block{wish - along[i], 1})
		for len(blocks) > 1 {
			a, b := blocks[len(blocks)-2], blocks[len(blocks)-1]
			if a.sum/float64(a.n) <= b.sum/float64(b.n) {
				break
			}
			blocks = append(blocks[:len(blocks)-2], block{a.sum + b.sum, a.n + b.n})
		}
	}
	i := 0
	for _, b := range blocks {
		for range b.n {
			g.at[layer[i]] = b.sum/float64(b.n) + along[i]
			i++
		}
	}
}

func (g *graph) layout(n int) Layout {
	l := Layout{Layers: len(g.layers), Nodes: make([]Point, n)}
	for p, at := range g.at {
		l.Breadth = max(l.Breadth, at+g.width(p)/2)
		if p < n {
			l.Nodes[p] = Point{g.rank[p], at - g.width(p)/2}
		}
	}
	for _, chain := range g.chains {
		path := make([]Point, len(chain))
		for i, p := range chain {
			path[i] = Point{g.rank[p], g.at[p]}
		}
		l.Paths = append(l.Paths, path)
	}
	return l
}
