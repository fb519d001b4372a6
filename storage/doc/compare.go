package doc

import (
	"bytes"
	"math"
)

// jsonb's order of kinds, lowest first.
const (
	rankNull = iota
	rankString
	rankNumber
	rankBool
	rankArray
	rankObject
)

// jsonbRank sorts a value that was made plain.
func jsonbRank(v Value) int {
	switch v.Type {
	case TypeNull, TypeMissing:
		return rankNull
	case TypeString:
		return rankString
	case TypeBool:
		return rankBool
	case TypeArray:
		return rankArray
	case TypeObject:
		return rankObject
	}
	return rankNumber
}

// Compare is PostgreSQL's btree order of jsonb: -1, 0 or 1. Null < string < number < bool < array < object; arrays and
// objects order by length first, then by content; an empty array as the whole value is below everything.
// It does not allocate unless a value that JSON lacks meets one of another type.
func Compare(a, b Value) int {
	switch {
	case isEmptyArray(a) && !isContainer(b):
		return -1
	case isEmptyArray(b) && !isContainer(a):
		return 1
	}
	return compareJSON(a, b)
}

func isEmptyArray(v Value) bool { return v.Type == TypeArray && len(v.Data) == 5 }

// isContainer reports a value that jsonb holds as an array or object.
func isContainer(v Value) bool {
	if v.Type == TypeBinary && v.subtype() == SubtypeText {
		return false
	}
	return v.Type == TypeArray || v.Type == TypeObject || v.needsPlain()
}

func compareJSON(a, b Value) int {
	if a.Type == b.Type {
		switch a.Type {
		case TypeString:
			x, _ := a.StringBytes()
			y, _ := b.StringBytes()
			return bytes.Compare(x, y)
		case TypeInt32, TypeInt64:
			return compareNumbers(a, b)
		case TypeObject:
			return compareObjects(a.Data, b.Data)
		case TypeArray:
			return compareArrays(a, b)
		case TypeObjectID, TypeBool:
			return bytes.Compare(a.Data, b.Data)
		}
	}
	if a.IsDate() && b.IsDate() {
		return compareDates(a, b)
	}
	a, b = a.Plain(), b.Plain()
	ra, rb := jsonbRank(a), jsonbRank(b)
	if ra != rb {
		return sign(ra - rb)
	}
	switch ra {
	case rankNumber:
		return compareNumbers(a, b)
	case rankNull:
		return 0
	}
	return compareJSON(a, b) // both of one plain type now
}

// compareDates orders by time. A date and a private timestamp of the same time are told apart by nothing.
func compareDates(a, b Value) int {
	if a.Type == TypeDate && b.Type == TypeDate {
		return cmpInt(int64(leUint64(a.Data)), int64(leUint64(b.Data)))
	}
	msA, usA := a.timeKey()
	msB, usB := b.timeKey()
	if c := cmpInt(msA, msB); c != 0 {
		return c
	}
	return cmpInt(usA, usB)
}

// timeKey splits a time into milliseconds and the microseconds above them; the infinities lie outside all dates.
func (v Value) timeKey() (ms, us int64) {
	if v.Type == TypeDate {
		return int64(leUint64(v.Data)), 0
	}
	switch us, _ = v.Micros(); us {
	case maxMicros:
		return math.MaxInt64, 1000
	case minMicros:
		return math.MinInt64, -1
	}
	ms = floorDiv(us, 1000)
	return ms, us - ms*1000
}

func cmpInt(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func compareArrays(a, b Value) int {
	if c := sign(a.Len() - b.Len()); c != 0 {
		return c
	}
	ea, eb := a.Elements(), b.Elements()
	for {
		_, x, ok1 := ea.Next()
		_, y, ok2 := eb.Next()
		if !ok1 || !ok2 {
			return b2i(ok1) - b2i(ok2)
		}
		if c := compareJSON(x, y); c != 0 {
			return c
		}
	}
}

func compareObjects(a, b []byte) int {
	var roomA, roomB [fieldRoom]field
	fa, fb := canonicalFields(roomA[:0], a), canonicalFields(roomB[:0], b)
	if c := sign(len(fa) - len(fb)); c != 0 {
		return c
	}
	for i := range fa {
		if c := bytes.Compare(fa[i].key(a), fb[i].key(b)); c != 0 {
			return c
		}
		x, y := fa[i].value(a), fb[i].value(b)
		if len(fa) == 1 && string(fa[i].key(a)) == "$date" {
			if c, ok := compareDateObjects(x, y); ok {
				return c
			}
		}
		if c := compareJSON(x, y); c != 0 {
			return c
		}
	}
	return 0
}

// compareDateObjects orders the contents of two {"$date": …} objects as the dates that they show, so that a date and
// the object it is shown as have one place. Contents that no date is shown as come after all dates.
func compareDateObjects(x, y Value) (c int, ok bool) {
	a, okA := shownDate(x)
	b, okB := shownDate(y)
	switch {
	case okA && okB:
		return compareDates(a, b), true
	case okA != okB:
		return b2i(okB) - b2i(okA), true
	}
	return 0, false
}

// ShownDate gives the date that is shown as exactly {"$date": content}, in milliseconds since 1970 and the microseconds above them.
func ShownDate(content Value) (ms, us int64, ok bool) {
	d, ok := shownDate(content)
	if !ok {
		return 0, 0, false
	}
	ms, us = d.timeKey()
	return ms, us, true
}

// shownDate gives the date that is shown as exactly {"$date": content}.
func shownDate(content Value) (Value, bool) {
	var room [64]byte
	switch content.Type {
	case TypeString:
		s, _ := content.StringBytes()
		us, ok := parseISO(string(s))
		if !ok {
			return Value{}, false
		}
		d := Micros(us)
		if ms := int64(leUint64(d.Data)); d.Type == TypeDate && (ms < 0 || ms > relaxedMaxMs) {
			return Value{}, false
		}
		return d, bytes.Equal(d.appendDateText(room[:0], false), s)
	case TypeObject:
		k, v, ok := firstElement(content)
		if !ok || string(k) != "$numberLong" || content.Len() != 1 {
			return Value{}, false
		}
		t, data, err := readLong(room[:0], v, Value{})
		if err != nil || t != TypeInt64 {
			return Value{}, false
		}
		ms := int64(leUint64(data))
		if ms >= 0 && ms <= relaxedMaxMs {
			return Value{}, false
		}
		return Date(ms), string(NumberFromInt64(ms).AppendNumber(nil)) == v.Text()
	}
	return Value{}, false
}

// compareNumbers orders finite numbers of any type, and puts NaN below all as MongoDB does.
func compareNumbers(a, b Value) int {
	if a.Type != TypeDouble && b.Type != TypeDouble && a.isInt() && b.isInt() {
		x, _ := a.Int64()
		y, _ := b.Int64()
		return cmpInt(x, y)
	}
	if x, y, ok := exactFloats(a, b); ok {
		return cmpFloat(x, y)
	}
	var bufA, bufB DecimalBuf
	x, kx := a.Decompose(&bufA)
	y, ky := b.Decompose(&bufB)
	if kx != Finite || ky != Finite {
		return sign(kindOrder[kx] - kindOrder[ky])
	}
	return x.Cmp(y)
}

var kindOrder = [...]int{NotNumber: 0, NaN: 0, NegInf: 1, Finite: 2, PosInf: 3}

func (v Value) isInt() bool { return v.Type == TypeInt32 || v.Type == TypeInt64 }

// exactFloats gives two numbers as doubles when comparing those gives the exact order: two doubles, or a double and
// an integer below 2^53 (a double's shortest decimal lies on the same side of such an integer as the double).
func exactFloats(a, b Value) (x, y float64, ok bool) {
	x, ok1 := a.ExactFloat()
	y, ok2 := b.ExactFloat()
	return x, y, ok1 && ok2
}

// ExactFloat gives a double, or an integer below 2^53, as a float64. Two such numbers compare as their float64 do (NaN aside).
// ok is false for every other value.
func (v Value) ExactFloat() (f float64, ok bool) {
	switch v.Type {
	case TypeDouble:
		return v.float(), true
	case TypeInt32, TypeInt64:
		i, _ := v.Int64()
		return float64(i), i > -1<<53 && i < 1<<53
	}
	return 0, false
}

func cmpFloat(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	}
	return b2i(!math.IsNaN(x)) - b2i(!math.IsNaN(y))
}

// CompareNumbers orders two numbers of any type exactly, NaN lowest. ok is false when one is not a number.
func CompareNumbers(a, b Value) (c int, ok bool) {
	if !a.IsNumber() || !b.IsNumber() {
		return 0, false
	}
	return compareNumbers(a, b), true
}

// Equal is jsonb equality: the same content whatever the key order and the types of numbers.
func Equal(a, b Value) bool {
	if a.Type == b.Type && bytes.Equal(a.Data, b.Data) {
		return true
	}
	return Compare(a, b) == 0
}
