package typeio

import (
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/geo"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// point, lseg, line, box and circle box the values of package geo, path and polygon pointers to them.

// geoReader reads the text of a shape.
type geoReader struct {
	text string
	s    string // what is left
	t    *value.Type
}

func (r *geoReader) bad() error { return badSyntax(r.t.SQL, r.text) }

func (r *geoReader) blanks() {
	for r.s != "" && num.Space(r.s[0]) {
		r.s = r.s[1:]
	}
}

// took steps over c if it is next, and over blanks behind it.
func (r *geoReader) took(c byte) bool {
	if r.s == "" || r.s[0] != c {
		return false
	}
	r.s = r.s[1:]
	r.blanks()
	return true
}

// number reads a number and the blanks around it.
func (r *geoReader) number() (float64, error) {
	r.blanks()
	n := floatPrefix(r.s)
	if n == 0 {
		return 0, r.bad()
	}
	f, err := ParseFloat(r.s[:n], 64)
	if err != nil {
		return 0, err
	}
	r.s = r.s[n:]
	r.blanks()
	return f, nil
}

// floatPrefix gives the length of the number that s begins with, 0 when there is none.
func floatPrefix(s string) int {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	for _, word := range [...]string{"infinity", "inf", "nan"} {
		if len(s)-i >= len(word) && strings.EqualFold(s[i:i+len(word)], word) {
			return i + len(word)
		}
	}
	const decimal = "0123456789"
	exponent, figures := "eE", decimal
	if before, _, ok := cutHex(s); ok {
		i, exponent, figures = len(before), "pP", decimal+"abcdefABCDEF"
	}
	digits := func(at int, figures string) int {
		for at < len(s) && strings.IndexByte(figures, s[at]) >= 0 {
			at++
		}
		return at
	}
	end := digits(i, figures)
	found := end > i
	if end < len(s) && s[end] == '.' {
		after := digits(end+1, figures)
		found = found || after > end+1
		end = after
	}
	if !found {
		return 0
	}
	if end < len(s) && strings.IndexByte(exponent, s[end]) >= 0 {
		at := end + 1
		if at < len(s) && (s[at] == '+' || s[at] == '-') {
			at++
		}
		if after := digits(at, decimal); after > at {
			end = after
		}
	}
	return end
}

// point reads x,y with or without parentheses.
func (r *geoReader) point() (geo.Point, error) {
	r.blanks()
	inside := r.took('(')
	x, err := r.number()
	if err != nil {
		return geo.Point{}, err
	}
	if r.s == "" || r.s[0] != ',' {
		return geo.Point{}, r.bad()
	}
	r.s = r.s[1:]
	y, err := r.number()
	if err == nil && inside && !r.took(')') {
		err = r.bad()
	}
	return geo.Point{X: x, Y: y}, err
}

// points reads n points in parentheses, in brackets when these are allowed (then the list is open), or in nothing.
func (r *geoReader) points(n int, brackets bool) (list []geo.Point, open bool, err error) {
	depth := 0
	r.blanks()
	switch {
	case strings.HasPrefix(r.s, "["):
		if !brackets {
			return nil, false, r.bad()
		}
		open, depth, r.s = true, 1, r.s[1:]
	case strings.HasPrefix(r.s, "("): // around all points when another follows, or when there is no other at all
		rest := strings.TrimLeft(r.s[1:], " \t\n\v\f\r")
		if strings.HasPrefix(rest, "(") || strings.LastIndexByte(r.s, '(') == 0 {
			depth, r.s = 1, rest
		}
	}
	list = make([]geo.Point, n)
	for i := range list {
		if list[i], err = r.point(); err != nil {
			return nil, false, err
		}
		if r.s != "" && r.s[0] == ',' {
			r.s = r.s[1:]
		}
	}
	if depth > 0 && !r.took(')') && !(open && r.took(']')) {
		return nil, false, r.bad()
	}
	return list, open, nil
}

// end checks that nothing is left.
func (r *geoReader) end() error {
	if r.s != "" {
		return r.bad()
	}
	return nil
}

// pairs gives how many points a text of x,y,x,y… has, by its commas.
func (r *geoReader) pairs() (int, error) {
	n := strings.Count(r.text, ",")
	if n%2 == 0 {
		return 0, r.bad()
	}
	return (n + 1) / 2, nil
}

// geoIn makes an input function of one that reads a shape.
func geoIn(read func(r *geoReader) (any, error)) func(*value.Type, string, *Format) (value.Value, error) {
	return func(t *value.Type, s string, _ *Format) (value.Value, error) {
		r := &geoReader{text: s, s: s, t: t}
		x, err := read(r)
		if err == nil {
			err = r.end()
		}
		if err != nil {
			return value.Null, err
		}
		return value.Box(x), nil
	}
}

func readPoint(r *geoReader) (any, error) { return r.point() }

func readSegment(r *geoReader) (any, error) {
	p, _, err := r.points(2, true)
	if err != nil {
		return nil, err
	}
	return geo.Segment(p), nil
}

func readBox(r *geoReader) (any, error) {
	p, _, err := r.points(2, false)
	if err != nil {
		return nil, err
	}
	return geo.NewBox(p[0], p[1]), nil
}

func readPath(r *geoReader) (any, error) {
	n, err := r.pairs()
	if err != nil {
		return nil, err
	}
	r.blanks()
	outer := strings.HasPrefix(r.s, "(") && strings.LastIndexByte(r.s, '(') == 0
	if outer {
		r.s = r.s[1:]
	}
	p, open, err := r.points(n, true)
	if err == nil && outer && !r.took(')') {
		err = r.bad()
	}
	return &geo.Path{Closed: !open, Points: p}, err
}

func readPolygon(r *geoReader) (any, error) {
	n, err := r.pairs()
	if err != nil {
		return nil, err
	}
	p, _, err := r.points(n, false)
	if err != nil {
		return nil, err
	}
	return geo.NewPolygon(p), nil
}

// readLine reads {A,B,C}, or two points of the line.
func readLine(r *geoReader) (any, error) {
	r.blanks()
	if !strings.HasPrefix(r.s, "{") {
		return readLineThrough(r)
	}
	var n [3]float64
	for i := range n {
		r.s = r.s[1:]
		x, err := r.number()
		if err != nil {
			return nil, err
		}
		if want := ",,}"[i]; r.s == "" || r.s[0] != want {
			return nil, r.bad()
		}
		n[i] = x
	}
	r.took('}')
	if err := r.end(); err != nil {
		return nil, err
	}
	if geo.Zero(n[0]) && geo.Zero(n[1]) {
		return nil, dberr.New(dberr.InvalidTextRepresentation, "invalid line specification: A and B cannot both be zero")
	}
	return geo.Line{A: n[0], B: n[1], C: n[2]}, nil
}

func readLineThrough(r *geoReader) (any, error) {
	p, _, err := r.points(2, true)
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return nil, err
	}
	if p[0].Same(p[1]) {
		return nil, dberr.New(dberr.InvalidTextRepresentation, "invalid line specification: must be two distinct points")
	}
	var c geo.Calc
	l := c.LineOf(geo.Segment(p))
	return l, c.Err
}

// readCircle reads <(x,y),r> and the same in parentheses or in nothing.
func readCircle(r *geoReader) (any, error) {
	depth := 0
	r.blanks()
	switch {
	case strings.HasPrefix(r.s, "<"):
		depth, r.s = 1, r.s[1:]
	case strings.HasPrefix(r.s, "("):
		if rest := strings.TrimLeft(r.s[1:], " \t\n\v\f\r"); strings.HasPrefix(rest, "(") {
			depth, r.s = 1, rest
		}
	}
	p, err := r.point()
	if err != nil {
		return nil, err
	}
	if r.s != "" && r.s[0] == ',' {
		r.s = r.s[1:]
	}
	radius, err := r.number()
	switch {
	case err != nil:
		return nil, err
	case radius < 0, depth > 0 && !r.took(')') && !r.took('>'):
		return nil, r.bad()
	}
	return geo.Circle{Center: p, Radius: radius}, nil
}

func appendPoint(dst []byte, p geo.Point, f *Format) []byte {
	dst = AppendFloat(append(dst, '('), p.X, 64, f.ExtraFloatDigits)
	return append(AppendFloat(append(dst, ','), p.Y, 64, f.ExtraFloatDigits), ')')
}

func appendPoints(dst []byte, list []geo.Point, f *Format) []byte {
	for i, p := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendPoint(dst, p, f)
	}
	return dst
}

// geoOut writes any shape.
func geoOut(dst []byte, _ *value.Type, v value.Value, f *Format) []byte {
	switch x := v.Box().(type) {
	case geo.Point:
		return appendPoint(dst, x, f)
	case geo.Segment:
		return append(appendPoints(append(dst, '['), x[:], f), ']')
	case geo.Box:
		return appendPoints(dst, []geo.Point{x.High, x.Low}, f)
	case geo.Line:
		dst = AppendFloat(append(dst, '{'), x.A, 64, f.ExtraFloatDigits)
		dst = AppendFloat(append(dst, ','), x.B, 64, f.ExtraFloatDigits)
		return append(AppendFloat(append(dst, ','), x.C, 64, f.ExtraFloatDigits), '}')
	case *geo.Path:
		if x.Closed {
			return append(appendPoints(append(dst, '('), x.Points, f), ')')
		}
		return append(appendPoints(append(dst, '['), x.Points, f), ']')
	case *geo.Polygon:
		return append(appendPoints(append(dst, '('), x.Points, f), ')')
	case geo.Circle:
		dst = append(appendPoint(append(dst, '<'), x.Center, f), ',')
		return append(AppendFloat(dst, x.Radius, 64, f.ExtraFloatDigits), '>')
	}
	return dst
}

// Coordinates gives the numbers of a shape in the order of its binary form, without what stands before them.
func Coordinates(v value.Value) []float64 {
	var points []geo.Point
	switch x := v.Box().(type) {
	case geo.Point:
		return []float64{x.X, x.Y}
	case geo.Line:
		return []float64{x.A, x.B, x.C}
	case geo.Circle:
		return []float64{x.Center.X, x.Center.Y, x.Radius}
	case geo.Segment:
		points = x[:]
	case geo.Box:
		points = []geo.Point{x.High, x.Low}
	case *geo.Path:
		points = x.Points
	case *geo.Polygon:
		points = x.Points
	}
	out := make([]float64, 0, 2*len(points))
	for _, p := range points {
		out = append(out, p.X, p.Y)
	}
	return out
}

// geoCmp orders shapes of one type by their numbers: an order for operators that need any, which SQL does not see.
func geoCmp(a, b value.Value) int {
	x, y := Coordinates(a), Coordinates(b)
	for i := range min(len(x), len(y)) {
		if c := CmpFloat(x[i], y[i]); c != 0 {
			return c
		}
	}
	return sign(len(x) - len(y))
}

func geoHash(h uint64, v value.Value) uint64 {
	for _, x := range Coordinates(v) {
		h = floatHash(h, value.Float(x))
	}
	return h
}
