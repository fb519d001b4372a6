package scalar

import (
	"crypto/rand"
	"math/big"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// miscellany gives functions about values of any type.
func miscellany() []def {
	count := func(null bool) eval {
		return with(func(c *call, a []val) (val, error) {
			if c != nil && c.Variadic && len(a) == 1 && a[0].IsNull() {
				return value.Null, nil
			}
			vals, _ := variadicAny(c, a, 0)
			n := int64(0)
			for _, v := range vals {
				if v.IsNull() == null {
					n++
				}
			}
			return value.Int(n), nil
		})
	}
	utf8 := pure(func([]val) val { return text("UTF8") })
	return []def{
		{Sig: "pg_client_encoding()", Eval: utf8}, {Sig: "getdatabaseencoding()", Eval: utf8},
		{Sig: "pg_encoding_max_length(int4)", Eval: pure(func(a []val) val {
			if a[0].Int() == 6 { // UTF8
				return value.Int(4)
			}
			return value.Null
		})},
		{Sig: "num_nulls(any)", Eval: count(true)}, {Sig: "num_nonnulls(any)", Eval: count(false)},
		{Sig: "gen_random_uuid()", Eval: pure(func([]val) val {
			var b [16]byte
			rand.Read(b[:])
			b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
			return value.Bytes(b[:])
		})},
		{Sig: "pg_column_size(any)", Eval: with(func(c *call, a []val) (val, error) {
			if a[0].IsNull() {
				return value.Null, nil
			}
			return value.Int(columnSize(argType(c, 0, value.Text), a[0])), nil
		})},
		{Sig: "pg_size_pretty(int8)", Eval: pure(func(a []val) val { return text(sizePretty(num.FromInt(a[0].Int()))) })},
		{Sig: "pg_size_pretty(numeric)", Eval: pure(func(a []val) val { return text(sizePretty(typeio.Num(a[0]))) })},
		{Sig: "pg_size_bytes(text)", Eval: try(sizeBytes)},
	}
}

// columnSize is the size of a value as PostgreSQL would store it in a tuple, for the types of fixed length and those stored as bytes.
func columnSize(t *value.Type, v val) int64 {
	if t.Len > 0 {
		return int64(t.Len)
	}
	n := int64(len(v.Str()))
	if v.Kind() != value.KindString {
		n = int64(len(typeio.Text(t, v, nil)))
	}
	if n < 127 {
		return n + 1
	}
	return n + 4
}

var sizeUnits = []string{"bytes", "kB", "MB", "GB", "TB", "PB"}

// sizePretty halves-rounds a number of bytes to the largest unit that keeps it above ten of it.
func sizePretty(d *num.Dec) string {
	if !num.Finite(d) {
		return num.String(d) + " PB"
	}
	limit := big.NewInt(10 * 1024)
	if abs := num.Big(num.Abs(d)); num.Scale(d) > 0 || abs.Cmp(limit) < 0 {
		if w, err := num.Trunc(d, 0); err == nil && num.Big(num.Abs(w)).Cmp(limit) < 0 {
			return num.String(d) + " bytes"
		}
	}
	w, err := num.Trunc(d, 0)
	if err != nil {
		return num.String(d) + " bytes"
	}
	v := num.Big(w)
	v.Quo(v, big.NewInt(512)) // keep one bit to round by
	edge := big.NewInt(20*1024 - 1)
	unit := 1
	for ; unit < len(sizeUnits)-1 && v.CmpAbs(edge) >= 0; unit++ {
		v.Quo(v, big.NewInt(1024))
	}
	if v.Sign() > 0 {
		v.Add(v, big.NewInt(1))
	} else if v.Sign() < 0 {
		v.Sub(v, big.NewInt(1))
	}
	return v.Quo(v, big.NewInt(2)).String() + " " + sizeUnits[unit]
}

// sizeBytes reads a number with a unit.
func sizeBytes(a []val) (val, error) {
	src := a[0].Str()
	s := num.TrimSpace(src)
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	digits := i
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	if strings.Trim(s[digits:i], ".") == "" {
		return value.Null, dberr.New(dberr.InvalidParameterValue, `invalid size: "%s"`, src)
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '-' || s[j] == '+') {
			j++
		}
		if j < len(s) && s[j] >= '0' && s[j] <= '9' {
			for i = j; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			}
		}
	}
	d, err := num.Parse(s[:i])
	if err != nil {
		return value.Null, err
	}
	if unit := num.TrimSpace(s[i:]); unit != "" {
		power := -1
		for k, u := range sizeUnits {
			if strings.EqualFold(u, unit) {
				power = k
			}
		}
		if power < 0 {
			return value.Null, dberr.New(dberr.InvalidParameterValue, `invalid size: "%s"`, src).WithDetail(`Invalid size unit: "%s".`, unit).
				WithHint(`Valid units are "bytes", "kB", "MB", "GB", "TB", and "PB".`)
		}
		if d, err = num.Mul(d, num.FromInt(1<<(10*power))); err != nil {
			return value.Null, err
		}
	}
	return numToInt(int8T, d)
}
