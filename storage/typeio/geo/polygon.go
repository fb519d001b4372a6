package geo

import "math"

// onEdge is what crossing gives when the point lies on the edge.
const onEdge = math.MaxInt

// Inside tells whether a point lies in a polygon or on its edge: whether the edges go around it.
func (c *Calc) Inside(p Point, polygon []Point) bool {
	first := c.SubPoints(polygon[0], p)
	prev, total := first, 0
	for i := 1; i <= len(polygon); i++ {
		next := first
		if i < len(polygon) {
			next = c.SubPoints(polygon[i], p)
		}
		n := c.crossing(next, prev)
		if n == onEdge {
			return true
		}
		total += n
		prev = next
	}
	return total != 0
}

// crossing counts how an edge from prev to p crosses the positive x axis: ±2, ±1 when it begins or ends there, 0 when it doesn't.
func (c *Calc) crossing(p, prev Point) int {
	if Zero(p.Y) {
		return fromAxis(p, prev)
	}
	sign := -1
	if Gt(p.Y, 0) {
		sign = 1
	}
	switch {
	case Zero(prev.Y):
		if Lt(prev.X, 0) {
			return 0
		}
		return sign
	case sign < 0 && Lt(prev.Y, 0), sign > 0 && Gt(prev.Y, 0):
		return 0
	case Ge(p.X, 0) && Gt(prev.X, 0):
		return 2 * sign
	case Lt(p.X, 0) && Le(prev.X, 0):
		return 0
	}
	z := c.Sub(c.Mul(c.Sub(p.X, prev.X), p.Y), c.Mul(c.Sub(p.Y, prev.Y), p.X))
	switch {
	case Zero(z):
		return onEdge
	case sign < 0 && Lt(z, 0), sign > 0 && Gt(z, 0):
		return 0
	}
	return 2 * sign
}

// fromAxis is crossing for an edge that ends on the x axis.
func fromAxis(p, prev Point) int {
	switch {
	case Zero(p.X):
		return onEdge
	case Gt(p.X, 0) && Zero(prev.Y):
		if Gt(prev.X, 0) {
			return 0
		}
		return onEdge
	case Gt(p.X, 0):
		if Lt(prev.Y, 0) {
			return 1
		}
		return -1
	case Zero(prev.Y) && !Lt(prev.X, 0):
		return onEdge
	}
	return 0
}

// PolygonsOverlap tells whether two polygons have a point in common.
func (c *Calc) PolygonsOverlap(p, q *Polygon) bool {
	return p.Bound.Overlap(q.Bound) &&
		(c.listsCross(p.Points, true, q.Points, true) || c.Inside(p.Points[0], q.Points) || c.Inside(q.Points[0], p.Points))
}

// PolygonDistance is the distance of two polygons.
func (c *Calc) PolygonDistance(p, q *Polygon) float64 {
	if c.PolygonsOverlap(p, q) {
		return 0
	}
	d, _ := c.listsDistance(p.Points, true, q.Points, true)
	return d
}

// PointPolygonDistance is the distance of a point from a polygon.
func (c *Calc) PointPolygonDistance(p Point, q *Polygon) float64 {
	if c.Inside(p, q.Points) {
		return 0
	}
	return c.PointPathDistance(p, &Path{Closed: true, Points: q.Points})
}

// PolygonContains tells whether q lies in p.
func (c *Calc) PolygonContains(p, q *Polygon) bool {
	if !p.Bound.Contains(q.Bound) {
		return false
	}
	all := true
	segments(q.Points, true, func(s Segment) bool {
		all = c.segmentInside(s, p.Points, 0)
		return all && c.Err == nil
	})
	return all
}

// segmentInside tells whether a segment lies in a polygon, of whose edges those from start on are looked at.
func (c *Calc) segmentInside(s Segment, polygon []Point, start int) bool {
	prev := polygon[(start+len(polygon)-1)%len(polygon)]
	inside, crossed := true, false
	for i := start; i < len(polygon) && inside && c.Err == nil; i++ {
		edge := Segment{prev, polygon[i]}
		prev = polygon[i]
		first, second := c.OnSegment(edge, s[0]), c.OnSegment(edge, s[1])
		switch {
		case first && second:
			return true
		case first:
			inside = c.touching(s[0], s[1], edge, polygon, i+1)
			continue
		case second:
			inside = c.touching(s[1], s[0], edge, polygon, i+1)
			continue
		}
		if p, ok := c.CrossSegment(s, edge); ok { // both parts must lie inside
			crossed = true
			inside = c.segmentInside(Segment{s[0], p}, polygon, i+1) && c.segmentInside(Segment{s[1], p}, polygon, i+1)
		}
	}
	if inside && !crossed {
		inside = c.Inside(c.Middle(s[0], s[1]), polygon)
	}
	return inside
}

// touching is segmentInside for a segment from a, on an edge, to b, of which a part may lie on the edge: then the rest counts.
func (c *Calc) touching(a, b Point, edge Segment, polygon []Point, start int) bool {
	t := Segment{a, b}
	rest := func(end Point) bool { return c.segmentInside(Segment{b, end}, polygon, start) }
	switch {
	case a.Same(edge[0]):
		return !c.OnSegment(t, edge[1]) || rest(edge[1])
	case a.Same(edge[1]):
		return !c.OnSegment(t, edge[0]) || rest(edge[0])
	case c.OnSegment(t, edge[0]):
		return rest(edge[0])
	case c.OnSegment(t, edge[1]):
		return rest(edge[1])
	}
	return true
}

// SamePolygon tells whether two polygons have the same points in the same order, forward or backward, from wherever they begin.
func SamePolygon(p, q *Polygon) bool {
	n := len(p.Points)
	if n != len(q.Points) {
		return false
	}
	follows := func(at, step int) bool {
		for i, a := range p.Points {
			if !q.Points[((at+i*step)%n+n)%n].Same(a) {
				return false
			}
		}
		return true
	}
	for at := range n {
		if follows(at, 1) || follows(at, -1) {
			return true
		}
	}
	return false
}

// CircleOf makes the circle around the mean of its points with their mean distance from it.
func (c *Calc) CircleOf(p *Polygon) Circle {
	var o Circle
	n := float64(len(p.Points))
	for _, q := range p.Points {
		o.Center = c.AddPoints(o.Center, q)
	}
	o.Center = Point{c.Div(o.Center.X, n), c.Div(o.Center.Y, n)}
	for _, q := range p.Points {
		o.Radius = c.Add(o.Radius, c.Distance(q, o.Center))
	}
	o.Radius = c.Div(o.Radius, n)
	return o
}
