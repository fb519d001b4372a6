package scalar

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// vecType is a type of vectors as conversions see it.
type vecType struct {
	t    *value.Type
	from func(v val) (typeio.Sparse, []float32) // one of the two; the slice belongs to the caller
	to   func(f []float32) (val, error)
}

// vecTypes are the types from the richest to the poorest: casts onwards are implicit.
var vecTypes = []*vecType{
	{t: value.Vector, from: func(v val) (typeio.Sparse, []float32) { return typeio.Sparse{}, typeio.UnpackVector(v) }, to: packVector},
	{t: value.HalfVec, from: func(v val) (typeio.Sparse, []float32) { return typeio.Sparse{}, typeio.UnpackHalf(v) }, to: packHalf},
	{t: value.SparseVec, from: func(v val) (typeio.Sparse, []float32) { return typeio.UnpackSparse(v), nil }, to: packSparse},
}

func packVector(f []float32) (val, error) {
	return typeio.PackVector(f), typeio.CheckVectorDims(value.Vector, len(f))
}

func packHalf(f []float32) (val, error) {
	if err := typeio.CheckVectorDims(value.HalfVec, len(f)); err != nil {
		return value.Null, err
	}
	return typeio.PackHalf(f)
}

func packSparse(f []float32) (val, error) {
	s, err := typeio.SparseOf(f)
	return typeio.PackSparse(s), err
}

// fit checks the dimensions of what a conversion made against the modifier that it was given as its second argument.
func fit(v val, err error, dims int, a []val) (val, error) {
	if err == nil && len(a) > 1 {
		err = typeio.CheckVectorMod(int32(a[1].Int()), dims)
	}
	return v, err
}

// vecConversion is a function that is a cast too: its value, the target's modifier, whether the cast is explicit.
type vecConversion struct {
	oid      uint32
	name     string
	from, to *value.Type
	context  functions.CastContext
	eval     eval
}

func conversions() []vecConversion {
	var out []vecConversion
	for i, to := range vecTypes {
		for k, elem := range []*value.Type{value.Int4, value.Float4, value.Float8, value.Numeric} {
			out = append(out, vecConversion{8490 + uint32(10*i+k), "array_to_" + to.t.Name, value.ArrayOf(elem), to.t, functions.Assignment, arrayToVector(to)})
		}
		for k, from := range vecTypes {
			c := vecConversion{8494 + uint32(10*i+k), from.t.Name + "_to_" + to.t.Name, from.t, to.t, functions.Assignment, between(from, to)}
			if k <= i {
				c.context = functions.Implicit
			}
			if k == i {
				c.name, c.eval = to.t.Name, fitted(to.t)
			}
			out = append(out, c)
		}
		out = append(out, vecConversion{8497 + uint32(10*i), "", value.JSONB, to.t, functions.Explicit, jsonToVector(to)})
	}
	for i, from := range vecTypes[:2] {
		context := functions.Implicit
		if i > 0 {
			context = functions.Assignment
		}
		out = append(out, vecConversion{8498 + uint32(10*i), from.t.Name + "_to_float4", from.t, value.ArrayOf(value.Float4), context, vectorToArray(from)})
	}
	return out
}

// conversionScalar is the function of a conversion, the same each time: catalog and cast share its OID.
func (c *vecConversion) scalar() *functions.Scalar {
	return &functions.Scalar{
		OID: c.oid, Name: c.name, Ret: c.to, Strict: true, Volatility: functions.Immutable, Eval: c.eval,
		Params: []functions.Param{{Type: c.from}, {Type: value.Int4}, {Type: value.Boolean}},
	}
}

// conversionFuncs lists those that SQL can call by name.
func conversionFuncs() []*functions.Scalar {
	var out []*functions.Scalar
	for _, c := range conversions() {
		if c.name != "" {
			out = append(out, c.scalar())
		}
	}
	return out
}

// vecCasts makes the casts between the types of vectors and arrays of numbers, and from jsonb.
func vecCasts() []*functions.Cast {
	var out []*functions.Cast
	for _, c := range conversions() {
		fn := c.scalar()
		if c.name == "" {
			fn.OID, fn.Name, fn.Hidden = 0, "jsonb_to_"+c.to.Name, true
		}
		out = append(out, &functions.Cast{From: c.from, To: c.to, Context: c.context, Fn: fn})
	}
	return out
}

func between(from, to *vecType) eval {
	return try(func(a []val) (val, error) {
		s, f := from.from(a[0])
		if f == nil {
			var err error
			if f, err = s.Dense(to.t); err != nil {
				return value.Null, err
			}
		}
		v, err := to.to(f)
		return fit(v, err, len(f), a)
	})
}

func vectorToArray(from *vecType) eval {
	return pure(func(a []val) val {
		_, f := from.from(a[0])
		elems := make([]val, len(f))
		for i, x := range f {
			elems[i] = value.Float(float64(x))
		}
		return value.Box(value.NewArray(value.Float4, elems))
	})
}

func arrayToVector(to *vecType) eval {
	return try(func(a []val) (val, error) {
		f, err := arrayFloats(arr(a[0]), to.t)
		if err != nil {
			return value.Null, err
		}
		v, err := to.to(f)
		return fit(v, err, len(f), a)
	})
}

// arrayFloats takes a one-dimensional array of numbers.
func arrayFloats(x *value.Array, to *value.Type) ([]float32, error) {
	if len(x.Dims) > 1 {
		return nil, dberr.New(dberr.DataException, "array must be 1-D")
	}
	out := make([]float32, len(x.Elems))
	for i, e := range x.Elems {
		if e.IsNull() {
			return nil, dberr.New(dberr.NullValueNotAllowed, "array must not contain nulls")
		}
		var f float64
		switch x.Elem.OID {
		case value.Int4.OID:
			f = float64(e.Int())
		case value.Numeric.OID:
			v, err := numToFloat(typeio.Num(e), 32, "real")
			if err != nil {
				return nil, err
			}
			f = v.Float()
		default:
			f = e.Float()
		}
		out[i] = float32(f)
		if err := typeio.CheckVectorElem(to, float64(out[i])); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// jsonToVector takes an array of numbers in JSON, and a stored vector, which shows itself as one.
func jsonToVector(to *vecType) eval {
	return try(func(a []val) (val, error) {
		f, err := jsonFloats(a[0], to.t)
		if err != nil {
			return value.Null, err
		}
		v, err := to.to(f)
		return fit(v, err, len(f), a)
	})
}

func jsonFloats(v val, to *value.Type) ([]float32, error) {
	s := v.Str()
	d := doc.Value{Type: s[0], Data: []byte(s[1:])}
	if sub, b, ok := d.Binary(); ok && sub == doc.SubtypeVector {
		return typeio.UnpackVector(value.Bytes(b)), nil
	}
	if d.Type != doc.TypeArray {
		return nil, dberr.New(dberr.InvalidParameterValue, "cannot cast jsonb %s to type %s", typeio.Text(value.JSONB, v, typeio.Default), to.SQL).
			WithHint("A vector is an array of numbers.")
	}
	var out []float32
	for elems := d.Elements(); ; {
		_, e, more := elems.Next()
		if !more {
			return out, nil
		}
		f, ok := e.Float64()
		if !ok {
			return nil, dberr.New(dberr.InvalidParameterValue, "element %d of the array is not a number", len(out)+1).WithHint("A vector is an array of numbers.")
		}
		out = append(out, float32(f))
		if err := typeio.CheckVectorElem(to, float64(out[len(out)-1])); err != nil {
			return nil, err
		}
	}
}
