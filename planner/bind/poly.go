package bind

import (
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// The polymorphic types come in two families (manual 38.2.5): in the first all positions agree on one element type exactly, in the
// second ("compatible") they are brought to a common type.

type polyRole uint8

const (
	polyNone polyRole = iota
	polyElem
	polyArray
	polyRange
	polyMulti
	polyNonArray
	polyEnum
)

// polyRoles gives role and family of each polymorphic type.
var polyRoles = map[uint32]struct {
	role   polyRole
	compat bool
}{
	value.AnyElement.OID: {polyElem, false}, value.AnyArray.OID: {polyArray, false}, value.AnyNonArray.OID: {polyNonArray, false},
	value.AnyEnum.OID: {polyEnum, false}, value.AnyRange.OID: {polyRange, false}, value.AnyMultirange.OID: {polyMulti, false},
	value.AnyCompatible.OID: {polyElem, true}, value.AnyCompatibleArray.OID: {polyArray, true},
	value.AnyCompatibleNonArray.OID: {polyNonArray, true}, value.AnyCompatibleRange.OID: {polyRange, true},
	value.AnyCompatibleMultirange.OID: {polyMulti, true},
}

// family collects what the arguments say about one family.
type family struct {
	elem, array, rng, multi *value.Type
	nonArray, enum          bool
	elems                   []*value.Type // of the compatible family: everything that must have a common type
	seen                    bool
}

// gather looks at the arguments; false when two of the first family disagree. what names the kind for errors.
func gather(from, to []*value.Type, compat bool) (f family, what string, a, c *value.Type) {
	for i := range to {
		r, ok := polyRoles[to[i].OID]
		if !ok || r.compat != compat {
			continue
		}
		f.seen = true
		f.nonArray = f.nonArray || r.role == polyNonArray
		f.enum = f.enum || r.role == polyEnum
		t := from[i]
		if isUnknown(t) {
			continue
		}
		switch r.role {
		case polyArray:
			t = baseType(t)
			if f.array != nil && !same(f.array, t) && !compat {
				return f, "anyarray", f.array, t
			}
			if compat {
				if !isArray(t) {
					return f, "array", t, nil
				}
				f.elems = append(f.elems, t.Elem)
			}
			f.array = t
		case polyRange:
			t = baseType(t)
			if f.rng != nil && !same(f.rng, t) {
				return f, "anyrange", f.rng, t
			}
			if t.Class != value.RangeClass {
				return f, "range", t, nil
			}
			f.rng = t
		case polyMulti:
			t = baseType(t)
			if f.multi != nil && !same(f.multi, t) {
				return f, "anymultirange", f.multi, t
			}
			if t.Class != value.MultiClass {
				return f, "multirange", t, nil
			}
			f.multi = t
		default:
			if compat {
				f.elems = append(f.elems, t)
			} else if f.elem != nil && !same(f.elem, t) {
				return f, "anyelement", f.elem, t
			}
			f.elem = t
		}
	}
	return f, "", nil, nil
}

// solve finds the element type of a family, nil when nothing says it; ok is false when the arguments contradict each other.
func (b *binder) solve(f *family, compat bool) (elem *value.Type, ok bool) {
	if compat {
		if f.rng != nil {
			f.elems = append(f.elems, f.rng.Elem)
		}
		if f.multi != nil {
			f.elems = append(f.elems, f.multi.Elem)
		}
		if len(f.elems) == 0 {
			return nil, true
		}
		t, bad := b.commonTypeOf(f.elems)
		if bad >= 0 {
			return nil, false
		}
		for _, e := range f.elems {
			if !b.canCoerce1(e, t, functions.Implicit) {
				return nil, false
			}
		}
		if f.rng != nil && !same(f.rng.Elem, t) || f.multi != nil && !same(f.multi.Elem, t) {
			return nil, false
		}
		return t, !f.nonArray || !isArray(baseType(t))
	}
	elem = f.elem
	agree := func(t *value.Type) bool {
		if elem == nil {
			elem = t
		}
		return same(elem, t)
	}
	if f.array != nil && f.array.OID != value.AnyArray.OID {
		if !isArray(f.array) || !agree(f.array.Elem) {
			return nil, false
		}
	}
	if f.rng != nil && !agree(f.rng.Elem) || f.multi != nil && !agree(f.multi.Elem) {
		return nil, false
	}
	if f.enum && (elem == nil || baseType(elem).Class != value.Enum) || elem != nil && f.nonArray && isArray(baseType(elem)) {
		return nil, false
	}
	return elem, true
}

// genericsAgree tells whether arguments fit the polymorphic parameters among to.
func genericsAgree(b *binder, from, to []*value.Type) bool {
	for _, compat := range []bool{false, true} {
		f, what, _, _ := gather(from, to, compat)
		if what != "" {
			return false
		}
		if !f.seen {
			continue
		}
		if _, ok := b.solve(&f, compat); !ok {
			return false
		}
	}
	return true
}

// instantiate replaces the polymorphic types of a chosen function by the real ones; ret is its result type.
func (b *binder) instantiate(from, to []*value.Type, ret *value.Type) ([]*value.Type, *value.Type, error) {
	poly := hasPoly(ret)
	for _, t := range to {
		poly = poly || t.IsPoly()
	}
	if !poly {
		return to, ret, nil
	}
	fields := ret.Fields
	out := append([]*value.Type(nil), to...)
	for _, compat := range []bool{false, true} {
		f, what, a, c := gather(from, to, compat)
		if what != "" {
			if c == nil {
				return nil, nil, dberr.New(dberr.DatatypeMismatch, "argument declared %s is not %s but type %s", "any"+what, article(what), a.SQL)
			}
			return nil, nil, dberr.New(dberr.DatatypeMismatch, "arguments declared \"%s\" are not all alike", what).WithDetail("%s versus %s", a.SQL, c.SQL)
		}
		retRole, inRet := polyRoles[ret.OID]
		inRet = inRet && retRole.compat == compat
		if !f.seen && !inRet {
			continue
		}
		elem, ok := b.solve(&f, compat)
		if !ok {
			return nil, nil, dberr.New(dberr.DatatypeMismatch, "arguments of polymorphic types do not match")
		}
		if elem == nil {
			if f.array != nil && f.array.OID == value.AnyArray.OID {
				continue // only the statistics catalog has columns of this type
			}
			if !compat {
				return nil, nil, dberr.New(dberr.DatatypeMismatch, "could not determine polymorphic type because input has type %s", "unknown")
			}
			elem = value.Text
		}
		for i := range out {
			if r, ok := polyRoles[to[i].OID]; ok && r.compat == compat {
				t, err := b.fillRole(r.role, elem, &f)
				if err != nil {
					return nil, nil, err
				}
				out[i] = t
			}
		}
		if inRet {
			t, err := b.fillRole(retRole.role, elem, &f)
			if err != nil {
				return nil, nil, err
			}
			ret = t
		}
		for i := range fields {
			if r, ok := polyRoles[fields[i].Type.OID]; ok && r.compat == compat {
				t, err := b.fillRole(r.role, elem, &f)
				if err != nil {
					return nil, nil, err
				}
				if &fields[0] == &ret.Fields[0] {
					c := *ret
					c.Fields = slices.Clone(fields)
					ret = &c
				}
				ret.Fields[i].Type = t
			}
		}
	}
	return out, ret, nil
}

// hasPoly tells whether a result type, or a column of it, is polymorphic.
func hasPoly(t *value.Type) bool {
	return t.IsPoly() || slices.ContainsFunc(t.Fields, func(f value.Field) bool { return f.Type.IsPoly() })
}

func article(what string) string {
	if what == "array" {
		return "an array"
	}
	return "a " + what + " type"
}

// fillRole gives the type for a role of a family whose element type is known.
func (b *binder) fillRole(role polyRole, elem *value.Type, f *family) (*value.Type, error) {
	switch role {
	case polyArray:
		if a := b.arrayOf(elem); a != nil {
			return a, nil
		}
		return nil, dberr.New(dberr.UndefinedObject, "could not find array type for data type %s", elem.SQL)
	case polyRange:
		if f.rng != nil {
			return f.rng, nil
		}
		if f.multi != nil {
			if r := b.partner(f.multi, value.RangeClass); r != nil {
				return r, nil
			}
		}
		return nil, undetermined("anyrange")
	case polyMulti:
		if f.multi != nil {
			return f.multi, nil
		}
		if f.rng != nil {
			if r := b.partner(f.rng, value.MultiClass); r != nil {
				return r, nil
			}
		}
		return nil, undetermined("anymultirange")
	}
	return elem, nil
}

func undetermined(name string) error {
	return dberr.New(dberr.DatatypeMismatch, "could not determine polymorphic type %s because input has type %s", name, "unknown")
}

// partner finds the multirange type of a range type, or the other way round.
func (b *binder) partner(t *value.Type, class value.Class) *value.Type {
	if def := b.Catalog.TypeByID(catalog.ID(t.OID)); def != nil {
		if other := b.Catalog.TypeByID(def.Partner); other != nil {
			return other.Def
		}
		return nil
	}
	return rangeOver(t.Elem, class)
}

// rangeOver finds the built-in range or multirange type over an element type.
func rangeOver(elem *value.Type, class value.Class) *value.Type {
	for _, t := range builtinTypes {
		if t.Class == class && t.Elem != nil && t.Elem.OID == elem.OID {
			return t
		}
	}
	return nil
}
