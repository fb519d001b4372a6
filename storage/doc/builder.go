package doc

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Builder writes a Value from calls in document order:
//
//	var b Builder
//	b.BeginObject(); b.Key("a"); b.Int(1); b.Key("t"); b.BeginArray(); b.String("x"); b.End(); b.End()
//	v, err := b.Value()
//
// The zero Builder is ready. Canonical makes objects as ParseJSONB does (keys in jsonb's order); otherwise they keep
// the order of calls. A repeated key's last value wins either way. Mistakes of use (a value without a key in an
// object, End without a begin) and limits are remembered and returned by Value.
type Builder struct {
	Canonical bool

	buf    []byte
	frames []frame
	fields []field
	fin    finisher
	err    error
}

// frame is an open object or array.
type frame struct {
	start    int // of its length word; the type byte or key lies before
	typeAt   int // of the element now being written, -1 when a key is due
	n        int // elements so far
	fields   int // where its fields begin in Builder.fields
	isObject bool
}

// Reset drops what was built and keeps the memory: the Value returned before is overwritten by what follows.
func (b *Builder) Reset() {
	b.buf, b.frames, b.fields, b.err = b.buf[:0], b.frames[:0], b.fields[:0], nil
}

// Value returns the finished value, which aliases the builder's memory until Reset.
func (b *Builder) Value() (Value, error) {
	switch {
	case b.err != nil:
		return Value{}, b.err
	case len(b.frames) > 0 || len(b.buf) == 0:
		return Value{}, dberr.New(dberr.InternalError, "document builder: value is not finished")
	case len(b.buf) > MaxValueSize:
		return Value{}, tooLarge(MaxValueSize)
	}
	return Value{b.buf[0], b.buf[1:]}, nil
}

// Key names the next value of the open object. The key must not contain a zero byte (22P05).
func (b *Builder) Key(key string) {
	if b.element(true, true) {
		b.buf = append(append(b.buf, key...), 0)
		b.endKey(len(key))
	}
}

// KeyBytes is Key for bytes.
func (b *Builder) KeyBytes(key []byte) {
	if b.element(true, true) {
		b.buf = append(append(b.buf, key...), 0)
		b.endKey(len(key))
	}
}

func (b *Builder) endKey(n int) {
	f := &b.frames[len(b.frames)-1]
	for _, c := range b.buf[f.typeAt+1 : f.typeAt+1+n] {
		if c == 0 {
			b.err = zeroCharacter()
			return
		}
	}
	b.fields = append(b.fields, newField(f.typeAt, n, 0))
}

// element makes place for the type byte of the next element; forKey tells a Key call from a value.
func (b *Builder) element(forKey, wantObject bool) bool {
	if b.err != nil {
		return false
	}
	if len(b.frames) == 0 {
		if forKey || len(b.buf) > 0 {
			b.err = dberr.New(dberr.InternalError, "document builder: value outside an object or array")
			return false
		}
		b.buf = append(b.buf, 0)
		return true
	}
	f := &b.frames[len(b.frames)-1]
	if forKey && (!f.isObject || f.typeAt >= 0) || !forKey && f.isObject && f.typeAt < 0 {
		b.err = dberr.New(dberr.InternalError, "document builder: keys and values must alternate in an object")
		return false
	}
	if forKey || !f.isObject {
		f.typeAt = len(b.buf)
		b.buf = append(b.buf, 0)
		if !f.isObject {
			b.buf = append(strconv.AppendInt(b.buf, int64(f.n), 10), 0)
		}
		f.n++
	}
	return true
}

// begin places the type byte of a value; done closes the element after its bytes were appended.
func (b *Builder) begin(t byte) bool {
	if !b.element(false, false) {
		return false
	}
	at := 0
	if len(b.frames) > 0 {
		at = b.frames[len(b.frames)-1].typeAt
	}
	b.buf[at] = t
	return true
}

func (b *Builder) done() {
	if len(b.frames) == 0 {
		return
	}
	f := &b.frames[len(b.frames)-1]
	if f.isObject {
		b.fields[len(b.fields)-1].end = int32(len(b.buf))
	}
	f.typeAt = -1
}

// BeginObject opens an object; End closes it.
func (b *Builder) BeginObject() { b.open(TypeObject) }

// BeginArray opens an array; End closes it.
func (b *Builder) BeginArray() { b.open(TypeArray) }

func (b *Builder) open(t byte) {
	if !b.begin(t) {
		return
	}
	if len(b.frames) >= MaxDepth {
		b.err = tooDeep()
		return
	}
	b.frames = append(b.frames, frame{start: len(b.buf), typeAt: -1, fields: len(b.fields), isObject: t == TypeObject})
	b.buf = append(b.buf, 0, 0, 0, 0)
}

// End closes the innermost open object or array.
func (b *Builder) End() {
	if b.err != nil {
		return
	}
	if len(b.frames) == 0 || b.frames[len(b.frames)-1].typeAt >= 0 {
		b.err = dberr.New(dberr.InternalError, "document builder: End without a begin, or after a key")
		return
	}
	f := b.frames[len(b.frames)-1]
	b.frames = b.frames[:len(b.frames)-1]
	if fields := b.fields[f.fields:]; len(fields) > 1 {
		if b.Canonical {
			b.buf = b.fin.canonical(b.buf, fields)
		} else {
			b.buf = b.fin.unique(b.buf, fields)
		}
	}
	b.fields = b.fields[:f.fields]
	b.buf = endObject(b.buf, f.start)
	if len(b.buf) > MaxValueSize {
		b.err = tooLarge(MaxValueSize)
		return
	}
	b.done()
}

// Append appends a copy of any value. A missing value is written as null.
func (b *Builder) Append(v Value) {
	if v.Type == TypeMissing {
		v.Type = TypeNull
	}
	if v.Doc() != nil && b.err == nil && len(b.frames)+depth(v) > MaxDepth {
		b.err = tooDeep()
	}
	if b.begin(v.Type) {
		b.buf = append(b.buf, v.Data...)
		b.done()
	}
}

// Null appends JSON null.
func (b *Builder) Null() { b.Append(Value{Type: TypeNull}) }

// Bool appends a bool.
func (b *Builder) Bool(x bool) {
	if b.begin(TypeBool) {
		b.buf = append(b.buf, byte(b2i(x)))
		b.done()
	}
}

// Int appends an int32, or an int64 when it must be.
func (b *Builder) Int(i int64) {
	t := TypeInt64
	if i == int64(int32(i)) {
		t = TypeInt32
	}
	if b.begin(t) {
		_, b.buf = appendInt(b.buf, i)
		b.done()
	}
}

// Double appends a double.
func (b *Builder) Double(f float64) {
	if b.begin(TypeDouble) {
		b.buf = binary.LittleEndian.AppendUint64(b.buf, math.Float64bits(f))
		b.done()
	}
}

// String appends a string, which must be valid UTF-8 without zero bytes.
func (b *Builder) String(s string) {
	if b.begin(TypeString) {
		b.buf = appendString(b.buf, s)
		b.done()
	}
}

// StringBytes is String for bytes.
func (b *Builder) StringBytes(s []byte) {
	if b.begin(TypeString) {
		b.buf = appendString(b.buf, s)
		b.done()
	}
}

// appendString appends the raw bytes of a string value.
func appendString[S ~string | ~[]byte](dst []byte, s S) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(s)+1))
	return append(append(dst, s...), 0)
}

// String gives a string value, which must be valid UTF-8 without zero bytes.
func String[S ~string | ~[]byte](s S) Value {
	return Value{TypeString, appendString(make([]byte, 0, len(s)+5), s)}
}

// Bool gives a bool value.
func Bool(b bool) Value { return Value{TypeBool, boolBytes[b2i(b) : b2i(b)+1 : b2i(b)+1]} }

var boolBytes = []byte{0, 1}

// Null is JSON null.
func Null() Value { return Value{Type: TypeNull} }

// Binary gives a binary value of a public subtype.
func Binary(subtype byte, b []byte) Value {
	data := binary.LittleEndian.AppendUint32(make([]byte, 0, len(b)+5), uint32(len(b)))
	return Value{TypeBinary, append(append(data, subtype), b...)}
}

// Date gives a date of milliseconds since 1970 UTC.
func Date(ms int64) Value { return Value{TypeDate, binary.LittleEndian.AppendUint64(nil, uint64(ms))} }

// Micros gives a time of microseconds since 1970 UTC: a date when it is a whole millisecond, else the private form.
// The limits of int64 are ±infinity.
func Micros(us int64) Value {
	if us%1000 == 0 {
		return Date(us / 1000)
	}
	return Binary(SubtypeMicros, binary.LittleEndian.AppendUint64(nil, uint64(us)))
}

// AppendElement appends one element (type, key, value) to the body of a document that the caller frames itself with
// BeginDocument and EndDocument. The key must be free of zero bytes.
func AppendElement(dst []byte, key string, v Value) []byte {
	dst = append(append(append(dst, v.Type), key...), 0)
	return append(dst, v.Data...)
}

// BeginDocument appends the place of a document's length; start is for EndDocument.
func BeginDocument(dst []byte) (grown []byte, start int) { return append(dst, 0, 0, 0, 0), len(dst) }

// EndDocument closes the document begun at start.
func EndDocument(dst []byte, start int) []byte { return endObject(dst, start) }

func zeroCharacter() error {
	return dberr.New(dberr.UntranslatableCharacter, "unsupported Unicode escape sequence").
		WithDetail("\\u0000 cannot be converted to text.")
}

// Timestamp gives a BSON timestamp of seconds and increment.
func Timestamp(seconds, increment uint32) Value {
	return Value{TypeTimestamp, binary.LittleEndian.AppendUint64(nil, uint64(seconds)<<32|uint64(increment))}
}
