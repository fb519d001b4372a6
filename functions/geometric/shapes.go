package geometric

import (
	"math"

	"github.com/omgdb/omgdb/functions/scalar/libm"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/geo"
	"github.com/omgdb/omgdb/storage/value"
)

func boxes() []def {
	center := of1(func(c *calc, b box) val { return value.Box(c.Middle(b.High, b.Low)) })
	diagonal := of1(func(_ *calc, b box) val { return value.Box(segment{b.High, b.Low}) })
	area := of1(func(c *calc, b box) val { return value.Float(c.BoxArea(b)) })
	out := []def{
		{Sig: "box(point,point)", Eval: of2(func(_ *calc, p, q point) val { return value.Box(geo.NewBox(p, q)) })},
		{Sig: "box_same(box,box)", Eval: relates(func(_ *calc, b, d box) bool { return b.High.Same(d.High) && b.Low.Same(d.Low) })},
		{Sig: "box_overlap(box,box)", Eval: relates(func(_ *calc, b, d box) bool { return b.Overlap(d) })},
		{Sig: "box_contain(box,box)", Eval: relates(func(_ *calc, b, d box) bool { return b.Contains(d) })},
		{Sig: "box_contained(box,box)", Eval: relates(func(_ *calc, b, d box) bool { return d.Contains(b) })},
		{Sig: "box_contain_pt(box,point)", Eval: relates(func(_ *calc, b box, p point) bool { return b.Holds(p) })},
		{Sig: "box_below_eq(box,box)", Eval: relates(func(_ *calc, b, d box) bool { return geo.Le(b.High.Y, d.Low.Y) })},
		{Sig: "box_above_eq(box,box)", Eval: relates(func(_ *calc, b, d box) bool { return geo.Ge(b.Low.Y, d.High.Y) })},
		{Sig: "area(box)", Eval: area},
		{Sig: "width(box)", Eval: of1(func(c *calc, b box) val { return value.Float(c.Sub(b.High.X, b.Low.X)) })},
		{Sig: "height(box)", Eval: of1(func(c *calc, b box) val { return value.Float(c.Sub(b.High.Y, b.Low.Y)) })},
		{Sig: "box_center(box)", Eval: center}, {Sig: "center(box)", Eval: center}, {Sig: "point(box)", Eval: center},
		{Sig: "diagonal(box)", Eval: diagonal}, {Sig: "lseg(box)", Eval: diagonal},
		{Sig: "bound_box(box,box)", Eval: of2(func(_ *calc, b, d box) val { return value.Box(b.Around(d)) })},
		{Sig: "box_intersect(box,box)", Eval: of2(func(_ *calc, b, d box) val {
			if !b.Overlap(d) {
				return value.Null
			}
			return value.Box(b.Common(d))
		})},
		{Sig: "polygon(box)", Eval: of1(func(_ *calc, b box) val {
			return value.Box(geo.NewPolygon([]point{b.Low, {X: b.Low.X, Y: b.High.Y}, b.High, {X: b.High.X, Y: b.Low.Y}}))
		})},
		{Sig: "circle(box)", Eval: of1(func(c *calc, b box) val {
			m := c.Middle(b.High, b.Low)
			return value.Box(circle{Center: m, Radius: c.Distance(m, b.High)})
		})},
	}
	out = append(out, bySize("box", (*calc).BoxArea, "eq", "lt", "le", "gt", "ge")...)
	return append(out, sides("box", "box", geo.Lt, geo.Le, func(_ *calc, b box) (left, right, bottom, top float64) {
		return b.Low.X, b.High.X, b.Low.Y, b.High.Y
	})...)
}

func paths() []def {
	open := func(closed bool) eval {
		return of1(func(_ *calc, p path) val { return value.Box(&geo.Path{Closed: closed, Points: p.Points}) })
	}
	count := of1(func(_ *calc, p path) val { return value.Int(int64(len(p.Points))) })
	long := of1(func(c *calc, p path) val { return value.Float(c.Length(p)) })
	out := []def{
		{Sig: "area(path)", Eval: of1(func(c *calc, p path) val {
			if area, ok := c.Area(p); ok {
				return value.Float(area)
			}
			return value.Null
		})},
		{Sig: "isclosed(path)", Eval: of1(func(_ *calc, p path) val { return value.Bool(p.Closed) })},
		{Sig: "isopen(path)", Eval: of1(func(_ *calc, p path) val { return value.Bool(!p.Closed) })},
		{Sig: "pclose(path)", Eval: open(true)}, {Sig: "popen(path)", Eval: open(false)},
		{Sig: "path_npoints(path)", Eval: count}, {Sig: "npoints(path)", Eval: count},
		{Sig: "path_length(path)", Eval: long}, {Sig: "length(path)", Eval: long},
		{Sig: "path_inter(path,path)", Eval: relates((*calc).PathsCross)},
		{Sig: "path_add(path,path)", Eval: of2(func(_ *calc, p, q path) val {
			if p.Closed || q.Closed {
				return value.Null
			}
			return value.Box(&geo.Path{Points: append(append([]point(nil), p.Points...), q.Points...)})
		})},
		{Sig: "polygon(path)", Eval: try(func(a []val) (val, error) {
			p := a[0].Box().(path)
			if !p.Closed {
				return value.Null, dberr.New(dberr.InvalidParameterValue, "open path cannot be converted to polygon")
			}
			return value.Box(geo.NewPolygon(p.Points)), nil
		})},
	}
	for suffix, cmp := range map[string]func(m, n int) bool{
		"eq": func(m, n int) bool { return m == n }, "lt": func(m, n int) bool { return m < n }, "le": func(m, n int) bool { return m <= n },
		"gt": func(m, n int) bool { return m > n }, "ge": func(m, n int) bool { return m >= n },
	} {
		out = append(out, def{Sig: "path_n_" + suffix + "(path,path)", Eval: relates(func(_ *calc, p, q path) bool {
			return cmp(len(p.Points), len(q.Points))
		})})
	}
	return out
}

func polygons() []def {
	center := of1(func(c *calc, p polygon) val { return value.Box(c.CircleOf(p).Center) })
	count := of1(func(_ *calc, p polygon) val { return value.Int(int64(len(p.Points))) })
	out := []def{
		{Sig: "poly_same(polygon,polygon)", Eval: relates(func(_ *calc, p, q polygon) bool { return geo.SamePolygon(p, q) })},
		{Sig: "poly_contain(polygon,polygon)", Eval: relates((*calc).PolygonContains)},
		{Sig: "poly_contained(polygon,polygon)", Eval: relates(func(c *calc, p, q polygon) bool { return c.PolygonContains(q, p) })},
		{Sig: "poly_overlap(polygon,polygon)", Eval: relates((*calc).PolygonsOverlap)},
		{Sig: "poly_contain_pt(polygon,point)", Eval: relates(func(c *calc, q polygon, p point) bool { return c.Inside(p, q.Points) })},
		{Sig: "pt_contained_poly(point,polygon)", Eval: relates(func(c *calc, p point, q polygon) bool { return c.Inside(p, q.Points) })},
		{Sig: "poly_center(polygon)", Eval: center}, {Sig: "point(polygon)", Eval: center},
		{Sig: "poly_npoints(polygon)", Eval: count}, {Sig: "npoints(polygon)", Eval: count},
		{Sig: "box(polygon)", Eval: of1(func(_ *calc, p polygon) val { return value.Box(p.Bound) })},
		{Sig: "path(polygon)", Eval: of1(func(_ *calc, p polygon) val { return value.Box(&geo.Path{Closed: true, Points: p.Points}) })},
		{Sig: "circle(polygon)", Eval: of1(func(c *calc, p polygon) val { return value.Box(c.CircleOf(p)) })},
	}
	exactly := func(a, b float64) bool { return a < b }
	return append(out, sides("poly", "polygon", exactly, func(a, b float64) bool { return a <= b }, func(_ *calc, p polygon) (left, right, bottom, top float64) {
		return p.Bound.Low.X, p.Bound.High.X, p.Bound.Low.Y, p.Bound.High.Y
	})...)
}

// maxPoints is how many points a polygon of a circle may have: those of a gigabyte.
const maxPoints = 1<<26 - 8

func circles() []def {
	center := of1(func(_ *calc, o circle) val { return value.Box(o.Center) })
	out := []def{
		{Sig: "circle(point,float8)", Eval: pure(func(a []val) val { return value.Box(circle{Center: a[0].Box().(point), Radius: a[1].Float()}) })},
		{Sig: "circle_same(circle,circle)", Eval: relates(func(_ *calc, o, q circle) bool {
			return (o.Radius != o.Radius && q.Radius != q.Radius || geo.Eq(o.Radius, q.Radius)) && o.Center.Same(q.Center)
		})},
		{Sig: "circle_overlap(circle,circle)", Eval: relates(func(c *calc, o, q circle) bool {
			return geo.Le(c.Distance(o.Center, q.Center), c.Add(o.Radius, q.Radius))
		})},
		{Sig: "circle_contain(circle,circle)", Eval: relates(circleContains)},
		{Sig: "circle_contained(circle,circle)", Eval: relates(func(c *calc, o, q circle) bool { return circleContains(c, q, o) })},
		{Sig: "circle_contain_pt(circle,point)", Eval: relates(func(c *calc, o circle, p point) bool { return c.Distance(o.Center, p) <= o.Radius })},
		{Sig: "pt_contained_circle(point,circle)", Eval: relates(func(c *calc, p point, o circle) bool { return c.Distance(o.Center, p) <= o.Radius })},
		{Sig: "area(circle)", Eval: of1(func(c *calc, o circle) val { return value.Float(c.CircleArea(o)) })},
		{Sig: "diameter(circle)", Eval: of1(func(c *calc, o circle) val { return value.Float(c.Mul(o.Radius, 2)) })},
		{Sig: "radius(circle)", Eval: of1(func(_ *calc, o circle) val { return value.Float(o.Radius) })},
		{Sig: "circle_center(circle)", Eval: center}, {Sig: "center(circle)", Eval: center}, {Sig: "point(circle)", Eval: center},
		{Sig: "box(circle)", Eval: of1(func(c *calc, o circle) val {
			d := c.Div(o.Radius, math.Sqrt2)
			return value.Box(box{High: point{X: c.Add(o.Center.X, d), Y: c.Add(o.Center.Y, d)}, Low: point{X: c.Sub(o.Center.X, d), Y: c.Sub(o.Center.Y, d)}})
		})},
		{Sig: "polygon(int4,circle)", Eval: try(func(a []val) (val, error) { return polygonOf(a[1].Box().(circle), a[0].Int()) })},
		{Sig: "polygon(circle)", Eval: try(func(a []val) (val, error) { return polygonOf(a[0].Box().(circle), 12) })},
	}
	out = append(out, bySize("circle", (*calc).CircleArea, "eq", "ne", "lt", "le", "gt", "ge")...)
	return append(out, sides("circle", "circle", geo.Lt, geo.Le, func(c *calc, o circle) (left, right, bottom, top float64) {
		return c.Left(o), c.Right(o), c.Bottom(o), c.Top(o)
	})...)
}

func circleContains(c *calc, o, q circle) bool {
	return geo.Le(c.Distance(o.Center, q.Center), c.Sub(o.Radius, q.Radius))
}

// polygonOf makes a polygon of n points on a circle.
func polygonOf(o circle, n int64) (val, error) {
	switch {
	case geo.Zero(o.Radius):
		return value.Null, dberr.New(dberr.FeatureNotSupported, "cannot convert circle with radius zero to polygon")
	case n < 2:
		return value.Null, dberr.New(dberr.InvalidParameterValue, "must request at least 2 points")
	case n > maxPoints:
		return value.Null, dberr.New(dberr.ProgramLimitExceeded, "too many points requested")
	}
	var c calc
	points := make([]point, n)
	step := c.Div(2*math.Pi, float64(n))
	for i := range points {
		angle := c.Mul(step, float64(i))
		points[i] = point{X: c.Sub(o.Center.X, c.Mul(o.Radius, libm.Cos(angle))), Y: c.Add(o.Center.Y, c.Mul(o.Radius, libm.Sin(angle)))}
	}
	return value.Box(geo.NewPolygon(points)), c.Err
}

// distances gives the functions behind <->, each pair of different shapes in both orders.
func distances() []def {
	fromLine := func(c *calc, p point, l line) float64 { _, d := c.NearOnLine(l, p); return d }
	fromSegment := func(c *calc, p point, s segment) float64 { _, d := c.NearOnSegment(s, p); return d }
	fromBox := func(c *calc, p point, b box) float64 { _, d := c.NearOnBox(b, p); return d }
	fromCircle := func(c *calc, p point, o circle) float64 { return max(c.Sub(c.Distance(p, o.Center), o.Radius), 0) }
	segmentLine := func(c *calc, s segment, l line) float64 { _, d := c.NearLine(s, l); return d }
	segmentBox := func(c *calc, s segment, b box) float64 { _, d := c.NearBoxSegment(b, s); return d }
	circlePolygon := func(c *calc, o circle, p polygon) float64 {
		return max(c.Sub(c.PointPolygonDistance(o.Center, p), o.Radius), 0)
	}
	return []def{
		{Sig: "point_distance(point,point)", Eval: length((*calc).Distance)},
		{Sig: "dist_pl(point,line)", Eval: length(fromLine)}, {Sig: "dist_lp(line,point)", Eval: swapped(fromLine)},
		{Sig: "dist_ps(point,lseg)", Eval: length(fromSegment)}, {Sig: "dist_sp(lseg,point)", Eval: swapped(fromSegment)},
		{Sig: "dist_pb(point,box)", Eval: length(fromBox)}, {Sig: "dist_bp(box,point)", Eval: swapped(fromBox)},
		{Sig: "dist_pc(point,circle)", Eval: length(fromCircle)}, {Sig: "dist_cpoint(circle,point)", Eval: swapped(fromCircle)},
		{Sig: "dist_ppath(point,path)", Eval: length((*calc).PointPathDistance)}, {Sig: "dist_pathp(path,point)", Eval: swapped((*calc).PointPathDistance)},
		{Sig: "dist_ppoly(point,polygon)", Eval: length((*calc).PointPolygonDistance)},
		{Sig: "dist_polyp(polygon,point)", Eval: swapped((*calc).PointPolygonDistance)},
		{Sig: "dist_sl(lseg,line)", Eval: length(segmentLine)}, {Sig: "dist_ls(line,lseg)", Eval: swapped(segmentLine)},
		{Sig: "dist_sb(lseg,box)", Eval: length(segmentBox)}, {Sig: "dist_bs(box,lseg)", Eval: swapped(segmentBox)},
		{Sig: "dist_cpoly(circle,polygon)", Eval: length(circlePolygon)}, {Sig: "dist_polyc(polygon,circle)", Eval: swapped(circlePolygon)},
		{Sig: "line_distance(line,line)", Eval: length((*calc).LineDistance)},
		{Sig: "lseg_distance(lseg,lseg)", Eval: length(func(c *calc, s, t segment) float64 { _, d := c.NearSegment(s, t); return d })},
		{Sig: "box_distance(box,box)", Eval: length(func(c *calc, b, d box) float64 { return c.Distance(c.Middle(b.High, b.Low), c.Middle(d.High, d.Low)) })},
		{Sig: "path_distance(path,path)", Eval: of2(func(c *calc, p, q path) val {
			if d, ok := c.PathDistance(p, q); ok {
				return value.Float(d)
			}
			return value.Null
		})},
		{Sig: "poly_distance(polygon,polygon)", Eval: length((*calc).PolygonDistance)},
		{Sig: "circle_distance(circle,circle)", Eval: length(func(c *calc, o, q circle) float64 {
			return max(c.Sub(c.Distance(o.Center, q.Center), c.Add(o.Radius, q.Radius)), 0)
		})},
	}
}

// moves gives the functions that move, turn and scale a shape by a point: + - * /.
func moves() []def {
	var out []def
	for _, op := range []struct {
		name  string
		f     func(c *calc, p, q point) point
		scale func(c *calc, radius, by float64) float64
	}{{"add", (*calc).AddPoints, nil}, {"sub", (*calc).SubPoints, nil}, {"mul", (*calc).MulPoints, (*calc).Mul}, {"div", (*calc).DivPoints, (*calc).Div}} {
		out = append(out,
			def{Sig: "point_" + op.name + "(point,point)", Eval: of2(func(c *calc, p, q point) val { return value.Box(op.f(c, p, q)) })},
			def{Sig: "box_" + op.name + "(box,point)", Eval: of2(func(c *calc, b box, p point) val {
				high, low := op.f(c, b.High, p), op.f(c, b.Low, p)
				if op.scale == nil {
					return value.Box(box{High: high, Low: low})
				}
				return value.Box(geo.NewBox(high, low))
			})},
			def{Sig: "path_" + op.name + "_pt(path,point)", Eval: of2(func(c *calc, q path, p point) val {
				moved := make([]point, len(q.Points))
				for i, x := range q.Points {
					moved[i] = op.f(c, x, p)
				}
				return value.Box(&geo.Path{Closed: q.Closed, Points: moved})
			})},
			def{Sig: "circle_" + op.name + "_pt(circle,point)", Eval: of2(func(c *calc, o circle, p point) val {
				moved := circle{Center: op.f(c, o.Center, p), Radius: o.Radius}
				if op.scale != nil {
					moved.Radius = op.scale(c, o.Radius, c.Hypot(p.X, p.Y))
				}
				return value.Box(moved)
			})})
	}
	return out
}
