package filter

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
)

// newCast prepares `(ref ->> k)::type op constant`.
func newCast(e *CastCmp) (node, error) {
	f := newFinder(e.Ref)
	switch e.Cast {
	case CastNumeric:
		n := &numericCastNode{finder: f, op: e.Op, value: e.Value, number: newExactNumber(e.Value)}
		n.want, n.kind = e.Value.Decompose(new(doc.DecimalBuf))
		if n.kind == doc.NotNumber {
			return nil, unknownNode(e)
		}
		return n, nil
	case CastFloat8:
		want, ok := e.Value.Float64()
		if !ok {
			return nil, unknownNode(e)
		}
		return &floatCastNode{f, e.Op, want}, nil
	case CastInt4, CastInt8:
		want, ok := e.Value.Int64()
		if !ok {
			return nil, unknownNode(e)
		}
		bits := 64
		if e.Cast == CastInt4 {
			bits = 32
		}
		return &intCastNode{f, e.Op, want, castNames[e.Cast], bits}, nil
	}
	return nil, unknownNode(e)
}

func invalidCast(typeName string, text []byte) error {
	return dberr.New(dberr.InvalidTextRepresentation, "invalid input syntax for type %s: \"%s\"", typeName, string(text))
}

// trimBlanks drops the blanks that number inputs allow around a number.
func trimBlanks(s []byte) []byte { return bytes.Trim(s, " \t\n\v\f\r") }

type numericCastNode struct {
	finder
	op    CmpOp
	value doc.Value
	want  doc.Decimal
	kind  doc.Kind

	number exactNumber
}

func (n *numericCastNode) evalValue(v doc.Value) (Tri, error) {
	if c, ok := n.number.compare(v); ok {
		return TriOf(n.op.holds(c)), nil
	}
	if v.IsNumber() {
		return TriOf(n.op.holds(compareNumeric(v, n.value))), nil
	}
	return n.readText(v)
}

func (n *numericCastNode) readText(v doc.Value) (Tri, error) {
	var buf, scratch [textRoom]byte
	text, ok := v.TextBytes(buf[:])
	if !ok {
		return Null, nil
	}
	got, kind := readNumeric(trimBlanks(text), scratch[:0])
	if kind == doc.NotNumber {
		return False, invalidCast("numeric", text)
	}
	if kind == doc.Finite && got.OverflowsNumeric() {
		return False, dberr.New(dberr.NumericValueOutOfRange, "value overflows numeric format")
	}
	if kind != doc.Finite || n.kind != doc.Finite {
		return TriOf(n.op.holds(numericRank(kind) - numericRank(n.kind))), nil
	}
	return TriOf(n.op.holds(got.Cmp(n.want))), nil
}

// readNumeric reads the text of a numeric.
func readNumeric(s, scratch []byte) (doc.Decimal, doc.Kind) {
	if d, ok := doc.ParseDecimal(s, scratch); ok {
		return d, doc.Finite
	}
	return doc.Decimal{}, specialNumber(s)
}

// specialNumber reads NaN and the infinities in any case.
func specialNumber(s []byte) doc.Kind {
	kind := doc.PosInf
	switch {
	case bytes.EqualFold(s, []byte("nan")):
		return doc.NaN
	case len(s) > 0 && s[0] == '-':
		kind, s = doc.NegInf, s[1:]
	case len(s) > 0 && s[0] == '+':
		s = s[1:]
	}
	if bytes.EqualFold(s, []byte("infinity")) || bytes.EqualFold(s, []byte("inf")) {
		return kind
	}
	return doc.NotNumber
}

type floatCastNode struct {
	finder
	op   CmpOp
	want float64
}

func (n *floatCastNode) evalValue(v doc.Value) (Tri, error) {
	if v.Type == doc.TypeDouble || v.Type == doc.TypeInt32 || v.Type == doc.TypeInt64 {
		f, _ := v.Float64()
		return TriOf(n.op.holds(compareFloats(f, n.want))), nil
	}
	var buf [textRoom]byte
	text, ok := v.TextBytes(buf[:])
	if !ok {
		return Null, nil
	}
	f, err := readFloat(text)
	return TriOf(n.op.holds(compareFloats(f, n.want))), err
}

// readFloat reads the text of a double precision.
func readFloat(text []byte) (float64, error) {
	s := trimBlanks(text)
	d, ok := doc.ParseDecimal(s, nil)
	if !ok {
		switch specialNumber(s) {
		case doc.NaN:
			return math.NaN(), nil
		case doc.PosInf:
			return math.Inf(1), nil
		case doc.NegInf:
			return math.Inf(-1), nil
		}
		if f, ok := readHexFloat(string(s)); ok {
			return f, nil
		}
		return 0, invalidCast("double precision", text)
	}
	f, err := strconv.ParseFloat(string(s), 64)
	if err != nil || f == 0 && len(d.Coef) > 0 { // PostgreSQL refuses what underflows, too
		return 0, dberr.New(dberr.NumericValueOutOfRange, "\"%s\" is out of range for type double precision", string(s))
	}
	return f, nil
}

// readHexFloat reads 0x1.8p3, whose exponent may be left out.
func readHexFloat(s string) (float64, bool) {
	digits := strings.ToLower(strings.TrimLeft(s, "+-"))
	if !strings.HasPrefix(digits, "0x") || strings.Contains(s, "_") {
		return 0, false
	}
	if !strings.Contains(digits, "p") {
		s += "p0"
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

type intCastNode struct {
	finder
	op   CmpOp
	want int64
	name string
	bits int
}

func (n *intCastNode) evalValue(v doc.Value) (Tri, error) {
	if i, ok := v.Int64(); ok && (v.Type == doc.TypeInt32 || v.Type == doc.TypeInt64 && n.bits == 64) {
		return n.holds(i), nil
	}
	return n.readText(v)
}

func (n *intCastNode) holds(i int64) Tri {
	c := 0
	if i < n.want {
		c = -1
	} else if i > n.want {
		c = 1
	}
	return TriOf(n.op.holds(c))
}

func (n *intCastNode) readText(v doc.Value) (Tri, error) {
	var buf [textRoom]byte
	text, ok := v.TextBytes(buf[:])
	if !ok {
		return Null, nil
	}
	i, err := n.read(text)
	return n.holds(i), err
}

func (n *intCastNode) read(text []byte) (int64, error) {
	s := trimBlanks(text)
	digits := bytes.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 || len(digits) == 0 || len(bytes.Trim(digits, "0123456789")) > 0 {
		return 0, invalidCast(n.name, text)
	}
	i, err := strconv.ParseInt(string(s), 10, n.bits)
	if err != nil {
		return 0, dberr.New(dberr.NumericValueOutOfRange, "value \"%s\" is out of range for type %s", string(text), n.name)
	}
	return i, nil
}
