package layered

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestEveryEdgeLeadsOnAndNodesKeepApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		n := 1 + rng.IntN(31)
		var edges []Edge
		for range rng.IntN(3 * n) {
			edges = append(edges, Edge{rng.IntN(n), rng.IntN(n)})
		}
		l := Arrange(n, edges)
		for i, a := range l.Nodes {
			if a.Layer < 0 || a.Layer >= l.Layers || a.At < -1e-9 || a.At+1 > l.Breadth+1e-9 {
				t.Fatalf("round %d: node %d stands outside at %+v of %d × %v", round, i, a, l.Layers, l.Breadth)
			}
			for j, b := range l.Nodes[:i] {
				if a.Layer == b.Layer && a.At+1 > b.At+1e-6 && b.At+1 > a.At+1e-6 {
					t.Fatalf("round %d: nodes %d and %d overlap: %+v %+v", round, i, j, a, b)
				}
			}
		}
		for _, path := range l.Paths {
			for i := 1; i < len(path); i++ {
				if path[i].Layer != path[i-1].Layer+1 {
					t.Fatalf("round %d: a path jumps: %+v", round, path)
				}
			}
			for _, p := range path[1 : len(path)-1] {
				for i, node := range l.Nodes {
					if node.Layer == p.Layer && p.At > node.At+1e-6 && p.At < node.At+1-1e-6 {
						t.Fatalf("round %d: an edge runs through node %d", round, i)
					}
				}
			}
		}
	}
}

func TestADiamondStandsStraight(t *testing.T) {
	l := Arrange(4, []Edge{{0, 1}, {0, 2}, {1, 3}, {2, 3}})
	want := "[{0 0.5} {1 0} {1 1} {2 0.5}]"
	if got := fmt.Sprint(l.Nodes); got != want || l.Layers != 3 || l.Breadth != 2 {
		t.Errorf("it stands at %s, %d × %v", got, l.Layers, l.Breadth)
	}
}

func TestCrossingsAreTakenOut(t *testing.T) {
	// As they are listed, both edges cross.
	l := Arrange(4, []Edge{{0, 3}, {1, 2}})
	if (l.Nodes[0].At < l.Nodes[1].At) != (l.Nodes[3].At < l.Nodes[2].At) {
		t.Errorf("the edges cross: %+v", l.Nodes)
	}
}

func TestLoopsAndUnknownNodesAreLeftOut(t *testing.T) {
	l := Arrange(2, []Edge{{0, 1}, {1, 0}, {0, 0}, {0, 7}, {-1, 0}, {0, 1}})
	if len(l.Paths) != 1 || l.Layers != 2 {
		t.Errorf("drawn are %+v in %d layers", l.Paths, l.Layers)
	}
	if l := Arrange(0, nil); l.Layers != 0 {
		t.Errorf("nothing has %d layers", l.Layers)
	}
}
