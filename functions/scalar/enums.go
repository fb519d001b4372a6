package scalar

import (
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// enumFunctions gives the functions of enums, which find their labels in the resolved type.
func enumFunctions() []def {
	return []def{
		{Sig: "enum_first(anyenum)", Eval: with(func(c *call, _ []val) (val, error) { return enumEnd(c, 0) })},
		{Sig: "enum_last(anyenum)", Eval: with(func(c *call, _ []val) (val, error) { return enumEnd(c, len(c.Args[0].Labels)-1) })},
		{Sig: "enum_range(anyenum)", Eval: with(func(c *call, _ []val) (val, error) { return enumRange(c, value.Null, value.Null), nil })},
		{Sig: "enum_range(anyenum,anyenum)", Eval: with(func(c *call, a []val) (val, error) { return enumRange(c, a[0], a[1]), nil })},
		{Sig: "enum_larger(anyenum,anyenum)", Eval: pure(func(a []val) val { return value.Int(max(a[0].Int(), a[1].Int())) })},
		{Sig: "enum_smaller(anyenum,anyenum)", Eval: pure(func(a []val) val { return value.Int(min(a[0].Int(), a[1].Int())) })},
	}
}

func enumEnd(c *call, i int) (val, error) {
	if n := len(c.Args[0].Labels); i < 0 || i >= n {
		return value.Null, dberr.New(dberr.ObjectNotInPrerequisiteState, "enum %s contains no values", c.Args[0].SQL)
	}
	return value.Int(int64(i)), nil
}

// enumRange gives the labels from low to high; NULL means no limit.
func enumRange(c *call, low, high val) val {
	from, to := int64(0), int64(len(c.Args[0].Labels))-1
	if !low.IsNull() {
		from = low.Int()
	}
	if !high.IsNull() {
		to = high.Int()
	}
	var out []val
	for i := from; i <= to; i++ {
		out = append(out, value.Int(i))
	}
	return value.Box(value.NewArray(c.Args[0], out))
}
