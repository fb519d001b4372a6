package bind

import (
	"strconv"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// builtinTypes are the types of pg_catalog by name, with pgvector's, which users expect unqualified.
var builtinTypes = func() map[string]*value.Type {
	m := map[string]*value.Type{}
	for _, t := range value.Builtins() {
		m[t.Name] = t
	}
	return m
}()

// typeByOID finds a type, nil when there is none.
func (b *binder) typeByOID(oid uint32) *value.Type {
	if t := value.ByOID(oid); t != nil {
		return t
	}
	if t := b.Catalog.TypeByID(catalog.ID(oid)); t != nil {
		return t.Def
	}
	if r := b.Catalog.RelationByID(catalog.RelationOfRows(oid)); r != nil {
		return b.rowTypeOf(r)
	}
	if r := b.Catalog.RelationByID(catalog.RelationOfRowArray(oid)); r != nil {
		return b.arrayOf(b.rowTypeOf(r))
	}
	return nil
}

// rowTypeOf is the composite type of a relation's rows.
func (b *binder) rowTypeOf(r *catalog.Relation) *value.Type {
	if t := b.rowTypes[r.ID]; t != nil {
		return t
	}
	t := newRowType(r)
	b.rowTypes[r.ID] = t
	return t
}

// RowTypeByOID finds the type of a relation's rows, or its array, by OID; nil when it is neither.
func RowTypeByOID(v *catalog.View, oid uint32) *value.Type {
	if r := v.RelationByID(catalog.RelationOfRows(oid)); r != nil {
		return newRowType(r)
	}
	if r := v.RelationByID(catalog.RelationOfRowArray(oid)); r != nil {
		return value.ArrayOf(newRowType(r))
	}
	return nil
}

func newRowType(r *catalog.Relation) *value.Type {
	t := &value.Type{OID: catalog.RowType(r.ID), Name: r.Name, SQL: quoteIdent(r.Name), Kind: value.KindBox, Class: value.Composite, Category: 'C', Len: -1,
		Namespace: uint32(r.Schema), ArrayOID: catalog.RowArray(r.ID)}
	for _, c := range liveColumns(r) {
		t.Fields = append(t.Fields, value.Field{Name: c.Name, Type: c.Type, Mod: c.Mod, Table: uint32(r.ID), Attr: c.Num})
	}
	return t
}

// arrayOf is the type of arrays over elem, nil when there is none.
func (b *binder) arrayOf(elem *value.Type) *value.Type {
	if isArray(elem) && !fixedVector(elem) {
		return nil // arrays have any number of dimensions, there are none of arrays
	}
	if elem.OID == value.RecordType.OID {
		return value.RecordArray
	}
	return value.ArrayOf(elem)
}

// typeNamed finds a type by its name and schema ("" for the search path), nil when there is none.
func (b *binder) typeNamed(schema, name string) *value.Type {
	if elem, ok := strings.CutPrefix(name, "_"); ok && elem != "" {
		if t := b.typeNamed(schema, elem); t != nil && !t.IsArray() {
			if a := b.arrayOf(t); a != nil {
				return a
			}
		}
	}
	switch schema {
	case "pg_temp":
		if b.TempSchema == "" || b.TempSchema == schema {
			break
		}
		return b.typeNamed(b.TempSchema, name)
	case "":
		for _, s := range b.path() {
			if s == "" { // no schema has this name
				continue
			}
			if t := b.typeNamed(s, name); t != nil {
				return t
			}
		}
		return nil
	case "pg_catalog":
		return builtinTypes[name]
	case "information_schema":
		return infoDomains[name]
	}
	if t := b.Catalog.Type(schema, name); t != nil {
		b.uses(schema)
		return b.usesType(t).Def
	}
	if r := b.Catalog.Relation(schema, name); r != nil && r.Kind != catalog.Sequence && r.Kind != catalog.IndexKind {
		b.uses(schema)
		return b.rowTypeOf(b.usesRelation(r))
	}
	if schema == "public" && isExtensionType(name) {
		return builtinTypes[name]
	}
	return nil
}

// infoDomains are the domains of information_schema; they stand as their base types.
var infoDomains = map[string]*value.Type{
	"cardinal_number": value.Int4, "character_data": value.Varchar, "sql_identifier": value.Name, "time_stamp": value.TimestampTZ, "yes_or_no": value.Varchar,
}

// isExtensionType tells whether a built-in type would live in public in PostgreSQL, made by an extension.
func isExtensionType(name string) bool {
	return name == "vector" || name == "halfvec" || name == "sparsevec"
}

// typeName resolves the name of a type as it is written; pseudo-types are allowed only where want says so.
func (b *binder) typeName(n *pg_query.TypeName) (*value.Type, int32, error) {
	t, mod, err := b.lookupType(n)
	if err != nil {
		return nil, 0, err
	}
	if t == nil {
		return nil, 0, b.noType(n)
	}
	return t, mod, nil
}

func (b *binder) noType(n *pg_query.TypeName) error {
	return errAt(loc(n.Location), dberr.UndefinedObject, "type \"%s\" does not exist", typeNameText(n))
}

// typeNameText is the name for messages: as written, dotted.
func typeNameText(n *pg_query.TypeName) string {
	s := strings.Join(strs(n.Names), ".")
	if n.PctType {
		s += "%TYPE"
	}
	for range n.ArrayBounds {
		s += "[]"
	}
	return s
}

// lookupType is typeName that gives nil for a name that doesn't exist.
func (b *binder) lookupType(n *pg_query.TypeName) (*value.Type, int32, error) {
	names := strs(n.Names)
	if len(names) == 0 {
		return nil, -1, nil
	}
	if n.PctType {
		return b.columnType(n, names)
	}
	schema, name, err := b.qualified(names, loc(n.Location))
	if err != nil {
		return nil, 0, err
	}
	if schema != "" && !isVirtual(schema) && b.Catalog.Schema(schema) == nil {
		return nil, 0, errAt(loc(n.Location), dberr.InvalidSchemaName, "schema \"%s\" does not exist", schema)
	}
	t := b.typeNamed(schema, name)
	if t == nil {
		return nil, -1, nil
	}
	mod, err := b.typeMod(t, n)
	if err != nil {
		return nil, 0, err
	}
	if len(n.ArrayBounds) > 0 {
		a := b.arrayOf(t)
		if a == nil {
			return nil, -1, nil
		}
		t = a
	}
	return t, mod, nil
}

// columnType resolves table.column%TYPE.
func (b *binder) columnType(n *pg_query.TypeName, names []string) (*value.Type, int32, error) {
	if len(names) < 2 {
		return nil, 0, errAt(loc(n.Location), dberr.SyntaxError, "improper %%TYPE reference (too few dotted names): %s", strings.Join(names, "."))
	}
	schema, table, err := b.qualified(names[:len(names)-1], loc(n.Location))
	if err != nil {
		return nil, 0, err
	}
	rel := b.lookupRelation(schema, table)
	if rel == nil {
		return nil, 0, errAt(loc(n.Location), dberr.UndefinedTable, "relation \"%s\" does not exist", strings.Join(names[:len(names)-1], "."))
	}
	c := findColumn(rel, names[len(names)-1])
	if c == nil {
		return nil, 0, errAt(loc(n.Location), dberr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", names[len(names)-1], rel.Name)
	}
	return c.Type, c.Mod, nil
}

// typeMod reads the modifiers of a type: varchar(10), numeric(8,3), interval day to second(3) …
func (b *binder) typeMod(t *value.Type, n *pg_query.TypeName) (int32, error) {
	if len(n.Typmods) == 0 {
		return n.Typemod, nil
	}
	mods := make([]int32, 0, len(n.Typmods))
	for _, m := range n.Typmods {
		v, ok := constInt(m)
		if !ok {
			if c := m.GetAConst(); c != nil && (c.GetSval() != nil || c.GetFval() != nil) || m.GetColumnRef() != nil {
				text := constText(m)
				i, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
				if err != nil {
					return 0, errAt(loc(n.Location), dberr.InvalidTextRepresentation, "invalid input syntax for type %s: \"%s\"", "integer", text)
				}
				mods = append(mods, int32(i))
				continue
			}
			return 0, errAt(loc(n.Location), dberr.SyntaxError, "type modifiers must be simple constants or identifiers")
		}
		mods = append(mods, v)
	}
	in := typeMods[t.OID]
	if in == nil {
		return 0, errAt(loc(n.Location), dberr.SyntaxError, "type modifier is not allowed for type \"%s\"", strings.Join(strs(n.Names), "."))
	}
	mod, err := in(t, mods)
	return mod, dberr.AddPosition(err, loc(n.Location))
}

// typeMods reads the modifiers of the types that have some, by OID.
var typeMods = map[uint32]func(t *value.Type, m []int32) (int32, error){
	value.Varchar.OID:     func(_ *value.Type, m []int32) (int32, error) { return lengthMod("varchar", 10485760, 4, m) },
	value.BPChar.OID:      func(_ *value.Type, m []int32) (int32, error) { return lengthMod("char", 10485760, 4, m) },
	value.Bit.OID:         func(_ *value.Type, m []int32) (int32, error) { return lengthMod("bit", 83886080, 0, m) },
	value.VarBit.OID:      func(_ *value.Type, m []int32) (int32, error) { return lengthMod("varbit", 83886080, 0, m) },
	value.Numeric.OID:     numericMod,
	value.Time.OID:        timeMod,
	value.TimeTZT.OID:     timeMod,
	value.Timestamp.OID:   timeMod,
	value.TimestampTZ.OID: timeMod,
	value.IntervalT.OID:   intervalMod,
	value.Vector.OID:      func(_ *value.Type, m []int32) (int32, error) { return dimMod("vector", 16000, m) },
	value.HalfVec.OID:     func(_ *value.Type, m []int32) (int32, error) { return dimMod("halfvec", 16000, m) },
	value.SparseVec.OID:   func(_ *value.Type, m []int32) (int32, error) { return dimMod("sparsevec", 1000000000, m) },
}

func lengthMod(name string, limit, plus int32, m []int32) (int32, error) {
	if len(m) != 1 {
		return 0, dberr.New(dberr.InvalidParameterValue, "invalid type modifier")
	}
	if m[0] < 1 {
		return 0, dberr.New(dberr.InvalidParameterValue, "length for type %s must be at least 1", name)
	}
	if m[0] > limit {
		return 0, dberr.New(dberr.InvalidParameterValue, "length for type %s cannot exceed %d", name, limit)
	}
	return m[0] + plus, nil
}

func dimMod(name string, limit int32, m []int32) (int32, error) {
	if len(m) != 1 {
		return 0, dberr.New(dberr.InvalidParameterValue, "invalid type modifier")
	}
	if m[0] < 1 {
		return 0, dberr.New(dberr.InvalidParameterValue, "dimensions for type %s must be at least 1", name)
	}
	if m[0] > limit {
		return 0, dberr.New(dberr.InvalidParameterValue, "dimensions for type %s cannot exceed %d", name, limit)
	}
	return m[0], nil
}

func numericMod(_ *value.Type, m []int32) (int32, error) {
	if len(m) > 2 {
		return 0, dberr.New(dberr.InvalidParameterValue, "invalid NUMERIC type modifier")
	}
	if m[0] < 1 || m[0] > 1000 {
		return 0, dberr.New(dberr.InvalidParameterValue, "NUMERIC precision %d must be between 1 and 1000", m[0])
	}
	scale := int32(0)
	if len(m) == 2 {
		scale = m[1]
		if scale < -1000 || scale > 1000 {
			return 0, dberr.New(dberr.InvalidParameterValue, "NUMERIC scale %d must be between -1000 and 1000", scale)
		}
	}
	return (m[0]<<16 | scale&0x7ff) + 4, nil
}

// timeMod: PostgreSQL warns about a precision above 6 and takes 6.
func timeMod(t *value.Type, m []int32) (int32, error) {
	if len(m) != 1 {
		return 0, dberr.New(dberr.InvalidParameterValue, "invalid type modifier")
	}
	if m[0] < 0 {
		name := strings.ToUpper(strings.TrimSuffix(t.Name, "tz"))
		zone := ""
		if strings.HasSuffix(t.Name, "tz") {
			zone = " WITH TIME ZONE"
		}
		return 0, dberr.New(dberr.InvalidParameterValue, "%s(%d)%s precision must not be negative", name, m[0], zone)
	}
	return min(m[0], 6), nil
}

const intervalFullRange = 0x7fff

func intervalMod(_ *value.Type, m []int32) (int32, error) {
	prec, fields := int32(0xffff), int32(intervalFullRange)
	if len(m) >= 1 {
		fields = m[0]
	}
	if len(m) == 2 {
		if prec = m[1]; prec < 0 {
			return 0, dberr.New(dberr.InvalidParameterValue, "INTERVAL(%d) precision must not be negative", prec)
		}
		prec = min(prec, 6)
	}
	if len(m) > 2 {
		return 0, dberr.New(dberr.InvalidParameterValue, "invalid INTERVAL type modifier")
	}
	if fields == intervalFullRange && prec == 0xffff {
		return -1, nil
	}
	return fields<<16 | prec, nil
}
