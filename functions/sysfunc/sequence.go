package sysfunc

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// sequenceFunctions lists the functions of sequences.
func sequenceFunctions() []def {
	return []def{
		{Sig: "nextval(regclass)", Eval: nextval},
		{Sig: "currval(regclass)", Eval: env(currval)},
		{Sig: "lastval()", Eval: env(lastval)},
		{Sig: "setval(regclass,int8)", Eval: setval},
		{Sig: "setval(regclass,int8,bool)", Eval: setval},
		{Sig: "pg_get_serial_sequence(text,text)", Eval: env(serialSequence)},
		{Sig: "pg_sequence_last_value(regclass)", Eval: lastValue},
		{Sig: "pg_sequence_parameters(oid)", Eval: env(sequenceParameters)},
	}
}

func sequenceArg(e *functions.Env, oid int64) (*catalog.Relation, error) {
	rel := e.Txn.Catalog().RelationByID(catalog.ID(oid))
	switch {
	case rel == nil:
		return nil, dberr.New(dberr.UndefinedTable, "could not open relation with OID %d", oid)
	case rel.Kind != catalog.Sequence:
		return nil, dberr.New(dberr.WrongObjectType, "\"%s\" is not a sequence", rel.Name)
	}
	return rel, nil
}

// maySequence refuses a sequence on which the role has none of the rights.
func maySequence(e *functions.Env, rel *catalog.Relation, any catalog.Rights) error {
	v := e.Txn.Catalog()
	if e.Session == nil {
		return nil
	}
	role := v.Role(e.Session.CurrentUser())
	if role == nil || role.Super || rel.Temp {
		return nil
	}
	if held, _ := v.Held(role.ID, catalog.GuardSequence, rel.Owner, rel.ACL, any); held != 0 {
		return nil
	}
	return dberr.New(dberr.InsufficientPrivilege, "permission denied for sequence %s", rel.Name)
}

// identitySequence tells whether a sequence belongs to an identity column: who may insert rows may take its values.
func identitySequence(v *catalog.View, rel *catalog.Relation) bool {
	t := v.RelationByID(rel.Seq.OwnerTable)
	if t == nil {
		return false
	}
	c := t.Attr(rel.Seq.OwnerColumn)
	return c != nil && c.Identity != 0
}

func nextval(ctx context.Context, c *call, a []val) (val, error) {
	rel, err := sequenceArg(c.Env, a[0].Int())
	if err != nil {
		return value.Null, err
	}
	if !identitySequence(c.Env.Txn.Catalog(), rel) {
		if err := maySequence(c.Env, rel, catalog.RightUsage|catalog.RightUpdate); err != nil {
			return value.Null, err
		}
	}
	v, err := c.Env.Txn.NextVal(ctx, rel)
	if err != nil {
		return value.Null, err
	}
	c.Env.Sequences.Note(uint32(rel.ID), v)
	return value.Int(v), nil
}

func currval(e *functions.Env, a []val) (val, error) {
	rel, err := sequenceArg(e, a[0].Int())
	if err != nil {
		return value.Null, err
	}
	if err := maySequence(e, rel, catalog.RightUsage|catalog.RightSelect); err != nil {
		return value.Null, err
	}
	v, ok := e.Sequences.Current(uint32(rel.ID))
	if !ok {
		return value.Null, dberr.New(dberr.ObjectNotInPrerequisiteState, "currval of sequence \"%s\" is not yet defined in this session", rel.Name)
	}
	return value.Int(v), nil
}

func lastval(e *functions.Env, _ []val) (val, error) {
	oid, v, ok := e.Sequences.Last()
	rel := e.Txn.Catalog().RelationByID(catalog.ID(oid))
	if !ok || rel == nil {
		return value.Null, dberr.New(dberr.ObjectNotInPrerequisiteState, "lastval is not yet defined in this session")
	}
	if err := maySequence(e, rel, catalog.RightUsage|catalog.RightSelect); err != nil {
		return value.Null, err
	}
	return value.Int(v), nil
}

func setval(ctx context.Context, c *call, a []val) (val, error) {
	rel, err := sequenceArg(c.Env, a[0].Int())
	if err != nil {
		return value.Null, err
	}
	if err := maySequence(c.Env, rel, catalog.RightUpdate); err != nil {
		return value.Null, err
	}
	called := len(a) < 3 || a[2].Bool()
	if err := c.Env.Txn.SetVal(ctx, rel, a[1].Int(), called); err != nil {
		return value.Null, err
	}
	if called {
		c.Env.Sequences.Set(uint32(rel.ID), a[1].Int())
	}
	return a[1], nil
}

func lastValue(ctx context.Context, c *call, a []val) (val, error) {
	rel, err := sequenceArg(c.Env, a[0].Int())
	if err != nil {
		return value.Null, err
	}
	v, called, err := c.Env.Txn.SequencePosition(ctx, rel)
	if err != nil || !called {
		return value.Null, err
	}
	return value.Int(v), nil
}

// sequenceParameters is the row of a sequence's parameters.
func sequenceParameters(e *functions.Env, a []val) (val, error) {
	rel, err := sequenceArg(e, a[0].Int())
	if err != nil {
		return value.Null, err
	}
	s := rel.Seq
	return value.Box(&value.Record{
		Fields: value.Schema{
			{Name: "start_value", Type: value.Int8, Mod: -1}, {Name: "minimum_value", Type: value.Int8, Mod: -1}, {Name: "maximum_value", Type: value.Int8, Mod: -1},
			{Name: "increment", Type: value.Int8, Mod: -1}, {Name: "cycle_option", Type: value.Boolean, Mod: -1}, {Name: "cache_size", Type: value.Int8, Mod: -1},
			{Name: "data_type", Type: value.OID, Mod: -1},
		},
		Vals: []val{value.Int(s.Start), value.Int(s.Min), value.Int(s.Max), value.Int(s.Increment), value.Bool(s.Cycle), value.Int(s.Cache), value.Int(int64(s.Type.OID))},
	}), nil
}

// serialSequence names the sequence that a column owns.
func serialSequence(e *functions.Env, a []val) (val, error) {
	oid, ok := e.Lookup.RelationOID(a[0].Str())
	if !ok {
		return value.Null, dberr.New(dberr.UndefinedTable, "relation \"%s\" does not exist", a[0].Str())
	}
	view := e.Txn.Catalog()
	rel := view.RelationByID(catalog.ID(oid))
	if rel == nil || rel.Col(a[1].Str()) == nil {
		return value.Null, dberr.New(dberr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", a[1].Str(), a[0].Str())
	}
	num := rel.Col(a[1].Str()).Num
	for _, s := range view.Relations(rel.Schema) {
		if s.Kind == catalog.Sequence && s.Seq != nil && s.Seq.OwnerTable == rel.ID && s.Seq.OwnerColumn == num {
			return text(qualified(view, s.Schema, s.Name)), nil
		}
	}
	return value.Null, nil
}

// SequenceTable shows a sequence as the relation of one row that it is in PostgreSQL.
func SequenceTable(rel *catalog.Relation) *functions.Table {
	return &functions.Table{
		OID: uint32(rel.ID), Name: rel.Name, Volatility: functions.Volatile, Rows: 1,
		Cols: []functions.Param{{Name: "last_value", Type: value.Int8}, {Name: "log_cnt", Type: value.Int8}, {Name: "is_called", Type: value.Boolean}},
		Open: func(ctx context.Context, c *call, _ []val, out value.Schema) (batch.Iter, error) {
			at, called, err := c.Env.Txn.SequencePosition(ctx, rel)
			if err != nil {
				return nil, err
			}
			row := map[string]val{"last_value": value.Int(at), "log_cnt": value.Int(0), "is_called": value.Bool(called)}
			b := &batch.Batch{Len: 1}
			for _, f := range out {
				col := value.NewColumn(f.Type, 1)
				col.Append(row[f.Name])
				b.Cols = append(b.Cols, col)
			}
			return &once{schema: out, b: b}, nil
		},
	}
}
