package typeio

import (
	"math"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

func badRange(text, detail string) error {
	return dberr.New(dberr.InvalidTextRepresentation, `malformed range literal: "%s"`, text).WithDetail("%s", detail)
}

func rangeIn(t *value.Type, text string, f *Format) (value.Value, error) {
	r, _, err := parseRange(t.Elem, text, text, true, f)
	if err != nil {
		return value.Null, err
	}
	return value.Box(r), nil
}

// parseRange reads one range from s, a part of text, and gives what is left; whole: nothing may be left.
func parseRange(elem *value.Type, text, s string, whole bool, f *Format) (*value.Range, string, error) {
	for s != "" && num.Space(s[0]) {
		s = s[1:]
	}
	if len(s) >= 5 && strings.EqualFold(s[:5], "empty") {
		if num.TrimSpace(s[5:]) != "" {
			return nil, "", badRange(text, `Junk after "empty" key word.`)
		}
		return &value.Range{Elem: elem, Empty: true}, "", nil
	}
	if s == "" || s[0] != '[' && s[0] != '(' {
		return nil, "", badRange(text, "Missing left parenthesis or bracket.")
	}
	lowInc := s[0] == '['
	lower, lowInf, s, ok := rangeBound(s[1:])
	if !ok {
		return nil, "", badRange(text, "Unexpected end of input.")
	}
	if s[0] != ',' {
		return nil, "", badRange(text, "Missing comma after lower bound.")
	}
	upper, upInf, s, ok := rangeBound(s[1:])
	if !ok {
		return nil, "", badRange(text, "Unexpected end of input.")
	}
	if s[0] == ',' {
		return nil, "", badRange(text, "Too many commas.")
	}
	if whole && num.TrimSpace(s[1:]) != "" {
		return nil, "", badRange(text, "Junk after right parenthesis or bracket.")
	}
	low, err := boundIn(elem, lower, lowInf, f)
	if err != nil {
		return nil, "", err
	}
	up, err := boundIn(elem, upper, upInf, f)
	if err != nil {
		return nil, "", err
	}
	r, err := NewRange(elem, low, up, lowInc, s[0] == ']')
	return r, s[1:], err
}

// rangeBound cuts a bound's text off; nothing at all means an infinite bound.
func rangeBound(s string) (tok string, infinite bool, rest string, ok bool) {
	tok, rest, ok = recordToken(s, ",])")
	return tok, tok == "" && len(rest) == len(s), rest, ok
}

func boundIn(elem *value.Type, tok string, infinite bool, f *Format) (value.Value, error) {
	if infinite {
		return value.Null, nil
	}
	return In(elem, -1, tok, f)
}

// NewRange makes a range in canonical form: bounds in order, [ ) for the discrete types, empty when nothing is inside.
func NewRange(elem *value.Type, lower, upper value.Value, lowInc, upInc bool) (*value.Range, error) {
	r := &value.Range{Elem: elem, Lower: lower, Upper: upper, LowerInc: lowInc && !lower.IsNull(), UpperInc: upInc && !upper.IsNull()}
	if !lower.IsNull() && !upper.IsNull() {
		switch c := Comparer(elem)(lower, upper); {
		case c > 0:
			return nil, dberr.New(dberr.DataException, "range lower bound must be less than or equal to range upper bound")
		case c == 0 && !(lowInc && upInc):
			return &value.Range{Elem: elem, Empty: true}, nil
		}
	}
	return canonical(r)
}

// canonical turns discrete ranges into [ ) form.
func canonical(r *value.Range) (*value.Range, error) {
	step, ok := discrete[r.Elem.OID]
	if !ok || r.Empty {
		return r, nil
	}
	next := func(v value.Value) (value.Value, error) {
		if v.Int() == step.max {
			return v, dberr.New(step.code, "%s out of range", step.name)
		}
		return value.Int(v.Int() + 1), nil
	}
	var err error
	if !r.Lower.IsNull() && !r.LowerInc && !step.infinite(r.Lower) {
		if r.Lower, err = next(r.Lower); err != nil {
			return nil, err
		}
		r.LowerInc = true
	}
	if !r.Upper.IsNull() && r.UpperInc && !step.infinite(r.Upper) {
		if r.Upper, err = next(r.Upper); err != nil {
			return nil, err
		}
		r.UpperInc = false
	}
	if !r.Lower.IsNull() && !r.Upper.IsNull() && r.Lower.Int() == r.Upper.Int() && !(r.LowerInc && r.UpperInc) {
		return &value.Range{Elem: r.Elem, Empty: true}, nil
	}
	return r, nil
}

// discreteStep describes a range element type whose values have a next one.
type discreteStep struct {
	name string
	max  int64
	code string
	date bool
}

func (d discreteStep) infinite(v value.Value) bool {
	return d.date && (v.Int() == math.MaxInt32 || v.Int() == math.MinInt32)
}

var discrete = map[uint32]discreteStep{
	value.Int4.OID: {name: "integer", max: math.MaxInt32, code: dberr.NumericValueOutOfRange},
	value.Int8.OID: {name: "bigint", max: math.MaxInt64, code: dberr.NumericValueOutOfRange},
	value.Date.OID: {name: "date", max: maxDate, code: dberr.DatetimeFieldOverflow, date: true},
}

func rangeOut(dst []byte, r *value.Range, f *Format) []byte {
	if r.Empty {
		return append(dst, "empty"...)
	}
	open, closing := byte('('), byte(')')
	if r.LowerInc {
		open = '['
	}
	if r.UpperInc {
		closing = ']'
	}
	dst = append(dst, open)
	if !r.Lower.IsNull() {
		start := len(dst)
		dst = quoteField(Append(dst, r.Elem, r.Lower, f), start, `"\()[],`)
	}
	dst = append(dst, ',')
	if !r.Upper.IsNull() {
		start := len(dst)
		dst = quoteField(Append(dst, r.Elem, r.Upper, f), start, `"\()[],`)
	}
	return append(dst, closing)
}

// Bound is one end of a range.
type Bound struct {
	Val   value.Value // NULL: infinite
	Inc   bool
	Lower bool
}

// CmpBounds orders bounds on the line.
func CmpBounds(elem *value.Type, a, b Bound) int {
	switch {
	case a.Val.IsNull() && b.Val.IsNull():
		switch {
		case a.Lower == b.Lower:
			return 0
		case a.Lower:
			return -1
		}
		return 1
	case a.Val.IsNull():
		if a.Lower {
			return -1
		}
		return 1
	case b.Val.IsNull():
		if b.Lower {
			return 1
		}
		return -1
	}
	if c := Comparer(elem)(a.Val, b.Val); c != 0 {
		return c
	}
	return cmpInc(a, b)
}

// cmpInc orders bounds at the same value: an exclusive upper bound comes before it, an exclusive lower one after it.
func cmpInc(a, b Bound) int {
	return a.side() - b.side()
}

func (b Bound) side() int {
	switch {
	case b.Inc:
		return 0
	case b.Lower:
		return 1
	}
	return -1
}

// LowerBound and UpperBound give a range's ends.
func LowerBound(r *value.Range) Bound { return Bound{Val: r.Lower, Inc: r.LowerInc, Lower: true} }

// UpperBound gives a range's upper end.
func UpperBound(r *value.Range) Bound { return Bound{Val: r.Upper, Inc: r.UpperInc} }

// CmpRanges is the order of ranges: empty first, then by lower, then by upper bound.
func CmpRanges(a, b *value.Range) int {
	switch {
	case a.Empty && b.Empty:
		return 0
	case a.Empty:
		return -1
	case b.Empty:
		return 1
	}
	if c := CmpBounds(a.Elem, LowerBound(a), LowerBound(b)); c != 0 {
		return sign(c)
	}
	return sign(CmpBounds(a.Elem, UpperBound(a), UpperBound(b)))
}

func rangeCmp(x, y value.Value) int {
	return CmpRanges(x.Box().(*value.Range), y.Box().(*value.Range))
}

func rangeHash(h uint64, r *value.Range) uint64 {
	if r.Empty {
		return mix(h, 1)
	}
	h = Hash(h, r.Elem, r.Lower)
	h = Hash(h, r.Elem, r.Upper)
	return boolHash(boolHash(h, value.Bool(r.LowerInc)), value.Bool(r.UpperInc))
}

// Multiranges.

func multirangeIn(t *value.Type, text string, f *Format) (value.Value, error) {
	bad := func(detail string) error {
		return dberr.New(dberr.InvalidTextRepresentation, `malformed multirange literal: "%s"`, text).WithDetail("%s", detail)
	}
	s := num.TrimSpace(text)
	if s == "" || s[0] != '{' {
		return value.Null, bad("Missing left brace.")
	}
	s = num.TrimSpace(s[1:])
	var rs []*value.Range
	for s == "" || s[0] != '}' {
		if len(rs) > 0 {
			if s == "" || s[0] != ',' {
				return value.Null, bad("Expected comma or end of multirange.")
			}
			s = num.TrimSpace(s[1:])
		}
		switch {
		case s == "":
			return value.Null, bad("Unexpected end of input.")
		case len(s) >= 5 && strings.EqualFold(s[:5], "empty"):
			rs = append(rs, &value.Range{Elem: t.Elem, Empty: true})
			s = num.TrimSpace(s[5:])
			continue
		case s[0] != '[' && s[0] != '(':
			return value.Null, bad("Expected range start.")
		}
		r, rest, err := parseRange(t.Elem, s, s, false, f)
		if err != nil {
			return value.Null, err
		}
		rs = append(rs, r)
		s = num.TrimSpace(rest)
	}
	if num.TrimSpace(s[1:]) != "" {
		return value.Null, bad("Junk after closing right brace.")
	}
	return value.Box(NewMultirange(t.Elem, rs)), nil
}

// NewMultirange sorts and joins ranges: the result is disjoint, not adjacent, without empty ones.
func NewMultirange(elem *value.Type, rs []*value.Range) *value.Multirange {
	in := slices.Clone(rs)
	in = slices.DeleteFunc(in, func(r *value.Range) bool { return r.Empty })
	slices.SortFunc(in, CmpRanges)
	m := &value.Multirange{Elem: elem}
	for _, r := range in {
		if n := len(m.Ranges); n > 0 && touches(m.Ranges[n-1], r) {
			last := *m.Ranges[n-1]
			if CmpBounds(elem, UpperBound(r), UpperBound(&last)) > 0 {
				last.Upper, last.UpperInc = r.Upper, r.UpperInc
			}
			m.Ranges[n-1] = &last
			continue
		}
		m.Ranges = append(m.Ranges, r)
	}
	return m
}

// touches tells whether b, which doesn't start before a, overlaps a or follows it without a gap.
func touches(a, b *value.Range) bool {
	up, low := UpperBound(a), LowerBound(b)
	if CmpBounds(a.Elem, low, up) <= 0 {
		return true
	}
	return Adjacent(a.Elem, up, low)
}

// Adjacent tells whether nothing lies between an upper and a lower bound that don't overlap.
func Adjacent(elem *value.Type, up, low Bound) bool {
	if up.Val.IsNull() || low.Val.IsNull() {
		return false
	}
	return Comparer(elem)(up.Val, low.Val) == 0 && up.Inc != low.Inc
}

func multirangeOut(dst []byte, m *value.Multirange, f *Format) []byte {
	dst = append(dst, '{')
	for i, r := range m.Ranges {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rangeOut(dst, r, f)
	}
	return append(dst, '}')
}

func multirangeCmp(x, y value.Value) int {
	a, b := x.Box().(*value.Multirange), y.Box().(*value.Multirange)
	for i := range min(len(a.Ranges), len(b.Ranges)) {
		if c := CmpRanges(a.Ranges[i], b.Ranges[i]); c != 0 {
			return c
		}
	}
	return sign(len(a.Ranges) - len(b.Ranges))
}

func multirangeHash(h uint64, v value.Value) uint64 {
	for _, r := range v.Box().(*value.Multirange).Ranges {
		h = rangeHash(h, r)
	}
	return h
}
