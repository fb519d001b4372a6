// Package geo computes with PostgreSQL's geometric types: points, lines, segments, boxes, paths, polygons and circles.
//
// All comparisons allow for Epsilon, except where a comment says otherwise. Calculations are methods of a Calc, which remembers the
// first overflow, underflow or division by zero: ask its Err before a result is used. Shapes are immutable once made.
package geo

import (
	"math"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Epsilon is how far two numbers may be apart and still be the same.
const Epsilon = 1e-6

// Point is a point of the plane.
type Point struct{ X, Y float64 }

// Segment is a part of a line between two points (lseg).
type Segment [2]Point

// Line is all points with Ax + By + C = 0; A and B are not both zero.
type Line struct{ A, B, C float64 }

// Box is a rectangle along the axes: no coordinate of Low is greater than that of High.
type Box struct{ High, Low Point }

// Path is a list of at least one point; a closed one returns to its first point.
type Path struct {
	Closed bool
	Points []Point
}

// Polygon is a closed path with its area. Bound is the smallest box around it.
type Polygon struct {
	Points []Point
	Bound  Box
}

// Circle is a circle; its radius is not negative.
type Circle struct {
	Center Point
	Radius float64
}

// NewPolygon makes a polygon of at least one point.
func NewPolygon(points []Point) *Polygon { return &Polygon{Points: points, Bound: bound(points)} }

// NewBox makes the box between two opposite corners.
func NewBox(a, b Point) Box {
	box := Box{High: a, Low: b}
	if !less(b.X, a.X) {
		box.High.X, box.Low.X = b.X, a.X
	}
	if !less(b.Y, a.Y) {
		box.High.Y, box.Low.Y = b.Y, a.Y
	}
	return box
}

// bound gives the smallest box around points.
func bound(points []Point) Box {
	b := Box{points[0], points[0]}
	for _, p := range points[1:] {
		b = Box{Point{larger(p.X, b.High.X), larger(p.Y, b.High.Y)}, Point{smaller(p.X, b.Low.X), smaller(p.Y, b.Low.Y)}}
	}
	return b
}

// less is the order of float8, in which NaN is greater than all other numbers.
func less(a, b float64) bool { return a < b || b != b && a == a }

func smaller(a, b float64) float64 {
	if less(a, b) {
		return a
	}
	return b
}

func larger(a, b float64) float64 {
	if less(b, a) {
		return a
	}
	return b
}

// The comparisons that allow for Epsilon.

// Zero tells whether x is 0.
func Zero(x float64) bool { return math.Abs(x) <= Epsilon }

// Eq tells whether two numbers are the same.
func Eq(a, b float64) bool { return a == b || math.Abs(a-b) <= Epsilon }

// Lt tells whether a is less than b.
func Lt(a, b float64) bool { return a+Epsilon < b }

// Le tells whether a is not greater than b.
func Le(a, b float64) bool { return a <= b+Epsilon }

// Gt tells whether a is greater than b.
func Gt(a, b float64) bool { return a > b+Epsilon }

// Ge tells whether a is not less than b.
func Ge(a, b float64) bool { return a+Epsilon >= b }

// Same tells whether two points are the same. With a NaN they are only if they agree exactly, NaN being equal to itself.
func (p Point) Same(q Point) bool {
	if p.X != p.X || p.Y != p.Y || q.X != q.X || q.Y != q.Y {
		return exact(p.X, q.X) && exact(p.Y, q.Y)
	}
	return Eq(p.X, q.X) && Eq(p.Y, q.Y)
}

func exact(a, b float64) bool { return a == b || a != a && b != b }

// Calc does arithmetic that is checked like that of float8.
type Calc struct{ Err error }

func (c *Calc) fail(code, text string) {
	if c.Err == nil {
		c.Err = dberr.New(code, "%s", text)
	}
}

func (c *Calc) overflow() { c.fail(dberr.NumericValueOutOfRange, "value out of range: overflow") }

func (c *Calc) underflow() { c.fail(dberr.NumericValueOutOfRange, "value out of range: underflow") }

// Add gives a + b.
func (c *Calc) Add(a, b float64) float64 { return c.finite(a+b, a, b) }

// Sub gives a - b.
func (c *Calc) Sub(a, b float64) float64 { return c.finite(a-b, a, b) }

// Mul gives a * b.
func (c *Calc) Mul(a, b float64) float64 {
	r := a * b
	if r == 0 && a != 0 && b != 0 {
		c.underflow()
	}
	return c.finite(r, a, b)
}

func (c *Calc) finite(r, a, b float64) float64 {
	if math.IsInf(r, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		c.overflow()
	}
	return r
}

// Div gives a / b.
func (c *Calc) Div(a, b float64) float64 {
	if b == 0 && a == a {
		c.fail(dberr.DivisionByZero, "division by zero")
		return 0
	}
	r := a / b
	switch {
	case math.IsInf(r, 0) && !math.IsInf(a, 0):
		c.overflow()
	case r == 0 && a != 0 && !math.IsInf(b, 0):
		c.underflow()
	}
	return r
}

// Hypot is the length of the diagonal of a rectangle, to the bit what PostgreSQL computes (the standard library rounds otherwise).
func (c *Calc) Hypot(x, y float64) float64 {
	switch {
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Inf(1)
	case x != x || y != y:
		return math.NaN()
	}
	if x, y = math.Abs(x), math.Abs(y); x < y {
		x, y = y, x
	}
	if y == 0 {
		return x
	}
	part := y / x
	r := x * math.Sqrt(1+float64(part*part))
	switch {
	case math.IsInf(r, 0):
		c.overflow()
	case r == 0:
		c.underflow()
	}
	return r
}

// Points as complex numbers.

// AddPoints gives p + q.
func (c *Calc) AddPoints(p, q Point) Point { return Point{c.Add(p.X, q.X), c.Add(p.Y, q.Y)} }

// SubPoints gives p - q.
func (c *Calc) SubPoints(p, q Point) Point { return Point{c.Sub(p.X, q.X), c.Sub(p.Y, q.Y)} }

// MulPoints turns p by the angle of q and scales it by its length.
func (c *Calc) MulPoints(p, q Point) Point {
	return Point{c.Sub(c.Mul(p.X, q.X), c.Mul(p.Y, q.Y)), c.Add(c.Mul(p.X, q.Y), c.Mul(p.Y, q.X))}
}

// DivPoints undoes MulPoints.
func (c *Calc) DivPoints(p, q Point) Point {
	d := c.Add(c.Mul(q.X, q.X), c.Mul(q.Y, q.Y))
	return Point{c.Div(c.Add(c.Mul(p.X, q.X), c.Mul(p.Y, q.Y)), d), c.Div(c.Sub(c.Mul(p.Y, q.X), c.Mul(p.X, q.Y)), d)}
}

// Distance is that of two points.
func (c *Calc) Distance(p, q Point) float64 { return c.Hypot(c.Sub(p.X, q.X), c.Sub(p.Y, q.Y)) }

// Slope is that of the line through two points, infinite for a vertical one.
func (c *Calc) Slope(p, q Point) float64 {
	switch {
	case Eq(p.X, q.X):
		return math.Inf(1)
	case Eq(p.Y, q.Y):
		return 0
	}
	return c.Div(c.Sub(p.Y, q.Y), c.Sub(p.X, q.X))
}

// PerpSlope is the slope of lines at right angles to the one through two points.
func (c *Calc) PerpSlope(p, q Point) float64 {
	switch {
	case Eq(p.X, q.X):
		return 0
	case Eq(p.Y, q.Y):
		return math.Inf(1)
	}
	return c.Div(c.Sub(p.X, q.X), c.Sub(q.Y, p.Y))
}

// Middle is the point halfway between two.
func (c *Calc) Middle(p, q Point) Point {
	return Point{c.Div(c.Add(p.X, q.X), 2), c.Div(c.Add(p.Y, q.Y), 2)}
}
