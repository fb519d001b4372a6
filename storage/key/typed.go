package key

import (
	"encoding/binary"

	"github.com/cockroachdb/apd/v3"
)

// Order is how one component of a typed key or expression index sorts. The zero value is PostgreSQL's default for ASC; its
// default for DESC is {Desc: true, NullsFirst: true}.
//
// A component is a byte that tells NULL from a value and places it, then the value, complemented when Desc. NaN is the
// greatest number; text is bytewise (C.UTF-8); blank-padded char comes trimmed.
//
//	SQL type                              method     encoding
//	smallint, integer, bigint, oid        Int        number
//	real, double precision                Float      number
//	numeric                               Numeric    number
//	boolean                               Bool       byte
//	text, varchar, char, name, bytea      Text, Bytes
//	date (days), time, timestamp(tz) (µs) Fixed      8 bytes; ±infinity are the limits of int64
//	uuid                                  UUID       16 bytes
//	interval                              Interval   16 bytes, its length in µs with months of 30 days
//	jsonb, enum, inet, bit, …             Bytes, over the type's own order-preserving form
//	arrays, composites                    List
type Order struct {
	Desc       bool
	NullsFirst bool
}

const (
	nullFirst = 0x01
	present   = 0x02
	nullLast  = 0x03
)

// Kind is the encoding of a component, without which a reader can't find its end.
type Kind uint8

// The kinds of encodings.
const (
	NumberKind Kind = iota + 1
	TextKind
	BoolKind
	FixedKind
	WideKind // UUID, Interval
	ListKind
)

// AppendNull appends NULL.
func (o Order) AppendNull(dst []byte) []byte {
	if o.NullsFirst {
		return append(dst, nullFirst)
	}
	return append(dst, nullLast)
}

// done finishes a component whose value begins at start.
func (o Order) done(dst []byte, start int) []byte { return complementIf(o.Desc, dst, start) }

// AppendInt appends an integer.
func (o Order) AppendInt(dst []byte, i int64) []byte {
	return o.done(AppendInt(append(dst, present), i), len(dst)+1)
}

// AppendFloat appends a double: it equals the integer or numeric of the same shortest decimal.
func (o Order) AppendFloat(dst []byte, f float64) []byte {
	return o.done(AppendFloat(append(dst, present), f, NaNGreatest), len(dst)+1)
}

// AppendNumeric appends a numeric.
func (o Order) AppendNumeric(dst []byte, d *apd.Decimal) []byte {
	return o.done(AppendNumeric(append(dst, present), d, NaNGreatest), len(dst)+1)
}

// AppendText appends text.
func (o Order) AppendText(dst []byte, s string) []byte {
	return o.done(AppendText(append(dst, present), s), len(dst)+1)
}

// AppendBytes appends bytes: a bytea, or the order-preserving form of a value of another type, of any length.
func (o Order) AppendBytes(dst, b []byte) []byte {
	return o.done(AppendBytes(append(dst, present), b), len(dst)+1)
}

// AppendBool appends a boolean.
func (o Order) AppendBool(dst []byte, b bool) []byte {
	c := byte(0)
	if b {
		c = 1
	}
	return o.done(append(dst, present, c), len(dst)+1)
}

// AppendFixed appends a number of days or microseconds in eight bytes.
func (o Order) AppendFixed(dst []byte, i int64) []byte {
	return o.done(appendFixed(append(dst, present), i), len(dst)+1)
}

func appendFixed(dst []byte, i int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(i)^1<<63)
}

// AppendUUID appends a uuid.
func (o Order) AppendUUID(dst []byte, u [16]byte) []byte {
	return o.done(append(append(dst, present), u[:]...), len(dst)+1)
}

// AppendInterval appends an interval by its length, as PostgreSQL compares it: a month has 30 days, a day 24 hours.
func (o Order) AppendInterval(dst []byte, months, days int32, micros int64) []byte {
	const dayMicros = 24 * 60 * 60 * 1_000_000
	whole := int64(months)*30 + int64(days) + micros/dayMicros
	part := micros % dayMicros
	if part < 0 {
		whole, part = whole-1, part+dayMicros
	}
	return o.done(appendFixed(appendFixed(append(dst, present), whole), part), len(dst)+1)
}

// List builds an array or composite: elements in order, a NULL element behind every value, a shorter list before a longer
// one that begins with it. For each element call Null, or Item and then a package-level Append function.
type List struct {
	order Order
	start int
}

const (
	listEnd  = 0x01
	listItem = 0x02
	listNull = 0x03
)

// BeginList begins a list component.
func (o Order) BeginList(dst []byte) ([]byte, List) {
	return append(dst, present), List{o, len(dst) + 1}
}

// Item announces an element of the kind, which the caller appends next, ascending and without a component's first byte.
func (List) Item(dst []byte, k Kind) []byte { return append(dst, listItem, byte(k)) }

// Null appends a NULL element.
func (List) Null(dst []byte) []byte { return append(dst, listNull) }

// End ends the list.
func (l List) End(dst []byte) []byte { return l.order.done(append(dst, listEnd), l.start) }

// skippers find the end of an ascending value of each kind.
var skippers = [...]func([]byte) (int, bool){
	NumberKind: skipNumber,
	TextKind:   skipText,
	BoolKind:   skipWidth(1),
	FixedKind:  skipWidth(8),
	WideKind:   skipWidth(16),
}

func skipWidth(w int) func([]byte) (int, bool) {
	return func(b []byte) (int, bool) { return w, len(b) >= w }
}

func skipList(b []byte) (int, bool) {
	at := 0
	for at < len(b) {
		switch b[at] {
		case listEnd:
			return at + 1, true
		case listNull:
			at++
			continue
		case listItem:
		default:
			return 0, false
		}
		if at+1 >= len(b) || int(b[at+1]) >= len(skippers) || skippers[b[at+1]] == nil {
			return 0, false
		}
		n, ok := skippers[b[at+1]](b[at+2:])
		if !ok {
			return 0, false
		}
		at += 2 + n
	}
	return 0, false
}
