package bind

import (
	"slices"
	"strings"
	"unicode/utf8"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// objectName makes a name for a constraint, index or sequence: table_column_label, cut to the limit, numbered when taken.
func objectName(table, column, label string, taken map[string]bool) string {
	for n := 0; ; n++ {
		l := label
		if n > 0 {
			l += itoa(n)
		}
		if name := joinName(table, column, l); !taken[name] {
			return name
		}
	}
}

// joinName cuts the longer of the first two parts until everything fits.
func joinName(table, column, label string) string {
	over := len(label) + 1
	if column != "" {
		over++
	}
	a, c := len(table), len(column)
	for a+c+over > maxName {
		if a > c {
			a--
		} else {
			c--
		}
	}
	for a < len(table) && a > 0 && !utf8.RuneStart(table[a]) {
		a--
	}
	for c < len(column) && c > 0 && !utf8.RuneStart(column[c]) {
		c--
	}
	name := table[:a]
	if column != "" {
		name += "_" + column[:c]
	}
	return name + "_" + label
}

// freeName makes a name that is free among the table's constraints and the schema's relations.
func (b *binder) freeName(d *tableDef, table, column, label string) string {
	taken := d.taken
	for {
		name := objectName(table, column, label, taken)
		if label == "check" || label == "fkey" || !b.nameTaken(d.rel.Schema, name) {
			d.taken[name] = true
			return name
		}
		taken[name] = true
	}
}

// keyNameFree refuses the name of a key that a relation or index has: the key's index gets it.
func (b *binder) keyNameFree(d *tableDef, name string) error {
	if !d.exists && b.nameTaken(d.rel.Schema, d.rel.Name) {
		return nil // the table itself is there: that is told, or it is left alone
	}
	if b.nameTaken(d.rel.Schema, name) || name == d.rel.Name && !d.exists {
		return dberr.New(dberr.DuplicateTable, "relation \"%s\" already exists", name)
	}
	return nil
}

// nameTaken tells whether a relation, index or primary key of the name exists in a schema.
func (b *binder) nameTaken(schema catalog.ID, name string) bool {
	if schema == 0 || b.Catalog.Find(catalog.RelationClass, schema, name) != nil {
		return schema != 0
	}
	return slices.ContainsFunc(b.Catalog.AllRelations(), func(r *catalog.Relation) bool { return r.Schema == schema && r.PrimaryName == name })
}

// constraints binds what waited for the columns: generation expressions first, keys, then checks and foreign keys.
func (b *binder) constraints(d *tableDef) error {
	for _, k := range d.later {
		if k.Conname == "" {
			continue
		}
		if err := checkName(k.Conname, loc(k.Location)); err != nil {
			return err
		}
		if d.taken[k.Conname] {
			if k.Contype == pg_query.ConstrType_CONSTR_CHECK && !d.exists {
				return dberr.New(dberr.DuplicateObject, "check constraint \"%s\" already exists", k.Conname)
			}
			return dberr.New(dberr.DuplicateObject, "constraint \"%s\" for relation \"%s\" already exists", k.Conname, d.rel.Name)
		}
		d.taken[k.Conname] = true
	}
	for _, k := range d.later {
		var err error
		switch k.Contype {
		case pg_query.ConstrType_CONSTR_GENERATED:
			err = b.generated(d, k)
		case pg_query.ConstrType_CONSTR_PRIMARY:
			err = b.primary(d, k)
		case pg_query.ConstrType_CONSTR_UNIQUE:
			err = b.unique(d, k)
		}
		if err != nil {
			return err
		}
	}
	for _, k := range d.later {
		var err error
		switch k.Contype {
		case pg_query.ConstrType_CONSTR_CHECK:
			err = b.check(d, k)
		case pg_query.ConstrType_CONSTR_FOREIGN:
			err = b.foreign(d, k)
		case pg_query.ConstrType_CONSTR_EXCLUSION:
			err = noExclusion()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tableScope shows the columns of the table that is being defined.
func (b *binder) tableScope(d *tableDef, c clause) *scope {
	s := &scope{clause: c}
	delete(b.rowTypes, d.rel.ID)
	d.rowCols = b.rowCols(d.rel)
	b.addItem(s, b.tableItem(d.rel, d.rowCols))
	return s
}

// referenced lists the columns that an expression reads, by number.
func (b *binder) referenced(e plan.Expr) []int16 {
	var out []int16
	plan.Walk(e, func(x plan.Expr) bool {
		if r, ok := x.(*plan.ColRef); ok {
			if n := b.origin[r.ID].Attr; n != 0 && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
		return true
	})
	slices.Sort(out)
	return out
}

func (b *binder) generated(d *tableDef, k *pg_query.Constraint) error {
	name := strs(k.Keys)[0]
	at := slices.IndexFunc(d.rel.Columns, func(c catalog.Column) bool { return c.Name == name && !c.Dropped })
	c := &d.rel.Columns[at]
	if c.Identity != 0 {
		return errAt(loc(k.Location), dberr.SyntaxError, "both identity and generation expression specified for column \"%s\" of table \"%s\"", c.Name, d.rel.Name)
	}
	e, err := b.expr(b.tableScope(d, inGenerated), k.RawExpr)
	if err != nil {
		return err
	}
	for _, num := range b.referenced(e) {
		if o := d.rel.Attr(num); o.Generated {
			return errAt(astPos(k.RawExpr), dberr.InvalidObjectDef, "cannot use generated column \"%s\" in column generation expression", o.Name).
				WithDetail("A generated column cannot reference another generated column.")
		}
	}
	e, err = b.assign(e, c.Type, c.Mod, func(from *value.Type) error {
		return dberr.New(dberr.DatatypeMismatch, "column \"%s\" is of type %s but default expression is of type %s", c.Name, c.Type.SQL, from.SQL).
			WithHint("You will need to rewrite or cast the expression.")
	})
	if err != nil {
		return err
	}
	if !immutable(e) {
		return dberr.New(dberr.InvalidObjectDef, "generation expression is not immutable")
	}
	c.Default = b.text(e)
	return nil
}

// immutable tells whether an expression gives the same value for the same columns always.
func immutable(e plan.Expr) bool {
	ok := true
	plan.Walk(e, func(x plan.Expr) bool {
		switch c := x.(type) {
		case *plan.Call:
			ok = ok && c.Fn.Volatility == functions.Immutable
		case *plan.SQLValue:
			ok = false
		case *plan.Cast:
			ok = ok && (c.Method != plan.IOCast || immutableText(c.Arg.Type()) && immutableText(c.T))
		}
		return ok
	})
	return ok
}

// immutableText tells whether a type's text form depends on no setting.
func immutableText(t *value.Type) bool {
	t = baseType(t)
	if t.Elem != nil {
		return immutableText(t.Elem)
	}
	switch t.Category {
	case 'D', 'T':
		return false
	}
	return t.OID != value.Bytea.OID && t.OID != value.Float4.OID && t.OID != value.Float8.OID && !isRecord(t) && !isRegType(t)
}

func isRegType(t *value.Type) bool { return strings.HasPrefix(t.Name, "reg") }

// keyColumns resolves the columns of a key.
func (b *binder) keyColumns(d *tableDef, k *pg_query.Constraint, kind string) ([]int16, []string, error) {
	var nums []int16
	names := strs(k.Keys)
	for _, name := range names {
		c := findColumn(d.rel, name)
		if c == nil {
			return nil, nil, errAt(loc(k.Location), dberr.UndefinedColumn, "column \"%s\" named in key does not exist", name)
		}
		if slices.Contains(nums, c.Num) {
			return nil, nil, errAt(loc(k.Location), dberr.DuplicateColumn, "column \"%s\" appears twice in %s constraint", name, kind)
		}
		if !b.indexable(c.Type) {
			return nil, nil, dberr.New(dberr.UndefinedObject, "data type %s has no default operator class for access method \"btree\"", c.Type.SQL).
				WithHint("You must specify an operator class for the index or define a default operator class for the data type.")
		}
		nums = append(nums, c.Num)
	}
	return nums, names, nil
}

// primary takes a primary key: the row key of a new table, unless it is deferrable; else a unique index.
func (b *binder) primary(d *tableDef, k *pg_query.Constraint) error {
	if len(d.rel.PrimaryKey) > 0 || slices.ContainsFunc(d.st.Indexes, func(x plan.CreateIndex) bool { return x.Index.Primary }) || d.exists && len(b.primaryKey(d.rel)) > 0 {
		return errAt(loc(k.Location), dberr.InvalidTableDef, "multiple primary keys for table \"%s\" are not allowed", d.rel.Name)
	}
	nums, _, err := b.keyColumns(d, k, "primary key")
	if err != nil {
		return err
	}
	for i := range d.rel.Columns {
		if slices.Contains(nums, d.rel.Columns[i].Num) {
			d.rel.Columns[i].NotNull = true
		}
	}
	name := k.Conname
	if name == "" {
		name = b.freeName(d, d.rel.Name, "", "pkey")
	} else if err := b.keyNameFree(d, name); err != nil {
		return err
	}
	if !k.Deferrable && !d.exists && len(k.Including) == 0 {
		d.rel.PrimaryKey, d.rel.PrimaryName = nums, name
		return nil
	}
	ix := b.keyIndex(d, nums, name, k)
	ix.Index.Primary = true
	return b.include(d, &ix, k.Including)
}

func (b *binder) unique(d *tableDef, k *pg_query.Constraint) error {
	nums, names, err := b.keyColumns(d, k, "unique")
	if err != nil {
		return err
	}
	name := k.Conname
	if name == "" {
		name = b.freeName(d, d.rel.Name, strings.Join(names, "_"), "key")
	} else if err := b.keyNameFree(d, name); err != nil {
		return err
	}
	if !k.NullsNotDistinct && slices.Equal(nums, d.rel.PrimaryKey) && k.Conname == "" {
		return nil // the same as the primary key
	}
	ix := b.keyIndex(d, nums, name, k)
	return b.include(d, &ix, k.Including)
}

// keyIndex makes the index behind a constraint.
func (b *binder) keyIndex(d *tableDef, nums []int16, name string, k *pg_query.Constraint) plan.CreateIndex {
	ix := catalog.Index{Name: name, Schema: d.rel.Schema, Method: "btree", Unique: true, Constraint: true, Valid: true,
		NullsNotDistinct: k.NullsNotDistinct, Deferrable: k.Deferrable, Deferred: k.Initdeferred}
	for _, n := range nums {
		ix.Keys = append(ix.Keys, catalog.IndexKey{Col: n, Type: d.rel.Attr(n).Type})
	}
	return plan.CreateIndex{Schema: d.st.Name.Schema, Index: ix}
}

// include adds the INCLUDE columns and takes the index in.
func (b *binder) include(d *tableDef, ix *plan.CreateIndex, list []*pg_query.Node) error {
	for _, name := range strs(list) {
		c := findColumn(d.rel, name)
		if c == nil {
			return dberr.New(dberr.UndefinedColumn, "column \"%s\" named in key does not exist", name)
		}
		ix.Index.Include = append(ix.Index.Include, c.Num)
	}
	d.st.Indexes = append(d.st.Indexes, *ix)
	return nil
}

func (b *binder) check(d *tableDef, k *pg_query.Constraint) error {
	e, err := b.expr(b.tableScope(d, inCheck), k.RawExpr)
	if err != nil {
		return err
	}
	if e, err = b.boolean(e, "CHECK"); err != nil {
		return err
	}
	ck := catalog.Check{Name: k.Conname, Expr: b.text(e), Cols: b.referenced(e)}
	if ck.Name == "" {
		column := ""
		if len(ck.Cols) == 1 {
			column = d.rel.Attr(ck.Cols[0]).Name
		}
		ck.Name = b.freeName(d, d.rel.Name, column, "check")
	}
	d.rel.Checks = append(d.rel.Checks, ck)
	return nil
}

// foreign binds a foreign key.
func (b *binder) foreign(d *tableDef, k *pg_query.Constraint) error {
	f := plan.ForeignKey{ForeignKey: catalog.ForeignKey{Name: k.Conname, Deferrable: k.Deferrable, Deferred: k.Initdeferred,
		OnDelete: letter(k.FkDelAction, 'a'), OnUpdate: letter(k.FkUpdAction, 'a'), Match: letter(k.FkMatchtype, 's')}}
	ref := d.rel
	rv := k.Pktable
	if rv.Relname == d.rel.Name && (rv.Schemaname == "" || rv.Schemaname == d.st.Name.Schema) && (d.exists || b.lookupRelation(rv.Schemaname, rv.Relname) == nil) {
		f.RefSelf = true
	} else {
		var err error
		if ref, err = b.relation(rv); err != nil {
			return dropPosition(err)
		}
		if ref.Kind != catalog.Table && ref.Kind != catalog.Collection {
			return dberr.New(dberr.WrongObjectType, "referenced relation \"%s\" is not a table", ref.Name)
		}
		if err := lastsAsLong(d.rel, ref); err != nil {
			return err
		}
		f.Ref, f.RefTable = ref, ref.ID
	}
	names := strs(k.FkAttrs)
	for _, name := range names {
		c := findColumn(d.rel, name)
		if c == nil {
			return dberr.New(dberr.UndefinedColumn, "column \"%s\" referenced in foreign key constraint does not exist", name)
		}
		f.Cols = append(f.Cols, c.Num)
	}
	for _, name := range strs(k.FkDelSetCols) {
		c := findColumn(d.rel, name)
		if c == nil {
			return dberr.New(dberr.UndefinedColumn, "column \"%s\" referenced in foreign key constraint does not exist", name)
		}
		if !slices.Contains(f.Cols, c.Num) {
			return dberr.New(dberr.InvalidColumnRef, "column \"%s\" referenced in ON DELETE SET action must be part of foreign key", name)
		}
		f.DeleteSet = append(f.DeleteSet, c.Num)
	}
	if err := b.foreignTarget(d, &f, ref, strs(k.PkAttrs)); err != nil {
		return err
	}
	if f.Name == "" {
		f.Name = b.freeName(d, d.rel.Name, strings.Join(names, "_"), "fkey")
	}
	for i := range f.Cols {
		if err := b.keysComparable(f.Name, d.rel.Attr(f.Cols[i]), columnNumbered(ref, f.RefCols[i])); err != nil {
			return err
		}
	}
	d.st.Foreign = append(d.st.Foreign, f)
	return nil
}

// keysComparable sees to it that a column can refer to another one.
func (b *binder) keysComparable(constraint string, from, to *catalog.Column) error {
	if b.comparesKeys(from.Type, to.Type) {
		return nil
	}
	return dberr.New(dberr.DatatypeMismatch, "foreign key constraint \"%s\" cannot be implemented", constraint).
		WithDetail("Key columns \"%s\" and \"%s\" are of incompatible types: %s and %s.", from.Name, to.Name, from.Type.SQL, to.Type.SQL)
}

// keyFamilies are the types whose indexes can be searched with values of each other (PostgreSQL's operator families).
var keyFamilies = [][]*value.Type{
	{value.Int2, value.Int4, value.Int8}, {value.Float4, value.Float8}, {value.Date, value.Timestamp, value.TimestampTZ}, {value.Text, value.Varchar, value.Name},
}

// comparesKeys tells whether a referencing column of one type can be looked up in the index over the referenced one.
func (b *binder) comparesKeys(from, to *value.Type) bool {
	from, to = baseType(from), baseType(to)
	for _, family := range keyFamilies {
		has := func(t *value.Type) bool {
			return slices.ContainsFunc(family, func(f *value.Type) bool { return same(f, t) })
		}
		if has(from) && has(to) {
			return true
		}
	}
	return b.canCoerce1(from, to, functions.Implicit) && b.opFunc("=", to, to) != nil
}

func dropPosition(err error) error {
	e := *dberr.As(err)
	e.Position = 0
	return &e
}

func letter(s string, def byte) byte {
	if s == "" {
		return def
	}
	return s[0]
}

func columnNumbered(rel *catalog.Relation, num int16) *catalog.Column {
	cols := liveColumns(rel)
	for i := range cols {
		if cols[i].Num == num {
			return &cols[i]
		}
	}
	return nil
}

// lastsAsLong refuses a foreign key to a table that may be gone or empty while the one that references it is not.
func lastsAsLong(rel, ref *catalog.Relation) error {
	refuse := func(of, only string) error {
		return dberr.New(dberr.InvalidTableDef, "constraints on %s tables may reference only %s tables", of, only)
	}
	switch {
	case rel.Temp && !ref.Temp:
		return refuse("temporary", "temporary")
	case rel.Unlogged && ref.Temp:
		return refuse("unlogged", "permanent or unlogged")
	case !rel.Temp && !rel.Unlogged && (ref.Temp || ref.Unlogged):
		return refuse("permanent", "permanent")
	}
	return nil
}

// foreignTarget finds the columns that a foreign key points to: they must be a key of their table.
func (b *binder) foreignTarget(d *tableDef, f *plan.ForeignKey, ref *catalog.Relation, names []string) error {
	if len(names) == 0 {
		f.RefCols = b.primaryKey(ref)
		if f.RefSelf && len(f.RefCols) == 0 {
			for _, ix := range d.st.Indexes {
				if ix.Index.Primary {
					f.RefCols = indexColumns(&ix.Index)
				}
			}
		}
		if len(f.RefCols) == 0 {
			return dberr.New(dberr.UndefinedObject, "there is no primary key for referenced table \"%s\"", ref.Name)
		}
	}
	for _, name := range names {
		c := findColumn(ref, name)
		if c == nil {
			return dberr.New(dberr.UndefinedColumn, "column \"%s\" referenced in foreign key constraint does not exist", name)
		}
		f.RefCols = append(f.RefCols, c.Num)
	}
	if len(f.RefCols) != len(f.Cols) {
		return dberr.New(dberr.InvalidForeignKey, "number of referencing and referenced columns for foreign key disagree")
	}
	if sameColumns(f.RefCols, b.rowKey(ref)) {
		return nil
	}
	var keys []*catalog.Index
	if f.RefSelf {
		for i := range d.st.Indexes {
			keys = append(keys, &d.st.Indexes[i].Index)
		}
	}
	if ref.ID != 0 {
		keys = append(keys, b.Catalog.IndexesOf(ref)...)
	}
	deferrable := false
	for _, ix := range keys {
		if !ix.Unique || !ix.Valid || ix.Where != "" || !sameColumns(f.RefCols, indexColumns(ix)) {
			continue
		}
		if deferrable = ix.Deferrable; !deferrable {
			return nil
		}
	}
	if deferrable {
		return dberr.New(dberr.ObjectNotInPrerequisiteState, "cannot use a deferrable unique constraint for referenced table \"%s\"", ref.Name)
	}
	return dberr.New(dberr.InvalidForeignKey, "there is no unique constraint matching given keys for referenced table \"%s\"", ref.Name)
}

// indexColumns lists the key columns of an index, nil when it has expressions.
func indexColumns(ix *catalog.Index) []int16 {
	var out []int16
	for _, k := range ix.Keys {
		if k.Col == 0 {
			return nil
		}
		out = append(out, k.Col)
	}
	return out
}
