package doc

import (
	"bytes"
)

// Class is a value's place in MongoDB's order across types; values of one class compare with each other in filters
// (type bracketing).
type Class int8

const (
	ClassMinKey Class = iota - 1
	ClassMissing
	ClassUndefined
	ClassNull
	ClassNumber
	ClassString
	ClassObject
	ClassArray
	ClassBinary
	ClassObjectID
	ClassBool
	ClassDate
	ClassTimestamp
	ClassRegex
	ClassDBPointer
	ClassCode
	ClassCodeScope
	ClassMaxKey
)

var classes = [256]Class{
	TypeMinKey: ClassMinKey, TypeUndefined: ClassUndefined, TypeNull: ClassNull,
	TypeDouble: ClassNumber, TypeInt32: ClassNumber, TypeInt64: ClassNumber, TypeDecimal128: ClassNumber,
	TypeString: ClassString, TypeSymbol: ClassString, TypeObject: ClassObject, TypeArray: ClassArray,
	TypeBinary: ClassBinary, TypeObjectID: ClassObjectID, TypeBool: ClassBool, TypeDate: ClassDate,
	TypeTimestamp: ClassTimestamp, TypeRegex: ClassRegex, TypeDBPointer: ClassDBPointer, TypeCode: ClassCode,
	TypeCodeScope: ClassCodeScope, TypeMaxKey: ClassMaxKey,
}

// Class gives the value's place in MongoDB's order; private binaries belong to what they hold.
func (v Value) Class() Class {
	if v.Type == TypeBinary {
		switch v.subtype() {
		case SubtypeNumber:
			return ClassNumber
		case SubtypeMicros:
			return ClassDate
		case SubtypeText:
			return ClassString
		case SubtypeVector:
			return ClassArray
		}
	}
	return classes[v.Type]
}

// CompareBSON is MongoDB's total order: by class, then by value. Objects compare member by member as they stand (class,
// key, value), arrays element by element; NaN is the lowest number; numbers compare exactly across types.
func CompareBSON(a, b Value) int {
	ca, cb := a.Class(), b.Class()
	if ca != cb {
		return sign(int(ca - cb))
	}
	switch ca {
	case ClassNumber:
		return compareNumbers(a, b)
	case ClassString, ClassCode:
		x, _ := a.StringBytes()
		y, _ := b.StringBytes()
		return bytes.Compare(x, y)
	case ClassObject:
		return compareMembers(a, b, true)
	case ClassArray:
		return compareMembers(a.asArray(), b.asArray(), false)
	case ClassBinary:
		return compareBinary(a, b)
	case ClassDate:
		return compareDates(a, b)
	case ClassTimestamp:
		return cmpUint(leUint64(a.Data), leUint64(b.Data))
	case ClassDBPointer:
		if c := sign(len(a.Data) - len(b.Data)); c != 0 {
			return c
		}
	case ClassCodeScope:
		return compareCodeScope(a, b)
	}
	return bytes.Compare(a.Data, b.Data) // ObjectId, bool, regex: bytes order as values do; the rest is empty
}

// asArray gives a packed vector as an array.
func (v Value) asArray() Value {
	if v.Type == TypeBinary {
		return v.Plain()
	}
	return v
}

func cmpUint(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func compareMembers(a, b Value, keys bool) int {
	ea, eb := a.Elements(), b.Elements()
	for {
		ka, x, okA := ea.Next()
		kb, y, okB := eb.Next()
		if !okA || !okB {
			return b2i(okA) - b2i(okB)
		}
		if c := sign(int(x.Class() - y.Class())); c != 0 {
			return c
		}
		if keys {
			if c := bytes.Compare(ka, kb); c != 0 {
				return c
			}
		}
		if c := CompareBSON(x, y); c != 0 {
			return c
		}
	}
}

func compareBinary(a, b Value) int {
	subA, x, _ := a.Binary()
	subB, y, _ := b.Binary()
	if c := sign(len(x) - len(y)); c != 0 {
		return c
	}
	if c := sign(int(subA) - int(subB)); c != 0 {
		return c
	}
	return bytes.Compare(x, y)
}

func compareCodeScope(a, b Value) int {
	codeA, scopeA, _ := a.CodeScope()
	codeB, scopeB, _ := b.CodeScope()
	if c := bytes.Compare(codeA, codeB); c != 0 {
		return c
	}
	return CompareBSON(scopeA.Value(), scopeB.Value())
}

// EqualBSON is equality in MongoDB's sense: CompareBSON is 0.
func EqualBSON(a, b Value) bool {
	if a.Type == b.Type && a.Type != TypeDouble && bytes.Equal(a.Data, b.Data) {
		return true
	}
	return CompareBSON(a, b) == 0
}

// Kind names the value's kind for messages: "object", "array", "string", "number", "boolean", "null", "ObjectId" …
func (v Value) Kind() string {
	if v.Type == TypeMissing {
		return "nothing"
	}
	return kindNames[v.Class()+1]
}

var kindNames = [...]string{
	ClassMinKey + 1: "MinKey", ClassMissing + 1: "unknown value", ClassUndefined + 1: "undefined", ClassNull + 1: "null",
	ClassNumber + 1: "number", ClassString + 1: "string", ClassObject + 1: "object", ClassArray + 1: "array",
	ClassBinary + 1: "binary", ClassObjectID + 1: "ObjectId", ClassBool + 1: "boolean", ClassDate + 1: "date",
	ClassTimestamp + 1: "timestamp", ClassRegex + 1: "regular expression", ClassDBPointer + 1: "DBPointer",
	ClassCode + 1: "code", ClassCodeScope + 1: "code", ClassMaxKey + 1: "MaxKey",
}
