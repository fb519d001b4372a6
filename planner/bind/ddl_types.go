package bind

import (
	"math"
	"strconv"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// newObject checks a qualified name of an object to be made in a schema.
func (b *binder) newObject(names []*pg_query.Node) (plan.ObjName, error) {
	schema, name, err := b.qualified(strs(names), -1)
	if err != nil {
		return plan.ObjName{}, err
	}
	if err := checkName(name, -1); err != nil {
		return plan.ObjName{}, err
	}
	sc, err := b.creationSchema(schema, name, false, -1)
	if err != nil {
		return plan.ObjName{}, err
	}
	if b.Catalog.Type(sc.Name, name) != nil || b.Catalog.Relation(sc.Name, name) != nil {
		return plan.ObjName{}, dberr.New(dberr.DuplicateObject, "type \"%s\" already exists", name)
	}
	return plan.ObjName{Schema: sc.Name, Name: name}, nil
}

func (b *binder) createEnum(x *pg_query.CreateEnumStmt) (plan.Statement, error) {
	name, err := b.newObject(x.TypeName)
	if err != nil {
		return nil, err
	}
	t := value.Type{Name: name.Name, SQL: quoteIdent(name.Name), Kind: value.KindInt, Class: value.Enum, Category: 'E', Len: 4}
	seen := map[string]bool{}
	for _, l := range strs(x.Vals) {
		if len(l) > maxName {
			return nil, dberr.New(dberr.InvalidName, "invalid enum label \"%s\"", l).WithDetail("Labels must be %d bytes or less.", maxName)
		}
		if seen[l] {
			return nil, dberr.New(dberr.DuplicateObject, "enum label \"%s\" used more than once", l)
		}
		seen[l] = true
		t.Labels = append(t.Labels, l)
	}
	return &plan.CreateType{Name: name, Type: t, Mod: -1}, nil
}

func (b *binder) createComposite(x *pg_query.CompositeTypeStmt) (plan.Statement, error) {
	var names []*pg_query.Node
	if x.Typevar.Schemaname != "" {
		names = append(names, stringNode(x.Typevar.Schemaname))
	}
	name, err := b.newObject(append(names, stringNode(x.Typevar.Relname)))
	if err != nil {
		return nil, err
	}
	fields, err := b.columnDefs(x.Coldeflist)
	if e := dberr.As(err); e != nil {
		if e.Code == dberr.DuplicateColumn {
			e.Message = strings.Replace(e.Message, "column name", "column", 1)
		}
		return nil, dropPosition(e)
	}
	t := value.Type{Name: name.Name, SQL: quoteIdent(name.Name), Kind: value.KindBox, Class: value.Composite, Category: 'C', Len: -1, Fields: fields}
	return &plan.CreateType{Name: name, Type: t, Mod: -1}, nil
}

func (b *binder) createDomain(x *pg_query.CreateDomainStmt) (plan.Statement, error) {
	name, err := b.newObject(x.Domainname)
	if err != nil {
		return nil, err
	}
	under, mod, err := b.typeName(x.TypeName)
	if err != nil {
		return nil, dropPosition(err)
	}
	if under.Class == value.Pseudo {
		return nil, errAt(-1, dberr.DatatypeMismatch, "\"%s\" is not a valid base type for a domain", under.SQL)
	}
	t := *under
	t.OID, t.ArrayOID, t.Name, t.SQL, t.Class, t.Under, t.Preferred = 0, 0, name.Name, quoteIdent(name.Name), value.Domain, under, false
	st := &plan.CreateType{Name: name, Type: t, Mod: mod}
	taken := map[string]bool{}
	var said pg_query.ConstrType // NULL or NOT NULL
	for _, n := range x.Constraints {
		k := n.GetConstraint()
		switch k.Contype {
		case pg_query.ConstrType_CONSTR_NOTNULL, pg_query.ConstrType_CONSTR_NULL:
			if said != 0 && said != k.Contype {
				return nil, dberr.New(dberr.SyntaxError, "conflicting NULL/NOT NULL constraints")
			}
			said, st.NotNull = k.Contype, k.Contype == pg_query.ConstrType_CONSTR_NOTNULL
		case pg_query.ConstrType_CONSTR_DEFAULT:
			if st.Default != "" {
				return nil, dberr.New(dberr.SyntaxError, "multiple default expressions")
			}
			if st.Default, err = b.defaultText(&catalog.Column{Name: name.Name, Type: under, Mod: mod}, k.RawExpr); err != nil {
				return nil, err
			}
		case pg_query.ConstrType_CONSTR_CHECK:
			ck, err := b.domainConstraint(k, under, mod, name.Name, taken)
			if err != nil {
				return nil, err
			}
			st.Checks = append(st.Checks, ck)
		default:
			return nil, dberr.New(dberr.SyntaxError, "this kind of constraint is not possible for domains")
		}
	}
	return st, nil
}

// domainConstraint binds a domain's CHECK, which sees the value as VALUE.
func (b *binder) domainConstraint(k *pg_query.Constraint, under *value.Type, mod int32, domain string, taken map[string]bool) (catalog.Check, error) {
	s := &scope{clause: inCheck}
	b.addItem(s, b.queryItem([]plan.Col{b.newCol("value", under, mod)}))
	e, err := b.expr(s, k.RawExpr)
	if err == nil {
		e, err = b.boolean(e, "CHECK")
	}
	if err != nil {
		return catalog.Check{}, dropPosition(err)
	}
	written := plan.Deparser{Column: func(*plan.ColRef) string { return "VALUE" }}
	ck := catalog.Check{Name: k.Conname, Expr: written.Text(e)}
	if ck.Name == "" {
		ck.Name = objectName(domain, "", "check", taken)
	}
	if taken[ck.Name] {
		return ck, dberr.New(dberr.DuplicateObject, "constraint \"%s\" for domain \"%s\" already exists", ck.Name, domain)
	}
	taken[ck.Name] = true
	return ck, nil
}

func (b *binder) createSequence(x *pg_query.CreateSeqStmt) (plan.Statement, error) {
	rv := x.Sequence
	d, err := b.newTable(rv, x.IfNotExists)
	if err != nil {
		return nil, err
	}
	o, err := sequenceOptions(x.Options, nil)
	if err != nil {
		return nil, err
	}
	st := &plan.CreateSequence{Name: d.st.Name, IfNotExists: x.IfNotExists, Temp: d.rel.Temp, Options: o}
	if err := b.ownedBy(&st.Options, x.Options); err != nil {
		return nil, err
	}
	st.OwnerTable, st.OwnerColumn = st.Options.OwnedTable, st.Options.OwnedColumn
	return st, nil
}

// ownedBy reads OWNED BY table.column.
func (b *binder) ownedBy(o *plan.SequenceOptions, list []*pg_query.Node) error {
	for _, n := range list {
		e := n.GetDefElem()
		if e.Defname != "owned_by" {
			continue
		}
		names := strs(e.Arg.GetList().GetItems())
		if len(names) == 1 {
			if names[0] != "none" {
				return dberr.New(dberr.SyntaxError, "invalid OWNED BY option").WithHint("Specify OWNED BY table.column or OWNED BY NONE.")
			}
			o.NoOwner = true
			return nil
		}
		schema, table, err := b.qualified(names[:len(names)-1], -1)
		if err != nil {
			return err
		}
		rel := b.lookupRelation(schema, table)
		if rel == nil {
			return dberr.New(dberr.UndefinedTable, "relation \"%s\" does not exist", table)
		}
		c := findColumn(rel, names[len(names)-1])
		if c == nil {
			return dberr.New(dberr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", names[len(names)-1], rel.Name)
		}
		o.OwnedTable, o.OwnedColumn = plan.ObjName{Schema: b.schemaName(rel), Name: rel.Name}, c.Name
	}
	return nil
}

// seqLimits are the bounds of the types that a sequence can have.
var seqLimits = map[uint32][2]int64{
	value.Int2.OID: {math.MinInt16, math.MaxInt16}, value.Int4.OID: {math.MinInt32, math.MaxInt32}, value.Int8.OID: {math.MinInt64, math.MaxInt64},
}

// seqTypes are the names after AS.
var seqTypes = map[string]*value.Type{"int2": value.Int2, "smallint": value.Int2, "int4": value.Int4, "integer": value.Int4, "int8": value.Int8, "bigint": value.Int8}

// sequenceOptions reads the options of CREATE SEQUENCE and fills in the rest; t is the type of an owning column.
func sequenceOptions(list []*pg_query.Node, t *value.Type) (plan.SequenceOptions, error) {
	o := plan.SequenceOptions{Type: t, Increment: 1, Cache: 1, Given: map[string]bool{}}
	given := map[string]int64{}
	for _, n := range list {
		e := n.GetDefElem()
		if o.Given[e.Defname] {
			return o, errAt(loc(e.Location), dberr.SyntaxError, "conflicting or redundant options")
		}
		o.Given[e.Defname] = true
		switch e.Defname {
		case "as":
			names := strs(e.Arg.GetTypeName().GetNames())
			if o.Type = seqTypes[names[len(names)-1]]; o.Type == nil {
				return o, dberr.New(dberr.InvalidParameterValue, "sequence type must be smallint, integer, or bigint")
			}
		case "cycle":
			v, err := boolOption(e)
			if err != nil {
				return o, err
			}
			o.Cycle = v
		case "restart":
			o.Restart = true
			if e.Arg != nil {
				v, err := bigOption(e)
				if err != nil {
					return o, err
				}
				o.HasRestartWith, o.RestartWith = true, v
			}
		case "increment", "start", "minvalue", "maxvalue", "cache":
			if e.Arg == nil { // NO MINVALUE
				continue
			}
			v, err := bigOption(e)
			if err != nil {
				return o, err
			}
			given[e.Defname] = v
		}
	}
	if o.Type == nil {
		o.Type = value.Int8
	}
	return o, seqDefaults(&o, given)
}

// seqDefaults completes the numbers and checks them against each other.
func seqDefaults(o *plan.SequenceOptions, given map[string]int64) error {
	bad := func(format string, args ...any) error { return dberr.New(dberr.InvalidParameterValue, format, args...) }
	if v, ok := given["increment"]; ok {
		if o.Increment = v; v == 0 {
			return bad("INCREMENT must not be zero")
		}
	}
	lim := seqLimits[o.Type.OID]
	o.Min, o.Max = 1, lim[1]
	if o.Increment < 0 {
		o.Min, o.Max = lim[0], -1
	}
	if v, ok := given["maxvalue"]; ok {
		if o.Max = v; v < lim[0] || v > lim[1] {
			return bad("MAXVALUE (%d) is out of range for sequence data type %s", v, o.Type.SQL)
		}
	}
	if v, ok := given["minvalue"]; ok {
		if o.Min = v; v < lim[0] || v > lim[1] {
			return bad("MINVALUE (%d) is out of range for sequence data type %s", v, o.Type.SQL)
		}
	}
	if o.Min >= o.Max {
		return bad("MINVALUE (%d) must be less than MAXVALUE (%d)", o.Min, o.Max)
	}
	o.Start = o.Min
	if o.Increment < 0 {
		o.Start = o.Max
	}
	if v, ok := given["start"]; ok {
		o.Start = v
	}
	if o.Start < o.Min {
		return bad("START value (%d) cannot be less than MINVALUE (%d)", o.Start, o.Min)
	}
	if o.Start > o.Max {
		return bad("START value (%d) cannot be greater than MAXVALUE (%d)", o.Start, o.Max)
	}
	if v, ok := given["cache"]; ok {
		if o.Cache = v; v <= 0 {
			return bad("CACHE (%d) must be greater than zero", v)
		}
	}
	return nil
}

func bigOption(e *pg_query.DefElem) (int64, error) {
	v, err := strconv.ParseInt(constText(e.Arg), 10, 64)
	if err != nil {
		return 0, errAt(loc(e.Location), dberr.SyntaxError, "%s requires a numeric value", e.Defname)
	}
	return v, nil
}
