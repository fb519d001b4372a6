package geo

import "math"

// Boxes.

// Overlap tells whether two boxes have a point in common.
func (b Box) Overlap(o Box) bool {
	return Le(b.Low.X, o.High.X) && Le(o.Low.X, b.High.X) && Le(b.Low.Y, o.High.Y) && Le(o.Low.Y, b.High.Y)
}

// Contains tells whether o lies in b.
func (b Box) Contains(o Box) bool {
	return Ge(b.High.X, o.High.X) && Le(b.Low.X, o.Low.X) && Ge(b.High.Y, o.High.Y) && Le(b.Low.Y, o.Low.Y)
}

// Holds tells whether a point lies in b, exactly.
func (b Box) Holds(p Point) bool {
	return b.High.X >= p.X && b.Low.X <= p.X && b.High.Y >= p.Y && b.Low.Y <= p.Y
}

// Common is what two overlapping boxes share.
func (b Box) Common(o Box) Box {
	return Box{Point{smaller(b.High.X, o.High.X), smaller(b.High.Y, o.High.Y)}, Point{larger(b.Low.X, o.Low.X), larger(b.Low.Y, o.Low.Y)}}
}

// Around is the smallest box around two.
func (b Box) Around(o Box) Box {
	return Box{Point{larger(b.High.X, o.High.X), larger(b.High.Y, o.High.Y)}, Point{smaller(b.Low.X, o.Low.X), smaller(b.Low.Y, o.Low.Y)}}
}

// BoxArea is the area of a box.
func (c *Calc) BoxArea(b Box) float64 {
	return c.Mul(c.Sub(b.High.X, b.Low.X), c.Sub(b.High.Y, b.Low.Y))
}

// Sides are the left, upper, lower and right side of a box.
func (b Box) Sides() [4]Segment {
	left, right := Point{b.Low.X, b.High.Y}, Point{b.High.X, b.Low.Y}
	return [4]Segment{{b.Low, left}, {b.High, left}, {b.Low, right}, {b.High, right}}
}

// NearOnBox is the point of a box that is nearest to p, and its distance.
func (c *Calc) NearOnBox(b Box, p Point) (Point, float64) {
	if b.Holds(p) {
		return p, 0
	}
	var n nearest
	for _, s := range b.Sides() {
		n.add(c.NearOnSegment(s, p))
	}
	return n.point, n.dist
}

// CrossBox tells whether a segment and a box have a point in common, and gives the segment's point that is nearest to the box's centre.
func (c *Calc) CrossBox(b Box, s Segment) (Point, bool) {
	if !bound(s[:]).Overlap(b) {
		return Point{}, false
	}
	p, _ := c.NearOnSegment(s, c.Middle(b.High, b.Low))
	if b.Holds(s[0]) || b.Holds(s[1]) {
		return p, true
	}
	for _, side := range b.Sides() {
		if _, ok := c.CrossSegment(side, s); ok {
			return p, true
		}
	}
	return Point{}, false
}

// NearBoxSegment is the point of a box that is nearest to a segment, and its distance.
func (c *Calc) NearBoxSegment(b Box, s Segment) (Point, float64) {
	if p, ok := c.CrossBox(b, s); ok {
		return p, 0
	}
	var n nearest
	for _, side := range b.Sides() {
		n.add(c.NearSegment(side, s))
	}
	return n.point, n.dist
}

// LineCrossesBox tells whether a line meets a box.
func (c *Calc) LineCrossesBox(l Line, b Box) bool {
	left, right := Point{b.Low.X, b.High.Y}, Point{b.High.X, b.Low.Y}
	for _, s := range [...]Segment{{b.Low, left}, {b.High, left}, {b.High, right}, {b.Low, right}} {
		if _, ok := c.CrossLine(s, l); ok {
			return true
		}
	}
	return false
}

// Paths.

// segments calls f with each segment of a list of points until it gives false.
func segments(points []Point, closed bool, f func(Segment) bool) {
	for i := range points {
		switch {
		case i > 0:
			if !f(Segment{points[i-1], points[i]}) {
				return
			}
		case closed:
			if !f(Segment{points[len(points)-1], points[0]}) {
				return
			}
		}
	}
}

// Area is the area that a closed path encloses; false for an open one.
func (c *Calc) Area(p *Path) (float64, bool) {
	area := 0.0
	for i, a := range p.Points {
		b := p.Points[(i+1)%len(p.Points)]
		area = c.Sub(c.Add(area, c.Mul(a.X, b.Y)), c.Mul(a.Y, b.X))
	}
	return c.Div(math.Abs(area), 2), p.Closed
}

// Length is how long a path is.
func (c *Calc) Length(p *Path) float64 {
	sum := 0.0
	segments(p.Points, p.Closed, func(s Segment) bool {
		sum = c.Add(sum, c.Distance(s[0], s[1]))
		return true
	})
	return sum
}

// PathsCross tells whether two paths meet.
func (c *Calc) PathsCross(p, q *Path) bool {
	return bound(p.Points).Overlap(bound(q.Points)) && c.listsCross(p.Points, p.Closed, q.Points, q.Closed)
}

func (c *Calc) listsCross(p []Point, pClosed bool, q []Point, qClosed bool) bool {
	found := false
	segments(p, pClosed, func(s Segment) bool {
		segments(q, qClosed, func(t Segment) bool {
			_, found = c.CrossSegment(s, t)
			return !found && c.Err == nil
		})
		return !found && c.Err == nil
	})
	return found
}

// listsDistance is the least distance of segments of two lists; false when one has none.
func (c *Calc) listsDistance(p []Point, pClosed bool, q []Point, qClosed bool) (float64, bool) {
	var n nearest
	segments(p, pClosed, func(s Segment) bool {
		segments(q, qClosed, func(t Segment) bool {
			n.add(c.NearSegment(s, t))
			return true
		})
		return c.Err == nil
	})
	return n.dist, n.some
}

// PathDistance is the distance of two paths; false when one is a single point.
func (c *Calc) PathDistance(p, q *Path) (float64, bool) {
	return c.listsDistance(p.Points, p.Closed, q.Points, q.Closed)
}

// PointPathDistance is the distance of a point from a path's segments, 0 when there are none.
func (c *Calc) PointPathDistance(p Point, q *Path) float64 {
	var n nearest
	segments(q.Points, q.Closed, func(s Segment) bool {
		n.add(c.NearOnSegment(s, p))
		return true
	})
	return n.dist
}

// OnPath tells whether a point lies on an open path, or on or in a closed one.
func (c *Calc) OnPath(p Point, q *Path) bool {
	if q.Closed {
		return c.Inside(p, q.Points)
	}
	found := false
	a := c.Distance(p, q.Points[0])
	for i := 1; i < len(q.Points) && !found; i++ {
		b := c.Distance(p, q.Points[i])
		found = Eq(c.Add(a, b), c.Distance(q.Points[i-1], q.Points[i]))
		a = b
	}
	return found
}

// Circles.

// CircleArea is the area of a circle.
func (c *Calc) CircleArea(o Circle) float64 { return c.Mul(c.Mul(o.Radius, o.Radius), math.Pi) }

// Left is the least x.
func (c *Calc) Left(o Circle) float64 { return c.Sub(o.Center.X, o.Radius) }

// Right is the greatest x.
func (c *Calc) Right(o Circle) float64 { return c.Add(o.Center.X, o.Radius) }

// Bottom is the least y.
func (c *Calc) Bottom(o Circle) float64 { return c.Sub(o.Center.Y, o.Radius) }

// Top is the greatest y.
func (c *Calc) Top(o Circle) float64 { return c.Add(o.Center.Y, o.Radius) }
