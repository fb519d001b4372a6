package typeio

import (
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// Limits of arrays.
const (
	MaxDims     = 6
	MaxElements = 134217727
)

// CheckDims checks the dimensions of an array to be and gives its number of elements.
func CheckDims(dims []value.Dim) (int, error) {
	if len(dims) > MaxDims {
		return 0, dberr.New(dberr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", len(dims), MaxDims)
	}
	n := int64(1)
	for _, d := range dims {
		if n *= int64(d.Len); n > MaxElements {
			return 0, dberr.New(dberr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", MaxElements)
		}
		if int64(d.Lower)+int64(d.Len) > 1<<31-1 {
			return 0, dberr.New(dberr.ProgramLimitExceeded, "array lower bound is too large: %d", d.Lower)
		}
	}
	if len(dims) == 0 {
		return 0, nil
	}
	return int(n), nil
}

// delimiter stands between elements of a type.
func delimiter(elem *value.Type) byte {
	if Base(elem).OID == value.BoxT.OID {
		return ';'
	}
	return ','
}

// arrayReader reads an array literal.
type arrayReader struct {
	text  string
	s     string // what is left
	t     *value.Type
	delim byte
	mod   int32
	f     *Format
	dims  []value.Dim // lengths as far as they are known, -1 not yet
	depth int         // nesting of the elements, 0 not yet known
	elems []value.Value
}

func (r *arrayReader) bad(detail string, args ...any) error {
	return dberr.New(dberr.InvalidTextRepresentation, `malformed array literal: "%s"`, r.text).WithDetail(detail, args...)
}

func (r *arrayReader) blanks() {
	for r.s != "" && num.Space(r.s[0]) {
		r.s = r.s[1:]
	}
}

func arrayIn(t *value.Type, mod int32, text string, f *Format) (value.Value, error) {
	r := &arrayReader{text: text, s: text, t: t.Elem, delim: delimiter(t.Elem), mod: mod, f: f}
	given, err := r.bounds()
	if err != nil {
		return value.Null, err
	}
	r.blanks()
	if r.s == "" || r.s[0] != '{' {
		if given == nil {
			return value.Null, r.bad(`Array value must start with "{" or dimension information.`)
		}
		return value.Null, r.bad(`Array contents must start with "{".`)
	}
	r.s = r.s[1:]
	if _, err := r.level(1); err != nil {
		return value.Null, err
	}
	r.blanks()
	if r.s != "" {
		return value.Null, r.bad("Junk after closing right brace.")
	}
	return r.finish(given)
}

// finish joins explicit bounds and contents.
func (r *arrayReader) finish(given []value.Dim) (value.Value, error) {
	dims := r.dims[:r.depth]
	if len(r.elems) == 0 {
		if given != nil {
			return value.Null, r.bad("Specified array dimensions do not match array contents.")
		}
		return value.Box(&value.Array{Elem: r.t}), nil
	}
	for i := range dims {
		dims[i].Lower = 1
	}
	if given != nil {
		if len(given) != len(dims) {
			return value.Null, r.bad("Specified array dimensions do not match array contents.")
		}
		for i := range dims {
			if given[i].Len != dims[i].Len {
				return value.Null, r.bad("Specified array dimensions do not match array contents.")
			}
		}
		dims = given
	}
	if _, err := CheckDims(dims); err != nil {
		return value.Null, err
	}
	return value.Box(&value.Array{Elem: r.t, Dims: dims, Elems: r.elems}), nil
}

// bounds reads [l:u][l:u]… = if it is there.
func (r *arrayReader) bounds() ([]value.Dim, error) {
	var dims []value.Dim
	for {
		r.blanks()
		if r.s == "" || r.s[0] != '[' {
			break
		}
		if len(dims) == MaxDims {
			return nil, dberr.New(dberr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", MaxDims+1, MaxDims)
		}
		r.s = r.s[1:]
		lower, ok := r.number()
		if !ok {
			return nil, r.bad(`"[" must introduce explicitly-specified array dimensions.`)
		}
		upper := lower
		if r.s != "" && r.s[0] == ':' {
			r.s = r.s[1:]
			if upper, ok = r.number(); !ok {
				return nil, r.bad("Missing array dimension value.")
			}
		} else {
			lower = 1
		}
		if r.s == "" || r.s[0] != ']' {
			return nil, r.bad(`Missing "%s" after array dimensions.`, "]")
		}
		r.s = r.s[1:]
		if upper < lower {
			return nil, dberr.New(dberr.ArraySubscriptError, "upper bound cannot be less than lower bound")
		}
		dims = append(dims, value.Dim{Len: int32(upper - lower + 1), Lower: int32(lower)})
	}
	if dims == nil {
		return nil, nil
	}
	if !strings.HasPrefix(r.s, "=") {
		return nil, r.bad(`Missing "%s" after array dimensions.`, "=")
	}
	r.s = r.s[1:]
	return dims, nil
}

func (r *arrayReader) number() (int64, bool) {
	i := 0
	for i < len(r.s) && (r.s[i] == '-' || r.s[i] == '+' || r.s[i] >= '0' && r.s[i] <= '9') {
		i++
	}
	n, err := strconv.ParseInt(r.s[:i], 10, 32)
	r.s = r.s[i:]
	return n, err == nil
}

// level reads the inside of a brace at nesting depth d and its closing brace; it gives the number of items.
func (r *arrayReader) level(d int) (int, error) {
	if d > MaxDims {
		return 0, dberr.New(dberr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", d, MaxDims)
	}
	if len(r.dims) < d {
		r.dims = append(r.dims, value.Dim{Len: -1})
	}
	n := 0
	r.blanks()
	if r.s != "" && r.s[0] == '}' && d == 1 {
		r.s = r.s[1:]
		return 0, r.close(d, 0)
	}
	for {
		if err := r.item(d); err != nil {
			return 0, err
		}
		n++
		r.blanks()
		switch {
		case r.s == "":
			return 0, r.bad("Unexpected end of input.")
		case r.s[0] == r.delim:
			r.s = r.s[1:]
		case r.s[0] == '}':
			r.s = r.s[1:]
			return n, r.close(d, n)
		default:
			return 0, r.bad("Unexpected array element.")
		}
	}
}

// close checks that a brace at depth d has as many items as its siblings.
func (r *arrayReader) close(d, n int) error {
	dim := &r.dims[d-1]
	if dim.Len >= 0 && int(dim.Len) != n {
		return r.bad("Multidimensional arrays must have sub-arrays with matching dimensions.")
	}
	dim.Len = int32(n)
	return nil
}

// item reads one element or sub-array.
func (r *arrayReader) item(d int) error {
	r.blanks()
	switch {
	case r.s == "":
		return r.bad("Unexpected end of input.")
	case r.s[0] == '{':
		if r.depth != 0 && d >= r.depth {
			return r.bad(`Unexpected "%c" character.`, '{')
		}
		r.s = r.s[1:]
		_, err := r.level(d + 1)
		return err
	case r.s[0] == r.delim || r.s[0] == '}':
		return r.bad(`Unexpected "%c" character.`, r.s[0])
	}
	if r.depth == 0 {
		r.depth = d
	}
	if r.depth != d {
		return r.bad("Multidimensional arrays must have sub-arrays with matching dimensions.")
	}
	s, quoted, err := r.token()
	if err != nil {
		return err
	}
	v := value.Null
	if quoted || !strings.EqualFold(s, "null") {
		if v, err = In(r.t, r.mod, s, r.f); err != nil {
			return err
		}
	}
	r.elems = append(r.elems, v)
	return nil
}

// token reads one element's text, quoted or not.
func (r *arrayReader) token() (text string, quoted bool, err error) {
	if r.s[0] != '"' && r.delim == ',' {
		if i := strings.IndexAny(r.s, `,{}"\`); i >= 0 && (r.s[i] == ',' || r.s[i] == '}') {
			text, r.s = num.TrimSpace(r.s[:i]), r.s[i:]
			return text, false, nil
		}
	}
	var b strings.Builder
	closed := false // a quoted part has ended
	keep := 0       // length up to which blanks count (they were quoted or escaped)
	for i := 0; i < len(r.s); i++ {
		switch c := r.s[i]; c {
		case '\\':
			if i+1 >= len(r.s) {
				return "", false, r.bad("Unexpected end of input.")
			}
			i++
			b.WriteByte(r.s[i])
			keep, quoted = b.Len(), true
		case '"':
			if closed || strings.TrimRight(b.String(), " ") != "" {
				return "", false, r.bad("Unexpected array element.")
			}
			b.Reset()
			quoted, closed = true, true
			for i++; i < len(r.s) && r.s[i] != '"'; i++ {
				if r.s[i] == '\\' && i+1 < len(r.s) {
					i++
				}
				b.WriteByte(r.s[i])
			}
			keep = b.Len()
		case '{':
			return "", false, r.bad(`Unexpected "%c" character.`, c)
		case r.delim, '}':
			r.s = r.s[i:]
			out := b.String()
			return out[:keep] + strings.TrimRight(out[keep:], " \t\n\v\f\r"), quoted, nil
		default:
			if closed && !num.Space(c) {
				return "", false, r.bad("Unexpected array element.")
			}
			b.WriteByte(c)
		}
	}
	return "", false, r.bad("Unexpected end of input.")
}

// quoteElem tells whether an element's text must be quoted.
func quoteElem(s []byte, delim byte) bool {
	if len(s) == 0 || len(s) == 4 && strings.EqualFold(string(s), "null") {
		return true
	}
	for _, c := range s {
		switch c {
		case '"', '\\', '{', '}', delim, ' ', '\t', '\n', '\v', '\f', '\r':
			return true
		}
	}
	return false
}

func arrayOut(dst []byte, a *value.Array, f *Format) []byte {
	if len(a.Dims) == 0 {
		return append(dst, "{}"...)
	}
	for _, d := range a.Dims {
		if d.Lower != 1 {
			for _, d := range a.Dims {
				dst = append(dst, '[')
				dst = strconv.AppendInt(dst, int64(d.Lower), 10)
				dst = append(dst, ':')
				dst = strconv.AppendInt(dst, int64(d.Lower)+int64(d.Len)-1, 10)
				dst = append(dst, ']')
			}
			dst = append(dst, '=')
			break
		}
	}
	dst, _ = appendLevel(dst, a, a.Dims, a.Elems, f)
	return dst
}

func appendLevel(dst []byte, a *value.Array, dims []value.Dim, elems []value.Value, f *Format) ([]byte, []value.Value) {
	dst = append(dst, '{')
	for i := range dims[0].Len {
		if i > 0 {
			dst = append(dst, delimiter(a.Elem))
		}
		if len(dims) > 1 {
			dst, elems = appendLevel(dst, a, dims[1:], elems, f)
			continue
		}
		dst = appendElem(dst, a.Elem, elems[0], f)
		elems = elems[1:]
	}
	return append(dst, '}'), elems
}

func appendElem(dst []byte, t *value.Type, v value.Value, f *Format) []byte {
	if v.IsNull() {
		return append(dst, "NULL"...)
	}
	start := len(dst)
	dst = Append(dst, t, v, f)
	if !quoteElem(dst[start:], delimiter(t)) {
		return dst
	}
	text := string(dst[start:])
	dst = append(dst[:start], '"')
	for i := range len(text) {
		if text[i] == '"' || text[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, text[i])
	}
	return append(dst, '"')
}

func arrayCmp(x, y value.Value) int {
	a, b := x.Box().(*value.Array), y.Box().(*value.Array)
	if len(a.Elems) > 0 && len(b.Elems) > 0 {
		cmp := Comparer(a.Elem)
		for i := range min(len(a.Elems), len(b.Elems)) {
			if c := cmpNull(cmp, a.Elems[i], b.Elems[i]); c != 0 {
				return c
			}
		}
	}
	if c := len(a.Elems) - len(b.Elems); c != 0 {
		return sign(c)
	}
	if c := len(a.Dims) - len(b.Dims); c != 0 {
		return sign(c)
	}
	for i := range a.Dims {
		if c := int(a.Dims[i].Len) - int(b.Dims[i].Len); c != 0 {
			return sign(c)
		}
	}
	for i := range a.Dims {
		if c := int(a.Dims[i].Lower) - int(b.Dims[i].Lower); c != 0 {
			return sign(c)
		}
	}
	return 0
}

func sign(c int) int {
	switch {
	case c < 0:
		return -1
	case c > 0:
		return 1
	}
	return 0
}

// cmpNull compares with NULLs last.
func cmpNull(cmp func(a, b value.Value) int, a, b value.Value) int {
	switch {
	case a.IsNull() && b.IsNull():
		return 0
	case a.IsNull():
		return 1
	case b.IsNull():
		return -1
	}
	return cmp(a, b)
}

func arrayHash(h uint64, v value.Value) uint64 {
	a := v.Box().(*value.Array)
	for _, e := range a.Elems {
		h = Hash(h, a.Elem, e)
	}
	return mix(h, uint64(len(a.Elems)))
}

func arrayMod(t *value.Type, mod int32, v value.Value, explicit bool) (value.Value, error) {
	a := v.Box().(*value.Array)
	out := make([]value.Value, len(a.Elems))
	for i, e := range a.Elems {
		var err error
		if out[i], err = ApplyMod(t.Elem, mod, e, explicit); err != nil {
			return value.Null, err
		}
	}
	return value.Box(&value.Array{Elem: a.Elem, Dims: a.Dims, Elems: out}), nil
}

// int2vector and oidvector: numbers with a blank between them, lower bound 0.

func vectorIn(t *value.Type, s string, _ *Format) (value.Value, error) {
	var elems []value.Value
	for _, w := range strings.Fields(s) {
		var v value.Value
		var err error
		if t.OID == value.OIDVector.OID {
			v, err = oidIn(value.OID, w, nil)
		} else {
			v, err = parseInt(w, "smallint", 16)
		}
		if err != nil {
			return value.Null, err
		}
		elems = append(elems, v)
	}
	a := value.NewArray(t.Elem, elems)
	if len(a.Dims) == 1 {
		a.Dims[0].Lower = 0
	}
	return value.Box(a), nil
}

func vectorOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	for i, e := range v.Box().(*value.Array).Elems {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendInt(dst, e.Int(), 10)
	}
	return dst
}

// arrayCmp0 and arrayHash0 are arrayCmp and arrayHash for arrays of integers: they don't go through the table of codecs,
// so that they can stand in it.
func arrayCmp0(x, y value.Value) int {
	a, b := x.Box().(*value.Array).Elems, y.Box().(*value.Array).Elems
	for i := range min(len(a), len(b)) {
		if c := oidCmp(a[i], b[i]); c != 0 {
			return c
		}
	}
	return sign(len(a) - len(b))
}

func arrayHash0(h uint64, v value.Value) uint64 {
	a := v.Box().(*value.Array)
	for _, e := range a.Elems {
		h = intHash(h, e)
	}
	return mix(h, uint64(len(a.Elems)))
}
