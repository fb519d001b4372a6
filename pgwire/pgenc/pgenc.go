// Package pgenc writes and reads values in the two forms that the PostgreSQL protocol has: text, which is typeio's, and
// binary, in network byte order.
//
// Results go through an Encoder, chosen once per column: it appends the value at a position of a column to the write buffer without
// making a Value or a string of it. Parameters and COPY data go through DecodeText and DecodeBinary. The binary forms of scalar types
// stand in a table by OID (scalar.go); arrays, ranges, records, enums and domains are made of those of their parts (container.go).
package pgenc

import (
	"strconv"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// WireType is the type that a client is told for t: domains show as what they stand on.
func WireType(t *value.Type) *value.Type { return typeio.Base(t) }

// Encoder writes the values of columns of one type in one form. It holds no state and may be copied.
type Encoder struct {
	put func(dst []byte, c *value.Column, i int) []byte // set for types that have a form of their own for columns
	t   *value.Type
	f   *typeio.Format
	bin bool
}

// NewEncoder chooses the form: binary or text. f is used for text and lives as long as the encoder.
func NewEncoder(t *value.Type, binary bool, f *typeio.Format) Encoder {
	t = WireType(t)
	e := Encoder{t: t, f: f, bin: binary}
	if binary {
		e.put = binaryColumns[t.OID]
	} else {
		e.put = textColumns[t.OID]
	}
	return e
}

// Append adds value i of the column, which is not NULL, without a length.
func (e *Encoder) Append(dst []byte, c *value.Column, i int) []byte {
	if e.put != nil {
		return e.put(dst, c, i)
	}
	return e.Value(dst, c.Get(i))
}

// Value adds a value that is not NULL.
func (e *Encoder) Value(dst []byte, v value.Value) []byte {
	if e.bin {
		return AppendBinary(dst, e.t, v, e.f)
	}
	return typeio.Append(dst, e.t, v, e.f)
}

// textColumns are the types whose text is written without a detour.
var textColumns = map[uint32]func(dst []byte, c *value.Column, i int) []byte{
	value.Int2.OID:    intText,
	value.Int4.OID:    intText,
	value.Int8.OID:    intText,
	value.Boolean.OID: boolText,
	value.Text.OID:    stringRaw,
	value.Varchar.OID: stringRaw,
	value.BPChar.OID:  stringRaw,
	value.Name.OID:    stringRaw,
	value.JSON.OID:    stringRaw,
	value.Unknown.OID: stringRaw,
}

func intText(dst []byte, c *value.Column, i int) []byte { return strconv.AppendInt(dst, c.Ints[i], 10) }

func boolText(dst []byte, c *value.Column, i int) []byte {
	if c.Bools[i] {
		return append(dst, 't')
	}
	return append(dst, 'f')
}

func stringRaw(dst []byte, c *value.Column, i int) []byte { return append(dst, c.Strs[i]...) }

// DecodeText reads a value of type t from its text form. The bytes are taken over: they must not be changed afterwards.
func DecodeText(t *value.Type, b []byte, f *typeio.Format) (value.Value, error) {
	return typeio.In(t, -1, value.Bytes(b).Str(), f)
}

// TrailingData is the message of the error for bytes behind a value.
const TrailingData = "incorrect binary data format"

// DecodeBinary reads a value of type t from its binary form, which must be all of b. The bytes are taken over like DecodeText's.
func DecodeBinary(t *value.Type, b []byte, f *typeio.Format) (value.Value, error) {
	r := reader{rest: b, f: f}
	v := r.value(t)
	if r.err == nil && len(r.rest) > 0 {
		r.err = dberr.New(dberr.InvalidBinaryRepresentation, TrailingData)
	}
	if r.err != nil {
		return value.Null, r.err
	}
	return v, nil
}

// AppendBinary adds the binary form of v, which is not NULL, without a length.
func AppendBinary(dst []byte, t *value.Type, v value.Value, f *typeio.Format) []byte {
	t = WireType(t)
	if c, ok := scalars[t.OID]; ok {
		return c.put(dst, t, v, f)
	}
	return appendContainer(dst, t, v, f)
}

// Codec is the binary forms as a value, for packages below this one.
type Codec struct{}

// AppendBinary adds the binary form of a value that is not NULL.
func (Codec) AppendBinary(dst []byte, t *value.Type, v value.Value, f *typeio.Format) []byte {
	return AppendBinary(dst, t, v, f)
}

// DecodeBinary reads a value from its binary form.
func (Codec) DecodeBinary(t *value.Type, b []byte, f *typeio.Format) (value.Value, error) {
	return DecodeBinary(t, b, f)
}
