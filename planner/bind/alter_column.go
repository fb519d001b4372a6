package bind

import (
	"slices"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// alterType binds ALTER COLUMN … TYPE … USING.
func (b *binder) alterType(d *tableDef, cmd *pg_query.AlterTableCmd) (plan.AlterAction, error) {
	c, err := b.alterColumn(d, cmd.Name)
	if err != nil {
		return plan.AlterAction{}, err
	}
	def := cmd.Def.GetColumnDef()
	t, mod, err := b.typeName(def.TypeName)
	if err != nil {
		return plan.AlterAction{}, err
	}
	s := b.tableScope(d, inTransform)
	a := plan.AlterAction{Do: plan.SetType, Column: c.Name, RowCols: d.rowCols}
	var e plan.Expr
	if def.RawDefault != nil {
		e, err = b.expr(s, def.RawDefault)
	} else {
		e, err = b.column(s, c.Name, -1)
	}
	if err != nil {
		return a, err
	}
	from := e
	e, ok, err := b.coerce(e, t, mod, functions.Assignment, plan.ImplicitCastStyle, -1)
	switch {
	case err != nil:
		return a, err
	case !ok && def.RawDefault != nil:
		return a, dberr.New(dberr.DatatypeMismatch, "result of USING clause for column \"%s\" cannot be cast automatically to type %s", c.Name, t.SQL).
			WithHint("You might need to add an explicit cast.")
	case !ok:
		return a, dberr.New(dberr.DatatypeMismatch, "column \"%s\" cannot be cast automatically to type %s", c.Name, t.SQL).
			WithHint("You might need to specify \"USING %s::%s\".", quoteIdent(c.Name), value.FormatMod(t, mod))
	}
	if e != from || def.RawDefault != nil {
		a.Fill = e
	}
	if c.Default != "" && !c.Generated && c.Identity == 0 {
		x, err := b.stored(c.Default, nil, nil, nil, -1)
		if err != nil {
			return a, err
		}
		if x, ok, err = b.coerce(x, t, mod, functions.Assignment, plan.ImplicitCastStyle, -1); err != nil {
			return a, err
		} else if !ok {
			return a, dberr.New(dberr.DatatypeMismatch, "default for column \"%s\" cannot be cast automatically to type %s", c.Name, t.SQL)
		}
		c.Default = b.text(x)
	}
	if err := b.notGenerating(d, c); err != nil {
		return a, err
	}
	c.Type, c.Mod = t, mod
	if err := b.checksFit(d, c); err != nil {
		return a, err
	}
	if def.CollClause != nil {
		if c.Collation, err = b.collationName(strs(def.CollClause.Collname), loc(def.CollClause.Location)); err != nil {
			return a, err
		}
	}
	a.Def = *c
	return a, nil
}

// checksFit sees to it that the constraints over a column are possible with the type that it is about to have.
func (b *binder) checksFit(d *tableDef, c *catalog.Column) error {
	for _, f := range d.rel.Foreign {
		parent := d.rel
		if f.RefTable != d.rel.ID {
			parent = b.Catalog.RelationByID(f.RefTable)
		}
		if at := slices.Index(f.Cols, c.Num); at >= 0 && parent != nil {
			if err := b.keysComparable(f.Name, c, columnNumbered(parent, f.RefCols[at])); err != nil {
				return err
			}
		}
	}
	for _, f := range d.rel.Foreign { // of the table to itself
		at := slices.Index(f.RefCols, c.Num)
		if f.RefTable == d.rel.ID && at >= 0 && f.Cols[at] != c.Num {
			if err := b.keysComparable(f.Name, d.rel.Attr(f.Cols[at]), c); err != nil {
				return err
			}
		}
	}
	for _, id := range d.rel.Referrers {
		child := b.Catalog.RelationByID(id)
		if child == nil || id == d.rel.ID {
			continue
		}
		for _, f := range child.Foreign {
			if at := slices.Index(f.RefCols, c.Num); at >= 0 && f.RefTable == d.rel.ID {
				if err := b.keysComparable(f.Name, columnNumbered(child, f.Cols[at]), c); err != nil {
					return err
				}
			}
		}
	}
	b.tableScope(d, inCheck)
	for _, ck := range d.rel.Checks {
		if slices.Contains(ck.Cols, c.Num) {
			if _, err := b.stored(ck.Expr, d.rel, d.rowCols, nil, -1); err != nil {
				return err
			}
		}
	}
	return nil
}

// notGenerating refuses to change the type of a column that generated columns are computed from.
func (b *binder) notGenerating(d *tableDef, c *catalog.Column) error {
	b.tableScope(d, inCheck)
	for _, g := range d.rel.Columns {
		if !g.Generated || g.Dropped {
			continue
		}
		e, err := b.stored(g.Default, d.rel, d.rowCols, nil, -1)
		if err != nil {
			return err
		}
		if slices.Contains(b.referenced(e), c.Num) {
			return dberr.New(dberr.FeatureNotSupported, "cannot alter type of a column used by a generated column").
				WithDetail("Column \"%s\" is used by generated column \"%s\".", c.Name, g.Name)
		}
	}
	return nil
}
