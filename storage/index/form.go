package index

import (
	"encoding/binary"
	"net/netip"

	"github.com/cockroachdb/apd/v3"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/value"
)

// orderedForm gives bytes whose order is that of values of a boxed type without an encoding of its own.
func orderedForm(t *value.Type, v value.Value) ([]byte, error) {
	switch x := v.Box().(type) {
	case netip.Prefix:
		return appendNetwork(nil, x), nil
	case [6]byte:
		return x[:], nil
	case [8]byte:
		return x[:], nil
	case value.TimeTZ:
		return appendInt64(appendInt64(nil, x.Micros+int64(x.Zone)*1_000_000), int64(x.Zone)), nil
	case *value.Record:
		return appendRecord(nil, x)
	}
	return nil, noOrder(t)
}

func appendInt64(dst []byte, i int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(i)^1<<63)
}

// appendNetwork writes an inet or cidr: its family, its network, the length of the mask, the whole address. Behind a network come the
// longer ones in it, for what their masks leave is zero here.
func appendNetwork(dst []byte, p netip.Prefix) []byte {
	dst = append(dst, byte(p.Addr().BitLen()))
	dst = append(dst, p.Masked().Addr().AsSlice()...)
	dst = append(dst, byte(p.Bits()))
	return append(dst, p.Addr().AsSlice()...)
}

// appendRecord writes a composite field by field, NULL behind every value.
func appendRecord(dst []byte, r *value.Record) (_ []byte, err error) {
	for i, v := range r.Vals {
		if dst, err = AppendComponent(dst, key.Order{}, r.Fields[i].Type, v); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// Tags of the forms of jsonb, in the order of the kinds. The empty array as the whole value comes before everything, as in PostgreSQL.
const (
	jsonEmpty = iota
	jsonNull
	jsonString
	jsonNumber
	jsonBool
	jsonArray
	jsonObject
)

// appendJSON writes a jsonb in the order of doc.Compare.
func appendJSON(dst []byte, v doc.Value) []byte {
	if v = v.Plain(); v.Type == doc.TypeArray && v.Len() == 0 {
		return append(dst, jsonEmpty)
	}
	return appendJSONValue(dst, v)
}

func appendJSONValue(dst []byte, v doc.Value) []byte {
	switch v = v.Plain(); v.Type {
	case doc.TypeNull, doc.TypeMissing:
		return append(dst, jsonNull)
	case doc.TypeString:
		s, _ := v.StringBytes()
		return key.AppendBytes(append(dst, jsonString), s)
	case doc.TypeBool:
		b, _ := v.Bool()
		if b {
			return append(dst, jsonBool, 1)
		}
		return append(dst, jsonBool, 0)
	case doc.TypeArray:
		dst = binary.BigEndian.AppendUint32(append(dst, jsonArray), uint32(v.Len()))
		for e := v.Elements(); ; {
			_, x, ok := e.Next()
			if !ok {
				return dst
			}
			dst = appendJSONValue(dst, x)
		}
	case doc.TypeObject:
		return appendJSONObject(dst, v)
	}
	var d apd.Decimal
	v.Decimal(&d)
	return key.AppendNumeric(append(dst, jsonNumber), &d, key.NaNGreatest)
}

// appendJSONObject writes the number of fields and then each in the canonical order. What shows a date goes by its time, before all else
// that stands in its place.
func appendJSONObject(dst []byte, v doc.Value) []byte {
	const date, other = 1, 2
	n := v.CanonicalFields(nil)
	dst = binary.BigEndian.AppendUint32(append(dst, jsonObject), uint32(n))
	v.CanonicalFields(func(name []byte, x doc.Value) {
		dst = key.AppendBytes(dst, name)
		if n == 1 && string(name) == "$date" {
			if ms, us, ok := doc.ShownDate(x); ok {
				dst = appendInt64(appendInt64(append(dst, date), ms), us)
				return
			}
			dst = append(dst, other)
		}
		dst = appendJSONValue(dst, x)
	})
	return dst
}
