package doc

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
)

// ParseJSONB reads a jsonb value as PostgreSQL does: keys in jsonb's order, the last duplicate wins. Objects of
// Extended JSON stay plain objects. Errors: 22P02 with PostgreSQL's detail and context, 22P05 for \u0000, 22021 for
// invalid UTF-8, 22003 for a number beyond numeric, 54000 and 54001 for the limits.
func ParseJSONB(src []byte) (Value, error) {
	enc, err := AppendParsedJSONB(make([]byte, 0, len(src)+len(src)/4+16), src)
	return Decode(enc), err
}

// AppendParsedJSONB is ParseJSONB that appends the column form to dst. On an error dst is returned as it was.
func AppendParsedJSONB(dst, src []byte) ([]byte, error) {
	return parse(dst, src, jsonbMode)
}

// ParseExtJSON reads relaxed or canonical Extended JSON v2, key order kept: `{"$oid":"…"}` becomes an ObjectId and so
// on. A duplicate key keeps the first place and the last value. Errors are ParseJSONB's, 22P02 for a wrapper with
// wrong content and 22023 for a private binary subtype.
func ParseExtJSON(src []byte) (Value, error) {
	enc, err := AppendParsedExtJSON(make([]byte, 0, len(src)+len(src)/4+16), src)
	return Decode(enc), err
}

// AppendParsedExtJSON is ParseExtJSON that appends the column form to dst. On an error dst is returned as it was.
func AppendParsedExtJSON(dst, src []byte) ([]byte, error) {
	return parse(dst, src, extMode)
}

// ParseDocument reads an Extended JSON object as a document of a collection (at most MaxDocumentSize).
func ParseDocument(src []byte) (Doc, error) {
	v, err := ParseExtJSON(src)
	switch {
	case err != nil:
		return nil, err
	case v.Type != TypeObject:
		return nil, dberr.New(dberr.InvalidParameterValue, "a document must be a JSON object, not %s", v.Kind())
	case len(v.Data) > MaxDocumentSize:
		return nil, DocumentTooLarge(len(v.Data))
	}
	return Doc(v.Data), nil
}

// DocumentTooLarge is the error (54000) of a document of n bytes.
func DocumentTooLarge(n int) error {
	return dberr.New(dberr.ProgramLimitExceeded, "document of %d bytes is larger than the maximum of %d bytes", n, MaxDocumentSize).
		WithHint("Split the document, or store large content in several documents.")
}

type mode uint8

const (
	jsonbMode mode = iota
	extMode
)

// parser is one pass over the text: values are appended to out as they are read, objects are put in order when they
// close. It only knows that a text is wrong; syntaxError reads it again to say where and why.
type parser struct {
	src    []byte
	pos    int
	out    []byte
	fields []field
	fin    finisher
	err    error
	depth  int
	limit  int // of len(out)
	mode   mode
}

var parsers = sync.Pool{New: func() any { return new(parser) }}

func parse(dst, src []byte, m mode) ([]byte, error) {
	if !utf8.Valid(src) {
		return dst, invalidUTF8(src)
	}
	if len(dst) > 1<<30 { // fields count in 32 bits
		enc, err := parse(nil, src, m)
		return append(dst, enc...), err
	}
	p := parsers.Get().(*parser)
	p.src, p.pos, p.out, p.mode, p.depth, p.err = src, 0, append(dst, 0), m, 0, nil
	p.fields, p.limit = p.fields[:0], len(dst)+MaxValueSize
	p.space()
	ok := p.value(len(dst))
	if ok {
		p.space()
		ok = p.pos == len(src)
	}
	out, err := p.out, p.err
	p.src, p.out, p.err = nil, nil, nil
	if cap(p.fin.tmp) < 1<<20 {
		parsers.Put(p)
	}
	switch {
	case err != nil:
		return dst, err
	case !ok:
		return dst, syntaxError(src, true)
	case len(out)-len(dst) > MaxValueSize:
		return dst, tooLarge(MaxValueSize)
	}
	return out, nil
}

func (p *parser) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\n', '\t', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek gives the next byte that is not blank, 0 at the end.
func (p *parser) peek() byte {
	if p.pos < len(p.src) && p.src[p.pos] > ' ' {
		return p.src[p.pos]
	}
	p.space()
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// value reads one value: its type goes to out[typeAt], its bytes to the end of out.
func (p *parser) value(typeAt int) bool {
	if len(p.out) > p.limit {
		p.err = tooLarge(MaxValueSize)
		return false
	}
	switch c := p.peek(); c {
	case '"':
		p.out[typeAt] = TypeString
		at := len(p.out)
		p.out = append(p.out, 0, 0, 0, 0)
		if !p.str() {
			return false
		}
		p.out = append(p.out, 0)
		binary.LittleEndian.PutUint32(p.out[at:], uint32(len(p.out)-at-4))
		return true
	case '{':
		return p.object(typeAt)
	case '[':
		return p.array(typeAt)
	case 't':
		return p.word("true", typeAt, TypeBool, 1)
	case 'f':
		return p.word("false", typeAt, TypeBool, 0)
	case 'n':
		return p.word("null", typeAt, TypeNull)
	default:
		return p.number(typeAt)
	}
}

func (p *parser) word(w string, typeAt int, t byte, data ...byte) bool {
	end := p.pos + len(w)
	if end > len(p.src) || string(p.src[p.pos:end]) != w || end < len(p.src) && isWord(p.src[end]) {
		return false
	}
	p.pos = end
	p.out[typeAt] = t
	p.out = append(p.out, data...)
	return true
}

// isWord reports a byte that would lengthen a word or number token.
func isWord(c byte) bool {
	return c-'0' <= 9 || c|0x20-'a' <= 'z'-'a' || c == '_' || c >= 0x80
}

// number reads a JSON number. The usual ones, integers and short fractions, need no second look at the text.
func (p *parser) number(typeAt int) bool {
	s, i := p.src, p.pos
	start := i
	neg := i < len(s) && s[i] == '-'
	if neg {
		i++
	}
	first := i
	var n uint64
	for i < len(s) && s[i]-'0' <= 9 {
		n = n*10 + uint64(s[i]-'0')
		i++
	}
	digits := i - first
	if digits == 0 || digits > 1 && s[first] == '0' {
		return false
	}
	scale := 0
	if i < len(s) && s[i] == '.' {
		point := i
		for i++; i < len(s) && s[i]-'0' <= 9; i++ {
			n = n*10 + uint64(s[i]-'0')
		}
		if scale = i - point - 1; scale == 0 {
			return false
		}
	}
	exponent := i < len(s) && s[i]|0x20 == 'e'
	if exponent {
		if i++; i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		n := countDigits(s[i:])
		if i += n; n == 0 {
			return false
		}
	}
	if i < len(s) && isWord(s[i]) {
		return false
	}
	p.pos = i
	if exponent || digits+scale > 18 || scale > 0 && digits+scale > 15 || scale > 1 && s[i-1] == '0' || neg && n == 0 {
		return p.anyNumber(typeAt, s[start:i])
	}
	if scale > 0 {
		f := float64(n) / tenTo[scale]
		if neg {
			f = -f
		}
		p.out[typeAt] = TypeDouble
		p.out = binary.LittleEndian.AppendUint64(p.out, math.Float64bits(f))
		return true
	}
	v := int64(n)
	if neg {
		v = -v
	}
	t, out := appendInt(p.out, v)
	p.out = out
	p.out[typeAt] = t
	return true
}

// anyNumber classifies the text of a number of any length.
func (p *parser) anyNumber(typeAt int, text []byte) bool {
	var room [64]byte
	d, ok := ParseDecimal(text, room[:0])
	if !ok {
		return false
	}
	if p.mode == extMode && d.Neg && len(d.Coef) == 0 && d.Exp == -1 { // -0.0 is a double's own
		p.out[typeAt] = TypeDouble
		p.out = binary.LittleEndian.AppendUint64(p.out, 1<<63)
		return true
	}
	t, out, err := appendNumber(p.out, d)
	p.out, p.err = out, err
	p.out[typeAt] = t
	return err == nil
}

// str reads the string at pos, whose first byte is a quote, and appends its bytes to out.
func (p *parser) str() bool {
	p.pos++
	for {
		n := plainRun(p.src[p.pos:])
		p.out = append(p.out, p.src[p.pos:p.pos+n]...)
		p.pos += n
		if p.pos >= len(p.src) {
			return false
		}
		switch p.src[p.pos] {
		case '"':
			p.pos++
			return true
		case '\\':
			if !p.escape() {
				return false
			}
		default: // a control character
			return false
		}
	}
}

// plainRun counts the bytes before the next quote, backslash or control character.
func plainRun(s []byte) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		quote := zeroBytes(w ^ lowBits*'"')
		slash := zeroBytes(w ^ lowBits*'\\')
		control := (w - lowBits*0x20) &^ w & highBits
		if m := quote | slash | control; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c == '"' || c == '\\' || c < 0x20 {
			break
		}
	}
	return i
}

var unescape = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads one escape sequence, surrogate pairs as one.
func (p *parser) escape() bool {
	if p.pos+1 >= len(p.src) {
		return false
	}
	c := p.src[p.pos+1]
	if e := unescape[c]; e != 0 {
		p.out = append(p.out, e)
		p.pos += 2
		return true
	}
	if c != 'u' {
		return false
	}
	r, ok := hex4(p.src[p.pos+2:])
	if !ok || r >= 0xDC00 && r <= 0xDFFF {
		return false
	}
	p.pos += 6
	if r == 0 {
		return false
	}
	if r >= 0xD800 && r < 0xDC00 {
		s := p.src[p.pos:]
		if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
			return false
		}
		low, ok := hex4(s[2:])
		if !ok || low < 0xDC00 || low > 0xDFFF {
			return false
		}
		r = (r-0xD800)<<10 + (low - 0xDC00) + 0x10000
		p.pos += 6
	}
	p.out = utf8.AppendRune(p.out, r)
	return true
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
		d := hexValue(c)
		if d < 0 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

func hexValue(c byte) int {
	switch {
	case c-'0' <= 9:
		return int(c - '0')
	case c|0x20-'a' <= 5:
		return int(c|0x20-'a') + 10
	}
	return -1
}

func (p *parser) enter() bool {
	if p.depth++; p.depth > MaxDepth {
		p.err = tooDeep()
		return false
	}
	return true
}

func (p *parser) array(typeAt int) bool {
	if !p.enter() {
		return false
	}
	p.pos++
	p.out[typeAt] = TypeArray
	start := len(p.out)
	p.out = append(p.out, 0, 0, 0, 0)
	if p.peek() == ']' {
		p.pos++
		return p.close(start)
	}
	for i := 0; ; i++ {
		at := len(p.out)
		p.out = append(p.out, 0)
		if i < 10 {
			p.out = append(p.out, byte('0'+i), 0)
		} else {
			p.out = append(strconv.AppendInt(p.out, int64(i), 10), 0)
		}
		if !p.value(at) {
			return false
		}
		switch p.peek() {
		case ',':
			p.pos++
		case ']':
			p.pos++
			return p.close(start)
		default:
			return false
		}
	}
}

func (p *parser) close(start int) bool {
	p.out = endObject(p.out, start)
	p.depth--
	return true
}

func (p *parser) object(typeAt int) bool {
	if !p.enter() {
		return false
	}
	p.pos++
	p.out[typeAt] = TypeObject
	start, mine := len(p.out), len(p.fields)
	p.out = append(p.out, 0, 0, 0, 0)
	if p.peek() == '}' {
		p.pos++
		return p.close(start)
	}
	for ordered := true; ; {
		if p.peek() != '"' || !p.member() {
			return false
		}
		if last := len(p.fields) - 1; ordered && last > mine {
			ordered = CompareKeys(p.fields[last-1].key(p.out), p.fields[last].key(p.out)) < 0
		}
		switch p.peek() {
		case ',':
			p.pos++
			continue
		case '}':
			p.pos++
		default:
			return false
		}
		if !ordered {
			p.order(p.fields[mine:])
		}
		p.fields = p.fields[:mine]
		if !p.close(start) {
			return false
		}
		if p.mode == extMode && p.out[start+5] == '$' {
			return p.unwrap(typeAt, start)
		}
		return true
	}
}

// member reads `"key": value`.
func (p *parser) member() bool {
	at := len(p.out)
	p.out = append(p.out, 0)
	if !p.str() {
		return false
	}
	keyLen := len(p.out) - at - 1
	p.out = append(p.out, 0)
	if p.peek() != ':' {
		return false
	}
	p.pos++
	n := len(p.fields)
	p.fields = append(p.fields, newField(at, keyLen, 0))
	if !p.value(at) {
		return false
	}
	p.fields[n].end = int32(len(p.out))
	return true
}

func (p *parser) order(fields []field) {
	if p.mode == jsonbMode {
		p.out = p.fin.canonical(p.out, fields)
	} else {
		p.out = p.fin.unique(p.out, fields)
	}
}
