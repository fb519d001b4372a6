package typeio

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

func badSyntax(typ, s string) error {
	return dberr.New(dberr.InvalidTextRepresentation, `invalid input syntax for type %s: "%s"`, typ, s)
}

// mix folds 64 bits into a running hash.
func mix(h, x uint64) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	return (h*31 + 7) ^ xxhash.Sum64(b[:])
}

// Booleans.

func boolIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	b, ok := ParseBool(num.TrimSpace(s))
	if !ok {
		return value.Null, badSyntax("boolean", s)
	}
	return value.Bool(b), nil
}

// ParseBool reads the spellings of a boolean: any unambiguous prefix of true, false, yes, no, on, off, and 1 and 0.
func ParseBool(s string) (val, ok bool) {
	s = strings.ToLower(s)
	prefix := func(of string, least int) bool { return len(s) >= least && strings.HasPrefix(of, s) }
	switch {
	case prefix("true", 1), prefix("yes", 1), s == "on", s == "1":
		return true, true
	case prefix("false", 1), prefix("no", 1), prefix("off", 2), s == "0":
		return false, true
	}
	return false, false
}

func boolOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	if v.Bool() {
		return append(dst, 't')
	}
	return append(dst, 'f')
}

func boolCmp(a, b value.Value) int {
	switch {
	case a.Bool() == b.Bool():
		return 0
	case b.Bool():
		return -1
	}
	return 1
}

func boolHash(h uint64, v value.Value) uint64 {
	if v.Bool() {
		return mix(h, 1)
	}
	return mix(h, 0)
}

// Integers.

func int2In(_ *value.Type, s string, _ *Format) (value.Value, error) {
	return parseInt(s, "smallint", 16)
}
func int4In(_ *value.Type, s string, _ *Format) (value.Value, error) {
	return parseInt(s, "integer", 32)
}
func int8In(_ *value.Type, s string, _ *Format) (value.Value, error) {
	return parseInt(s, "bigint", 64)
}

func parseInt(text, typ string, bits int) (value.Value, error) {
	s := num.TrimSpace(text)
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	var u uint64
	over := false
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 {
			return value.Null, badSyntax(typ, text)
		}
		if u > (math.MaxUint64-9)/10 {
			over = true
			u = 0
		}
		u = u*10 + uint64(d)
	}
	if s == "" {
		return value.Null, badSyntax(typ, text)
	}
	limit := uint64(1) << (bits - 1)
	if !neg {
		limit--
	}
	if over || u > limit {
		return value.Null, dberr.New(dberr.NumericValueOutOfRange, `value "%s" is out of range for type %s`, text, typ)
	}
	if neg {
		return value.Int(-int64(u)), nil
	}
	return value.Int(int64(u)), nil
}

func intOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	return strconv.AppendInt(dst, v.Int(), 10)
}

func intCmp(a, b value.Value) int {
	x, y := a.Int(), b.Int()
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func intHash(h uint64, v value.Value) uint64 { return mix(h, uint64(v.Int())) }

// numeric.

func numericIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	d, err := num.Parse(s)
	if err != nil {
		return value.Null, err
	}
	return value.Box(d), nil
}

// Num gives the decimal of a numeric value.
func Num(v value.Value) *num.Dec { return v.Box().(*num.Dec) }

func numericOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	return num.Append(dst, Num(v))
}

func numericCmp(a, b value.Value) int { return num.Cmp(Num(a), Num(b)) }

func numericHash(h uint64, v value.Value) uint64 { return mix(h, num.Hash(Num(v))) }

func numericMod(_ *value.Type, mod int32, v value.Value, _ bool) (value.Value, error) {
	d, err := num.Fit(Num(v), mod)
	if err != nil {
		return value.Null, err
	}
	return value.Box(d), nil
}

// Strings.

// checkText refuses what a text can't hold.
func checkText(s string) error {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return dberr.New(dberr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x00`)
	}
	if !utf8.ValidString(s) {
		return invalidUTF8(s)
	}
	return nil
}

func invalidUTF8(s string) error {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r != utf8.RuneError || n > 1 {
			i += n
			continue
		}
		want := 1
		switch c := s[i]; {
		case c >= 0xf0 && c < 0xf8:
			want = 4
		case c >= 0xe0:
			want = 3
		case c >= 0xc0:
			want = 2
		}
		var b strings.Builder
		for _, c := range []byte(s[i:min(len(s), i+want)]) {
			b.WriteString(" 0x" + hex.EncodeToString([]byte{c}))
		}
		return dberr.New(dberr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8":%s`, b.String())
	}
	return nil
}

func textIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	if err := checkText(s); err != nil {
		return value.Null, err
	}
	return value.String(s), nil
}

func textOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	return append(dst, v.Str()...)
}

func textCmp(a, b value.Value) int { return strings.Compare(a.Str(), b.Str()) }

func textHash(h uint64, v value.Value) uint64 { return (h*31 + 7) ^ xxhash.Sum64String(v.Str()) }

// cut gives the byte length of the first n characters of s, and whether s has more.
func cut(s string, n int) (int, bool) {
	if len(s) <= n {
		return len(s), false
	}
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i, i < len(s)
}

func varcharMod(_ *value.Type, mod int32, v value.Value, explicit bool) (value.Value, error) {
	if mod < 4 {
		return v, nil
	}
	s := v.Str()
	i, more := cut(s, int(mod-4))
	if !more {
		return v, nil
	}
	if !explicit && strings.TrimRight(s[i:], " ") != "" {
		return value.Null, dberr.New(dberr.StringDataRightTruncation, "value too long for type character varying(%d)", mod-4)
	}
	return value.String(s[:i]), nil
}

func bpcharMod(_ *value.Type, mod int32, v value.Value, explicit bool) (value.Value, error) {
	if mod < 4 {
		return v, nil
	}
	s, n := v.Str(), int(mod-4)
	i, more := cut(s, n)
	if more {
		if !explicit && strings.TrimRight(s[i:], " ") != "" {
			return value.Null, dberr.New(dberr.StringDataRightTruncation, "value too long for type character(%d)", n)
		}
		return value.String(s[:i]), nil
	}
	if pad := n - utf8.RuneCountInString(s); pad > 0 {
		if n > MaxAttrSize {
			return value.Null, dberr.New(dberr.ProgramLimitExceeded, "length for type char cannot exceed %d", MaxAttrSize)
		}
		return value.String(s + strings.Repeat(" ", pad)), nil
	}
	return v, nil
}

// MaxAttrSize is the most characters that a declared length may ask for.
const MaxAttrSize = 10485760

func trimBlanks(v value.Value) string { return strings.TrimRight(v.Str(), " ") }

func bpcharCmp(a, b value.Value) int { return strings.Compare(trimBlanks(a), trimBlanks(b)) }

func bpcharHash(h uint64, v value.Value) uint64 {
	return (h*31 + 7) ^ xxhash.Sum64String(trimBlanks(v))
}

// NameLen is the most bytes that a name keeps.
const NameLen = 63

// CutName cuts s to NameLen bytes without splitting a character.
func CutName(s string) string {
	if len(s) <= NameLen {
		return s
	}
	n := NameLen
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func nameIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	if err := checkText(s); err != nil {
		return value.Null, err
	}
	return value.String(CutName(s)), nil
}

// charIn reads "char": one byte, written \ooo when it isn't ASCII.
func charIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	if len(s) == 4 && s[0] == '\\' && octal(s[1]) && s[1] < '4' && octal(s[2]) && octal(s[3]) {
		s = string([]byte{(s[1]-'0')<<6 | (s[2]-'0')<<3 | (s[3] - '0')})
	}
	if len(s) > 1 {
		s = s[:1]
	}
	if s == "\x00" {
		s = ""
	}
	return value.String(s), nil
}

func octal(c byte) bool { return c >= '0' && c <= '7' }

func charOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	s := v.Str()
	if s != "" && s[0] >= 0x80 {
		return append(dst, '\\', '0'+s[0]>>6, '0'+s[0]>>3&7, '0'+s[0]&7)
	}
	return append(dst, s...)
}

// UUIDs.

func uuidIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	t := s
	if len(t) >= 2 && t[0] == '{' && t[len(t)-1] == '}' {
		t = t[1 : len(t)-1]
	}
	var out [16]byte
	for i := range out {
		if i > 0 && i%2 == 0 && t != "" && t[0] == '-' {
			t = t[1:]
		}
		if len(t) < 2 {
			return value.Null, badSyntax("uuid", s)
		}
		if _, err := hex.Decode(out[i:i+1], []byte(t[:2])); err != nil {
			return value.Null, badSyntax("uuid", s)
		}
		t = t[2:]
	}
	if t != "" {
		return value.Null, badSyntax("uuid", s)
	}
	return value.Bytes(out[:]), nil
}

func uuidOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	b := v.Bytes()
	if len(b) != 16 {
		return dst
	}
	for i, n := range []int{4, 6, 8, 10, 16} {
		from := []int{0, 4, 6, 8, 10}[i]
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, b[from:n])
	}
	return dst
}
