package doc

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"strconv"
)

// Plain gives a value that JSON lacks as the value it is shown as: an Extended JSON object, an array (vector) or a
// string (private text). Every other value is returned as it is. Values inside objects and arrays are not touched.
func (v Value) Plain() Value {
	if !v.needsPlain() {
		return v
	}
	var b Builder
	switch v.Type {
	case TypeBinary:
		plainBinary(&b, v)
	case TypeDouble, TypeDecimal128:
		var buf DecimalBuf
		_, kind := v.Decompose(&buf)
		name := "$numberDouble"
		if v.Type == TypeDecimal128 {
			name = "$numberDecimal"
		}
		wrap(&b, name, kindName[kind])
	default:
		plainOther(&b, v)
	}
	p, err := b.Value()
	if err != nil { // a damaged value: show it as nothing rather than fail in a comparison
		return Value{Type: TypeNull}
	}
	return p
}

// needsPlain reports whether jsonb shows v as something else than its own type.
func (v Value) needsPlain() bool {
	switch v.Type {
	case TypeString, TypeObject, TypeArray, TypeBool, TypeNull, TypeInt32, TypeInt64, TypeMissing:
		return false
	case TypeDouble:
		return len(v.Data) >= 8 && leUint64(v.Data)>>52&0x7FF == 0x7FF
	case TypeDecimal128:
		return len(v.Data) >= 16 && v.Data[15]&0x78 == 0x78
	case TypeBinary:
		return v.subtype() != SubtypeNumber
	}
	return true
}

func wrap(b *Builder, name, text string) {
	b.BeginObject()
	b.Key(name)
	b.String(text)
	b.End()
}

func plainBinary(b *Builder, v Value) {
	sub, data, _ := v.Binary()
	switch sub {
	case SubtypeText:
		b.StringBytes(data)
	case SubtypeVector:
		b.Append(vectorArray(data))
	case SubtypeMicros:
		wrap(b, "$date", string(v.appendDateText(nil, false)))
	default:
		b.BeginObject()
		b.Key("$binary")
		b.BeginObject()
		b.Key("base64")
		b.String(base64.StdEncoding.EncodeToString(data))
		b.Key("subType")
		b.String(hex.EncodeToString([]byte{v.subtype()}))
		b.End()
		b.End()
	}
}

func plainOther(b *Builder, v Value) {
	switch v.Type {
	case TypeObjectID:
		wrap(b, "$oid", hex.EncodeToString(v.Data))
	case TypeDate:
		ms := int64(leUint64(v.Data))
		if ms >= 0 && ms <= relaxedMaxMs {
			wrap(b, "$date", string(v.appendDateText(nil, false)))
			return
		}
		b.BeginObject()
		b.Key("$date")
		wrap(b, "$numberLong", strconv.FormatInt(ms, 10))
		b.End()
	case TypeSymbol:
		s, _ := v.StringBytes()
		wrap(b, "$symbol", string(s))
	case TypeRegex:
		pattern, options, _ := v.Regex()
		b.BeginObject()
		b.Key("$regularExpression")
		b.BeginObject()
		b.Key("pattern")
		b.StringBytes(pattern)
		b.Key("options")
		b.StringBytes(options)
		b.End()
		b.End()
	case TypeTimestamp:
		ts := leUint64(v.Data)
		b.BeginObject()
		b.Key("$timestamp")
		b.BeginObject()
		b.Key("t")
		b.Int(int64(ts >> 32))
		b.Key("i")
		b.Int(int64(uint32(ts)))
		b.End()
		b.End()
	default:
		plainRare(b, v)
	}
}

func plainRare(b *Builder, v Value) {
	b.BeginObject()
	switch v.Type {
	case TypeCode:
		s, _ := v.StringBytes()
		b.Key("$code")
		b.StringBytes(s)
	case TypeCodeScope:
		code, scope, _ := v.CodeScope()
		b.Key("$code")
		b.StringBytes(code)
		b.Key("$scope")
		b.Append(scope.Value())
	case TypeDBPointer:
		name, id, _ := v.DBPointer()
		b.Key("$dbPointer")
		b.BeginObject()
		b.Key("$ref")
		b.StringBytes(name)
		b.Key("$id")
		b.Append(Value{TypeObjectID, id})
		b.End()
	case TypeUndefined:
		b.Key("$undefined")
		b.Bool(true)
	case TypeMinKey:
		b.Key("$minKey")
		b.Int(1)
	case TypeMaxKey:
		b.Key("$maxKey")
		b.Int(1)
	}
	b.End()
}

// Regex gives pattern and options of a regular expression in place.
func (v Value) Regex() (pattern, options []byte, ok bool) {
	if v.Type != TypeRegex {
		return nil, nil, false
	}
	end := zeroAt(v.Data, 0)
	if end < 0 || len(v.Data) < end+2 {
		return nil, nil, false
	}
	return v.Data[:end], v.Data[end+1 : len(v.Data)-1], true
}

// CodeScope gives the parts of code with scope in place.
func (v Value) CodeScope() (code []byte, scope Doc, ok bool) {
	if v.Type != TypeCodeScope || len(v.Data) < 14 {
		return nil, nil, false
	}
	end := valueEnd(TypeString, v.Data, 4)
	if end < 0 || valueEnd(TypeObject, v.Data, end) != len(v.Data) {
		return nil, nil, false
	}
	return v.Data[8 : end-1], Doc(v.Data[end:]), true
}

// DBPointer gives the parts of a DBPointer in place.
func (v Value) DBPointer() (namespace, id []byte, ok bool) {
	if v.Type != TypeDBPointer || len(v.Data) < 17 {
		return nil, nil, false
	}
	n := len(v.Data) - 12
	return v.Data[4 : n-1], v.Data[n:], true
}

// Timestamp gives seconds and increment of a BSON timestamp.
func (v Value) Timestamp() (t, i uint32, ok bool) {
	if v.Type != TypeTimestamp || len(v.Data) < 8 {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint32(v.Data[4:]), binary.LittleEndian.Uint32(v.Data), true
}
