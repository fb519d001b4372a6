package sysfunc

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/value"
)

// What information_schema says of types, for its relations and as the functions that PostgreSQL's ones are made of.

func number[N ~int | ~int32 | ~int64](n N) val { return value.Int(int64(n)) }

// NumericFacts give precision, radix and scale of the number types; ok is false for others.
func NumericFacts(t *value.Type, mod int32) (precision, radix, scale val) {
	switch t.OID {
	case value.Int2.OID:
		return number(16), number(2), number(0)
	case value.Int4.OID:
		return number(32), number(2), number(0)
	case value.Int8.OID:
		return number(64), number(2), number(0)
	case value.Float4.OID:
		return number(24), number(2), value.Null
	case value.Float8.OID:
		return number(53), number(2), value.Null
	case value.Numeric.OID:
		if mod < 0 {
			return value.Null, number(10), value.Null
		}
		return number((mod - 4) >> 16 & 0xffff), number(10), number((mod - 4) & 0xffff)
	}
	return value.Null, value.Null, value.Null
}

// CharLength is the declared length of strings of characters or bits, NULL for none.
func CharLength(t *value.Type, mod int32) val {
	switch t.OID {
	case value.Varchar.OID, value.BPChar.OID:
		if mod >= 4 {
			return number(mod - 4)
		}
	case value.Bit.OID, value.VarBit.OID:
		if mod >= 0 {
			return number(mod)
		}
	}
	return value.Null
}

// OctetLength is how many bytes a string of characters may take, NULL for other types.
func OctetLength(t *value.Type, mod int32) val {
	switch t.OID {
	case value.Text.OID, value.Varchar.OID, value.BPChar.OID:
		if n := CharLength(t, mod); !n.IsNull() {
			return number(n.Int() * 4)
		}
		return number(1 << 30)
	}
	return value.Null
}

// DatetimePrecision is the digits of seconds of times, NULL for other types.
func DatetimePrecision(t *value.Type, mod int32) val {
	switch t.OID {
	case value.Date.OID:
		return number(0)
	case value.Time.OID, value.TimeTZT.OID, value.Timestamp.OID, value.TimestampTZ.OID:
		if mod < 0 {
			return number(6)
		}
		return number(mod)
	case value.IntervalT.OID:
		if mod < 0 || mod&0xffff == 0xffff {
			return number(6)
		}
		return number(mod & 0xffff)
	}
	return value.Null
}

// InfoScalars lists the functions of information_schema that describe types. They have no entry among PostgreSQL's fixed OIDs.
func InfoScalars() []*functions.Scalar {
	var out []*functions.Scalar
	add := func(name string, ret *value.Type, params []functions.Param, f func(c *call, a []val) val) {
		out = append(out, &functions.Scalar{
			OID: uint32(firstInfoScalar + len(out)), Name: name, Params: params, Ret: ret, Strict: true, Volatility: functions.Immutable,
			Eval: func(_ context.Context, c *call, a []val) (val, error) { return f(c, a), nil },
		})
	}
	typed := []functions.Param{{Name: "typid", Type: value.OID}, {Name: "typmod", Type: value.Int4}}
	for _, x := range []struct {
		name string
		fact func(t *value.Type, mod int32) val
	}{
		{"_pg_char_max_length", CharLength},
		{"_pg_char_octet_length", OctetLength},
		{"_pg_numeric_precision", func(t *value.Type, mod int32) val { p, _, _ := NumericFacts(t, mod); return p }},
		{"_pg_numeric_precision_radix", func(t *value.Type, mod int32) val { _, r, _ := NumericFacts(t, mod); return r }},
		{"_pg_numeric_scale", func(t *value.Type, mod int32) val { _, _, s := NumericFacts(t, mod); return s }},
		{"_pg_datetime_precision", DatetimePrecision},
	} {
		add(x.name, value.Int4, typed, func(c *call, a []val) val {
			if t := c.Env.Lookup.TypeByOID(uint32(a[0].Int())); t != nil {
				return x.fact(t, int32(a[1].Int()))
			}
			return value.Null
		})
	}
	rows := []functions.Param{{Type: value.RecordType}, {Type: value.RecordType}}
	add("_pg_truetypid", value.OID, rows, func(_ *call, a []val) val { return trueType(a, attTypeID, typBaseType) })
	add("_pg_truetypmod", value.Int4, rows, func(_ *call, a []val) val { return trueType(a, attTypeMod, typTypeMod) })
	return out
}

// firstInfoScalar is the OID of the first function of InfoScalars.
const firstInfoScalar = 13220

// The places of columns in rows of pg_attribute and pg_type.
const (
	attTypeID, attTypeMod            = 2, 8
	typType, typBaseType, typTypeMod = 6, 25, 26
)

// trueType gives a column of a row of pg_attribute, or for a domain the one of its row of pg_type: the type that it stands on.
func trueType(a []val, att, typ int) val {
	column, ok := a[0].Box().(*value.Record)
	t, ok2 := a[1].Box().(*value.Record)
	if !ok || !ok2 || len(column.Vals) <= att || len(t.Vals) <= typ {
		return value.Null
	}
	if t.Vals[typType].Str() == "d" {
		return t.Vals[typ]
	}
	return column.Vals[att]
}
