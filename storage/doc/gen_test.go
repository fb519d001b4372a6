package doc

import (
	"encoding/binary"
	"math"
	"math/rand"
	"strconv"
	"strings"
)

// gen makes random values for property tests.
type gen struct {
	*rand.Rand
	bson bool // also values that JSON lacks
}

var genKeys = []string{"a", "b", "c", "aa", "bb", "", "é", "x.y", "$z", "longer key", "name", "0", "1"}

func (g gen) value(depth int) Value {
	n := 10
	if g.bson {
		n = 14
	}
	switch k := g.Intn(n); {
	case k < 2 && depth > 0:
		return g.object(depth)
	case k < 4 && depth > 0:
		return g.array(depth)
	case k < 6:
		return String(g.text())
	case k < 8:
		return g.number()
	case k == 8:
		return Null()
	case k < 10:
		return Bool(g.Intn(2) == 0)
	}
	return g.special()
}

func (g gen) object(depth int) Value {
	var b Builder
	b.BeginObject()
	for range g.Intn(5) {
		b.Key(genKeys[g.Intn(len(genKeys))])
		b.Append(g.value(depth - 1))
	}
	b.End()
	return must(b.Value())
}

func (g gen) array(depth int) Value {
	var b Builder
	b.BeginArray()
	for range g.Intn(4) {
		b.Append(g.value(depth - 1))
	}
	b.End()
	return must(b.Value())
}

func (g gen) text() string {
	return []string{"", "a", "b", "A", "ab", "é", "😀", "\"q\\\n\t\x01\x7f", "2020-01-01T00:00:00Z", "1", "1.5", "null"}[g.Intn(12)]
}

// number makes numbers that often meet: few digits, edges of types, all types.
func (g gen) number() Value {
	text := func(s string) Value { return must(NumberFromText([]byte(s))) }
	switch g.Intn(8) {
	case 0:
		return NumberFromInt64(int64(g.Intn(5) - 2))
	case 1:
		return NumberFromInt64(int64(g.Uint64()) >> g.Intn(64))
	case 2:
		return text(strconv.Itoa(g.Intn(40)-20) + "." + strconv.Itoa(g.Intn(100)))
	case 3:
		return NumberFromFloat64(math.Ldexp(float64(g.Intn(1000)-500), g.Intn(140)-70))
	case 4:
		return text([]string{"9007199254740993", "9007199254740992", "9007199254740993.0", "9007199254740992.0", "9223372036854775807", "9223372036854775808",
			"-9223372036854775808", "1e18", "1e19", "1e22", "1000000000000000000000000.0", "0.10", "0.1", "0.100", "1e-7", "0.30000000000000004"}[g.Intn(16)])
	case 5:
		return text(strings.Repeat(strconv.Itoa(1+g.Intn(9)), 1+g.Intn(45)) + "e" + strconv.Itoa(g.Intn(60)-50))
	case 6:
		if g.bson {
			return Double([]float64{0, math.Copysign(0, -1), 5, 1e22, 1 << 60, 1e300, -7, 0.5}[g.Intn(8)])
		}
	}
	if g.bson {
		d := Decimal{Coef: []byte(strconv.Itoa(1 + g.Intn(2000))), Exp: g.Intn(30) - 15, Neg: g.Intn(2) == 0}
		return Value{TypeDecimal128, appendDecimal128(nil, d)}
	}
	return NumberFromInt64(int64(g.Intn(3)))
}

// special makes values that JSON lacks.
func (g gen) special() Value {
	switch g.Intn(16) {
	case 0, 1:
		id := make([]byte, 12)
		id[11] = byte(g.Intn(3))
		return Value{TypeObjectID, id}
	case 2, 3:
		return Date([]int64{0, 1577836800000, 1577836800001, -1, -62135596800000, 253402300799999, 253402300800000, math.MinInt64, math.MaxInt64}[g.Intn(9)])
	case 4:
		return Micros([]int64{1, 1577836800000001, 1577836800000999, -1, maxMicros, minMicros, -62135596800000001, 253402300800000001}[g.Intn(8)])
	case 5:
		return Binary([]byte{0, 4, 5, 0x80}[g.Intn(4)], []byte("0123456789abcdef")[:16-g.Intn(2)*g.Intn(16)])
	case 6:
		return Value{TypeRegex, appendRegex(nil, g.text(), "xi")}
	case 7:
		return Value{TypeTimestamp, binary.LittleEndian.AppendUint64(nil, g.Uint64()>>g.Intn(64))}
	case 8:
		return Value{TypeSymbol, appendString(nil, g.text())}
	case 9:
		return Value{TypeCode, appendString(nil, g.text())}
	case 10:
		return Double([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}[g.Intn(3)])
	case 11:
		t, data, _ := readDecimal(nil, String([]string{"NaN", "Infinity", "-Infinity", "-0", "0E+3", "1E+6111", "-1E-6176"}[g.Intn(7)]), Value{})
		return Value{t, data}
	case 12:
		return Value{Type: []byte{TypeMinKey, TypeMaxKey, TypeUndefined}[g.Intn(3)]}
	case 13:
		return Binary(SubtypeText, []byte(g.text()))
	case 14:
		return Binary(SubtypeVector, binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(g.Intn(5))/3)))
	}
	code := appendString(nil, g.text())
	scope := []byte{5, 0, 0, 0, 0}
	data := binary.LittleEndian.AppendUint32(nil, uint32(4+len(code)+len(scope)))
	return Value{TypeCodeScope, append(append(data, code...), scope...)}
}

// shuffled gives an equal value with the keys of objects in another order.
func (g gen) shuffled(v Value) Value {
	if v.Doc() == nil {
		return v
	}
	raw, fields := v.Data, appendFields(nil, v.Data)
	if v.Type == TypeObject {
		g.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	}
	out, start := BeginDocument(nil)
	for _, f := range fields {
		out = AppendElement(out, string(f.key(raw)), g.shuffled(f.value(raw)))
	}
	return Value{v.Type, EndDocument(out, start)}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
