package exec

import (
	"context"
	"errors"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
)

// merger is MERGE: for each row of its input, a pair of a source row and perhaps a target row, it does the first action that fits.
type merger struct {
	b        *builder
	n        *plan.Merge
	count    *changeCount
	key, raw int
	actions  []mergeAction
	made     *rowMaker
}

// mergeAction is one WHEN.
type mergeAction struct {
	*plan.MergeAction
	cond   *eval.Predicate // nil: always
	sets   []setCol        // of an update, or the values of an insert
	deflts []setCol        // of an insert: what the columns without a value get
}

func (b *builder) merge(n *plan.Merge) (op, error) {
	in, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	cols := n.Input.Cols()
	at := eval.Layout(cols)
	o := &merger{b: b, n: n, count: b.counter(n), key: at[n.RowKey], raw: at[n.Raw]}
	if o.made, err = b.rowMaker(n.Rel, n.NewCols, n.Generated, n.Checks); err != nil {
		return nil, err
	}
	scope := b.scope(cols)
	for i := range n.Actions {
		a, err := o.action(scope, &n.Actions[i])
		if err != nil {
			return nil, err
		}
		o.actions = append(o.actions, a)
	}
	return &dmlOp{input: in, change: o.merge}, nil
}

func (o *merger) action(s *eval.Scope, a *plan.MergeAction) (out mergeAction, err error) {
	out.MergeAction = a
	if a.Cond != nil {
		if out.cond, err = s.Predicate(a.Cond); err != nil {
			return out, err
		}
	}
	set := func(to *[]setCol, attr int16, e plan.Expr) error {
		node, err := s.Compile(e)
		if err != nil {
			return err
		}
		col, err := o.made.column(attr)
		*to = append(*to, setCol{col: col, node: node})
		return err
	}
	for _, x := range a.Sets {
		if err := set(&out.sets, x.Attr, x.Expr); err != nil {
			return out, err
		}
	}
	for i, x := range a.Values {
		if err := set(&out.sets, a.Target[i].Num, x); err != nil {
			return out, err
		}
	}
	for _, c := range o.n.NewCols {
		if x := a.Defaults[c.Attr]; x != nil && a.Do == 'i' {
			if err := set(&out.deflts, c.Attr, x); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

func (o *merger) merge(ctx context.Context, in *batch.Batch) (*batch.Batch, error) {
	for _, p := range vec.Positions(in.Sel, in.Len) {
		row := &batch.Batch{Cols: in.Cols, Len: in.Len, Sel: []int32{p}}
		a, err := o.choose(ctx, row)
		if err != nil {
			return nil, err
		}
		if a == nil {
			continue
		}
		if err := o.do(ctx, a, row, p); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// choose finds the first action that fits the row, nil when none does.
func (o *merger) choose(ctx context.Context, row *batch.Batch) (*mergeAction, error) {
	matched := !row.Cols[o.key].IsNull(int(row.Sel[0]))
	for i := range o.actions {
		a := &o.actions[i]
		if a.Matched != matched {
			continue
		}
		if a.cond != nil {
			sel, err := a.cond.Select(ctx, row)
			if err != nil {
				return nil, err
			}
			if len(sel) == 0 {
				continue
			}
		}
		return a, nil
	}
	return nil, nil
}

var errMergeTwice = dberr.New(dberr.CardinalityViolation, "MERGE command cannot affect row a second time").
	WithHint("Ensure that not more than one source row matches any one target row.")

func (o *merger) do(ctx context.Context, a *mergeAction, row *batch.Batch, p int32) error {
	txn, rel := o.b.rt.Txn, o.n.Rel
	var key []byte
	var old doc.Doc
	if a.Matched {
		key, old = row.Cols[o.key].Get(int(p)).Bytes(), doc.Doc(row.Cols[o.raw].Get(int(p)).Bytes())
	}
	var err error
	switch a.Do {
	case 'n':
		return nil
	case 'd':
		err = txn.Delete(ctx, rel, key, old)
	default:
		var d doc.Doc
		if d, err = o.make(ctx, a, row, p, old); err != nil {
			return err
		}
		if a.Do == 'u' {
			_, err = txn.Update(ctx, rel, key, old, d)
		} else {
			_, _, err = txn.Insert(ctx, rel, d)
		}
	}
	if errors.Is(err, storage.ErrTwice) {
		return errMergeTwice
	}
	if err == nil {
		o.count.n++
	}
	return err
}

// make makes the row that an action stores.
func (o *merger) make(ctx context.Context, a *mergeAction, row *batch.Batch, p int32, old doc.Doc) (doc.Doc, error) {
	if err := o.made.start(old); err != nil {
		return nil, err
	}
	for _, sets := range [2][]setCol{a.deflts, a.sets} {
		for i := range sets {
			v, err := valueAt(ctx, sets[i].node, row, p)
			if err != nil {
				return nil, err
			}
			o.made.set(sets[i].col, v)
		}
	}
	return o.made.finish(ctx, old)
}
