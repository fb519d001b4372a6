package bind

import (
	"context"

	"slices"
	"strings"
	"testing"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/pgfacts"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// facts makes a registry of all of PostgreSQL's functions, operators and casts, which compute nothing: binding needs signatures only.
func facts(t testing.TB) *functions.Registry {
	t.Helper()
	var e functions.Entries
	byOID := map[uint32]*functions.Scalar{}
	params := func(p *pgfacts.Proc) ([]functions.Param, bool) {
		out := make([]functions.Param, len(p.Args))
		for i, oid := range p.Args {
			out[i] = functions.Param{Name: p.Names[i], Type: value.ByOID(oid)}
			if d := i - (len(p.Args) - len(p.Defaults)); d >= 0 {
				out[i].Default = p.Defaults[d]
			}
			if out[i].Type == nil {
				return nil, false
			}
		}
		return out, value.ByOID(p.Ret) != nil
	}
	for i := range pgfacts.Load().Procs {
		p := &pgfacts.Load().Procs[i]
		ps, ok := params(p)
		if !ok {
			continue
		}
		ret := value.ByOID(p.Ret)
		switch p.Kind {
		case 'a':
			e.Aggregates = append(e.Aggregates, &functions.Aggregate{OID: p.OID, Name: p.Name, Params: ps, Variadic: p.Variadic, Ret: ret,
				OrderedSet: p.AggKind == 'o' || p.AggKind == 'h', Hypothetical: p.AggKind == 'h', NumDirect: p.NumDirect})
		case 'w':
			e.Windows = append(e.Windows, &functions.Window{OID: p.OID, Name: p.Name, Params: ps, Ret: ret})
		case 'f':
			s := &functions.Scalar{OID: p.OID, Name: p.Name, Params: ps, Variadic: p.Variadic, Ret: ret, Strict: p.Strict, Volatility: functions.Volatility(p.Volatility)}
			byOID[p.OID] = s
			e.Scalars = append(e.Scalars, s)
			if p.RetSet || len(p.OutTypes) > 1 || strings.HasSuffix(p.Name, "_to_record") {
				e.Tables = append(e.Tables, tableFact(p, ps, ret))
			}
		}
	}
	for _, o := range pgfacts.Load().Operators {
		if fn := byOID[o.Proc]; fn != nil && value.ByOID(o.Right) != nil && value.ByOID(o.Ret) != nil && (o.Left == 0 || value.ByOID(o.Left) != nil) {
			e.Operators = append(e.Operators, &functions.Operator{OID: o.OID, Name: o.Name, Left: value.ByOID(o.Left), Right: value.ByOID(o.Right),
				Ret: value.ByOID(o.Ret), Fn: fn, Commutator: o.Commutator, Negator: o.Negator})
		}
	}
	for _, c := range pgfacts.Load().Casts {
		from, to, fn := value.ByOID(c.From), value.ByOID(c.To), byOID[c.Proc]
		if from != nil && to != nil && c.Method != 'i' && (c.Method != 'f' || fn != nil) {
			e.Casts = append(e.Casts, &functions.Cast{From: from, To: to, Context: functions.CastContext(c.Context), Fn: fn})
		}
	}
	r, err := functions.NewRegistry(e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func tableFact(p *pgfacts.Proc, ps []functions.Param, ret *value.Type) *functions.Table {
	t := &functions.Table{OID: p.OID, Name: p.Name, Params: ps, Variadic: p.Variadic, Volatility: functions.Volatility(p.Volatility)}
	switch {
	case len(p.OutTypes) > 0:
		for i, oid := range p.OutTypes {
			t.Cols = append(t.Cols, functions.Param{Name: p.OutNames[i], Type: value.ByOID(oid)})
		}
		t.Scalar = len(p.OutTypes) == 1
	case p.Ret == value.RecordType.OID:
		t.Dynamic = true
	default:
		t.Cols, t.Scalar = []functions.Param{{Name: p.Name, Type: ret}}, true
	}
	return t
}

// world is a catalog that statements are bound against and DDL changes.
type world struct {
	t    testing.TB
	reg  *functions.Registry
	all  []catalog.Descriptor
	next catalog.ID
	path []string
}

func newWorld(t testing.TB, reg *functions.Registry) *world {
	w := &world{t: t, reg: reg, next: catalog.FirstUserID, path: []string{"public"}}
	w.all = []catalog.Descriptor{
		&catalog.Database{ID: catalog.MainDatabase, Name: "omgdb"},
		&catalog.Schema{ID: catalog.PublicSchema, Database: catalog.MainDatabase, Name: "public"},
		&catalog.Schema{ID: 99, Database: catalog.MainDatabase, Name: "pg_temp"},
		&catalog.Role{ID: catalog.SuperRole, Name: "postgres", Super: true},
	}
	return w
}

func (w *world) id() catalog.ID {
	w.next++
	return w.next
}

func (w *world) view() *catalog.View {
	n := uint64(0)
	next := func() uint64 { n++; return n }
	return catalog.NewView(catalog.NewCommitted(w.all, next, 1), catalog.MainDatabase, nil)
}

func (w *world) context() *Context {
	f := *typeio.Default
	f.Names = names{w}
	return &Context{
		Catalog: w.view(), Registry: w.reg, SearchPath: w.path, TempSchema: "pg_temp",
		Format: &f, User: "postgres", Database: "omgdb",
		Prepared: func(string) ([]*value.Type, bool) { return nil, false },
		Setting:  func(string) (string, bool) { return "", false },
	}
}

// run binds the statements of a text and carries out DDL.
func (w *world) run(sql string) ([]plan.Statement, error) {
	stmts, err := parse.Parse(sql)
	if err != nil {
		return nil, err
	}
	var out []plan.Statement
	for _, st := range stmts {
		p, err := Bind(context.Background(), w.context(), st)
		if err != nil {
			return out, err
		}
		w.apply(p)
		out = append(out, p)
	}
	return out, nil
}

// apply does what the session would do with DDL.
func (w *world) apply(p plan.Statement) {
	switch st := p.(type) {
	case *plan.CreateTable:
		for _, q := range st.Sequences {
			w.sequence(q.Name)
		}
		w.relation(st.Rel, st.Name)
		rel := w.all[len(w.all)-1].(*catalog.Relation)
		for _, x := range st.Indexes {
			w.index(rel, x.Index)
		}
		for _, f := range st.Foreign {
			rel.Foreign = append(rel.Foreign, f.ForeignKey)
		}
	case *plan.CreateView:
		w.relation(st.Rel, st.Name)
	case *plan.CreateIndex:
		w.index(st.Rel, st.Index)
	case *plan.CreateSequence:
		w.sequence(st.Name)
	case *plan.CreateSchema:
		w.all = append(w.all, &catalog.Schema{ID: w.id(), Database: catalog.MainDatabase, Name: st.Name})
	case *plan.CreateType:
		def := st.Type
		id, arr := w.id(), w.id()
		def.OID, def.ArrayOID = uint32(id), uint32(arr)
		sc := w.schema(st.Name.Schema)
		def.Namespace = uint32(sc)
		w.all = append(w.all, &catalog.Type{ID: id, Schema: sc, Name: st.Name.Name, Def: &def, NotNull: st.NotNull, Default: st.Default, Checks: st.Checks, UnderMod: st.Mod})
	case *plan.AlterTable:
		for _, a := range st.Actions {
			w.alter(st.Rel, a)
		}
	case *plan.Drop:
		for _, t := range st.Targets {
			w.all = slices.DeleteFunc(w.all, func(d catalog.Descriptor) bool {
				return t.Rel != nil && d.OID() == t.Rel.ID || t.Type != nil && uint32(d.OID()) == t.Type.OID
			})
		}
	}
}

// alter changes a relation as one action of ALTER TABLE says.
func (w *world) alter(rel *catalog.Relation, a plan.AlterAction) {
	if a.Do == plan.AddConstraint && a.Unique != nil {
		w.index(rel, a.Unique.Index)
		return
	}
	for i, d := range w.all {
		r, ok := d.(*catalog.Relation)
		if !ok || r.ID != rel.ID {
			continue
		}
		n := *r
		n.Columns = slices.Clone(r.Columns)
		c := n.Col(a.Column)
		switch a.Do {
		case plan.AddColumn:
			def := a.Def
			def.Field = def.Name
			n.Columns = append(n.Columns, def)
		case plan.DropColumn:
			c.Dropped = true
		case plan.RenameColumn:
			c.Name = a.NewName
		case plan.SetType:
			c.Type, c.Mod = a.Def.Type, a.Def.Mod
		case plan.SetDefault:
			c.Default = a.Default
		case plan.RenameRelation:
			n.Name = a.NewName
		}
		w.all[i] = &n
	}
}

func (w *world) schema(name string) catalog.ID {
	for _, d := range w.all {
		if s, ok := d.(*catalog.Schema); ok && s.Name == name {
			return s.ID
		}
	}
	w.t.Fatalf("no schema %q", name)
	return 0
}

func (w *world) relation(r catalog.Relation, name plan.ObjName) {
	r.ID, r.Schema = w.id(), w.schema(name.Schema)
	for i := range r.Columns {
		if c := &r.Columns[i]; c.Field == "" {
			c.Field = c.Name
		}
	}
	r.Version = uint64(r.ID)
	w.all = append(w.all, &r)
}

func (w *world) sequence(name plan.ObjName) {
	w.relation(catalog.Relation{Name: name.Name, Kind: catalog.Sequence}, name)
}

func (w *world) index(rel *catalog.Relation, x catalog.Index) {
	x.ID, x.Relation, x.Schema = w.id(), rel.ID, rel.Schema
	w.all = append(w.all, &x)
	for i, d := range w.all {
		if r, ok := d.(*catalog.Relation); ok && r.ID == rel.ID {
			n := *r
			n.Indexes = append(slices.Clone(r.Indexes), x.ID)
			w.all[i] = &n
		}
	}
}

// names resolves regclass and regtype literals against the world.
type names struct{ w *world }

func (n names) NameOf(*value.Type, uint32) (string, bool) { return "", false }

func (n names) OIDOf(t *value.Type, name string) (uint32, error) {
	v := n.w.view()
	switch t.OID {
	case value.RegClass.OID:
		if r := v.ResolveText(n.w.path, strings.ReplaceAll(name, `"`, "")); r != nil {
			return uint32(r.ID), nil
		}
		return 0, dberr.New(dberr.UndefinedTable, "relation \"%s\" does not exist", name)
	case value.RegType.OID:
		for _, t := range value.Builtins() {
			if t.Name == name || t.SQL == name {
				return t.OID, nil
			}
		}
	}
	return 0, dberr.New(dberr.UndefinedObject, "%s \"%s\" does not exist", strings.TrimPrefix(t.Name, "reg"), name)
}
