package bind

import (
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/scalar"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// createRange binds CREATE TYPE … AS RANGE, which makes a range type and the multirange type over it.
func (b *binder) createRange(x *pg_query.CreateRangeStmt) (plan.Statement, error) {
	name, err := b.newObject(x.TypeName)
	if err != nil {
		return nil, err
	}
	var elem *value.Type
	multi := ""
	given := map[string]bool{}
	for _, n := range x.Params {
		d := n.GetDefElem()
		if given[d.Defname] {
			return nil, dberr.New(dberr.SyntaxError, "conflicting or redundant options")
		}
		given[d.Defname] = true
		switch d.Defname {
		case "subtype":
			if elem, _, err = b.typeName(d.Arg.GetTypeName()); err != nil {
				return nil, dropPosition(err)
			}
		case "multirange_type_name":
			multi = defString(d)
		case "canonical":
			return nil, dberr.New(dberr.FeatureNotSupported, "range types with a canonical function are not supported").
				WithHint("Use int4range, int8range or daterange for discrete ranges.")
		case "subtype_opclass", "subtype_diff", "collation":
		default:
			return nil, dberr.New(dberr.SyntaxError, "type attribute \"%s\" not recognized", d.Defname)
		}
	}
	switch {
	case elem == nil:
		return nil, dberr.New(dberr.SyntaxError, "type attribute \"subtype\" is required")
	case elem.Class == value.Pseudo:
		return nil, dberr.New(dberr.DatatypeMismatch, "range subtype cannot be %s", elem.SQL)
	case !b.sortable(elem):
		return nil, dberr.New(dberr.UndefinedObject, "data type %s has no default operator class for access method \"btree\"", elem.SQL).
			WithHint("You must specify an operator class for the range type or define a default operator class for the subtype.")
	}
	if multi == "" {
		multi = multirangeName(name.Name)
	}
	if b.Catalog.Type(name.Schema, multi) != nil {
		return nil, dberr.New(dberr.DuplicateObject, "type \"%s\" already exists", multi).
			WithDetail("Failed while creating a multirange type for type \"%s\".", name.Name).
			WithHint("You can manually specify a multirange type name using the \"multirange_type_name\" attribute.")
	}
	base := value.Type{Kind: value.KindBox, Category: 'R', Len: -1, Elem: elem}
	r, m := base, base
	r.Name, r.SQL, r.Class = name.Name, quoteIdent(name.Name), value.RangeClass
	m.Name, m.SQL, m.Class = multi, quoteIdent(multi), value.MultiClass
	return &plan.CreateType{Name: name, Type: r, Multi: &m, Mod: -1}, nil
}

// multirangeName makes the name of a multirange type.
func multirangeName(name string) string {
	if i := strings.Index(name, "range"); i >= 0 {
		name = name[:i] + "multi" + name[i:]
	} else {
		name += "_multirange"
	}
	return name[:min(len(name), maxName)]
}

// constructors lists the constructors of users' range and multirange types of a name.
func (b *binder) constructors(schema, name string) []*functions.Scalar {
	schemas := []string{schema}
	if schema == "" {
		schemas = b.path()
	}
	for _, s := range schemas {
		def := b.Catalog.Type(s, name)
		if def == nil || def.Partner == 0 {
			continue
		}
		other := b.Catalog.TypeByID(def.Partner)
		if other == nil {
			continue
		}
		r, m := def, other
		if def.Def.Class == value.MultiClass {
			r, m = other, def
		}
		list := b.ranges[r.ID]
		if list == nil {
			if b.ranges == nil {
				b.ranges = map[catalog.ID][]*functions.Scalar{}
			}
			list = scalar.RangeConstructors(r.Def, m.Def, b.arrayOf(r.Def))
			b.ranges[r.ID] = list
		}
		var out []*functions.Scalar
		for _, f := range list {
			if f.Name == name {
				out = append(out, f)
			}
		}
		return out
	}
	return nil
}
