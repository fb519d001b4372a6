package jsonpath

import (
	"math"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio/jsonpath"
	"github.com/omgdb/omgdb/storage/typeio/num"
)

// numeric gives a number as SQL's numeric.
func numeric(v doc.Value) *num.Dec {
	d := new(num.Dec)
	v.Decimal(d)
	return num.Normal(d)
}

func number(d *num.Dec) (item, error) {
	v, err := doc.NumberFromDecimal(d)
	return item{Value: v}, err
}

// truncated gives a number cut to an integer of 32 bits.
func truncated(v doc.Value) (int, bool) {
	i, ok := v.Int64()
	if !ok {
		d := numeric(v)
		if !num.Finite(d) {
			return 0, false
		}
		t, err := num.Trunc(d, 0)
		if err != nil {
			return 0, false
		}
		if i, ok = num.Int64(t); !ok {
			return 0, false
		}
	}
	return int(i), i >= math.MinInt32 && i <= math.MaxInt32
}

var arithmetic = map[jsonpath.Op]func(a, b *num.Dec) (*num.Dec, error){
	jsonpath.Add: num.Add, jsonpath.Sub: num.Sub, jsonpath.Mul: num.Mul, jsonpath.Div: num.Div, jsonpath.Mod: num.Mod,
}

// binary computes a + b and its like, whose operands are single numbers.
func (r *run) binary(n *jsonpath.Node, it item, out *[]item) (bool, error) {
	single := func(x *jsonpath.Node) (got []item, err error) { return r.operand(x, it, true) }
	left, err := single(n.Left)
	if err != nil {
		return false, err
	}
	right, err := single(n.Right)
	if err != nil {
		return false, err
	}
	for side, got := range [][]item{left, right} {
		if len(got) != 1 || !isNumber(got[0]) {
			return false, r.fail(dberr.SingletonSQLJSONItemRequired, "%s operand of jsonpath operator %s is not a single numeric value",
				[]string{"left", "right"}[side], n.Op.Symbol())
		}
	}
	d, err := arithmetic[n.Op](numeric(left[0].Value), numeric(right[0].Value))
	if err != nil {
		return false, r.soft(err)
	}
	res, err := number(d)
	if err != nil {
		return false, r.soft(err)
	}
	return r.next(n, res, out)
}

// unary applies a sign to every number of its operand.
func (r *run) unary(n *jsonpath.Node, it item, out *[]item) (bool, error) {
	got, err := r.operand(n.Left, it, true)
	if err != nil {
		return false, err
	}
	found := false
	for _, x := range got {
		if !isNumber(x) {
			if out == nil && n.Next == nil {
				continue
			}
			return false, r.fail(dberr.SQLJSONNumberNotFound, "operand of unary jsonpath operator %s is not a numeric value", n.Op.Symbol())
		}
		if n.Op == jsonpath.Minus {
			if x, err = number(num.Neg(numeric(x.Value))); err != nil {
				return false, r.soft(err)
			}
		}
		ok, err := r.next(n, x, out)
		if err != nil || ok && out == nil {
			return ok, err
		}
		found = found || ok
	}
	return found, nil
}
