package doc

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
)

// AppendJSONB appends PostgreSQL's text of a jsonb value: keys by length then bytes, `, ` and `: ` between, numbers
// with their scale and without exponent. Values that JSON lacks are their relaxed Extended JSON object.
func (v Value) AppendJSONB(dst []byte) []byte {
	w := writer{colon: `": `, comma: ", ", sorted: true}
	return w.value(dst, v)
}

// AppendCanonical appends the shell's canonical JSON: relaxed Extended JSON, compact, key order kept, doubles with a
// decimal point. A number is bare whenever reading it back gives the same value.
func (v Value) AppendCanonical(dst []byte) []byte {
	w := writer{colon: `":`, comma: ","}
	return w.value(dst, v)
}

// AppendText appends what `->>` gives: a string plain, an ObjectId's hex, a date, decimal or UUID as plain text,
// everything else as its jsonb text. ok is false, with nothing appended, for null and missing: SQL NULL.
func (v Value) AppendText(dst []byte) (text []byte, ok bool) {
	if v.Type == TypeNull || v.Type == TypeMissing {
		return dst, false
	}
	if text, ok := v.appendScalarText(dst); ok {
		return text, true
	}
	return v.AppendJSONB(dst), true
}

// appendScalarText appends the text of the values that have one of their own; ok is false for the others.
func (v Value) appendScalarText(dst []byte) (text []byte, ok bool) {
	switch v.Type {
	case TypeString, TypeSymbol:
		s, _ := v.StringBytes()
		return append(dst, s...), true
	case TypeInt32, TypeInt64, TypeDouble, TypeDecimal128:
		return v.AppendNumber(dst), true
	case TypeBool:
		return strconv.AppendBool(dst, len(v.Data) > 0 && v.Data[0] != 0), true
	case TypeObjectID:
		return hex.AppendEncode(dst, v.Data), true
	case TypeDate:
		return v.appendDateText(dst, true), true
	case TypeBinary:
		return v.appendBinaryText(dst)
	}
	return dst, false
}

func (v Value) appendBinaryText(dst []byte) (text []byte, ok bool) {
	switch sub, b, _ := v.Binary(); {
	case sub == SubtypeUUID && len(b) == 16:
		return appendUUID(dst, b), true
	case sub == SubtypeText:
		return append(dst, b...), true
	case sub == SubtypeMicros:
		return v.appendDateText(dst, true), true
	case sub == SubtypeNumber:
		return v.AppendNumber(dst), true
	}
	return dst, false
}

// TextBytes gives what AppendText would: in place when v is a string, in buf (overwritten) when that has room for a scalar's
// text, else in new memory. The result lives as long as v and buf.
func (v Value) TextBytes(buf []byte) (text []byte, ok bool) {
	switch v.Type {
	case TypeString:
		return v.StringBytes()
	case TypeNull, TypeMissing:
		return nil, false
	}
	if text, ok := v.appendScalarText(buf[:0]); ok {
		return text, true
	}
	return v.AppendJSONB(nil), true
}

// writer prints values in one of two styles.
type writer struct {
	colon  string // after a key, with the key's closing quote
	comma  string
	sorted bool // jsonb: keys in jsonb's order, numbers never with an exponent
}

func (w *writer) value(dst []byte, v Value) []byte {
	switch v.Type {
	case TypeString:
		s, _ := v.StringBytes()
		return appendQuoted(dst, s)
	case TypeInt32, TypeInt64:
		return v.AppendNumber(dst)
	case TypeDouble, TypeDecimal128:
		return w.number(dst, v)
	case TypeObject:
		return w.object(dst, v.Data)
	case TypeArray:
		return w.array(dst, v)
	case TypeBool:
		return strconv.AppendBool(dst, len(v.Data) > 0 && v.Data[0] != 0)
	case TypeNull, TypeMissing:
		return append(dst, "null"...)
	case TypeBinary:
		return w.binary(dst, v)
	}
	return w.extended(dst, v)
}

func (w *writer) array(dst []byte, v Value) []byte {
	dst = append(dst, '[')
	e := v.Elements()
	for i := 0; ; i++ {
		_, elem, ok := e.Next()
		if !ok {
			return append(dst, ']')
		}
		if i > 0 {
			dst = append(dst, w.comma...)
		}
		dst = w.value(dst, elem)
	}
}

func (w *writer) object(dst, raw []byte) []byte {
	if w.sorted && !inOrder(raw) {
		return w.objectInOrder(dst, raw)
	}
	dst = append(dst, '{')
	e := Doc(raw).Elements()
	for i := 0; ; i++ {
		k, v, ok := e.Next()
		if !ok {
			return append(dst, '}')
		}
		if i > 0 {
			dst = append(dst, w.comma...)
		}
		dst = w.value(w.key(dst, k), v)
	}
}

// inOrder reports whether the keys of an object stand in jsonb's order.
func inOrder(raw []byte) bool {
	var last []byte
	e := Doc(raw).Elements()
	for first := true; ; first = false {
		k, _, ok := e.Next()
		if !ok {
			return true
		}
		if !first && CompareKeys(last, k) >= 0 {
			return false
		}
		last = k
	}
}

func (w *writer) objectInOrder(dst, raw []byte) []byte {
	var room [fieldRoom]field
	dst = append(dst, '{')
	for i, f := range canonicalFields(room[:0], raw) {
		if i > 0 {
			dst = append(dst, w.comma...)
		}
		dst = w.value(w.key(dst, f.key(raw)), f.value(raw))
	}
	return append(dst, '}')
}

func (w *writer) key(dst, key []byte) []byte {
	dst = appendQuoted(dst, key)
	return append(dst[:len(dst)-1], w.colon...)
}

// longPlain is how many bytes of plain number text canonical JSON writes before it turns to an exponent.
const longPlain = 64

func (w *writer) number(dst []byte, v Value) []byte {
	if v.Type == TypeDouble {
		f := v.float()
		switch kind := floatKind(f); {
		case kind != Finite:
			return w.wrapped(dst, "$numberDouble", kindName[kind])
		case w.sorted:
			f += 0 // jsonb has no negative zero
		}
		return appendDouble(dst, f) // in full, however long: the reader takes a double only from its plain text
	}
	var buf DecimalBuf
	d, kind := v.Decompose(&buf)
	zero := len(d.Coef) == 0
	switch {
	case kind != Finite:
		return w.wrapped(dst, "$numberDecimal", kindName[kind])
	case w.sorted:
		d.Neg = d.Neg && !zero
	case d.Neg && zero:
		return w.wrapped(dst, "$numberDecimal", string(d.appendScientific(nil)))
	case len(d.Coef)+max(d.Exp, -d.Exp) > longPlain && !zero || zero && d.Exp < -longPlain:
		return d.appendScientific(dst)
	}
	return d.appendPlain(dst)
}

func (w *writer) binary(dst []byte, v Value) []byte {
	switch sub, b, _ := v.Binary(); sub {
	case SubtypeNumber:
		return w.number(dst, v)
	case SubtypeText:
		return appendQuoted(dst, b)
	case SubtypeMicros:
		return append(v.appendDateText(w.open(dst, "$date"), false), `"}`...)
	case SubtypeVector:
		return w.array(dst, vectorArray(b))
	default:
		return w.plainBinary(dst, v.subtype(), b)
	}
}

func (w *writer) plainBinary(dst []byte, sub byte, b []byte) []byte {
	dst = append(append(dst, `{"$binary`...), w.colon...)
	dst = append(append(dst, `{"base64`...), w.colon...)
	dst = append(base64.StdEncoding.AppendEncode(append(dst, '"'), b), '"')
	dst = append(append(append(dst, w.comma...), `"subType`...), w.colon...)
	const digits = "0123456789abcdef"
	return append(dst, '"', digits[sub>>4], digits[sub&15], '"', '}', '}')
}

// open appends `{"name": "`.
func (w *writer) open(dst []byte, name string) []byte {
	return append(append(append(append(dst, '{', '"'), name...), w.colon...), '"')
}

// wrapped appends an object of one key with a string that needs no escapes.
func (w *writer) wrapped(dst []byte, name, text string) []byte {
	return append(append(w.open(dst, name), text...), '"', '}')
}

// extended prints the values that JSON lacks.
func (w *writer) extended(dst []byte, v Value) []byte {
	switch v.Type {
	case TypeObjectID:
		return append(hex.AppendEncode(w.open(dst, "$oid"), v.Data), '"', '}')
	case TypeDate:
		if ms := int64(leUint64(v.Data)); ms >= 0 && ms <= relaxedMaxMs {
			return append(v.appendDateText(w.open(dst, "$date"), false), '"', '}')
		}
	}
	return w.object(dst, v.Plain().Data)
}

func appendUUID(dst, b []byte) []byte {
	for i, part := range [][]byte{b[:4], b[4:6], b[6:8], b[8:10], b[10:16]} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, part)
	}
	return dst
}

// vectorArray gives a packed vector as an array of doubles, each the shortest decimal of its float32.
func vectorArray(packed []byte) Value {
	var b Builder
	b.BeginArray()
	for ; len(packed) >= 4; packed = packed[4:] {
		f := math.Float32frombits(binary.LittleEndian.Uint32(packed))
		var text [32]byte
		d, err := strconv.ParseFloat(string(strconv.AppendFloat(text[:0], float64(f), 'g', -1, 32)), 64)
		if err != nil {
			d = float64(f)
		}
		b.Double(d)
	}
	b.End()
	v, _ := b.Value()
	return v
}

func leUint64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// appendQuoted appends a JSON string with PostgreSQL's escapes.
func appendQuoted(dst, s []byte) []byte {
	dst = append(dst, '"')
	for {
		n := plainRun(s)
		dst = append(dst, s[:n]...)
		if n == len(s) {
			return append(dst, '"')
		}
		c := s[n]
		s = s[n+1:]
		if e := shortEscape[c]; e != 0 {
			dst = append(dst, '\\', e)
			continue
		}
		const digits = "0123456789abcdef"
		dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
	}
}

var shortEscape = [256]byte{'\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '"': '"', '\\': '\\'}

// AppendQuoted appends s as a JSON string.
func AppendQuoted[S ~string | ~[]byte](dst []byte, s S) []byte { return appendQuoted(dst, []byte(s)) }

// JSONB gives the jsonb text as a string.
func (v Value) JSONB() string { return string(v.AppendJSONB(nil)) }

// Canonical gives the shell's canonical JSON.
func (v Value) Canonical() string { return string(v.AppendCanonical(nil)) }

// Text gives the `->>` text, "" for null.
func (v Value) Text() string {
	t, _ := v.AppendText(nil)
	return string(t)
}
