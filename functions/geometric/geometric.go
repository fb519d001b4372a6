// Package geometric holds the functions of points, lines, segments, boxes, paths, polygons and circles. What they compute is in
// storage/typeio/geo.
package geometric

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/geo"
	"github.com/omgdb/omgdb/storage/value"
)

type (
	def  = functions.Def
	call = functions.Call
	val  = value.Value
	eval = functions.EvalFunc

	calc    = geo.Calc
	point   = geo.Point
	segment = geo.Segment
	line    = geo.Line
	box     = geo.Box
	path    = *geo.Path
	polygon = *geo.Polygon
	circle  = geo.Circle
)

func pure(f func(a []val) val) eval {
	return func(_ context.Context, _ *call, a []val) (val, error) { return f(a), nil }
}

func try(f func(a []val) (val, error)) eval {
	return func(_ context.Context, _ *call, a []val) (val, error) { return f(a) }
}

// calculated makes an entry of a checked calculation.
func calculated(f func(c *calc, a []val) val) eval {
	return try(func(a []val) (val, error) {
		var c calc
		v := f(&c, a)
		if c.Err != nil {
			return value.Null, c.Err
		}
		return v, nil
	})
}

// of1 and of2 make entries of calculations with one and two shapes.

func of1[X any](f func(c *calc, x X) val) eval {
	return calculated(func(c *calc, a []val) val { return f(c, a[0].Box().(X)) })
}

func of2[X, Y any](f func(c *calc, x X, y Y) val) eval {
	return calculated(func(c *calc, a []val) val { return f(c, a[0].Box().(X), a[1].Box().(Y)) })
}

// relates makes an entry of a predicate, length of a number, swapped of a number whose arguments come the other way round.

func relates[X, Y any](f func(c *calc, x X, y Y) bool) eval {
	return of2(func(c *calc, x X, y Y) val { return value.Bool(f(c, x, y)) })
}

func length[X, Y any](f func(c *calc, x X, y Y) float64) eval {
	return of2(func(c *calc, x X, y Y) val { return value.Float(f(c, x, y)) })
}

func swapped[X, Y any](f func(c *calc, x X, y Y) float64) eval {
	return of2(func(c *calc, y Y, x X) val { return value.Float(f(c, x, y)) })
}

// orNone gives a shape, or NULL when there is none.
func orNone(p point, ok bool) val {
	if !ok {
		return value.Null
	}
	return value.Box(p)
}

// near gives the nearest point, NULL when its distance isn't known.
func near(p point, dist float64) val { return orNone(p, dist == dist) }

// Scalars lists the functions, by shape.
func Scalars() [][]def {
	return [][]def{points(), lines(), segments(), boxes(), paths(), polygons(), circles(), distances(), moves(), binaryForms()}
}

func points() []def {
	vertical := relates(func(_ *calc, p, q point) bool { return geo.Eq(p.X, q.X) })
	horizontal := relates(func(_ *calc, p, q point) bool { return geo.Eq(p.Y, q.Y) })
	return []def{
		{Sig: "point(float8,float8)", Eval: pure(func(a []val) val { return value.Box(point{X: a[0].Float(), Y: a[1].Float()}) })},
		{Sig: "point_left(point,point)", Eval: relates(func(_ *calc, p, q point) bool { return geo.Lt(p.X, q.X) })},
		{Sig: "point_right(point,point)", Eval: relates(func(_ *calc, p, q point) bool { return geo.Gt(p.X, q.X) })},
		{Sig: "point_below(point,point)", Eval: relates(func(_ *calc, p, q point) bool { return geo.Lt(p.Y, q.Y) })},
		{Sig: "point_above(point,point)", Eval: relates(func(_ *calc, p, q point) bool { return geo.Gt(p.Y, q.Y) })},
		{Sig: "point_eq(point,point)", Eval: relates(func(_ *calc, p, q point) bool { return p.Same(q) })},
		{Sig: "point_ne(point,point)", Eval: relates(func(_ *calc, p, q point) bool { return !p.Same(q) })},
		{Sig: "point_vert(point,point)", Eval: vertical}, {Sig: "isvertical(point,point)", Eval: vertical},
		{Sig: "point_horiz(point,point)", Eval: horizontal}, {Sig: "ishorizontal(point,point)", Eval: horizontal},
		{Sig: "slope(point,point)", Eval: length((*calc).Slope)},
		{Sig: "box(point)", Eval: of1(func(_ *calc, p point) val { return value.Box(box{High: p, Low: p}) })},
		{Sig: "on_pb(point,box)", Eval: relates(func(_ *calc, p point, b box) bool { return b.Holds(p) })},
		{Sig: "on_ps(point,lseg)", Eval: relates(func(c *calc, p point, s segment) bool { return c.OnSegment(s, p) })},
		{Sig: "on_pl(point,line)", Eval: relates(func(c *calc, p point, l line) bool { return c.OnLine(l, p) })},
		{Sig: "on_ppath(point,path)", Eval: relates((*calc).OnPath)},
		{Sig: "path_contain_pt(path,point)", Eval: relates(func(c *calc, q path, p point) bool { return c.OnPath(p, q) })},
		{Sig: "close_pl(point,line)", Eval: of2(func(c *calc, p point, l line) val { return near(c.NearOnLine(l, p)) })},
		{Sig: "close_ps(point,lseg)", Eval: of2(func(c *calc, p point, s segment) val { return near(c.NearOnSegment(s, p)) })},
		{Sig: "close_pb(point,box)", Eval: of2(func(c *calc, p point, b box) val { return near(c.NearOnBox(b, p)) })},
	}
}

func lines() []def {
	crossing := func(want bool) eval {
		return relates(func(c *calc, k, l line) bool {
			_, ok := c.Crossing(k, l)
			return ok == want
		})
	}
	vertical := of1(func(_ *calc, l line) val { return value.Bool(geo.Zero(l.B)) })
	horizontal := of1(func(_ *calc, l line) val { return value.Bool(geo.Zero(l.A)) })
	return []def{
		{Sig: "line(point,point)", Eval: try(lineThrough)},
		{Sig: "line_eq(line,line)", Eval: relates((*calc).SameLine)},
		{Sig: "line_interpt(line,line)", Eval: of2(func(c *calc, k, l line) val { return orNone(c.Crossing(k, l)) })},
		{Sig: "line_intersect(line,line)", Eval: crossing(true)},
		{Sig: "line_parallel(line,line)", Eval: crossing(false)}, {Sig: "isparallel(line,line)", Eval: crossing(false)},
		{Sig: "line_perp(line,line)", Eval: relates((*calc).Perpendicular)}, {Sig: "isperp(line,line)", Eval: relates((*calc).Perpendicular)},
		{Sig: "line_vertical(line)", Eval: vertical}, {Sig: "isvertical(line)", Eval: vertical},
		{Sig: "line_horizontal(line)", Eval: horizontal}, {Sig: "ishorizontal(line)", Eval: horizontal},
		{Sig: "inter_lb(line,box)", Eval: relates((*calc).LineCrossesBox)},
		{Sig: "close_ls(line,lseg)", Eval: of2(func(c *calc, l line, s segment) val {
			if c.Slope(s[0], s[1]) == c.LineSlope(l) {
				return value.Null
			}
			return near(c.NearLine(s, l))
		})},
	}
}

func lineThrough(a []val) (val, error) {
	p, q := a[0].Box().(point), a[1].Box().(point)
	if p.Same(q) {
		return value.Null, dberr.New(dberr.InvalidParameterValue, "invalid line specification: must be two distinct points")
	}
	var c calc
	l := c.LineOf(segment{p, q})
	return value.Box(l), c.Err
}

func segments() []def {
	long := func(c *calc, s segment) float64 { return c.Distance(s[0], s[1]) }
	center := of1(func(c *calc, s segment) val { return value.Box(c.Middle(s[0], s[1])) })
	vertical := of1(func(_ *calc, s segment) val { return value.Bool(geo.Eq(s[0].X, s[1].X)) })
	horizontal := of1(func(_ *calc, s segment) val { return value.Bool(geo.Eq(s[0].Y, s[1].Y)) })
	parallel := relates(func(c *calc, s, t segment) bool { return geo.Eq(c.Slope(s[0], s[1]), c.Slope(t[0], t[1])) })
	perp := relates(func(c *calc, s, t segment) bool { return geo.Eq(c.Slope(s[0], s[1]), c.PerpSlope(t[0], t[1])) })
	same := func(s, t segment) bool { return s[0].Same(t[0]) && s[1].Same(t[1]) }
	size := of1(func(c *calc, s segment) val { return value.Float(long(c, s)) })
	out := []def{
		{Sig: "lseg(point,point)", Eval: of2(func(_ *calc, p, q point) val { return value.Box(segment{p, q}) })},
		{Sig: "lseg_eq(lseg,lseg)", Eval: relates(func(_ *calc, s, t segment) bool { return same(s, t) })},
		{Sig: "lseg_ne(lseg,lseg)", Eval: relates(func(_ *calc, s, t segment) bool { return !same(s, t) })},
		{Sig: "lseg_center(lseg)", Eval: center}, {Sig: "point(lseg)", Eval: center},
		{Sig: "lseg_length(lseg)", Eval: size}, {Sig: "length(lseg)", Eval: size},
		{Sig: "lseg_vertical(lseg)", Eval: vertical}, {Sig: "isvertical(lseg)", Eval: vertical},
		{Sig: "lseg_horizontal(lseg)", Eval: horizontal}, {Sig: "ishorizontal(lseg)", Eval: horizontal},
		{Sig: "lseg_parallel(lseg,lseg)", Eval: parallel}, {Sig: "isparallel(lseg,lseg)", Eval: parallel},
		{Sig: "lseg_perp(lseg,lseg)", Eval: perp}, {Sig: "isperp(lseg,lseg)", Eval: perp},
		{Sig: "lseg_interpt(lseg,lseg)", Eval: of2(func(c *calc, s, t segment) val { return orNone(c.CrossSegment(s, t)) })},
		{Sig: "lseg_intersect(lseg,lseg)", Eval: of2(func(c *calc, s, t segment) val { return meets(c.CrossSegment(s, t)) })},
		{Sig: "inter_sl(lseg,line)", Eval: of2(func(c *calc, s segment, l line) val { return meets(c.CrossLine(s, l)) })},
		{Sig: "inter_sb(lseg,box)", Eval: of2(func(c *calc, s segment, b box) val { return meets(c.CrossBox(b, s)) })},
		{Sig: "on_sl(lseg,line)", Eval: relates(func(c *calc, s segment, l line) bool { return c.OnLine(l, s[0]) && c.OnLine(l, s[1]) })},
		{Sig: "on_sb(lseg,box)", Eval: relates(func(_ *calc, s segment, b box) bool { return b.Holds(s[0]) && b.Holds(s[1]) })},
		{Sig: "close_lseg(lseg,lseg)", Eval: of2(func(c *calc, s, t segment) val {
			if c.Slope(s[0], s[1]) == c.Slope(t[0], t[1]) {
				return value.Null
			}
			return near(c.NearSegment(t, s))
		})},
		{Sig: "close_sb(lseg,box)", Eval: of2(func(c *calc, s segment, b box) val { return near(c.NearBoxSegment(b, s)) })},
	}
	return append(out, bySize("lseg", long, "lt", "le", "gt", "ge")...)
}

func meets(_ point, ok bool) val { return value.Bool(ok) }

// tolerant are the comparisons of sizes by the suffix of their functions' names.
var tolerant = map[string]func(a, b float64) bool{
	"eq": geo.Eq, "ne": func(a, b float64) bool { return a != b && math.Abs(a-b) > geo.Epsilon },
	"lt": geo.Lt, "le": geo.Le, "gt": geo.Gt, "ge": geo.Ge,
}

// bySize gives comparisons of shapes by their size.
func bySize[X any](typ string, size func(c *calc, x X) float64, suffixes ...string) []def {
	var out []def
	for _, s := range suffixes {
		cmp := tolerant[s]
		out = append(out, def{Sig: typ + "_" + s + "(" + typ + "," + typ + ")", Eval: relates(func(c *calc, x, y X) bool { return cmp(size(c, x), size(c, y)) })})
	}
	return out
}

// sides gives the predicates about where one shape is to another, by the outermost coordinates of shapes; prefix
// is that of the functions' names.
func sides[X any](prefix, typ string, lt, le func(a, b float64) bool, extent func(c *calc, x X) (left, right, bottom, top float64)) []def {
	place := func(name string, f func(x, y box) bool) def {
		return def{Sig: prefix + "_" + name + "(" + typ + "," + typ + ")", Eval: relates(func(c *calc, x, y X) bool {
			var a, b box
			a.Low.X, a.High.X, a.Low.Y, a.High.Y = extent(c, x)
			b.Low.X, b.High.X, b.Low.Y, b.High.Y = extent(c, y)
			return f(a, b)
		})}
	}
	gt := func(a, b float64) bool { return lt(b, a) }
	ge := func(a, b float64) bool { return le(b, a) }
	return []def{
		place("left", func(x, y box) bool { return lt(x.High.X, y.Low.X) }), place("overleft", func(x, y box) bool { return le(x.High.X, y.High.X) }),
		place("right", func(x, y box) bool { return gt(x.Low.X, y.High.X) }), place("overright", func(x, y box) bool { return ge(x.Low.X, y.Low.X) }),
		place("below", func(x, y box) bool { return lt(x.High.Y, y.Low.Y) }), place("overbelow", func(x, y box) bool { return le(x.High.Y, y.High.Y) }),
		place("above", func(x, y box) bool { return gt(x.Low.Y, y.High.Y) }), place("overabove", func(x, y box) bool { return ge(x.Low.Y, y.Low.Y) }),
	}
}

// binaryForms gives the functions that show the binary form of shapes, most significant byte first.
func binaryForms() []def {
	var out []def
	for name, head := range map[string]func(v val) []byte{
		"point_send(point)": nil, "lseg_send(lseg)": nil, "box_send(box)": nil, "line_send(line)": nil, "circle_send(circle)": nil,
		"path_send(path)": func(v val) []byte {
			p := v.Box().(path)
			closed := byte(0)
			if p.Closed {
				closed = 1
			}
			return binary.BigEndian.AppendUint32([]byte{closed}, uint32(len(p.Points)))
		},
		"poly_send(polygon)": func(v val) []byte { return binary.BigEndian.AppendUint32(nil, uint32(len(v.Box().(polygon).Points))) },
	} {
		out = append(out, def{Sig: name, Eval: pure(func(a []val) val {
			var b []byte
			if head != nil {
				b = head(a[0])
			}
			for _, x := range typeio.Coordinates(a[0]) {
				b = binary.BigEndian.AppendUint64(b, math.Float64bits(x))
			}
			return value.Bytes(b)
		})})
	}
	return out
}
