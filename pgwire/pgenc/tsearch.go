package pgenc

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// The binary form of a tsvector is a count (4), then for each lexeme its text with a NUL, a count of places (2) and the places (2 each).
// That of a tsquery is a count (4), then the nodes, operators before their right and left operands: 1, weights (1), prefix (1), text with
// a NUL for a lexeme; 2, operator (1) and for a phrase the distance (2).

func putTSVector(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	list := typeio.TSV(v).Lexemes
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(list)))
	for _, l := range list {
		dst = append(append(dst, l.Text...), 0)
		dst = binary.BigEndian.AppendUint16(dst, uint16(len(l.Places)))
		for _, p := range l.Places {
			dst = binary.BigEndian.AppendUint16(dst, uint16(p))
		}
	}
	return dst
}

func getTSVector(r *reader, _ *value.Type) value.Value {
	var list []typeio.Lexeme
	for n := r.int32(); n > 0 && r.err == nil; n-- {
		l := typeio.Lexeme{Text: r.cstring()}
		for m := r.int16(); m > 0 && r.err == nil; m-- {
			p := typeio.TSPlace(uint16(r.int16()))
			if p.Pos() == 0 {
				r.fail(dberr.InvalidBinaryRepresentation, "position information is misordered")
			}
			l.Places = append(l.Places, p)
		}
		list = append(list, l)
	}
	if r.err != nil {
		return value.Null
	}
	v, err := typeio.NewTSVector(list)
	if err != nil {
		r.err = err
		return value.Null
	}
	return typeio.BoxTSV(v)
}

// tsOperators are the operators' numbers on the wire.
var tsOperators = map[typeio.TSOp]byte{typeio.TSNot: 1, typeio.TSAnd: 2, typeio.TSOr: 3, typeio.TSPhrase: 4}

func putTSQuery(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	root := typeio.TSQ(v).Root
	return putTSNode(binary.BigEndian.AppendUint32(dst, uint32(root.Nodes())), root)
}

func putTSNode(dst []byte, n *typeio.TSNode) []byte {
	if n == nil {
		return dst
	}
	if n.Op == typeio.TSLexeme {
		prefix := byte(0)
		if n.Prefix {
			prefix = 1
		}
		return append(append(append(dst, 1, byte(n.Weights), prefix), n.Text...), 0)
	}
	dst = append(dst, 2, tsOperators[n.Op])
	if n.Op == typeio.TSPhrase {
		dst = binary.BigEndian.AppendUint16(dst, uint16(n.Distance))
	}
	return putTSNode(putTSNode(dst, n.Right), n.Left)
}

func getTSQuery(r *reader, _ *value.Type) value.Value {
	q := &typeio.TSQuery{}
	left := r.int32()
	if left > 0 {
		q.Root = r.tsNode(&left, 0)
	}
	if r.err == nil && left != 0 {
		r.fail(dberr.InvalidBinaryRepresentation, "malformed tsquery: extra nodes")
	}
	if r.err != nil {
		return value.Null
	}
	return typeio.BoxTSQ(q)
}

// tsNode reads a node and those below it; left counts the nodes that may still come.
func (r *reader) tsNode(left *int, depth int) *typeio.TSNode {
	if *left--; *left < 0 || depth > 2000 {
		r.fail(dberr.InvalidBinaryRepresentation, "malformed tsquery: operand not found")
	}
	if r.err != nil {
		return &typeio.TSNode{}
	}
	switch r.uint8() {
	case 1:
		n := &typeio.TSNode{Weights: int(r.uint8() & 15), Prefix: r.uint8() != 0}
		n.Text = r.cstring()
		return n
	case 2:
		op := r.uint8()
		n := &typeio.TSNode{}
		for o, code := range tsOperators {
			if code == op {
				n.Op = o
			}
		}
		if n.Op == typeio.TSLexeme {
			r.fail(dberr.InvalidBinaryRepresentation, "invalid tsquery: unrecognized operator type: %d", op)
			return n
		}
		if n.Op == typeio.TSPhrase {
			n.Distance = int(uint16(r.int16()))
		}
		n.Right = r.tsNode(left, depth+1)
		if n.Op != typeio.TSNot {
			n.Left = r.tsNode(left, depth+1)
		}
		return n
	}
	r.fail(dberr.InvalidBinaryRepresentation, "invalid tsquery: wrong node type")
	return &typeio.TSNode{}
}

// cstring reads text up to a NUL.
func (r *reader) cstring() string {
	i := bytes.IndexByte(r.rest, 0)
	if i < 0 || !utf8.Valid(r.rest[:i]) {
		r.fail(dberr.InvalidBinaryRepresentation, "invalid string in message")
		return ""
	}
	s := string(r.rest[:i])
	r.rest = r.rest[i+1:]
	return s
}
