package bind

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// userType finds a user's type, nil when there is none of the name.
func (b *binder) userType(names []string) (*catalog.Type, error) {
	schema, name, err := b.qualified(names, -1)
	if err != nil {
		return nil, err
	}
	if t := b.typeNamed(schema, name); t != nil {
		return b.Catalog.TypeByID(catalogID(t.OID)), nil
	}
	return nil, nil
}

// domain finds the domain of an ALTER DOMAIN and gives a copy of it to be changed.
func (b *binder) domain(names []string) (*plan.RedefineType, error) {
	t, err := b.userType(names)
	switch name := names[len(names)-1]; {
	case err != nil:
		return nil, err
	case t == nil:
		return nil, dberr.New(dberr.UndefinedObject, "type \"%s\" does not exist", name)
	case t.Def.Class != value.Domain:
		return nil, dberr.New(dberr.WrongObjectType, "%s is not a domain", t.Def.SQL)
	}
	st := &plan.RedefineType{Old: t, Type: *t, Tag: "ALTER DOMAIN"}
	st.Type.Checks = slices.Clone(t.Checks)
	return st, nil
}

// alterDomain binds ALTER DOMAIN but for its names and owners.
func (b *binder) alterDomain(x *pg_query.AlterDomainStmt) (plan.Statement, error) {
	st, err := b.domain(strs(x.TypeName))
	if err != nil {
		return nil, err
	}
	t := &st.Type
	at := slices.IndexFunc(t.Checks, func(c catalog.Check) bool { return c.Name == x.Name })
	missing := dberr.New(dberr.UndefinedObject, "constraint \"%s\" of domain \"%s\" does not exist", x.Name, t.Name)
	switch x.Subtype {
	case "T":
		t.Default = ""
		if x.Def != nil {
			t.Default, err = b.defaultText(&catalog.Column{Name: t.Name, Type: t.Def.Under, Mod: t.UnderMod}, x.Def)
		}
	case "N":
		t.NotNull = false
	case "O":
		st.NoNulls = !t.NotNull
		t.NotNull = true
	case "C":
		err = b.addDomainCheck(st, x.Def.GetConstraint())
	case "X":
		switch {
		case at < 0 && x.MissingOk:
			return &plan.NoOp{Tag: st.Tag, Notice: missing.Message + ", skipping"}, nil
		case at < 0:
			return nil, missing
		}
		t.Checks = slices.Delete(t.Checks, at, at+1)
	case "V":
		if at < 0 {
			return nil, missing
		}
		if t.Checks[at].NotValid {
			t.Checks[at].NotValid = false
			st.Checks = []catalog.Check{t.Checks[at]}
		}
	}
	return st, err
}

func (b *binder) addDomainCheck(st *plan.RedefineType, k *pg_query.Constraint) error {
	t := &st.Type
	switch k.Contype {
	case pg_query.ConstrType_CONSTR_CHECK:
	case pg_query.ConstrType_CONSTR_NOTNULL:
		st.NoNulls, t.NotNull = !t.NotNull, true
		return nil
	default:
		return dberr.New(dberr.SyntaxError, "this kind of constraint is not possible for domains")
	}
	taken := map[string]bool{}
	for _, c := range t.Checks {
		taken[c.Name] = true
	}
	ck, err := b.domainConstraint(k, t.Def.Under, t.UnderMod, t.Name, taken)
	if err != nil {
		return err
	}
	ck.NotValid = k.SkipValidation
	t.Checks = append(t.Checks, ck)
	if !ck.NotValid {
		st.Checks = []catalog.Check{ck}
	}
	return nil
}

// renameDomainCheck binds ALTER DOMAIN … RENAME CONSTRAINT.
func (b *binder) renameDomainCheck(x *pg_query.RenameStmt) (plan.Statement, error) {
	st, err := b.domain(objectNames(x.Object))
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(st.Type.Checks, func(c catalog.Check) bool { return c.Name == x.Subname })
	if at < 0 {
		return nil, dberr.New(dberr.UndefinedObject, "constraint \"%s\" for domain %s does not exist", x.Subname, st.Type.Name)
	}
	if slices.ContainsFunc(st.Type.Checks, func(c catalog.Check) bool { return c.Name == x.Newname }) {
		return nil, dberr.New(dberr.DuplicateObject, "constraint \"%s\" for domain %s already exists", x.Newname, st.Type.Name)
	}
	st.Type.Checks[at].Name = x.Newname
	return st, nil
}

// composite finds the composite type of an ALTER TYPE and gives a copy of it to be changed.
func (b *binder) composite(rv *pg_query.RangeVar) (*plan.RedefineType, error) {
	names := []string{rv.Relname}
	if rv.Schemaname != "" {
		names = []string{rv.Schemaname, rv.Relname}
	}
	t, err := b.userType(names)
	switch {
	case err != nil:
		return nil, err
	case t == nil && b.lookupRelation(rv.Schemaname, rv.Relname) != nil:
		return nil, dberr.New(dberr.WrongObjectType, "\"%s\" is not a composite type", rv.Relname)
	case t == nil:
		return nil, dropPosition(noRelation(rv))
	case t.Def.Class != value.Composite:
		return nil, dberr.New(dberr.WrongObjectType, "\"%s\" is not a composite type", rv.Relname)
	}
	def := *t.Def
	def.Fields = slices.Clone(def.Fields)
	st := &plan.RedefineType{Old: t, Type: *t, Tag: "ALTER TYPE"}
	st.Type.Def = &def
	for i := range def.Fields {
		st.From = append(st.From, i)
	}
	return st, nil
}

// alterComposite binds ALTER TYPE … ADD, DROP and ALTER ATTRIBUTE.
func (b *binder) alterComposite(x *pg_query.AlterTableStmt) (plan.Statement, error) {
	st, err := b.composite(x.Relation)
	if err != nil {
		return nil, err
	}
	for _, n := range x.Cmds {
		if err := b.alterAttribute(st, n.GetAlterTableCmd()); err != nil {
			return nil, dropPosition(err)
		}
	}
	return st, nil
}

func (b *binder) alterAttribute(st *plan.RedefineType, c *pg_query.AlterTableCmd) error {
	def := st.Type.Def
	at := slices.IndexFunc([]value.Field(def.Fields), func(f value.Field) bool { return f.Name == c.Name })
	missing := dberr.New(dberr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", c.Name, st.Type.Name)
	switch c.Subtype {
	case pg_query.AlterTableType_AT_AddColumn:
		fields, err := b.columnDefs([]*pg_query.Node{c.Def})
		if err != nil {
			return err
		}
		if slices.ContainsFunc([]value.Field(def.Fields), func(f value.Field) bool { return f.Name == fields[0].Name }) {
			return dberr.New(dberr.DuplicateColumn, "column \"%s\" of relation \"%s\" already exists", fields[0].Name, st.Type.Name)
		}
		if holds(fields[0].Type, def.OID) {
			return inItself(st)
		}
		def.Fields, st.From = append(def.Fields, fields[0]), append(st.From, -1)
	case pg_query.AlterTableType_AT_DropColumn:
		switch {
		case at < 0 && c.MissingOk:
			st.Notice = missing.Message + ", skipping"
			return nil
		case at < 0:
			return missing
		}
		def.Fields, st.From = slices.Delete(def.Fields, at, at+1), slices.Delete(st.From, at, at+1)
	case pg_query.AlterTableType_AT_AlterColumnType:
		if at < 0 {
			return missing
		}
		t, mod, err := b.typeName(c.Def.GetColumnDef().TypeName)
		if err != nil {
			return err
		}
		if holds(t, def.OID) {
			return inItself(st)
		}
		def.Fields[at].Type, def.Fields[at].Mod = t, mod
		st.Unused = true
	default:
		return refusedAction(c.Subtype)
	}
	return nil
}

// holds tells whether values of t are of the type with the OID, or have parts that are.
func holds(t *value.Type, oid uint32) bool {
	if t == nil {
		return false
	}
	return t.OID == oid || holds(t.Elem, oid) || holds(t.Under, oid) || slices.ContainsFunc([]value.Field(t.Fields), func(f value.Field) bool { return holds(f.Type, oid) })
}

func inItself(st *plan.RedefineType) error {
	return dberr.New(dberr.InvalidTableDef, "composite type %s cannot be made a member of itself", st.Type.Name)
}

// renameAttribute binds ALTER TYPE … RENAME ATTRIBUTE.
func (b *binder) renameAttribute(x *pg_query.RenameStmt) (plan.Statement, error) {
	st, err := b.composite(x.Relation)
	if err != nil {
		return nil, err
	}
	st.From = nil // rows hold no names
	fields := st.Type.Def.Fields
	at := slices.IndexFunc([]value.Field(fields), func(f value.Field) bool { return f.Name == x.Subname })
	if at < 0 {
		return nil, dberr.New(dberr.UndefinedColumn, "column \"%s\" does not exist", x.Subname)
	}
	if slices.ContainsFunc([]value.Field(fields), func(f value.Field) bool { return f.Name == x.Newname }) {
		return nil, dberr.New(dberr.DuplicateColumn, "column \"%s\" of relation \"%s\" already exists", x.Newname, st.Type.Name)
	}
	fields[at].Name = x.Newname
	return st, nil
}

// Relabel gives the text of a stored query or expression after an enum's label got another name: of the literals that spell the old one
// those that must be the label become the new one. valid tells whether a text can be bound; the catalog has the new label.
func Relabel(text string, query bool, old, label string, valid func(text string) bool) (string, error) {
	const head = "SELECT "
	if old == "" || !strings.Contains(text, strings.ReplaceAll(old, "'", "''")) {
		return text, nil
	}
	sql := text
	if !query {
		sql = head + text
	}
	stmts, err := parse.Parse(sql)
	if err != nil || len(stmts) != 1 {
		return "", dberr.Wrap(err, dberr.DataCorrupted, "the stored text %q is damaged", text)
	}
	var literals []*pg_query.String
	walkAST(stmts[0].Node, func(m proto.Message) bool {
		if k, ok := m.(*pg_query.A_Const); ok && k.GetSval() != nil && strings.Contains(k.GetSval().Sval, old) {
			literals = append(literals, k.GetSval())
		}
		return true
	})
	written := func() (string, error) {
		out, err := parse.Deparse(stmts[0].Node)
		if !query {
			out = strings.TrimPrefix(out, head)
		}
		return out, err
	}
	was := make([]string, len(literals))
	for i, l := range literals { // the label, or an array or row with it inside
		was[i], l.Sval = l.Sval, strings.ReplaceAll(l.Sval, old, label)
	}
	out, err := written()
	if err != nil || !valid(out) {
		return text, err
	}
	for i, l := range literals { // one that may stay is no label
		now := l.Sval
		l.Sval = was[i]
		if kept, err := written(); err == nil && valid(kept) {
			out = kept
		} else {
			l.Sval = now
		}
	}
	return out, nil
}
