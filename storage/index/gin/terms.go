package gin

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/index/postings"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// terms says which terms a value of an index's key has, and which of them a condition demands.
type terms interface {
	// of gives the terms of a value, in order, each once.
	of(v value.Value) []postings.Term
	// query gives the combination of terms that any value has which satisfies the function with the argument; nil when every value may.
	query(function string, arg value.Value) *typeio.TSNode
}

// termsOf chooses the terms for an index's key; nil for a key that such an index cannot serve.
func termsOf(x *catalog.Index) terms {
	if len(x.Keys) != 1 || x.Keys[0].Type == nil {
		return nil
	}
	t := typeio.Base(x.Keys[0].Type)
	switch {
	case t.OID == value.TSVector.OID:
		return lexemes{}
	case x.Format == 0:
		return nil // made when such indexes had no entries
	case t.OID == value.JSONB.OID:
		return members{keys: x.Keys[0].OpClass != "jsonb_path_ops"}
	case t.IsArray():
		return elements{t.Elem}
	}
	return nil
}

// once is the position of a term.
var once = []int32{0}

// lexemes are the terms of a tsvector, without positions and weights.
type lexemes struct{}

func (lexemes) of(v value.Value) []postings.Term {
	list := typeio.TSV(v).Lexemes
	out := make([]postings.Term, len(list))
	for i, l := range list {
		out[i] = postings.Term{Text: l.Text, Positions: once}
	}
	return out
}

func (lexemes) query(_ string, arg value.Value) *typeio.TSNode { return typeio.TSQ(arg).Root }

// A term of documents and arrays is a letter and a hash of 64 bits; what two values share by chance the conditions sort out.
const (
	termLen    = 9
	scalarTerm = 'v' // a scalar and the keys that lead to it
	keyTerm    = 'k' // a key, or a string in an array, at the top level
)

type termSet []byte // termLen bytes each

func (s *termSet) add(kind byte, h hash) {
	*s = binary.BigEndian.AppendUint64(append(*s, kind), uint64(h))
}

func (s termSet) at(i int) []byte { return s[i*termLen : (i+1)*termLen] }

// sorted gives the terms in order, each once; they share one string.
func (s termSet) sorted() []string {
	order := make([]int, len(s)/termLen)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(s.at(a), s.at(b)) })
	order = slices.CompactFunc(order, func(a, b int) bool { return bytes.Equal(s.at(a), s.at(b)) })
	text := string(s)
	out := make([]string, len(order))
	for i, at := range order {
		out[i] = text[at*termLen : (at+1)*termLen]
	}
	return out
}

func (s termSet) postings() []postings.Term {
	list := s.sorted()
	out := make([]postings.Term, len(list))
	for i, text := range list {
		out[i] = postings.Term{Text: text, Positions: once}
	}
	return out
}

// node combines the terms, nil when there are none.
func (s termSet) node(op typeio.TSOp) *typeio.TSNode {
	var n *typeio.TSNode
	for _, text := range s.sorted() {
		leaf := &typeio.TSNode{Op: typeio.TSLexeme, Text: text}
		if n == nil {
			n = leaf
		} else {
			n = &typeio.TSNode{Op: op, Left: n, Right: leaf}
		}
	}
	return n
}

// hash is FNV-1a of 64 bits.
type hash uint64

const noHash hash = 14695981039346656037

func (h hash) byte(c byte) hash { return (h ^ hash(c)) * 1099511628211 }

func (h hash) bytes(b []byte) hash {
	for _, c := range b {
		h = h.byte(c)
	}
	return h
}

func (h hash) string(s string) hash {
	for i := range len(s) {
		h = h.byte(s[i])
	}
	return h
}

// members are the terms of a jsonb document: its scalars, each with the keys that lead to it (arrays in between do not count, as in
// PostgreSQL's jsonb_path_ops), and, for the other operator class, what ? finds.
type members struct{ keys bool }

func (m members) of(v value.Value) []postings.Term {
	d := typeio.Doc(v).Plain()
	var s termSet
	scalars(&s, noHash, d)
	if m.keys {
		topKeys(&s, d)
	}
	return s.postings()
}

func (m members) query(function string, arg value.Value) *typeio.TSNode {
	var s termSet
	switch function {
	case "jsonb_contains":
		scalars(&s, noHash, typeio.Doc(arg).Plain())
		return s.node(typeio.TSAnd)
	case "jsonb_exists", "jsonb_exists_any", "jsonb_exists_all":
		if !m.keys {
			return nil
		}
	default:
		return nil
	}
	if function == "jsonb_exists" {
		s.add(keyTerm, noHash.string(arg.Str()))
		return s.node(typeio.TSAnd)
	}
	for _, k := range arg.Box().(*value.Array).Elems {
		if !k.IsNull() {
			s.add(keyTerm, noHash.string(k.Str()))
		}
	}
	if function == "jsonb_exists_any" {
		return s.node(typeio.TSOr)
	}
	return s.node(typeio.TSAnd)
}

// scalars adds the scalars of a value that the keys hashed in path lead to.
func scalars(s *termSet, path hash, v doc.Value) {
	switch v.Type {
	case doc.TypeObject:
		for e := v.Elements(); ; {
			k, member, ok := e.Next()
			if !ok {
				return
			}
			scalars(s, path.bytes(k).byte(0), member.Plain())
		}
	case doc.TypeArray:
		for e := v.Elements(); ; {
			_, elem, ok := e.Next()
			if !ok {
				return
			}
			scalars(s, path, elem.Plain())
		}
	}
	s.add(scalarTerm, scalar(path, v))
}

// scalar hashes a scalar so that what jsonb takes for equal has one hash: numbers by their nearest double.
func scalar(h hash, v doc.Value) hash {
	if f, ok := v.Float64(); ok {
		switch {
		case f == 0:
			f = 0 // and not -0
		case math.IsNaN(f):
			f = math.NaN()
		}
		return h.byte('n').bytes(binary.BigEndian.AppendUint64(make([]byte, 0, 8), math.Float64bits(f)))
	}
	if b, ok := v.StringBytes(); ok {
		return h.byte('s').bytes(b)
	}
	if b, ok := v.Bool(); ok {
		if b {
			return h.byte('t')
		}
		return h.byte('f')
	}
	return h.byte('0') // null
}

// topKeys adds what ? finds in a document.
func topKeys(s *termSet, v doc.Value) {
	switch v.Type {
	case doc.TypeObject, doc.TypeArray:
		for e := v.Elements(); ; {
			k, member, ok := e.Next()
			if !ok {
				return
			}
			if v.Type == doc.TypeObject {
				s.add(keyTerm, noHash.bytes(k))
			} else if b, ok := member.StringBytes(); ok {
				s.add(keyTerm, noHash.bytes(b))
			}
		}
	}
	if b, ok := v.StringBytes(); ok {
		s.add(keyTerm, noHash.bytes(b))
	}
}

// elements are the terms of an array.
type elements struct{ elem *value.Type }

// set gives the terms of the elements that are not NULL; unknown tells that there are others.
func (t elements) set(v value.Value) (s termSet, unknown bool) {
	for _, x := range v.Box().(*value.Array).Elems {
		if x.IsNull() {
			unknown = true
			continue
		}
		k, err := index.AppendComponent(nil, key.Order{}, t.elem, x)
		if err != nil {
			return nil, true // the elements have no order
		}
		s.add(scalarTerm, noHash.bytes(k))
	}
	return s, unknown
}

func (t elements) of(v value.Value) []postings.Term {
	s, _ := t.set(v)
	return s.postings()
}

func (t elements) query(function string, arg value.Value) *typeio.TSNode {
	s, unknown := t.set(arg)
	switch {
	case unknown:
	case function == "arraycontains":
		return s.node(typeio.TSAnd)
	case function == "arrayoverlap":
		return s.node(typeio.TSOr)
	}
	return nil
}
