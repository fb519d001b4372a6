package jsonfunc

import (
	"math"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// casts lists the casts from jsonb to SQL types. JSON null is no value of these types.
func casts() []def {
	return []def{
		{Sig: "bool(jsonb)", Eval: try(toBool)},
		{Sig: "numeric(jsonb)", Eval: toNumber("numeric", value.Numeric, nil)},
		{Sig: "int2(jsonb)", Eval: toNumber("smallint", value.Int2, &[2]int64{math.MinInt16, math.MaxInt16})},
		{Sig: "int4(jsonb)", Eval: toNumber("integer", value.Int4, &[2]int64{math.MinInt32, math.MaxInt32})},
		{Sig: "int8(jsonb)", Eval: toNumber("bigint", value.Int8, &[2]int64{math.MinInt64, math.MaxInt64})},
		{Sig: "float4(jsonb)", Eval: toNumber("real", value.Float4, nil)},
		{Sig: "float8(jsonb)", Eval: toNumber("double precision", value.Float8, nil)},
	}
}

func cannotCast(d doc.Value, to string) error {
	kind := typeOf(d)
	if kind == "array" || kind == "object" || kind == "null" || kind == "string" || kind == "boolean" || kind == "number" {
		if kind == "number" {
			kind = "numeric"
		}
		return dberr.New(dberr.InvalidParameterValue, "cannot cast jsonb %s to type %s", kind, to)
	}
	return dberr.New(dberr.InvalidParameterValue, "cannot cast jsonb to type %s", to)
}

func toBool(a []val) (val, error) {
	d := typeio.Doc(a[0])
	b, ok := d.Bool()
	if !ok {
		return value.Null, cannotCast(d, "boolean")
	}
	return value.Bool(b), nil
}

// toNumber goes through numeric, as PostgreSQL does; integers are rounded half away from zero.
func toNumber(name string, t *value.Type, bounds *[2]int64) eval {
	return try(func(a []val) (val, error) {
		d := typeio.Doc(a[0])
		if !d.IsNumber() {
			return value.Null, cannotCast(d, name)
		}
		if bounds != nil {
			if i, ok := d.Int64(); ok {
				if i < bounds[0] || i > bounds[1] {
					return value.Null, dberr.New(dberr.NumericValueOutOfRange, "%s out of range", name)
				}
				return value.Int(i), nil
			}
			rounded, err := typeio.In(value.Numeric, 0x7fff<<16|4, string(d.AppendNumber(nil)), typeio.Default)
			if err != nil {
				return value.Null, dberr.New(dberr.NumericValueOutOfRange, "%s out of range", name)
			}
			v, err := typeio.In(t, -1, typeio.Text(value.Numeric, rounded, typeio.Default), typeio.Default)
			if err != nil {
				return value.Null, dberr.New(dberr.NumericValueOutOfRange, "%s out of range", name)
			}
			return v, nil
		}
		return typeio.In(t, -1, string(d.AppendNumber(nil)), typeio.Default)
	})
}
