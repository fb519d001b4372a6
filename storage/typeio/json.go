package typeio

import (
	"unsafe"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio/jsonpath"
	"github.com/omgdb/omgdb/storage/value"
)

func jsonIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	if err := doc.ValidateJSON([]byte(s)); err != nil {
		return value.Null, err
	}
	return value.String(s), nil
}

func jsonbIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	src := unsafe.Slice(unsafe.StringData(s), len(s)) // it is only read
	enc, err := doc.AppendParsedJSONB(make([]byte, 0, len(src)+len(src)/4+16), src)
	if err != nil {
		return value.Null, err
	}
	return value.Bytes(enc), nil
}

// JSONB makes the SQL value of a document value.
func JSONB(d doc.Value) value.Value { return value.Bytes(d.Encoded()) }

// Doc gives the document value of a jsonb, which shares its memory.
func Doc(v value.Value) doc.Value { return doc.Decode(v.Bytes()) }

func jsonbOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	return Doc(v).AppendJSONB(dst)
}

func jsonbCmp(a, b value.Value) int { return doc.Compare(Doc(a), Doc(b)) }

func jsonbHash(h uint64, v value.Value) uint64 { return mix(h, doc.Hash(Doc(v))) }

// jsonpathIn keeps a path as its canonical text, which reads back to the same path.
func jsonpathIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	p, err := jsonpath.Parse(s)
	if err != nil {
		return value.Null, err
	}
	return value.String(p.String()), nil
}
