package pgenc

import (
	"encoding/binary"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/geo"
	"github.com/omgdb/omgdb/storage/value"
)

// Shapes are their numbers; a path begins with whether it is closed and how many points it has, a polygon with its number of points.

func putShape(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	for _, x := range typeio.Coordinates(v) {
		dst = appendFloat8(dst, x)
	}
	return dst
}

func putPath(dst []byte, t *value.Type, v value.Value, f *typeio.Format) []byte {
	p := v.Box().(*geo.Path)
	dst = binary.BigEndian.AppendUint32(appendBool(dst, p.Closed), uint32(len(p.Points)))
	return putShape(dst, t, v, f)
}

func putPolygon(dst []byte, t *value.Type, v value.Value, f *typeio.Format) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(v.Box().(*geo.Polygon).Points)))
	return putShape(dst, t, v, f)
}

func (r *reader) point() geo.Point {
	return geo.Point{X: getFloat8(r, nil).Float(), Y: getFloat8(r, nil).Float()}
}

func getPoint(r *reader, _ *value.Type) value.Value { return value.Box(r.point()) }

func getSegment(r *reader, _ *value.Type) value.Value {
	return value.Box(geo.Segment{r.point(), r.point()})
}

func getBox(r *reader, _ *value.Type) value.Value {
	return value.Box(geo.NewBox(r.point(), r.point()))
}

func getLine(r *reader, _ *value.Type) value.Value {
	l := geo.Line{A: getFloat8(r, nil).Float(), B: getFloat8(r, nil).Float(), C: getFloat8(r, nil).Float()}
	if r.err == nil && geo.Zero(l.A) && geo.Zero(l.B) {
		r.fail(dberr.InvalidBinaryRepresentation, "invalid line specification: A and B cannot both be zero")
	}
	return value.Box(l)
}

func getCircle(r *reader, _ *value.Type) value.Value {
	c := geo.Circle{Center: r.point(), Radius: getFloat8(r, nil).Float()}
	if c.Radius < 0 {
		r.fail(dberr.InvalidBinaryRepresentation, `invalid radius in external "circle" value`)
	}
	return value.Box(c)
}

// points reads a number of points and then these; none after a failure.
func (r *reader) points(t *value.Type) []geo.Point {
	n := r.int32()
	if r.err == nil && n <= 0 {
		r.fail(dberr.InvalidBinaryRepresentation, `invalid number of points in external "%s" value`, t.Name)
	}
	if r.err == nil && n > len(r.rest)/16 {
		r.fail(dberr.ProtocolViolation, "insufficient data left in message")
	}
	if r.err != nil {
		return nil
	}
	out := make([]geo.Point, n)
	for i := range out {
		out[i] = r.point()
	}
	return out
}

func getPath(r *reader, t *value.Type) value.Value {
	closed := r.uint8() != 0
	points := r.points(t)
	if r.err != nil {
		return value.Null
	}
	return value.Box(&geo.Path{Closed: closed, Points: points})
}

func getPolygon(r *reader, t *value.Type) value.Value {
	points := r.points(t)
	if r.err != nil {
		return value.Null
	}
	return value.Box(geo.NewPolygon(points))
}
