package filter

import (
	"strconv"

	"github.com/omgdb/omgdb/storage/doc"
)

// TypeCode is what $type names: a BSON type number, or "number" for all of them.
type TypeCode int

// AnyNumber is $type: "number".
const AnyNumber TypeCode = -2

// typeCodes are MongoDB's type numbers and aliases.
var typeCodes = []struct {
	name string
	code TypeCode
}{
	{"number", AnyNumber}, {"double", 1}, {"string", 2}, {"object", 3}, {"array", 4}, {"binData", 5}, {"undefined", 6},
	{"objectId", 7}, {"bool", 8}, {"date", 9}, {"null", 10}, {"regex", 11}, {"dbPointer", 12}, {"javascript", 13},
	{"symbol", 14}, {"javascriptWithScope", 15}, {"int", 16}, {"timestamp", 17}, {"long", 18}, {"decimal", 19},
	{"minKey", -1}, {"maxKey", 127},
}

func typeByName(name string) (TypeCode, bool) {
	for _, t := range typeCodes {
		if t.name == name {
			return t.code, true
		}
	}
	return 0, false
}

func typeByCode(code int64) (TypeCode, bool) {
	for _, t := range typeCodes {
		if t.code == TypeCode(code) && t.code != AnyNumber {
			return t.code, true
		}
	}
	return 0, false
}

func typeName(code TypeCode) string {
	for _, t := range typeCodes {
		if t.code == code {
			return t.name
		}
	}
	return strconv.Itoa(int(code))
}

// typeOf gives the type that MongoDB would call the value; private binaries are what they hold.
func typeOf(v doc.Value) TypeCode {
	switch v.Type {
	case doc.TypeMinKey:
		return -1
	case doc.TypeBinary:
		switch v.Class() {
		case doc.ClassNumber:
			return 19
		case doc.ClassDate:
			return 9
		case doc.ClassString:
			return 2
		case doc.ClassArray:
			return 4
		}
	}
	return TypeCode(v.Type)
}

// has reports whether the value is of one of the types.
func (t *Types) has(v doc.Value) bool {
	code := typeOf(v)
	for _, c := range t.List {
		if c == code || c == AnyNumber && v.Class() == doc.ClassNumber {
			return true
		}
	}
	return false
}
