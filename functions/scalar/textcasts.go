package scalar

import (
	"strings"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// fitted makes the Eval of a length coercion: value, modifier, and whether the cast is explicit.
func fitted(t *value.Type) eval {
	return try(func(a []val) (val, error) {
		explicit := len(a) > 2 && a[2].Bool()
		return typeio.ApplyMod(t, int32(a[1].Int()), a[0], explicit)
	})
}

// textCasts gives the casts between the string types and of lengths.
func textCasts() []def {
	trim := str1(func(s string) string { return strings.TrimRight(s, " ") })
	toName := str1(typeio.CutName)
	same := pure(func(a []val) val { return a[0] })
	firstByte := str1(func(s string) string { return s[:min(len(s), 1)] })
	return []def{
		{Sig: "text(bpchar)", Eval: trim}, {Sig: "text(name)", Eval: same}, {Sig: "text(char)", Eval: str1(charText)},
		{Sig: "text(bool)", Eval: pure(func(a []val) val {
			if a[0].Bool() {
				return text("true")
			}
			return text("false")
		})},
		{Sig: "name(text)", Eval: toName}, {Sig: "name(varchar)", Eval: toName},
		{Sig: "name(bpchar)", Eval: str1(func(s string) string { return typeio.CutName(strings.TrimRight(s, " ")) })},
		{Sig: "varchar(name)", Eval: same}, {Sig: "bpchar(name)", Eval: same}, {Sig: "bpchar(char)", Eval: str1(charText)},
		{Sig: "char(text)", Eval: firstByte},
		{Sig: "char(int4)", Eval: try(func(a []val) (val, error) {
			n := a[0].Int()
			if n < -128 || n > 127 {
				return value.Null, dberr.New(dberr.NumericValueOutOfRange, `"char" out of range`)
			}
			if n == 0 {
				return text(""), nil
			}
			return value.Bytes([]byte{byte(n)}), nil
		})},
		{Sig: "int4(char)", Eval: pure(func(a []val) val {
			if a[0].Str() == "" {
				return value.Int(0)
			}
			return value.Int(int64(int8(a[0].Str()[0])))
		})},
		{Sig: "bpchar(bpchar,int4,bool)", Eval: fitted(value.BPChar)}, {Sig: "varchar(varchar,int4,bool)", Eval: fitted(value.Varchar)},
		{Sig: "bit(bit,int4,bool)", Eval: fitted(value.Bit)}, {Sig: "varbit(varbit,int4,bool)", Eval: fitted(value.VarBit)},
		{Sig: "timestamp(timestamp,int4)", Eval: fitted(value.Timestamp)}, {Sig: "timestamptz(timestamptz,int4)", Eval: fitted(value.TimestampTZ)},
		{Sig: "time(time,int4)", Eval: fitted(value.Time)}, {Sig: "timetz(timetz,int4)", Eval: fitted(value.TimeTZT)},
		{Sig: "interval(interval,int4)", Eval: fitted(value.IntervalT)},
	}
}

// charText gives the text of a "char": a byte that is not ASCII is no text.
func charText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string(typeio.Append(nil, value.Char, value.String(s), nil))
}
