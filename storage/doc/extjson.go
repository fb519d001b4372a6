package doc

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	"github.com/omgdb/omgdb/storage/dberr"
)

// wrapper turns the members of an Extended JSON object into the value that it stands for. v is the first member's
// value, second the second member's (missing when there is none).
type wrapper struct {
	second string // name of an optional second member
	want   string // what a right one looks like, for errors
	read   func(dst []byte, v, second Value) (t byte, out []byte, err error)
}

// errWrapper says that the content is wrong; the caller names the wrapper.
var errWrapper = dberr.New(dberr.InvalidTextRepresentation, "invalid Extended JSON")

// wrapperOf finds the wrapper of a key. Names that are query operators too ($regex, $type, $ref …) are no wrappers.
func wrapperOf(key []byte) *wrapper {
	switch string(key) {
	case "$oid":
		return &oidWrapper
	case "$date":
		return &dateWrapper
	case "$numberInt":
		return &intWrapper
	case "$numberLong":
		return &longWrapper
	case "$numberDouble":
		return &doubleWrapper
	case "$numberDecimal":
		return &decimalWrapper
	case "$binary":
		return &binaryWrapper
	case "$uuid":
		return &uuidWrapper
	case "$regularExpression":
		return &regexWrapper
	case "$timestamp":
		return &timestampWrapper
	case "$symbol":
		return &symbolWrapper
	case "$code":
		return &codeWrapper
	case "$dbPointer":
		return &dbPointerWrapper
	case "$minKey":
		return &minKeyWrapper
	case "$maxKey":
		return &maxKeyWrapper
	case "$undefined":
		return &undefinedWrapper
	}
	return nil
}

var (
	oidWrapper       = wrapper{want: "a string of 24 hexadecimal digits", read: readOID}
	dateWrapper      = wrapper{want: `an ISO 8601 string with a zone and at most 6 fraction digits, or {"$numberLong": "milliseconds"}`, read: readDate}
	intWrapper       = wrapper{want: "a string holding a 32-bit integer", read: readInt}
	longWrapper      = wrapper{want: "a string holding a 64-bit integer", read: readLong}
	doubleWrapper    = wrapper{want: `a string holding a double, "NaN", "Infinity" or "-Infinity"`, read: readDouble}
	decimalWrapper   = wrapper{want: `a string holding a decimal number, "NaN", "Infinity" or "-Infinity"`, read: readDecimal}
	binaryWrapper    = wrapper{second: "$type", want: `{"base64": "…", "subType": "hex"}`, read: readBinary}
	uuidWrapper      = wrapper{want: "a UUID string", read: readUUID}
	regexWrapper     = wrapper{want: `{"pattern": "…", "options": "…"}`, read: readRegex}
	timestampWrapper = wrapper{want: `{"t": seconds, "i": increment}`, read: readTimestamp}
	symbolWrapper    = wrapper{want: "a string", read: readSymbol}
	codeWrapper      = wrapper{second: "$scope", want: "a string, with an optional $scope object", read: readCode}
	dbPointerWrapper = wrapper{want: `{"$ref": "namespace", "$id": {"$oid": "…"}}`, read: readDBPointer}
	minKeyWrapper    = wrapper{want: "1", read: readMinKey}
	maxKeyWrapper    = wrapper{want: "1", read: readMaxKey}
	undefinedWrapper = wrapper{want: "true", read: readUndefined}
)

// unwrap replaces the object just closed, which begins at start and whose first key begins with $, by the value that
// it stands for. An object whose first key is no wrapper stays.
func (p *parser) unwrap(typeAt, start int) bool {
	t, data, err := unwrapObject(p.fin.tmp[:0], Doc(p.out[start:]))
	p.fin.tmp = data[:0]
	if err != nil {
		p.err = p.locate(err)
		return false
	}
	if t != TypeMissing {
		p.out = append(p.out[:start], data...)
		p.out[typeAt] = t
	}
	return true
}

// locate tells where in the text a wrapper was refused.
func (p *parser) locate(err error) error {
	e := dberr.As(err)
	line := 1
	for _, c := range p.src[:p.pos] {
		if c == '\n' {
			line++
		}
	}
	e.Where = fmt.Sprintf("JSON data, line %d, before offset %d", line, p.pos)
	return e
}

// unwrapObject appends the bytes of the value that an Extended JSON object stands for. The type is TypeMissing when
// the object is no wrapper.
func unwrapObject(dst []byte, d Doc) (byte, []byte, error) {
	e := d.Elements()
	key, v, ok := e.Next()
	if !ok {
		return TypeMissing, dst, nil
	}
	w := wrapperOf(key)
	if w == nil {
		return TypeMissing, dst, nil
	}
	key2, second, more := e.Next()
	if _, _, third := e.Next(); third || more && string(key2) != w.second {
		return 0, dst, badWrapper(key, "no other members beside it")
	}
	t, dst, err := w.read(dst, v, second)
	if err == error(errWrapper) {
		err = badWrapper(key, w.want)
	}
	return t, dst, err
}

func badWrapper(key []byte, want string) error {
	return dberr.New(dberr.InvalidTextRepresentation, "invalid Extended JSON: \"%s\" needs %s", key, want)
}

// wrapperText gives the string of a wrapper's member.
func wrapperText(v Value) (string, bool) {
	if v.Type != TypeString {
		return "", false
	}
	s, ok := v.StringBytes()
	return string(s), ok
}

func readOID(dst []byte, v, _ Value) (byte, []byte, error) {
	s, _ := wrapperText(v)
	id, err := hex.DecodeString(s)
	if err != nil || len(id) != 12 {
		return 0, dst, errWrapper
	}
	return TypeObjectID, append(dst, id...), nil
}

func readDate(dst []byte, v, _ Value) (byte, []byte, error) {
	if v.Type == TypeInt64 || v.Type == TypeInt32 {
		ms, _ := v.Int64()
		return TypeDate, binary.LittleEndian.AppendUint64(dst, uint64(ms)), nil
	}
	s, ok := wrapperText(v)
	if !ok {
		return 0, dst, errWrapper
	}
	us, ok := parseISO(s)
	if !ok {
		return 0, dst, errWrapper
	}
	d := Micros(us)
	return d.Type, append(dst, d.Data...), nil
}

func readInt(dst []byte, v, _ Value) (byte, []byte, error) {
	s, ok := wrapperText(v)
	i, err := strconv.ParseInt(s, 10, 32)
	if !ok || err != nil {
		return 0, dst, errWrapper
	}
	return TypeInt32, binary.LittleEndian.AppendUint32(dst, uint32(i)), nil
}

func readLong(dst []byte, v, _ Value) (byte, []byte, error) {
	s, ok := wrapperText(v)
	i, err := strconv.ParseInt(s, 10, 64)
	if !ok || err != nil {
		return 0, dst, errWrapper
	}
	return TypeInt64, binary.LittleEndian.AppendUint64(dst, uint64(i)), nil
}

func readDouble(dst []byte, v, _ Value) (byte, []byte, error) {
	s, _ := wrapperText(v)
	var f float64
	switch s {
	case "NaN":
		f = math.NaN()
	case "Infinity":
		f = math.Inf(1)
	case "-Infinity":
		f = math.Inf(-1)
	default:
		if _, ok := ParseDecimal([]byte(s), nil); !ok {
			return 0, dst, errWrapper
		}
		var err error
		if f, err = strconv.ParseFloat(s, 64); err != nil {
			return 0, dst, errWrapper
		}
	}
	return TypeDouble, binary.LittleEndian.AppendUint64(dst, math.Float64bits(f)), nil
}

// Decimal128's values that are not finite.
const (
	dec128NaN = 0x7C << 56
	dec128Inf = 0x78 << 56
)

func readDecimal(dst []byte, v, _ Value) (byte, []byte, error) {
	s, _ := wrapperText(v)
	high, special := uint64(0), true
	switch s {
	case "NaN":
		high = dec128NaN
	case "Infinity", "Inf", "+Infinity", "+Inf":
		high = dec128Inf
	case "-Infinity", "-Inf":
		high = dec128Inf | 1<<63
	default:
		special = false
	}
	if special {
		dst = binary.LittleEndian.AppendUint64(dst, 0)
		return TypeDecimal128, binary.LittleEndian.AppendUint64(dst, high), nil
	}
	d, ok := ParseDecimal([]byte(s), nil)
	if !ok {
		return 0, dst, errWrapper
	}
	if d.Exp > dec128MaxExp || len(d.Coef) > dec128Digits {
		d, _ = d.fit128()
	}
	if len(d.Coef) <= dec128Digits && d.Exp >= dec128MinExp && d.Exp <= dec128MaxExp {
		return TypeDecimal128, appendDecimal128(dst, d), nil
	}
	return appendNumber(dst, d) // exact beyond what decimal128 holds
}

func readBinary(dst []byte, v, second Value) (byte, []byte, error) {
	text, sub := v, second // the old form: {"$binary": "…", "$type": "00"}
	if v.Type == TypeObject && second.Missing() {
		text, sub = Doc(v.Data).Lookup("base64"), Doc(v.Data).Lookup("subType")
		if v.Len() != 2 {
			return 0, dst, errWrapper
		}
	}
	b64, ok1 := wrapperText(text)
	subHex, ok2 := wrapperText(sub)
	b, err := base64.StdEncoding.DecodeString(b64)
	n, err2 := strconv.ParseUint(subHex, 16, 8)
	if !ok1 || !ok2 || err != nil || err2 != nil {
		return 0, dst, errWrapper
	}
	if byte(n) >= SubtypeNumber && byte(n) <= SubtypeVector {
		return 0, dst, privateSubtype(byte(n))
	}
	if n == 2 { // the old generic subtype repeats the length inside
		b = append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
	}
	return TypeBinary, append(dst, Binary(byte(n), b).Data...), nil
}

func privateSubtype(sub byte) error {
	return dberr.New(dberr.InvalidParameterValue, "binary subtype %02x is reserved", sub).
		WithHint("Use subtype 00, or one of 80 to ef for your own.")
}

func readUUID(dst []byte, v, _ Value) (byte, []byte, error) {
	s, _ := wrapperText(v)
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return 0, dst, errWrapper
	}
	b, err := hex.DecodeString(s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:])
	if err != nil {
		return 0, dst, errWrapper
	}
	return TypeBinary, append(dst, Binary(SubtypeUUID, b).Data...), nil
}

func readRegex(dst []byte, v, _ Value) (byte, []byte, error) {
	pattern, ok1 := wrapperText(v.Step(Key("pattern")))
	options, ok2 := wrapperText(v.Step(Key("options")))
	if v.Type != TypeObject || !ok1 || !ok2 || v.Len() != 2 {
		return 0, dst, errWrapper
	}
	return TypeRegex, appendRegex(dst, pattern, options), nil
}

// appendRegex appends a regular expression's raw bytes; options are kept in alphabetical order, as BSON wants.
func appendRegex(dst []byte, pattern, options string) []byte {
	dst = append(append(dst, pattern...), 0)
	at := len(dst)
	dst = append(dst, options...)
	for o := dst[at:]; len(o) > 0; o = o[1:] {
		for i := range o {
			if o[i] < o[0] {
				o[0], o[i] = o[i], o[0]
			}
		}
	}
	return append(dst, 0)
}

func readTimestamp(dst []byte, v, _ Value) (byte, []byte, error) {
	t, ok1 := v.Step(Key("t")).Int64()
	i, ok2 := v.Step(Key("i")).Int64()
	if v.Type != TypeObject || !ok1 || !ok2 || v.Len() != 2 || uint64(t) > math.MaxUint32 || uint64(i) > math.MaxUint32 {
		return 0, dst, errWrapper
	}
	return TypeTimestamp, binary.LittleEndian.AppendUint64(dst, uint64(t)<<32|uint64(i)), nil
}

func readSymbol(dst []byte, v, _ Value) (byte, []byte, error) {
	if v.Type != TypeString {
		return 0, dst, errWrapper
	}
	return TypeSymbol, append(dst, v.Data...), nil
}

func readCode(dst []byte, v, scope Value) (byte, []byte, error) {
	switch {
	case v.Type != TypeString:
		return 0, dst, errWrapper
	case scope.Missing():
		return TypeCode, append(dst, v.Data...), nil
	case scope.Type != TypeObject:
		return 0, dst, errWrapper
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(4+len(v.Data)+len(scope.Data)))
	return TypeCodeScope, append(append(dst, v.Data...), scope.Data...), nil
}

func readDBPointer(dst []byte, v, _ Value) (byte, []byte, error) {
	ref, id := v.Step(Key("$ref")), v.Step(Key("$id"))
	if v.Type != TypeObject || ref.Type != TypeString || id.Type != TypeObjectID || v.Len() != 2 {
		return 0, dst, errWrapper
	}
	return TypeDBPointer, append(append(dst, ref.Data...), id.Data...), nil
}

func readMinKey(dst []byte, v, _ Value) (byte, []byte, error) {
	return readMarker(dst, v, TypeMinKey)
}

func readMaxKey(dst []byte, v, _ Value) (byte, []byte, error) {
	return readMarker(dst, v, TypeMaxKey)
}

func readMarker(dst []byte, v Value, t byte) (byte, []byte, error) {
	if i, ok := v.Int64(); !ok || i != 1 {
		return 0, dst, errWrapper
	}
	return t, dst, nil
}

func readUndefined(dst []byte, v, _ Value) (byte, []byte, error) {
	if b, _ := v.Bool(); !b {
		return 0, dst, errWrapper
	}
	return TypeUndefined, dst, nil
}

// ToDocument gives a jsonb object as a collection stores it: every object inside that is Extended JSON becomes the
// value it stands for; everything else keeps its bytes. It returns v itself when nothing changes.
func ToDocument(v Value) (Value, error) {
	if !hasWrapper(v) {
		return v, nil
	}
	t, data, err := appendUnwrapped(make([]byte, 0, len(v.Data)), v)
	return Value{t, data}, err
}

func hasWrapper(v Value) bool {
	e := v.Elements()
	for first := v.Type == TypeObject; ; first = false {
		k, elem, ok := e.Next()
		switch {
		case !ok:
			return false
		case first && len(k) > 0 && k[0] == '$' && wrapperOf(k) != nil:
			return true
		case (elem.Type == TypeObject || elem.Type == TypeArray) && hasWrapper(elem):
			return true
		}
	}
}

// appendUnwrapped appends the bytes of v with the wrappers inside and v itself replaced, innermost first.
func appendUnwrapped(dst []byte, v Value) (byte, []byte, error) {
	if v.Type != TypeObject && v.Type != TypeArray {
		return v.Type, append(dst, v.Data...), nil
	}
	dst, start := BeginDocument(dst)
	for e := v.Elements(); ; {
		k, elem, ok := e.Next()
		if !ok {
			break
		}
		at := len(dst)
		dst = append(append(append(dst, 0), k...), 0)
		t, grown, err := appendUnwrapped(dst, elem)
		if err != nil {
			return 0, dst, err
		}
		dst = grown
		dst[at] = t
	}
	dst = EndDocument(dst, start)
	if v.Type == TypeObject && len(dst) > start+6 && dst[start+5] == '$' {
		t, data, err := unwrapObject(nil, Doc(dst[start:]))
		if err != nil || t != TypeMissing {
			return t, append(dst[:start], data...), err
		}
	}
	return v.Type, dst, nil
}

// FromText gives the value that a text shows with `->>`: name is "$date", "$uuid" or "$oid". ok is false when no such value
// has exactly this text.
func FromText(name, text string) (v Value, ok bool) {
	w := wrapperOf([]byte(name))
	if w == nil {
		return Value{}, false
	}
	t, data, err := w.read(nil, String(text), Value{})
	v = Value{t, data}
	return v, err == nil && v.Text() == text
}
