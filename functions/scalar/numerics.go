package scalar

import (
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

func box(d *num.Dec, err error) (val, error) {
	if err != nil {
		return value.Null, err
	}
	return value.Box(d), nil
}

// num1 and num2 lift functions of numerics.
func num1(f func(x *num.Dec) (*num.Dec, error)) eval {
	return try(func(a []val) (val, error) { return box(f(typeio.Num(a[0]))) })
}

func num2(f func(x, y *num.Dec) (*num.Dec, error)) eval {
	return try(func(a []val) (val, error) { return box(f(typeio.Num(a[0]), typeio.Num(a[1]))) })
}

func sure(f func(x *num.Dec) *num.Dec) func(x *num.Dec) (*num.Dec, error) {
	return func(x *num.Dec) (*num.Dec, error) { return f(x), nil }
}

// numRound lifts round and trunc with a number of digits.
func numRound(f func(x *num.Dec, scale int) (*num.Dec, error)) eval {
	return try(func(a []val) (val, error) { return box(f(typeio.Num(a[0]), int(a[1].Int()))) })
}

func numRound0(f func(x *num.Dec, scale int) (*num.Dec, error)) eval {
	return num1(func(x *num.Dec) (*num.Dec, error) { return f(x, 0) })
}

// numerics gives the arithmetic, mathematical and cast functions of numeric.
func numerics() []def {
	out := []def{
		{Sig: "numeric_add(numeric,numeric)", Eval: num2(num.Add)}, {Sig: "numeric_sub(numeric,numeric)", Eval: num2(num.Sub)},
		{Sig: "numeric_mul(numeric,numeric)", Eval: num2(num.Mul)}, {Sig: "numeric_div(numeric,numeric)", Eval: num2(num.Div)},
		{Sig: "pg_lsn(numeric)", Eval: try(numericLSN)},
		{Sig: "numeric_mod(numeric,numeric)", Eval: num2(num.Mod)}, {Sig: "mod(numeric,numeric)", Eval: num2(num.Mod)},
		{Sig: "div(numeric,numeric)", Eval: num2(num.DivTrunc)}, {Sig: "numeric_div_trunc(numeric,numeric)", Eval: num2(num.DivTrunc)},
		{Sig: "numeric_uminus(numeric)", Eval: num1(sure(num.Neg))}, {Sig: "numeric_abs(numeric)", Eval: num1(sure(num.Abs))},
		{Sig: "abs(numeric)", Eval: num1(sure(num.Abs))}, {Sig: "numeric_uplus(numeric)", Eval: pure(func(a []val) val { return a[0] })},
		{Sig: "numeric_larger(numeric,numeric)", Eval: pure(func(a []val) val {
			if num.Cmp(typeio.Num(a[0]), typeio.Num(a[1])) > 0 {
				return a[0]
			}
			return a[1]
		})},
		{Sig: "numeric_smaller(numeric,numeric)", Eval: pure(func(a []val) val {
			if num.Cmp(typeio.Num(a[0]), typeio.Num(a[1])) < 0 {
				return a[0]
			}
			return a[1]
		})},
		{Sig: "numeric_inc(numeric)", Eval: num1(func(x *num.Dec) (*num.Dec, error) { return num.Add(x, num.One) })},
		{Sig: "round(numeric,int4)", Eval: numRound(num.Round)}, {Sig: "round(numeric)", Eval: numRound0(num.Round)},
		{Sig: "trunc(numeric,int4)", Eval: numRound(num.Trunc)}, {Sig: "trunc(numeric)", Eval: numRound0(num.Trunc)},
		{Sig: "ceil(numeric)", Eval: num1(num.Ceil)}, {Sig: "ceiling(numeric)", Eval: num1(num.Ceil)}, {Sig: "floor(numeric)", Eval: num1(num.Floor)},
		{Sig: "numeric(numeric,int4)", Eval: try(func(a []val) (val, error) { return typeio.ApplyMod(value.Numeric, int32(a[1].Int()), a[0], false) })},
	}
	return append(out, numericCasts()...)
}

func numericCasts() []def {
	var out []def
	for _, t := range []intType{int2T, int4T, int8T} {
		out = append(out,
			def{Sig: "numeric(" + t.name + ")", Eval: pure(func(a []val) val { return value.Box(num.FromInt(a[0].Int())) })},
			def{Sig: t.name + "(numeric)", Eval: try(func(a []val) (val, error) { return numToInt(t, typeio.Num(a[0])) })})
	}
	return append(out,
		def{Sig: "float8(numeric)", Eval: try(func(a []val) (val, error) { return numToFloat(typeio.Num(a[0]), 64, "double precision") })},
		def{Sig: "float4(numeric)", Eval: try(func(a []val) (val, error) { return numToFloat(typeio.Num(a[0]), 32, "real") })})
}

func numToInt(t intType, d *num.Dec) (val, error) {
	switch {
	case num.IsNaN(d):
		return value.Null, dberr.New(dberr.FeatureNotSupported, "cannot convert NaN to %s", t.sql)
	case num.IsInf(d):
		return value.Null, dberr.New(dberr.FeatureNotSupported, "cannot convert infinity to %s", t.sql)
	}
	i, ok := num.Int64(d)
	if !ok {
		return value.Null, outOfRange(t.sql)
	}
	return t.fit(i)
}

func numToFloat(d *num.Dec, bits int, typ string) (val, error) {
	f, ok := num.Float(d, bits)
	if !ok {
		return value.Null, dberr.New(dberr.NumericValueOutOfRange, `"%s" is out of range for type %s`, num.String(d), typ)
	}
	return value.Float(f), nil
}

// numericLSN makes a log position of a number of bytes.
func numericLSN(a []val) (val, error) {
	d := typeio.Num(a[0])
	switch {
	case num.IsNaN(d):
		return value.Null, dberr.New(dberr.FeatureNotSupported, "cannot convert NaN to pg_lsn")
	case num.IsInf(d):
		return value.Null, dberr.New(dberr.FeatureNotSupported, "cannot convert infinity to pg_lsn")
	}
	r, err := num.Round(d, 0)
	if err != nil {
		return value.Null, err
	}
	n := num.Big(r)
	if n.Sign() < 0 || !n.IsUint64() {
		return value.Null, dberr.New(dberr.InvalidParameterValue, "pg_lsn out of range")
	}
	return value.Int(int64(n.Uint64())), nil
}
