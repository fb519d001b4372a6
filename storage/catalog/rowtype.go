package catalog

import "github.com/omgdb/omgdb/storage/value"

// The type of a relation's rows, and its array, have OIDs that are made of the relation's.
const (
	rowTypeBit  = 1 << 29
	rowArrayBit = 1 << 28
)

// RowType is the OID of the type of a relation's rows.
func RowType(relation ID) uint32 { return uint32(relation | rowTypeBit) }

// RowArray is the OID of the type of arrays of a relation's rows.
func RowArray(relation ID) uint32 { return uint32(relation | rowArrayBit) }

// RelationOfRows takes RowType back. Functions of older stores name the type by the relation itself, which stays.
func RelationOfRows(typ uint32) ID { return ID(typ &^ rowTypeBit) }

// RelationOfRowArray takes RowArray back, 0 for another type.
func RelationOfRowArray(typ uint32) ID {
	if typ&rowArrayBit == 0 {
		return 0
	}
	return ID(typ &^ rowArrayBit)
}

// NewRowType makes the type of a relation's rows without its name and fields; FillRowType adds them.
func NewRowType(relation ID) *value.Type {
	return &value.Type{OID: RowType(relation), Kind: value.KindBox, Class: value.Composite, Category: 'C', Len: -1, ArrayOID: RowArray(relation)}
}

// FillRowType gives a type that NewRowType made the relation's name and columns.
func (r *Relation) FillRowType(t *value.Type) {
	t.Name, t.SQL, t.Namespace = r.Name, r.Name, uint32(r.Schema)
	for i := range r.Columns {
		if c := &r.Columns[i]; !c.Dropped {
			t.Fields = append(t.Fields, value.Field{Name: c.Name, Type: c.Type, Mod: c.Mod, Table: uint32(r.ID), Attr: c.Num})
		}
	}
}
