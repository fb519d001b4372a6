package typeio

import (
	"math"
	"strconv"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

func oidIn(t *value.Type, text string, _ *Format) (value.Value, error) {
	s := num.TrimSpace(text)
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil && !exceeds(s) {
		return value.Null, badSyntax(t.SQL, text)
	}
	if err != nil || v > math.MaxUint32 || v < math.MinInt32 {
		return value.Null, dberr.New(dberr.NumericValueOutOfRange, `value "%s" is out of range for type %s`, text, t.SQL)
	}
	return value.Int(int64(uint32(v))), nil
}

// exceeds tells whether s is a well-formed number whatever its size.
func exceeds(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func oidOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	return strconv.AppendUint(dst, uint64(uint32(v.Int())), 10)
}

func oidCmp(a, b value.Value) int {
	return intCmp(value.Int(int64(uint32(a.Int()))), value.Int(int64(uint32(b.Int()))))
}

// regIn reads an oid alias: a number, "-" for 0, or a name.
func regIn(t *value.Type, s string, f *Format) (value.Value, error) {
	if s == "-" {
		return value.Int(0), nil
	}
	if v, err := strconv.ParseUint(s, 10, 32); err == nil {
		return value.Int(int64(v)), nil
	}
	if t.OID == value.RegConfig.OID {
		oid, ok := TSConfigOID(s)
		if !ok {
			return value.Null, dberr.New(dberr.UndefinedObject, `text search configuration "%s" does not exist`, s)
		}
		return value.Int(int64(oid)), nil
	}
	if t.OID == value.RegDictionary.OID {
		oid, ok := TSDictOID(s)
		if !ok {
			return value.Null, dberr.New(dberr.UndefinedObject, `text search dictionary "%s" does not exist`, s)
		}
		return value.Int(int64(oid)), nil
	}
	if f.Names != nil {
		oid, err := f.Names.OIDOf(t, s)
		return value.Int(int64(oid)), err
	}
	if t.OID == value.RegType.OID {
		for _, b := range value.Builtins() {
			if b.SQL == s || b.Name == s {
				return value.Int(int64(b.OID)), nil
			}
		}
		return value.Null, dberr.New(dberr.UndefinedObject, `type "%s" does not exist`, s)
	}
	return value.Null, dberr.New(dberr.UndefinedObject, `%s "%s" does not exist`, t.SQL[3:], s)
}

func regOut(dst []byte, t *value.Type, v value.Value, f *Format) []byte {
	oid := uint32(v.Int())
	if oid == 0 {
		if t.OID == value.RegOper.OID || t.OID == value.RegOperator.OID {
			return append(dst, '0')
		}
		return append(dst, '-')
	}
	if name, ok := TSConfigName(oid); ok && t.OID == value.RegConfig.OID {
		return append(dst, name...)
	}
	if name, ok := TSDictName(oid); ok && t.OID == value.RegDictionary.OID {
		return append(dst, name...)
	}
	if f.Names != nil {
		if name, ok := f.Names.NameOf(t, oid); ok {
			return append(dst, name...)
		}
	} else if t.OID == value.RegType.OID {
		if b := value.ByOID(oid); b != nil {
			return append(dst, b.SQL...)
		}
	}
	return oidOut(dst, t, v, f)
}
