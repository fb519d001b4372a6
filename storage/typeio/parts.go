package typeio

import (
	"github.com/omgdb/omgdb/storage/typeio/geo"
	"github.com/omgdb/omgdb/storage/value"
)

// Part gives element i of a value whose type has Parts, as subscripts see it; NULL outside.
func Part(t *value.Type, v value.Value, i int64) value.Value {
	if _, n := t.Parts(); i < 0 || i >= n {
		return value.Null
	}
	switch x := v.Box().(type) {
	case geo.Segment:
		return value.Box(x[i])
	case geo.Box:
		return value.Box([2]geo.Point{x.High, x.Low}[i])
	case geo.Point, geo.Line:
		return value.Float(Coordinates(v)[i])
	}
	if s := v.Str(); i < int64(len(s)) { // a name
		return value.String(s[i : i+1])
	}
	return value.String("")
}

// WithPart gives the value with element i replaced; false when there is no such element.
func WithPart(t *value.Type, v value.Value, i int64, part value.Value) (value.Value, bool) {
	if _, n := t.Parts(); i < 0 || i >= n {
		return value.Null, false
	}
	switch x := v.Box().(type) {
	case geo.Segment:
		x[i] = part.Box().(geo.Point)
		return value.Box(x), true
	case geo.Box:
		corner := &x.High
		if i == 1 {
			corner = &x.Low
		}
		*corner = part.Box().(geo.Point)
		return value.Box(x), true
	case geo.Point:
		*[2]*float64{&x.X, &x.Y}[i] = part.Float()
		return value.Box(x), true
	case geo.Line:
		*[3]*float64{&x.A, &x.B, &x.C}[i] = part.Float()
		return value.Box(x), true
	}
	s := v.Str() // a name, which ends where the first empty letter is
	switch c := part.Str(); {
	case i > int64(len(s)):
	case c == "":
		s = s[:i]
	case i == int64(len(s)):
		s += c
	default:
		s = s[:i] + c + s[i+1:]
	}
	return value.String(s), true
}
