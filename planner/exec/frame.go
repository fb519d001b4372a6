package exec

import (
	"context"
	"math"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// frame finds window frames. Rows are counted from 0 within a partition.
type frame struct {
	f          *plan.Frame
	env        *functions.Env
	start, end eval.Node
	startType  *value.Type
	endType    *value.Type
	startVal   value.Value
	endVal     value.Value
	out        [3][2]int
	key        value.Column
}

func (b *builder) frame(f *plan.Frame) (*frame, error) {
	fr := &frame{f: f, env: b.rt.Env}
	var err error
	if e := f.Start.Offset; e != nil {
		if fr.start, err = b.scope(nil).Compile(e); err != nil {
			return nil, err
		}
		fr.startType = e.Type()
	}
	if e := f.End.Offset; e != nil {
		if fr.end, err = b.scope(nil).Compile(e); err != nil {
			return nil, err
		}
		fr.endType = e.Type()
	}
	return fr, nil
}

// evaluate computes the offsets, which depend on no row.
func (fr *frame) evaluate(ctx context.Context) (err error) {
	if fr.startVal, err = fr.offset(ctx, fr.start, fr.startType, "starting"); err != nil {
		return err
	}
	fr.endVal, err = fr.offset(ctx, fr.end, fr.endType, "ending")
	return err
}

func (fr *frame) offset(ctx context.Context, n eval.Node, t *value.Type, which string) (value.Value, error) {
	if n == nil {
		return value.Null, nil
	}
	v, err := eval.Value(ctx, n)
	if err != nil {
		return v, err
	}
	if v.IsNull() {
		return v, dberr.New(dberr.NullValueNotAllowed, "frame %s offset must not be null", which)
	}
	rows := fr.f.Mode == 'r' || fr.f.Mode == 'g'
	switch {
	case !rows && (negative(t, v) || isNaN(v)):
		return v, dberr.New(dberr.InvalidPrecedingOrFollowing, "invalid preceding or following size in window function")
	case negative(t, v):
		return v, dberr.New(dberr.InvalidPrecedingOrFollowing, "frame %s offset must not be negative", which)
	}
	return v, nil
}

func negative(t *value.Type, v value.Value) bool {
	switch v.Kind() {
	case value.KindInt:
		return v.Int() < 0
	case value.KindFloat:
		return v.Float() < 0
	case value.KindBox:
		switch x := v.Box().(type) {
		case value.Interval:
			return vec.CompareValues(t, v, value.Box(value.Interval{})) < 0
		case *num.Dec:
			return x.Sign() < 0
		}
	}
	return false
}

func isNaN(v value.Value) bool {
	switch v.Kind() {
	case value.KindFloat:
		return math.IsNaN(v.Float())
	case value.KindBox:
		d, ok := v.Box().(*num.Dec)
		return ok && num.IsNaN(d)
	}
	return false
}

// whole tells whether every row's frame is its whole partition.
func (fr *frame) whole(p *partition) bool {
	f := fr.f
	if f.Exclude != 0 || f.Start.Kind != 'u' {
		return false
	}
	return f.End.Kind == 'U' || f.Mode != 'r' && f.End.Kind == 'c' && len(p.starts) == 2
}

// ranges lists the parts of row i's frame. The result is valid until the next call.
func (fr *frame) ranges(p *partition, i int) ([][2]int, error) {
	from, to, err := fr.bounds(p, i)
	if err != nil {
		return nil, err
	}
	if from >= to {
		return nil, nil
	}
	if fr.f.Exclude == 0 {
		fr.out[0] = [2]int{from, to}
		return fr.out[:1], nil
	}
	return fr.exclude(p, i, from, to), nil
}

// exclude cuts the current row, its group, or its ties out of a frame.
func (fr *frame) exclude(p *partition, i, from, to int) [][2]int {
	gap := [2]int{i, i + 1}
	if fr.f.Exclude != 'c' {
		gap[0], gap[1] = p.peers(i)
	}
	out := fr.out[:0]
	add := func(a, b int) {
		if a, b = max(a, from), min(b, to); a < b {
			out = append(out, [2]int{a, b})
		}
	}
	add(from, gap[0])
	if fr.f.Exclude == 't' {
		add(i, i+1)
	}
	add(gap[1], to)
	return out
}

// bounds gives row i's frame before exclusion.
func (fr *frame) bounds(p *partition, i int) (from, to int, err error) {
	if from, err = fr.bound(p, i, fr.f.Start, fr.startVal, false); err != nil {
		return 0, 0, err
	}
	to, err = fr.bound(p, i, fr.f.End, fr.endVal, true)
	return max(from, 0), min(to, p.size()), err
}

// bound is one end of row i's frame: the first row in it, or one past the last.
func (fr *frame) bound(p *partition, i int, b plan.Bound, offset value.Value, end bool) (int, error) {
	switch b.Kind {
	case 'u':
		return 0, nil
	case 'U':
		return p.size(), nil
	}
	switch fr.f.Mode {
	case 'r':
		return rowBound(p, i, b.Kind, offset, end), nil
	case 'g':
		return groupBound(p, i, b.Kind, offset, end), nil
	default:
		return fr.rangeBound(p, i, b.Kind, offset, end)
	}
}

// signed gives an offset in rows or groups, cut to the partition's size, as a movement.
func signed(kind byte, offset value.Value, size int) int {
	switch kind {
	case 'p':
		return -int(min(offset.Int(), int64(size)+1))
	case 'f':
		return int(min(offset.Int(), int64(size)+1))
	}
	return 0
}

func rowBound(p *partition, i int, kind byte, offset value.Value, end bool) int {
	at := i + signed(kind, offset, p.size())
	if end {
		at++
	}
	return min(max(at, 0), p.size())
}

func groupBound(p *partition, i int, kind byte, offset value.Value, end bool) int {
	groups := len(p.starts) - 1
	g := int(p.group[i]) + signed(kind, offset, groups)
	switch {
	case g < 0:
		return 0
	case g >= groups:
		return p.size()
	case end:
		return int(p.starts[g+1])
	}
	return int(p.starts[g])
}

// rangeBound finds the rows whose key is within an offset of row i's. NULL keys are in range of each other only.
func (fr *frame) rangeBound(p *partition, i int, kind byte, offset value.Value, end bool) (int, error) {
	first, last := p.peers(i)
	if kind == 'c' || p.keys[0].IsNull(p.from+i) {
		if end {
			return last, nil
		}
		return first, nil
	}
	order := p.order[0]
	fn := fr.f.Plus
	if (kind == 'p') != order.Desc {
		fn = fr.f.Minus
	}
	key := p.keys[0].Get(p.from + i)
	limit, unbounded, err := fr.shift(fn, p.keys[0].Type, key, offset)
	if err != nil {
		return 0, err
	}
	lo, hi := nonNulls(p)
	if !unbounded && isNaN(limit) && !isNaN(key) {
		// An infinite offset from an infinite key has every number in range.
		lo, hi = fr.numbers(p, lo, hi)
		if end {
			return hi, nil
		}
		return lo, nil
	}
	if unbounded {
		lo, hi = fr.numbers(p, lo, hi)
		if kind == 'p' {
			return lo, nil
		}
		return hi, nil
	}
	fr.key.Type = p.keys[0].Type
	fr.key.Reset()
	fr.key.Append(limit)
	return searchRows(lo, hi, func(k int) bool {
		c := order.CompareNulls(p.keys[0], p.from+k, &fr.key, 0)
		return c > 0 || c == 0 && !end
	}), nil
}

// numbers is the part of the rows lo to hi whose first key is not NaN, which sorts above all numbers.
func (fr *frame) numbers(p *partition, lo, hi int) (int, int) {
	var nan value.Value
	switch t := p.keys[0].Type; {
	case t.Kind == value.KindFloat:
		nan = value.Float(math.NaN())
	case t.OID == value.Numeric.OID:
		nan = value.Box(num.NaN)
	default:
		return lo, hi
	}
	fr.key.Type = p.keys[0].Type
	fr.key.Reset()
	fr.key.Append(nan)
	order := p.order[0]
	if order.Desc {
		return searchRows(lo, hi, func(k int) bool { return order.CompareNulls(p.keys[0], p.from+k, &fr.key, 0) > 0 }), hi
	}
	return lo, searchRows(lo, hi, func(k int) bool { return order.CompareNulls(p.keys[0], p.from+k, &fr.key, 0) >= 0 })
}

// nonNulls is the range of rows whose first key is not NULL.
func nonNulls(p *partition) (int, int) {
	lo, hi := 0, p.size()
	col := p.keys[0]
	if len(col.Nulls) == 0 {
		return lo, hi
	}
	if p.order[0].NullsFirst {
		return searchRows(0, hi, func(i int) bool { return !col.IsNull(p.from + i) }), hi
	}
	return lo, searchRows(0, hi, func(i int) bool { return col.IsNull(p.from + i) })
}

// shift moves a key by an offset; a result beyond the type's range is no bound at all.
func (fr *frame) shift(fn *functions.Scalar, t *value.Type, key, offset value.Value) (limit value.Value, unbounded bool, err error) {
	if fn == nil {
		return value.Null, false, dberr.New(dberr.FeatureNotSupported, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s", t.SQL)
	}
	call := &functions.Call{Env: fr.env, Args: []*value.Type{fn.Params[0].Type, fn.Params[1].Type}, Mods: []int32{-1, -1}, Ret: fn.Ret}
	v, err := fn.Eval(context.Background(), call, []value.Value{key, offset})
	switch dberr.Code(err) {
	case "":
	case dberr.NumericValueOutOfRange, dberr.DatetimeFieldOverflow:
		return value.Null, true, nil
	default:
		return value.Null, false, err
	}
	if t.OID == value.Date.OID && fn.Ret != nil && fn.Ret.OID == value.Timestamp.OID {
		v = value.Int(floorDiv(v.Int(), 86400*1000000))
	}
	return v, false, nil
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
