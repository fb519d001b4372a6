package spec

import (
	"strings"

	"github.com/omgdb/omgdb/storage/doc"
)

// Projection chooses fields of documents: {"a": 1, "b.c": 1} shows these and _id, {"a": 0} all but these. It is immutable.
type Projection struct {
	root    fields
	include bool
	all     bool // {}
	id      bool
}

// fields is a level of the tree of paths: nil for a path that ends here.
type fields map[string]fields

// ParseProjection checks a projection (22023). Paths are dotted, or nested objects; a path and one inside it conflict.
func ParseProjection(d doc.Doc) (*Projection, error) {
	p := &projectionParser{root: fields{}, id: true}
	if err := p.members(d, "", p.root); err != nil {
		return nil, err
	}
	return &Projection{root: p.root, include: p.kind == including || p.kind == undecided && p.idOnly, all: p.kind == undecided && !p.idOnly && p.id, id: p.id}, nil
}

const (
	undecided = iota
	including
	excluding
)

type projectionParser struct {
	root   fields
	kind   int
	id     bool
	idOnly bool // {"_id": 1} and nothing else so far
}

func (p *projectionParser) members(d doc.Doc, prefix string, at fields) error {
	for e := d.Elements(); ; {
		k, v, ok := e.Next()
		if !ok {
			return nil
		}
		path := prefix + string(k)
		if !validPath(string(k)) {
			return invalid("projection", "\"%s\" is not a path; positional and computed fields are not supported, use SELECT", path)
		}
		if path == "_id" && v.Type != doc.TypeObject {
			show, err := shown(path, v)
			if err != nil {
				return err
			}
			p.id, p.idOnly = show, show
			continue
		}
		below, err := at.enter(string(k), path)
		if err != nil {
			return err
		}
		if v.Type == doc.TypeObject {
			if err := p.nested(doc.Doc(v.Data), path, below); err != nil {
				return err
			}
			continue
		}
		if err := p.leaf(path, v); err != nil {
			return err
		}
		if len(below.level) > 0 {
			return invalid("projection", "\"%s\" conflicts with a path inside it", path)
		}
		below.parent[below.name] = nil
	}
}

// slot is where a path has arrived: the level under its last part, and where that hangs.
type slot struct {
	parent fields
	name   string
	level  fields
}

// enter walks the parts of a path, making levels on the way.
func (f fields) enter(key, path string) (slot, error) {
	parts := strings.Split(key, ".")
	at := f
	for i, part := range parts {
		next, seen := at[part]
		if seen && next == nil {
			return slot{}, invalid("projection", "\"%s\" conflicts with another path", path)
		}
		if next == nil {
			next = fields{}
			at[part] = next
		}
		if i == len(parts)-1 {
			return slot{at, part, next}, nil
		}
		at = next
	}
	return slot{}, nil
}

func (p *projectionParser) nested(d doc.Doc, path string, at slot) error {
	e := d.Elements()
	k, _, ok := e.Next()
	if !ok {
		return invalid("projection", "\"%s\" has an empty object", path)
	}
	if len(k) > 0 && k[0] == '$' {
		return invalid("projection", "\"%s\" has the operator %s, which is not supported; use SELECT", path, k)
	}
	return p.members(d, path+".", at.level)
}

func (p *projectionParser) leaf(path string, v doc.Value) error {
	show, err := shown(path, v)
	if err != nil {
		return err
	}
	kind := excluding
	if show {
		kind = including
	}
	if p.kind != undecided && p.kind != kind {
		return invalid("projection", "\"%s\" mixes fields to show with fields to hide (only _id may)", path)
	}
	p.kind = kind
	return nil
}

// shown reads 1, 0, true or false.
func shown(path string, v doc.Value) (bool, error) {
	if b, ok := v.Bool(); ok {
		return b, nil
	}
	if v.IsNumber() {
		f, _ := v.Float64()
		return f != 0, nil
	}
	return false, invalid("projection", "\"%s\" needs 1 or 0, found %s", path, v.Kind())
}

// validPath refuses empty parts and parts that begin with $.
func validPath(path string) bool {
	for _, part := range strings.Split(path, ".") {
		if part == "" || part[0] == '$' {
			return false
		}
	}
	return true
}

// Apply gives the document that is shown; d itself when that is all of it.
func (p *Projection) Apply(d doc.Doc) doc.Doc {
	if p.all {
		return d
	}
	out, start := doc.BeginDocument(make([]byte, 0, len(d)))
	for e := d.Elements(); ; {
		k, v, ok := e.Next()
		if !ok {
			return doc.Doc(doc.EndDocument(out, start))
		}
		if string(k) == "_id" {
			if _, named := p.root["_id"]; !named {
				if p.id {
					out = doc.AppendElement(out, "_id", v)
				}
				continue
			}
		}
		out = p.member(out, k, v, p.root)
	}
}

// member appends what is shown of one member.
func (p *Projection) member(out, key []byte, v doc.Value, at fields) []byte {
	below, named := at[string(key)]
	switch {
	case !named && p.include, named && below == nil && !p.include:
		return out
	case !named || below == nil:
		return doc.AppendElement(out, string(key), v)
	case v.Type != doc.TypeObject && v.Type != doc.TypeArray:
		if p.include {
			return out
		}
		return doc.AppendElement(out, string(key), v)
	}
	return doc.AppendElement(out, string(key), p.inside(v, below))
}

// inside shows a part of an object, or of every element of an array.
func (p *Projection) inside(v doc.Value, at fields) doc.Value {
	if v.Type == doc.TypeObject {
		out, start := doc.BeginDocument(make([]byte, 0, len(v.Data)))
		for e := v.Elements(); ; {
			k, x, ok := e.Next()
			if !ok {
				return doc.Value{Type: doc.TypeObject, Data: doc.EndDocument(out, start)}
			}
			out = p.member(out, k, x, at)
		}
	}
	var list []doc.Value
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			return doc.Array(list...)
		}
		if x.Type == doc.TypeObject || x.Type == doc.TypeArray {
			list = append(list, p.inside(x, at))
		} else if !p.include {
			list = append(list, x)
		}
	}
}
