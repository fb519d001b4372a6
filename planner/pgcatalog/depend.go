package pgcatalog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// dependency is a row of pg_depend: object stands on ref.
type dependency struct {
	class, object   uint32
	sub             int16
	refClass, refOb uint32
	refSub          int16
	kind            byte // n normal, a automatic, i internal
}

// The further catalogs that dependencies name.
const (
	classAttrdef = 2604
	classRewrite = 2618
)

// dependencies lists what tools look for: sequences of columns, indexes of constraints, constraints of columns, defaults of columns, the
// rules of views.
func (w *world) dependencies() []dependency {
	var out []dependency
	add := func(class uint32, object catalog.ID, refClass uint32, ref catalog.ID, sub int16, kind byte) {
		out = append(out, dependency{class, uint32(object), 0, refClass, uint32(ref), sub, kind})
	}
	for _, r := range w.userRelations() {
		add(classClass, r.ID, classNamespace, r.Schema, 0, 'n')
		if r.Seq == nil {
			add(classType, catalog.ID(catalog.RowType(r.ID)), classClass, r.ID, 0, 'i')
		}
		if r.Seq != nil && r.Seq.OwnerTable != 0 {
			add(classClass, r.ID, classClass, r.Seq.OwnerTable, r.Seq.OwnerColumn, w.ownership(r))
		}
		for _, x := range w.userIndexes(r) {
			if x.Constraint {
				add(classClass, x.ID, classConstraint, constraintOID(x.ID), 0, 'i')
				continue
			}
			for _, num := range keyColumns(x) {
				add(classClass, x.ID, classClass, r.ID, num, 'a')
			}
		}
		if r.Kind == catalog.ViewKind || r.Kind == catalog.MatViewKind {
			add(classRewrite, ruleOID(r.ID), classClass, r.ID, 0, 'i')
			for _, used := range r.Uses {
				add(classRewrite, ruleOID(r.ID), classClass, used, 0, 'n')
			}
		}
	}
	for _, t := range w.typesHere() {
		for _, part := range partsOf(t.Def) {
			add(classType, t.ID, classType, catalog.ID(part), 0, 'n')
		}
	}
	for _, f := range w.view.Functions(0) {
		for i := -1; i < len(f.Args); i++ {
			named := f.Ret
			if i >= 0 {
				named = f.Args[i].Type
			}
			switch t := w.typeByOID(named); {
			case t != nil && userPart(t) != 0:
				add(classProc, f.ID, classType, catalog.ID(userPart(t)), 0, 'n')
			case w.view.RelationByID(catalog.RelationOfRows(named)) != nil:
				add(classProc, f.ID, classType, catalog.ID(named), 0, 'n')
			}
		}
	}
	for _, c := range w.constraints() {
		for _, num := range c.cols {
			add(classConstraint, c.oid, classClass, c.rel.ID, num, 'a')
		}
		if c.fk != nil {
			for _, num := range c.fk.RefCols {
				add(classConstraint, c.oid, classClass, c.fk.RefTable, num, 'n')
			}
			add(classConstraint, c.oid, classClass, w.target(c.fk), 0, 'n')
		}
	}
	for _, d := range w.defaults() {
		add(classAttrdef, attrdefOID(d), classClass, d.rel.ID, d.col.Num, 'a')
		if seq := w.drawnFrom(d.col.Default); seq != nil {
			add(classAttrdef, attrdefOID(d), classClass, seq.ID, 0, 'n')
		}
	}
	return out
}

// partsOf lists the users' types that a type is made of.
func partsOf(t *value.Type) []uint32 {
	var out []uint32
	add := func(t *value.Type) {
		if t != nil && userPart(t) != 0 {
			out = append(out, userPart(t))
		}
	}
	add(t.Under)
	if t.Class == value.RangeClass || t.Class == value.MultiClass {
		add(t.Elem)
	}
	if t.Class == value.Composite {
		for _, f := range t.Fields {
			add(f.Type)
		}
	}
	return out
}

// userPart is the user's type that values of t are of, or that the elements of arrays are of; 0 for built-in ones.
func userPart(t *value.Type) uint32 {
	if t.IsArray() && t.Class != value.Domain {
		t = t.Elem
	}
	if t.Namespace == 0 {
		return 0
	}
	return t.OID
}

// drawnFrom finds the sequence that a default takes its values from, nil when there is none.
func (w *world) drawnFrom(def string) *catalog.Relation {
	_, rest, ok := strings.Cut(def, "nextval('")
	name, _, ok2 := strings.Cut(rest, "'::regclass)")
	if !ok || !ok2 {
		return nil
	}
	if id, err := strconv.ParseUint(name, 10, 32); err == nil {
		return w.view.RelationByID(catalog.ID(id))
	}
	schema, seq, ok := strings.Cut(strings.ReplaceAll(name, `"`, ""), ".")
	if !ok {
		schema, seq = "public", schema
	}
	return w.view.Relation(schema, seq)
}

// ownership is how a sequence hangs on its column: as an identity column's own, or owned by it.
func (w *world) ownership(seq *catalog.Relation) byte {
	if t := w.view.RelationByID(seq.Seq.OwnerTable); t != nil {
		if c := t.Attr(seq.Seq.OwnerColumn); c != nil && c.Identity != 0 {
			return 'i'
		}
	}
	return 'a'
}

// ruleOID is the OID of the rule that a view is.
func ruleOID(view catalog.ID) catalog.ID { return view | 1<<26 }

func attrdefOID(d defaulted) catalog.ID { return d.rel.ID<<11 | catalog.ID(d.col.Num) | 1<<31 }

var pgDepend = of[dependency]{
	items: (*world).dependencies,
	cols: map[string]func(*world, dependency) value.Value{
		"classid":     func(_ *world, d dependency) value.Value { return oid(d.class) },
		"objid":       func(_ *world, d dependency) value.Value { return oid(d.object) },
		"objsubid":    func(_ *world, d dependency) value.Value { return num(d.sub) },
		"refclassid":  func(_ *world, d dependency) value.Value { return oid(d.refClass) },
		"refobjid":    func(_ *world, d dependency) value.Value { return oid(d.refOb) },
		"refobjsubid": func(_ *world, d dependency) value.Value { return num(d.refSub) },
		"deptype":     func(_ *world, d dependency) value.Value { return char(d.kind) },
	},
}

var pgRewrite = of[class]{
	items: ofUserKind('v', 'm'),
	cols: map[string]func(*world, class) value.Value{
		"oid":        func(_ *world, c class) value.Value { return oid(ruleOID(c.oid)) },
		"rulename":   func(*world, class) value.Value { return text("_RETURN") },
		"ev_class":   func(_ *world, c class) value.Value { return oid(c.oid) },
		"ev_type":    func(*world, class) value.Value { return char('1') },
		"ev_enabled": func(*world, class) value.Value { return char('O') },
		"is_instead": func(*world, class) value.Value { return value.Bool(true) },
	},
}

// ofUserKind is ofKind without the system relations.
func ofUserKind(kinds ...byte) func(w *world) []class {
	all := ofKind(kinds...)
	return func(w *world) []class {
		var out []class
		for _, c := range all(w) {
			if c.rel != nil {
				out = append(out, c)
			}
		}
		return out
	}
}

// startSettings is a row of pg_db_role_setting.
type startSettings struct {
	db, role catalog.ID // 0: every one
	settings map[string]string
}

var pgRoleSettings = of[startSettings]{
	items: func(w *world) []startSettings {
		var out []startSettings
		if w.view != nil {
			for _, d := range w.view.Databases() {
				out = append(out, startSettings{d.ID, 0, d.Settings})
			}
		}
		for _, r := range w.roles() {
			out = append(out, startSettings{0, r.ID, r.Settings})
			for _, in := range r.Within {
				out = append(out, startSettings{in.Database, r.ID, in.Settings})
			}
		}
		return slices.DeleteFunc(out, func(s startSettings) bool { return len(s.settings) == 0 })
	},
	cols: map[string]func(*world, startSettings) value.Value{
		"setdatabase": func(_ *world, s startSettings) value.Value { return oid(s.db) },
		"setrole":     func(_ *world, s startSettings) value.Value { return oid(s.role) },
		"setconfig":   func(_ *world, s startSettings) value.Value { return texts(optionList(s.settings)) },
	},
}

// defaultRights is a row of pg_default_acl.
type defaultRights struct {
	role *catalog.Role
	catalog.DefaultRights
}

var pgDefaultACL = of[defaultRights]{
	items: func(w *world) []defaultRights {
		var out []defaultRights
		for _, r := range w.roles() {
			for _, d := range r.Defaults {
				if sc := w.view.SchemaByID(d.Schema); d.Schema == 0 || sc != nil && sc.Database == w.view.Database() {
					out = append(out, defaultRights{r, d})
				}
			}
		}
		return out
	},
	cols: map[string]func(*world, defaultRights) value.Value{
		"oid":             func(_ *world, d defaultRights) value.Value { return oid(d.role.ID<<8 | catalog.ID(d.Kind) | 1<<31) },
		"defaclrole":      func(_ *world, d defaultRights) value.Value { return oid(d.role.ID) },
		"defaclnamespace": func(_ *world, d defaultRights) value.Value { return oid(d.Schema) },
		"defaclobjtype": func(_ *world, d defaultRights) value.Value {
			return char(cmp.Or(map[catalog.Guarded]byte{catalog.GuardSequence: 'S'}[d.Kind], byte(d.Kind)))
		},
		"defaclacl": func(w *world, d defaultRights) value.Value { return w.acl(d.Kind, d.role.ID, d.ACL) },
	},
}

// group is a row of pg_group: a role that cannot log in.
var pgGroup = of[*catalog.Role]{
	items: func(w *world) []*catalog.Role {
		var out []*catalog.Role
		for _, r := range w.roles() {
			if !r.Login {
				out = append(out, r)
			}
		}
		return out
	},
	cols: map[string]func(*world, *catalog.Role) value.Value{
		"groname":  func(_ *world, r *catalog.Role) value.Value { return text(r.Name) },
		"grosysid": func(_ *world, r *catalog.Role) value.Value { return oid(r.ID) },
		"grolist": func(w *world, r *catalog.Role) value.Value {
			members := []catalog.ID{}
			for _, m := range w.roles() {
				for _, of := range m.MemberOf {
					if of.Role == r.ID {
						members = append(members, m.ID)
					}
				}
			}
			return array(value.OID, members)
		},
	},
}
