package geo

import "math"

// LineAt makes the line through a point with a slope.
func (c *Calc) LineAt(p Point, slope float64) Line {
	switch {
	case math.IsInf(slope, 0):
		return Line{-1, 0, p.X}
	case slope == 0:
		return Line{0, -1, p.Y}
	}
	return Line{slope, -1, c.Sub(p.Y, c.Mul(slope, p.X)) + 0} // + 0: never -0
}

// LineOf is the line that a segment lies on.
func (c *Calc) LineOf(s Segment) Line { return c.LineAt(s[0], c.Slope(s[0], s[1])) }

// LineSlope is the slope of a line.
func (c *Calc) LineSlope(l Line) float64 {
	switch {
	case Zero(l.A):
		return 0
	case Zero(l.B):
		return math.Inf(1)
	}
	return c.Div(l.A, -l.B)
}

// perpSlope is the slope of the lines at right angles to l.
func (c *Calc) perpSlope(l Line) float64 {
	switch {
	case Zero(l.A):
		return math.Inf(1)
	case Zero(l.B):
		return 0
	}
	return c.Div(l.B, l.A)
}

// Perpendicular tells whether two lines are at right angles.
func (c *Calc) Perpendicular(k, l Line) bool {
	switch {
	case Zero(k.A):
		return Zero(l.B)
	case Zero(l.A):
		return Zero(k.B)
	case Zero(k.B):
		return Zero(l.A)
	case Zero(l.B):
		return Zero(k.A)
	}
	return Eq(c.Div(c.Mul(k.A, l.A), c.Mul(k.B, l.B)), -1)
}

// SameLine tells whether the numbers of two lines are proportional; with a NaN, whether they are the same.
func (c *Calc) SameLine(k, l Line) bool {
	if hasNaN(k, l) {
		return exact(k.A, l.A) && exact(k.B, l.B) && exact(k.C, l.C)
	}
	ratio := 1.0
	switch {
	case !Zero(l.A):
		ratio = c.Div(k.A, l.A)
	case !Zero(l.B):
		ratio = c.Div(k.B, l.B)
	case !Zero(l.C):
		ratio = c.Div(k.C, l.C)
	}
	return Eq(k.A, c.Mul(ratio, l.A)) && Eq(k.B, c.Mul(ratio, l.B)) && Eq(k.C, c.Mul(ratio, l.C))
}

func hasNaN(k, l Line) bool {
	for _, x := range [...]float64{k.A, k.B, k.C, l.A, l.B, l.C} {
		if x != x {
			return true
		}
	}
	return false
}

// Crossing is the point where two lines meet; false for parallel lines, equal ones among them. Lines with a NaN meet at a NaN.
func (c *Calc) Crossing(k, l Line) (Point, bool) {
	if Zero(k.B) {
		if k, l = l, k; Zero(k.B) {
			return Point{}, false
		}
	}
	if Eq(l.A, c.Mul(k.A, c.Div(l.B, k.B))) {
		return Point{}, false
	}
	x := c.Div(c.Sub(c.Mul(k.B, l.C), c.Mul(l.B, k.C)), c.Sub(c.Mul(k.A, l.B), c.Mul(l.A, k.B)))
	y := c.Div(-c.Add(c.Mul(k.A, x), k.C), k.B)
	return Point{x + 0, y + 0}, true
}

// LineDistance is the distance of two lines, 0 where they meet.
func (c *Calc) LineDistance(k, l Line) float64 {
	if _, ok := c.Crossing(k, l); ok {
		return 0
	}
	usable := func(x, y float64) bool { return !Zero(x) && x == x && !Zero(y) && y == y }
	ratio := 1.0
	switch {
	case usable(k.A, l.A):
		ratio = c.Div(k.A, l.A)
	case usable(k.B, l.B):
		ratio = c.Div(k.B, l.B)
	}
	return c.Div(math.Abs(c.Sub(k.C, c.Mul(ratio, l.C))), c.Hypot(k.A, k.B))
}

// OnLine tells whether a point lies on a line.
func (c *Calc) OnLine(l Line, p Point) bool {
	return Zero(c.Add(c.Add(c.Mul(l.A, p.X), c.Mul(l.B, p.Y)), l.C))
}

// OnSegment tells whether a point lies on a segment: whether the way over it is no longer.
func (c *Calc) OnSegment(s Segment, p Point) bool {
	return Eq(c.Distance(p, s[0])+c.Distance(p, s[1]), c.Distance(s[0], s[1]))
}

// CrossLine is the point where a segment meets a line; one of its ends when that is the same.
func (c *Calc) CrossLine(s Segment, l Line) (Point, bool) {
	p, ok := c.Crossing(c.LineOf(s), l)
	switch {
	case !ok || !c.OnSegment(s, p):
		return Point{}, false
	case s[0].Same(p):
		return s[0], true
	case s[1].Same(p):
		return s[1], true
	}
	return p, true
}

// CrossSegment is the point where two segments meet.
func (c *Calc) CrossSegment(s, t Segment) (Point, bool) {
	p, ok := c.CrossLine(s, c.LineOf(t))
	return p, ok && c.OnSegment(t, p)
}

// The nearest points: each gives the point of the first shape that is nearest to the second, and the distance; NaN when there is none.

// NearOnLine is the point of a line that is nearest to p.
func (c *Calc) NearOnLine(l Line, p Point) (Point, float64) {
	q, ok := c.Crossing(c.LineAt(p, c.perpSlope(l)), l)
	if !ok {
		return p, math.NaN()
	}
	return q, c.Distance(q, p)
}

// NearOnSegment is the point of a segment that is nearest to p.
func (c *Calc) NearOnSegment(s Segment, p Point) (Point, float64) {
	q, _ := c.NearLine(s, c.LineAt(p, c.PerpSlope(s[0], s[1])))
	return q, c.Distance(q, p)
}

// NearLine is the point of a segment that is nearest to a line.
func (c *Calc) NearLine(s Segment, l Line) (Point, float64) {
	if p, ok := c.CrossLine(s, l); ok {
		return p, 0
	}
	_, d0 := c.NearOnLine(l, s[0])
	_, d1 := c.NearOnLine(l, s[1])
	if d0 < d1 {
		return s[0], d0
	}
	return s[1], d1
}

// nearest collects the nearest of points.
type nearest struct {
	point Point
	dist  float64
	some  bool
}

func (n *nearest) add(p Point, dist float64) {
	if !n.some || less(dist, n.dist) {
		*n = nearest{p, dist, true}
	}
}

// NearSegment is the point of a segment that is nearest to another.
func (c *Calc) NearSegment(s, to Segment) (Point, float64) {
	if p, ok := c.CrossSegment(s, to); ok {
		return p, 0
	}
	var n nearest
	for _, end := range to {
		n.add(c.NearOnSegment(s, end))
	}
	for _, end := range s {
		_, d := c.NearOnSegment(to, end)
		n.add(end, d)
	}
	return n.point, n.dist
}
