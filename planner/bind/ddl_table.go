package bind

import (
	"slices"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// tableDef is a table while its definition is read. Constraints wait until all columns are known.
type tableDef struct {
	st      *plan.CreateTable
	rel     *catalog.Relation
	later   []*pg_query.Constraint
	taken   map[string]bool // names of constraints and indexes
	exists  bool            // ALTER TABLE: the table has rows
	rowCols []plan.Col
}

// createTable binds CREATE TABLE.
func (b *binder) createTable(x *pg_query.CreateStmt) (plan.Statement, error) {
	if err := refuseTable(x); err != nil {
		return nil, err
	}
	d, err := b.newTable(x.Relation, x.IfNotExists)
	if err != nil {
		return nil, err
	}
	switch strings.ToLower(x.AccessMethod) {
	case "", "heap":
	case "collection":
		if len(x.TableElts) > 0 {
			return nil, dberr.New(dberr.InvalidTableDef, "a collection has the columns _id and doc and no others").
				WithHint("Write CREATE TABLE %s () USING collection.", quoteIdent(x.Relation.Relname))
		}
		d.rel.Kind = catalog.Collection
		d.rel.Columns = slices.Clone(collectionColumns)
		return d.st, nil
	default:
		return nil, dberr.New(dberr.UndefinedObject, "access method \"%s\" does not exist", x.AccessMethod)
	}
	if d.rel.Options, err = relOptions("table", x.Options, false); err != nil {
		return nil, err
	}
	if err := d.onCommit(x.Oncommit); err != nil {
		return nil, err
	}
	for _, n := range x.TableElts {
		switch el := n.Node.(type) {
		case *pg_query.Node_ColumnDef:
			err = b.columnDef(d, el.ColumnDef)
		case *pg_query.Node_Constraint:
			d.later = append(d.later, el.Constraint)
		case *pg_query.Node_TableLikeClause:
			err = b.like(d, el.TableLikeClause)
		}
		if err != nil {
			return nil, err
		}
	}
	return d.st, b.constraints(d)
}

// refuseTable refuses the kinds of tables that OMGDB does not have.
func refuseTable(x *pg_query.CreateStmt) error {
	no := func(what, hint string) error {
		return dberr.New(dberr.FeatureNotSupported, "%s", what).WithHint("%s", hint)
	}
	switch {
	case x.Partspec != nil || x.Partbound != nil:
		return no("partitioned tables are not supported", "Use one table with an index.")
	case len(x.InhRelations) > 0:
		return no("table inheritance is not supported", "Use LIKE to copy a table's columns.")
	case x.OfTypename != nil:
		return no("typed tables (OF type) are not supported", "List the columns.")
	case x.Tablespacename != "":
		return no("tablespaces are not supported", "A store is one directory.")
	}
	return nil
}

// newTable starts the definition of a table.
func (b *binder) newTable(rv *pg_query.RangeVar, ifNotExists bool) (*tableDef, error) {
	if err := checkName(rv.Relname, loc(rv.Location)); err != nil {
		return nil, err
	}
	if err := b.checkDatabase(rv); err != nil {
		return nil, err
	}
	temp := rv.Relpersistence == "t"
	sc, err := b.creationSchema(rv.Schemaname, rv.Relname, temp, loc(rv.Location))
	if err != nil {
		return nil, err
	}
	st := &plan.CreateTable{Name: plan.ObjName{Schema: sc.Name, Name: rv.Relname}, IfNotExists: ifNotExists}
	st.Rel = catalog.Relation{Schema: sc.ID, Name: rv.Relname, Kind: catalog.Table, Temp: temp || rv.Schemaname == "pg_temp", Unlogged: rv.Relpersistence == "u"}
	return &tableDef{st: st, rel: &st.Rel, taken: map[string]bool{}}, nil
}

// onCommit reads ON COMMIT.
func (d *tableDef) onCommit(a pg_query.OnCommitAction) error {
	switch a {
	case pg_query.OnCommitAction_ONCOMMIT_PRESERVE_ROWS:
	case pg_query.OnCommitAction_ONCOMMIT_DELETE_ROWS:
		d.rel.OnCommit = catalog.DeleteRows
	case pg_query.OnCommitAction_ONCOMMIT_DROP:
		d.rel.OnCommit = catalog.DropTable
	default:
		return nil
	}
	if !d.rel.Temp {
		return dberr.New(dberr.InvalidTableDef, "ON COMMIT can only be used on temporary tables")
	}
	return nil
}

// serials are the pseudo-types of columns numbered by a sequence.
var serials = map[string]*value.Type{
	"serial": value.Int4, "serial4": value.Int4, "bigserial": value.Int8, "serial8": value.Int8, "smallserial": value.Int2, "serial2": value.Int2,
}

// columnDef adds a column.
func (b *binder) columnDef(d *tableDef, x *pg_query.ColumnDef) error {
	pos := loc(x.Location)
	if err := checkName(x.Colname, pos); err != nil {
		return err
	}
	if findColumn(d.rel, x.Colname) != nil {
		return errAt(-1, dberr.DuplicateColumn, "column \"%s\" specified more than once", x.Colname)
	}
	if systemColumns[x.Colname].typ != nil {
		return errAt(-1, dberr.DuplicateColumn, "column name \"%s\" conflicts with a system column name", x.Colname)
	}
	c := catalog.Column{Num: nextNum(d.rel), Name: x.Colname, Mod: -1}
	names := strs(x.TypeName.GetNames())
	serial := serials[names[len(names)-1]]
	if len(names) == 1 && serial != nil && b.typeNamed("", names[0]) == nil {
		if len(x.TypeName.ArrayBounds) > 0 {
			return errAt(loc(x.TypeName.Location), dberr.FeatureNotSupported, "array of serial is not implemented")
		}
		c.Type, c.NotNull = serial, true
		b.ownSequence(d, &c, false, nil)
	} else {
		t, mod, err := b.typeName(x.TypeName)
		if err != nil {
			return err
		}
		if t.Class == value.Pseudo {
			return errAt(-1, dberr.InvalidTableDef, "column \"%s\" has pseudo-type %s", c.Name, t.SQL)
		}
		c.Type, c.Mod = t, mod
	}
	if x.CollClause != nil {
		if !collatable(c.Type) {
			return errAt(loc(x.CollClause.Location), dberr.DatatypeMismatch, "collations are not supported by type %s", c.Type.SQL)
		}
		name, err := b.collationName(strs(x.CollClause.Collname), loc(x.CollClause.Location))
		if err != nil {
			return err
		}
		if name != "default" {
			c.Collation = name
		}
	}
	d.rel.Columns = append(d.rel.Columns, c)
	return b.columnConstraints(d, &d.rel.Columns[len(d.rel.Columns)-1], x.Constraints)
}

func nextNum(rel *catalog.Relation) int16 {
	n := int16(0)
	for _, c := range rel.Columns {
		n = max(n, c.Num)
	}
	return n + 1
}

// ownSequence makes the sequence of a serial or identity column and the default that takes its values.
func (b *binder) ownSequence(d *tableDef, c *catalog.Column, identity bool, o *plan.SequenceOptions) {
	name := b.freeName(d, d.rel.Name, c.Name, "seq")
	if o == nil {
		o = &plan.SequenceOptions{}
		*o, _ = sequenceOptions(nil, c.Type)
	}
	d.st.Sequences = append(d.st.Sequences, plan.CreateSequence{
		Name: plan.ObjName{Schema: d.st.Name.Schema, Name: name}, Temp: d.rel.Temp, Options: *o, OwnerTable: d.st.Name, OwnerColumn: c.Name, Identity: identity,
	})
	c.Default = "nextval(" + plan.QuoteLiteral(quoteIdent(d.st.Name.Schema)+"."+quoteIdent(name)) + "::regclass)"
}

// columnConstraints reads the constraints written at a column. Those over several columns wait until all are known.
func (b *binder) columnConstraints(d *tableDef, c *catalog.Column, list []*pg_query.Node) error {
	var sawNull, sawNotNull bool
	var last *pg_query.Constraint
	for _, n := range list {
		k := n.GetConstraint()
		pos := loc(k.Location)
		switch k.Contype {
		case pg_query.ConstrType_CONSTR_NULL, pg_query.ConstrType_CONSTR_NOTNULL:
			not := k.Contype == pg_query.ConstrType_CONSTR_NOTNULL
			if not && sawNull || !not && (sawNotNull || c.NotNull || c.Identity != 0) {
				return errAt(pos, dberr.SyntaxError, "conflicting NULL/NOT NULL declarations for column \"%s\" of table \"%s\"", c.Name, d.rel.Name)
			}
			sawNull, sawNotNull = sawNull || !not, sawNotNull || not
			c.NotNull = c.NotNull || not
		case pg_query.ConstrType_CONSTR_DEFAULT:
			if c.Default != "" {
				what := "multiple default values specified for column \"%s\" of table \"%s\""
				if c.Identity != 0 {
					what = "both default and identity specified for column \"%s\" of table \"%s\""
				}
				return errAt(pos, dberr.SyntaxError, what, c.Name, d.rel.Name)
			}
			text, err := b.defaultText(c, k.RawExpr)
			if err != nil {
				return err
			}
			c.Default = text
		case pg_query.ConstrType_CONSTR_IDENTITY:
			if sawNull {
				return errAt(pos, dberr.SyntaxError, "conflicting NULL/NOT NULL declarations for column \"%s\" of table \"%s\"", c.Name, d.rel.Name)
			}
			if err := b.identity(d, c, k); err != nil {
				return err
			}
		case pg_query.ConstrType_CONSTR_GENERATED:
			if c.Default != "" {
				return errAt(pos, dberr.SyntaxError, "both default and generation expression specified for column \"%s\" of table \"%s\"", c.Name, d.rel.Name)
			}
			c.Generated = true
			d.later = append(d.later, &pg_query.Constraint{Contype: k.Contype, RawExpr: k.RawExpr, Location: k.Location, Keys: []*pg_query.Node{stringNode(c.Name)}})
		case pg_query.ConstrType_CONSTR_PRIMARY, pg_query.ConstrType_CONSTR_UNIQUE:
			k.Keys = []*pg_query.Node{stringNode(c.Name)}
			d.later, last = append(d.later, k), k
		case pg_query.ConstrType_CONSTR_FOREIGN:
			k.FkAttrs = []*pg_query.Node{stringNode(c.Name)}
			d.later, last = append(d.later, k), k
		case pg_query.ConstrType_CONSTR_CHECK:
			d.later = append(d.later, k)
		case pg_query.ConstrType_CONSTR_ATTR_DEFERRABLE, pg_query.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE,
			pg_query.ConstrType_CONSTR_ATTR_DEFERRED, pg_query.ConstrType_CONSTR_ATTR_IMMEDIATE:
			if last == nil {
				return errAt(pos, dberr.SyntaxError, "misplaced DEFERRABLE clause")
			}
			deferAttr(last, k.Contype)
		case pg_query.ConstrType_CONSTR_EXCLUSION:
			return noExclusion()
		}
	}
	return nil
}

func deferAttr(k *pg_query.Constraint, attr pg_query.ConstrType) {
	switch attr {
	case pg_query.ConstrType_CONSTR_ATTR_DEFERRABLE:
		k.Deferrable = true
	case pg_query.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE:
		k.Deferrable = false
	case pg_query.ConstrType_CONSTR_ATTR_DEFERRED:
		k.Deferrable, k.Initdeferred = true, true
	}
}

func noExclusion() error {
	return dberr.New(dberr.FeatureNotSupported, "exclusion constraints are not supported").WithHint("Use UNIQUE, or check overlaps in the application.")
}

func integral(t *value.Type) bool {
	return t.OID == value.Int2.OID || t.OID == value.Int4.OID || t.OID == value.Int8.OID
}

func errIdentityType() error {
	return dberr.New(dberr.InvalidParameterValue, "identity column type must be smallint, integer, or bigint")
}

// identity makes a column numbered by a sequence of its own.
func (b *binder) identity(d *tableDef, c *catalog.Column, k *pg_query.Constraint) error {
	pos := loc(k.Location)
	if c.Identity != 0 {
		return errAt(pos, dberr.SyntaxError, "multiple identity specifications for column \"%s\" of table \"%s\"", c.Name, d.rel.Name)
	}
	if strings.HasPrefix(c.Default, "nextval(") {
		pos = -1 // serial
	}
	if c.Default != "" {
		return errAt(pos, dberr.SyntaxError, "both default and identity specified for column \"%s\" of table \"%s\"", c.Name, d.rel.Name)
	}
	if !integral(c.Type) {
		return errIdentityType()
	}
	o, err := sequenceOptions(k.Options, c.Type)
	if err != nil {
		return err
	}
	c.Identity, c.NotNull = k.GeneratedWhen[0], true
	b.ownSequence(d, c, true, &o)
	return nil
}

// defaultText checks a column's default and gives the text to keep.
func (b *binder) defaultText(c *catalog.Column, n *pg_query.Node) (string, error) {
	e, err := b.expr(&scope{clause: inDefault}, n)
	if err != nil {
		return "", err
	}
	e, err = b.assign(e, c.Type, c.Mod, func(from *value.Type) error {
		return dberr.New(dberr.DatatypeMismatch, "column \"%s\" is of type %s but default expression is of type %s", c.Name, c.Type.SQL, from.SQL).
			WithHint("You will need to rewrite or cast the expression.")
	})
	if err != nil {
		return "", err
	}
	if k, ok := e.(*plan.Const); ok && k.Val.IsNull() {
		return "", nil
	}
	return b.text(e), nil
}

// text writes a bound expression as the catalog keeps it: readable whatever the session's settings are.
func (b *binder) text(e plan.Expr) string { return plan.Deparse(e) }

// exprText binds an expression over the columns of a relation and gives the text to keep.
func (b *binder) exprText(rel *catalog.Relation, n *pg_query.Node) (string, error) {
	s := &scope{clause: inIndexExpr}
	b.addItem(s, b.tableItem(rel, b.rowCols(rel)))
	e, err := b.expr(s, n)
	if err != nil {
		return "", err
	}
	if e, err = b.resolveUnknown(e); err != nil {
		return "", err
	}
	return b.text(e), nil
}

// The bits of TableLikeClause.Options.
const (
	likeComments = 1 << iota
	likeCompression
	likeConstraints
	likeDefaults
	likeGenerated
	likeIdentity
	likeIndexes
)

// like copies the columns of another table.
func (b *binder) like(d *tableDef, x *pg_query.TableLikeClause) error {
	src, err := b.relationAt(x.Relation)
	if err != nil {
		return err
	}
	if src.Kind == catalog.Sequence || src.Kind == catalog.IndexKind {
		return errAt(loc(x.Relation.Location), dberr.WrongObjectType, "relation \"%s\" is invalid in LIKE clause", src.Name)
	}
	o := int(x.Options)
	for _, c := range liveColumns(src) {
		if findColumn(d.rel, c.Name) != nil {
			return dberr.New(dberr.DuplicateColumn, "column \"%s\" specified more than once", c.Name)
		}
		n := catalog.Column{Num: nextNum(d.rel), Name: c.Name, Type: c.Type, Mod: c.Mod, NotNull: c.NotNull, Collation: c.Collation}
		switch {
		case c.Generated:
			if o&likeGenerated != 0 {
				n.Default, n.Generated = c.Default, true
			}
		case c.Identity != 0:
			if o&likeIdentity != 0 {
				n.Identity = c.Identity
				b.ownSequence(d, &n, true, nil)
			}
		case o&likeDefaults != 0:
			n.Default = c.Default
		}
		if o&likeComments != 0 {
			n.Comment = c.Comment
		}
		d.rel.Columns = append(d.rel.Columns, n)
	}
	if o&likeConstraints != 0 {
		for _, ck := range src.Checks {
			ck.ID, ck.Cols = 0, d.columnsLike(src, ck.Cols)
			d.rel.Checks = append(d.rel.Checks, ck)
			d.taken[ck.Name] = true
		}
	}
	if o&likeIndexes != 0 {
		b.likeIndexes(d, src)
	}
	return nil
}

// columnsLike maps the columns of a table to those copied from it.
func (d *tableDef) columnsLike(src *catalog.Relation, nums []int16) []int16 {
	var out []int16
	for _, n := range nums {
		if a := src.Attr(n); a != nil {
			out = append(out, findColumn(d.rel, a.Name).Num)
		}
	}
	return out
}

func (b *binder) likeIndexes(d *tableDef, src *catalog.Relation) {
	if len(src.PrimaryKey) > 0 {
		d.rel.PrimaryKey = d.columnsLike(src, src.PrimaryKey)
		d.rel.PrimaryName = b.freeName(d, d.rel.Name, "", "pkey")
	}
	for _, ix := range b.Catalog.IndexesOf(src) {
		n := *ix
		n.ID, n.Relation, n.Schema, n.Storage, n.Published, n.Version = 0, 0, d.rel.Schema, 0, 0, 0
		n.Keys = slices.Clone(ix.Keys)
		first := ""
		for i := range n.Keys {
			if n.Keys[i].Col == 0 {
				first = cmpOr(first, "expr")
				continue
			}
			a := src.Attr(n.Keys[i].Col)
			n.Keys[i].Col = findColumn(d.rel, a.Name).Num
			first = cmpOr(first, a.Name)
		}
		n.Include = d.columnsLike(src, ix.Include)
		label := "idx"
		if ix.Constraint {
			label = "key"
		}
		n.Name = b.freeName(d, d.rel.Name, first, label)
		d.st.Indexes = append(d.st.Indexes, plan.CreateIndex{Schema: d.st.Name.Schema, Index: n})
	}
}

func cmpOr(a, c string) string {
	if a != "" {
		return a
	}
	return c
}
