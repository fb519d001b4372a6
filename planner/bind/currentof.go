package bind

import (
	"context"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// WHERE CURRENT OF. A cursor over a query that neither groups nor removes duplicates reads, behind its columns, the keys of the stored
// rows that each of its rows comes from; an UPDATE or DELETE takes the row whose key its cursor shows.

// cursorKeys adds the row keys of the tables of a cursor's query to what it reads.
func (b *binder) cursorKeys(p *selectParts) {
	s := p.s
	if !p.opts.keys || s.hasAgg || s.hasSet || s.hasWindow || len(p.sel.DistinctClause) > 0 || len(p.sel.GroupClause) > 0 || p.having != nil {
		return
	}
	if len(s.items) > 1 && len(p.sel.LockingClause) == 0 {
		return
	}
	for _, it := range s.items {
		if it.scan == nil || it.rel == nil || it.nullable {
			continue
		}
		key := b.scanColumn(it, "", storage.ScanCol{Kind: storage.ColRowKey, Type: value.Bytea, Mod: -1}, value.Bytea)
		p.targets = append(p.targets, &target{expr: key, junk: true, key: true})
		b.keyTables = append(b.keyTables, it.rel.ID)
	}
}

// cursorQuery binds the query of a cursor: its columns, then the row keys, whose tables it lists.
func (b *binder) cursorQuery(sel *pg_query.SelectStmt) (*plan.Query, int, error) {
	if sel.IntoClause != nil {
		q, err := b.topQuery(selectNode(sel))
		if err != nil {
			return nil, 0, err
		}
		return q, len(q.Out), nil
	}
	q, err := b.selectStmt(nil, sel, opts{top: true, keys: true})
	if err != nil {
		return nil, 0, err
	}
	out, err := b.finish(q, "SELECT")
	if err != nil {
		return nil, 0, err
	}
	visible := len(out.Out)
	out.Out = append(out.Out[:visible:visible], b.keyCols...)
	return out, visible, nil
}

// currentOf binds WHERE CURRENT OF: the key of the statement's row is that of the cursor's.
func (b *binder) currentOf(s *scope, x *pg_query.CurrentOfExpr) (plan.Expr, error) {
	if s == nil || len(s.items) == 0 || s.items[0].scan == nil || s.items[0].rel == nil {
		return nil, dberr.New(dberr.FeatureNotSupported, "WHERE CURRENT OF on a view is not implemented")
	}
	it := s.items[0]
	key := b.scanColumn(it, "", storage.ScanCol{Kind: storage.ColRowKey, Type: value.Bytea, Mod: -1}, value.Bytea)
	row := &plan.Call{Typed: plan.Typed{T: value.Bytea, M: -1}, Fn: cursorRow, Name: cursorRow.Name, Pos: -1, Args: []plan.Expr{
		&plan.Const{Typed: plan.Typed{T: value.Text, M: -1}, Val: value.String(x.CursorName)}, intConst(value.OID, int64(it.rel.ID))}}
	return &plan.Call{Typed: plan.Typed{T: value.Boolean, M: -1}, Fn: b.opFunc("=", value.Bytea, value.Bytea), Args: []plan.Expr{key, row},
		Style: plan.OpStyle, Name: "=", Pos: -1}, nil
}

// cursorRow gives the key of the row of a table that a cursor stands on.
var cursorRow = &functions.Scalar{
	Name: "current_of", Params: []functions.Param{{Type: value.Text}, {Type: value.OID}}, Ret: value.Bytea, Strict: true, Volatility: functions.Stable,
	Routine: true, Hidden: true,
	Eval: func(_ context.Context, c *functions.Call, args []value.Value) (value.Value, error) {
		if c.Env == nil || c.Env.Cursor == nil {
			return value.Null, dberr.New(dberr.InvalidCursorName, "cursor \"%s\" does not exist", args[0].Str())
		}
		key, err := c.Env.Cursor(args[0].Str(), uint32(args[1].Int()))
		return value.Bytes(key), err
	},
}
