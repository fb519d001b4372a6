package storage

import (
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// typeLoader finds the types that stored descriptors name while a catalog is read. The type of a relation's rows may be named before the
// relation is read: it is made empty then, and add fills it.
type typeLoader struct {
	made map[uint32]*value.Type // user-made types and their arrays
	rows map[catalog.ID]*value.Type
}

func newTypeLoader() *typeLoader {
	return &typeLoader{made: map[uint32]*value.Type{}, rows: map[catalog.ID]*value.Type{}}
}

func (l *typeLoader) find(oid uint32) *value.Type {
	if t := l.made[oid]; t != nil {
		return t
	}
	if id := catalog.RelationOfRowArray(oid); id != 0 {
		return value.ArrayOf(l.row(id))
	}
	if id := catalog.RelationOfRows(oid); id >= catalog.FirstUserID {
		return l.row(id)
	}
	return nil
}

func (l *typeLoader) row(relation catalog.ID) *value.Type {
	t := l.rows[relation]
	if t == nil {
		t = catalog.NewRowType(relation)
		l.rows[relation] = t
	}
	return t
}

// add tells of a descriptor that was read.
func (l *typeLoader) add(d catalog.Descriptor) {
	switch d := d.(type) {
	case *catalog.Type:
		l.made[d.Def.OID] = d.Def
		if a := value.ArrayOf(d.Def); a != nil {
			l.made[a.OID] = a
		}
	case *catalog.Relation:
		d.FillRowType(l.row(d.ID))
	}
}
