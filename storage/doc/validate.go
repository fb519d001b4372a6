package doc

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
)

// CheckDocument checks what every stored document must be: within MaxDocumentSize and MaxDepth.
func CheckDocument(d Doc) error {
	if len(d) > MaxDocumentSize {
		return DocumentTooLarge(len(d))
	}
	if depth(d.Value()) > MaxDepth {
		return tooDeep()
	}
	return nil
}

// Validate checks raw bytes that were not written by this package: well-formed BSON, valid UTF-8 without zero bytes,
// unique keys, and MaxDepth. external also refuses private binary subtypes (22023). A malformed value is 22P03.
func Validate(v Value, external bool) error {
	c := checker{external: external}
	return c.value(v, 0)
}

type checker struct {
	external bool
	fields   []field
}

func malformed(what string) error {
	return dberr.New(dberr.InvalidBinaryRepresentation, "malformed BSON: %s", what)
}

func (c *checker) value(v Value, level int) error {
	if sizeClass[v.Type] == sizeInvalid {
		return malformed("unknown type")
	}
	if valueEnd(v.Type, v.Data, 0) != len(v.Data) {
		return malformed("wrong length of a value")
	}
	switch v.Type {
	case TypeObject, TypeArray:
		return c.members(v, level+1)
	case TypeString, TypeSymbol, TypeCode:
		return checkText(v.Data)
	case TypeBool:
		if v.Data[0] > 1 {
			return malformed("a boolean is neither 0 nor 1")
		}
	case TypeBinary:
		return c.binary(v)
	case TypeRegex:
		p, o, ok := v.Regex()
		if !ok || !utf8.Valid(p) || !utf8.Valid(o) {
			return malformed("a regular expression is not valid")
		}
	case TypeCodeScope:
		_, scope, ok := v.CodeScope()
		if !ok {
			return malformed("code with scope is not valid")
		}
		return c.members(scope.Value(), level+1)
	case TypeDBPointer:
		return checkText(v.Data[:len(v.Data)-12])
	}
	return nil
}

// checkText checks a length-prefixed, zero-terminated string.
func checkText(b []byte) error {
	s := b[4 : len(b)-1]
	if b[len(b)-1] != 0 || zeroAt(b, 4) != len(b)-1 || !utf8.Valid(s) {
		return malformed("a string is not valid UTF-8, or holds a zero byte")
	}
	return nil
}

func (c *checker) members(v Value, level int) error {
	if level > MaxDepth {
		return tooDeep()
	}
	if len(v.Data) < 5 || int(binary.LittleEndian.Uint32(v.Data)) != len(v.Data) || v.Data[len(v.Data)-1] != 0 {
		return malformed("wrong length of a document")
	}
	mine := len(c.fields)
	defer func() { c.fields = c.fields[:mine] }()
	e := v.Elements()
	for {
		start := e.pos
		k, x, ok := e.Next()
		if !ok {
			break
		}
		if !utf8.Valid(k) {
			return malformed("a key is not valid UTF-8")
		}
		if err := c.value(x, level); err != nil {
			return err
		}
		c.fields = append(c.fields, newField(start, len(k), e.pos))
	}
	if e.pos != len(v.Data)-1 {
		return malformed("elements do not fill their document")
	}
	if v.Type == TypeObject {
		return uniqueKeys(v.Data, c.fields[mine:])
	}
	return nil
}

func uniqueKeys(raw []byte, fields []field) error {
	sortFields(raw, fields)
	for i := 1; i < len(fields); i++ {
		if k := fields[i].key(raw); string(k) == string(fields[i-1].key(raw)) {
			return malformed("key \"" + string(k) + "\" appears twice")
		}
	}
	return nil
}

func (c *checker) binary(v Value) error {
	sub, b, _ := v.Binary()
	if sub < SubtypeNumber || sub > SubtypeVector {
		return nil
	}
	if c.external {
		return privateSubtype(sub)
	}
	ok := true
	switch sub {
	case SubtypeNumber:
		d, kind := textDecimal(b)
		ok = kind == Finite && countDigits(d.Coef) == len(d.Coef) && (len(d.Coef) == 0 || d.Coef[0] != '0')
	case SubtypeMicros:
		ok = len(b) == 8
	case SubtypeText:
		ok = utf8.Valid(b)
	case SubtypeVector:
		ok = len(b)%4 == 0
	}
	if !ok {
		return malformed("a private binary value is not valid")
	}
	return nil
}
