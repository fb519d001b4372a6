package key

import (
	"encoding/binary"
	"math"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Class is the first byte of a value in BSON order: its place in MongoDB's order across types. The keys of a class are
// those from [Class] to [Class+1]: what type bracketing needs as bounds.
type Class byte

// The classes. The numbers are stored.
const (
	MinKeyClass    Class = 0x08
	UndefinedClass Class = 0x10
	NullClass      Class = 0x18
	NumberClass    Class = 0x20 // int32, int64, double, decimal128 and exact decimals; NaN first
	StringClass    Class = 0x28 // strings, symbols, text of typed values
	ObjectClass    Class = 0x30
	ArrayClass     Class = 0x38 // also packed vectors
	BinaryClass    Class = 0x40
	ObjectIDClass  Class = 0x48
	BoolClass      Class = 0x50
	DateClass      Class = 0x58 // milliseconds, and timestamps in microseconds
	TimestampClass Class = 0x60
	RegexClass     Class = 0x68
	DBPointerClass Class = 0x70
	CodeClass      Class = 0x78
	ScopeClass     Class = 0x80
	MaxKeyClass    Class = 0xF0
)

// Binary subtypes that are private to the store, as storage/doc writes them.
const (
	subtypeOld    = 0x02 // BSON's: repeats the length
	subtypeNumber = 0xF0 // decimal text
	subtypeMicros = 0xF1 // int64 µs, little-endian; the limits are ±infinity
	subtypeText   = 0xF2 // a string
	subtypeVector = 0xF3 // packed float32, little-endian: an array of doubles
)

// maxDepth bounds recursion; stored documents are limited to less.
const maxDepth = 256

// BSONClass gives the class of a value; 0 for a type that BSON does not have.
func BSONClass(typ byte, data []byte) Class {
	if bsoncore.Type(typ) == bsoncore.TypeBinary && len(data) >= 5 {
		switch data[4] {
		case subtypeNumber:
			return NumberClass
		case subtypeMicros:
			return DateClass
		case subtypeText:
			return StringClass
		case subtypeVector:
			return ArrayClass
		}
	}
	return classes[typ]
}

var classes = [256]Class{
	bsoncore.TypeMinKey: MinKeyClass, bsoncore.TypeUndefined: UndefinedClass, bsoncore.TypeNull: NullClass,
	bsoncore.TypeInt32: NumberClass, bsoncore.TypeInt64: NumberClass, bsoncore.TypeDouble: NumberClass,
	bsoncore.TypeDecimal128: NumberClass, bsoncore.TypeString: StringClass, bsoncore.TypeSymbol: StringClass,
	bsoncore.TypeEmbeddedDocument: ObjectClass, bsoncore.TypeArray: ArrayClass, bsoncore.TypeBinary: BinaryClass,
	bsoncore.TypeObjectID: ObjectIDClass, bsoncore.TypeBoolean: BoolClass, bsoncore.TypeDateTime: DateClass,
	bsoncore.TypeTimestamp: TimestampClass, bsoncore.TypeRegex: RegexClass, bsoncore.TypeDBPointer: DBPointerClass,
	bsoncore.TypeJavaScript: CodeClass, bsoncore.TypeCodeWithScope: ScopeClass, bsoncore.TypeMaxKey: MaxKeyClass,
}

// AppendBSON appends a value, given by its type and raw bytes, in MongoDB's order: by class, then by value; objects by
// class, key and value of each member as it stands, arrays by their elements, binaries by length, subtype, bytes. Numbers
// compare exactly across types. On malformed bytes the error is XX001, and dst comes back as it was.
func AppendBSON(dst []byte, typ byte, data []byte) ([]byte, error) {
	out, ok := appendBSON(dst, typ, data, maxDepth)
	if !ok {
		return dst, dberr.New(dberr.DataCorrupted, "malformed BSON value of type 0x%02x", typ)
	}
	return out, nil
}

func appendBSON(dst []byte, typ byte, data []byte, depth int) ([]byte, bool) {
	c := BSONClass(typ, data)
	if c == 0 || depth == 0 {
		return dst, false
	}
	return appendBody(append(dst, byte(c)), c, typ, data, depth)
}

// appendBody appends what follows the class.
func appendBody(dst []byte, c Class, typ byte, data []byte, depth int) ([]byte, bool) {
	switch c {
	case NumberClass:
		return appendBSONNumber(dst, typ, data)
	case StringClass, CodeClass:
		text, ok := bsonText(typ, data)
		return AppendBytes(dst, text), ok
	case ObjectClass:
		return appendMembers(dst, data, true, depth)
	case ArrayClass:
		if bsoncore.Type(typ) == bsoncore.TypeBinary {
			return appendVector(dst, data)
		}
		return appendMembers(dst, data, false, depth)
	case BinaryClass:
		return appendBinary(dst, data)
	case ObjectIDClass:
		return append(dst, data...), len(data) == 12
	case BoolClass:
		return append(dst, data...), len(data) == 1 && data[0] <= 1
	case DateClass:
		return appendDate(dst, typ, data)
	case TimestampClass:
		if len(data) != 8 {
			return dst, false
		}
		return binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(data)), true
	case RegexClass: // pattern and flags each end with their zero
		n, ok := skipRegex(data)
		return append(dst, data...), ok && n == len(data)
	case DBPointerClass:
		return append(binary.BigEndian.AppendUint32(dst, uint32(len(data))), data...), len(data) > 16
	case ScopeClass:
		return appendScope(dst, data, depth)
	}
	return dst, len(data) == 0 // nothing distinguishes values of the other classes
}

func appendBSONNumber(dst []byte, typ byte, data []byte) ([]byte, bool) {
	switch t := bsoncore.Type(typ); {
	case t == bsoncore.TypeInt32 && len(data) == 4:
		return AppendInt(dst, int64(int32(binary.LittleEndian.Uint32(data)))), true
	case t == bsoncore.TypeInt64 && len(data) == 8:
		return AppendInt(dst, int64(binary.LittleEndian.Uint64(data))), true
	case t == bsoncore.TypeDouble && len(data) == 8:
		return AppendFloat(dst, math.Float64frombits(binary.LittleEndian.Uint64(data)), NaNLowest), true
	case t == bsoncore.TypeDecimal128 && len(data) == 16:
		return AppendDecimal128(dst, data, NaNLowest), true
	case t == bsoncore.TypeBinary:
		if b, ok := bsonBinary(data); ok {
			return AppendDecimalText(dst, b)
		}
	}
	return dst, false
}

// bsonBinary gives the content of a binary.
func bsonBinary(data []byte) ([]byte, bool) {
	if len(data) < 5 || uint64(binary.LittleEndian.Uint32(data)) != uint64(len(data)-5) {
		return nil, false
	}
	return data[5:], true
}

// bsonText gives the text of a string, symbol, code or text binary.
func bsonText(typ byte, data []byte) ([]byte, bool) {
	if bsoncore.Type(typ) == bsoncore.TypeBinary {
		return bsonBinary(data)
	}
	if len(data) < 5 || uint64(binary.LittleEndian.Uint32(data)) != uint64(len(data)-4) || data[len(data)-1] != 0 {
		return nil, false
	}
	return data[4 : len(data)-1], true
}

// A member is the class of its value, in an object its key and a zero, then the value's body; membersEnd follows the last.
const membersEnd = 0x00

func appendMembers(dst, data []byte, keys bool, depth int) ([]byte, bool) {
	if len(data) < 5 || uint64(binary.LittleEndian.Uint32(data)) != uint64(len(data)) || data[len(data)-1] != 0 {
		return dst, false
	}
	for rest := data[4 : len(data)-1]; len(rest) > 0; {
		elem, after, ok := bsoncore.ReadElement(rest)
		if !ok {
			return dst, false
		}
		name := elem.KeyBytes()
		typ, value := elem[0], elem[2+len(name):]
		c := BSONClass(typ, value)
		if c == 0 || depth == 1 {
			return dst, false
		}
		dst = append(dst, byte(c))
		if keys {
			dst = append(append(dst, name...), 0)
		}
		if dst, ok = appendBody(dst, c, typ, value, depth-1); !ok {
			return dst, false
		}
		rest = after
	}
	return append(dst, membersEnd), true
}

func appendVector(dst, data []byte) ([]byte, bool) {
	b, ok := bsonBinary(data)
	for ; len(b) >= 4; b = b[4:] {
		f := math.Float32frombits(binary.LittleEndian.Uint32(b))
		dst = AppendFloat(append(dst, byte(NumberClass)), float64(f), NaNLowest)
	}
	return append(dst, membersEnd), ok && len(b) == 0
}

func appendBinary(dst, data []byte) ([]byte, bool) {
	b, ok := bsonBinary(data)
	if !ok {
		return dst, false
	}
	if data[4] == subtypeOld && len(b) >= 4 {
		b = b[4:]
	}
	dst = append(binary.BigEndian.AppendUint32(dst, uint32(len(b))), data[4])
	return append(dst, b...), true
}

// A date is its milliseconds in 8 bytes, and in 2 more its further microseconds plus 1; infinities lie outside.
func appendDate(dst []byte, typ byte, data []byte) ([]byte, bool) {
	if bsoncore.Type(typ) != bsoncore.TypeBinary {
		if len(data) != 8 {
			return dst, false
		}
		return append(appendFixed(dst, int64(binary.LittleEndian.Uint64(data))), 0, 1), true
	}
	b, ok := bsonBinary(data)
	if !ok || len(b) != 8 {
		return dst, false
	}
	micros := int64(binary.LittleEndian.Uint64(b))
	switch micros {
	case math.MinInt64:
		return append(appendFixed(dst, math.MinInt64), 0, 0), true
	case math.MaxInt64:
		return append(appendFixed(dst, math.MaxInt64), 0xFF, 0xFF), true
	}
	ms, more := micros/1000, micros%1000
	if more < 0 {
		ms, more = ms-1, more+1000
	}
	return binary.BigEndian.AppendUint16(appendFixed(dst, ms), uint16(more+1)), true
}

func appendScope(dst, data []byte, depth int) ([]byte, bool) {
	if len(data) < 8 || uint64(binary.LittleEndian.Uint32(data)) != uint64(len(data)) {
		return dst, false
	}
	end := 8 + uint64(binary.LittleEndian.Uint32(data[4:]))
	if end > uint64(len(data)) {
		return dst, false
	}
	code, ok := bsonText(byte(bsoncore.TypeString), data[4:end])
	if !ok || depth == 1 {
		return dst, false
	}
	return appendMembers(AppendBytes(dst, code), data[end:], true, depth-1)
}
