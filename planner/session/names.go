package session

import (
	"slices"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// names implements typeio.Names for the text forms of the reg* types.
type names struct{ s *Session }

// alias is how objects of one reg* type are found: by OID and by name.
type alias struct {
	name func(n names, oid uint32) (string, bool)
	oid  func(n names, name string) (uint32, error)
}

// NameOf implements typeio.Names.
func (n names) NameOf(t *value.Type, oid uint32) (string, bool) {
	if a, ok := n.s.srv.aliases[t.OID]; ok {
		return a.name(n, oid)
	}
	return "", false
}

// OIDOf implements typeio.Names.
func (n names) OIDOf(t *value.Type, name string) (uint32, error) {
	if a, ok := n.s.srv.aliases[t.OID]; ok {
		return a.oid(n, name)
	}
	return 0, dberr.New(dberr.UndefinedObject, `%s "%s" does not exist`, t.SQL[3:], name)
}

// buildAliases makes the table of reg* types by OID. A Server holds it.
func buildAliases() map[uint32]alias {
	return map[uint32]alias{
		value.RegType.OID:      {names.typeName, names.typeOID},
		value.RegClass.OID:     {names.className, names.classOID},
		value.RegNamespace.OID: {names.schemaName, names.schemaOID},
		value.RegProc.OID:      {names.procName, names.procOID},
		value.RegProcedure.OID: {names.procedureName, names.procedureOID},
		value.RegRole.OID:      {names.roleName, names.roleOID},
		value.RegOper.OID: {names.operName, func(n names, name string) (uint32, error) {
			var oids []uint32
			for _, o := range n.s.srv.registry.Operators(unqualified(name)) {
				oids = append(oids, o.OID)
			}
			switch len(oids) {
			case 0:
				return 0, dberr.New(dberr.UndefinedFunction, "operator does not exist: %s", name)
			case 1:
				return oids[0], nil
			}
			return 0, dberr.New(dberr.AmbiguousFunction, "more than one operator named %s", name)
		}},
		value.RegOperator.OID: {names.operatorName, names.operatorOID},
		value.RegCollation.OID: {
			func(_ names, oid uint32) (string, bool) {
				for name, o := range collations {
					if o == oid {
						if name == "default" {
							return `"default"`, true // a reserved word
						}
						return quoteName(name), true
					}
				}
				return "", false
			},
			func(_ names, name string) (uint32, error) {
				if parts, ok := splitQualified(name); ok {
					if oid := collations[parts[len(parts)-1]]; oid != 0 {
						return oid, nil
					}
				}
				return 0, dberr.New(dberr.UndefinedObject, `collation "%s" for encoding "UTF8" does not exist`, name)
			},
		},
	}
}

// collations are the built-in ones by name.
var collations = map[string]uint32{"default": 100, "C": 950, "POSIX": 951}

func (n names) typeName(oid uint32) (string, bool) {
	t := lookup(n).TypeByOID(oid)
	if t == nil {
		return "", false
	}
	return n.shownType(t), true
}

func (n names) typeOID(name string) (uint32, error) {
	if t := (lookup(n)).TypeByName(name); t != nil {
		return t.OID, nil
	}
	return 0, dberr.New(dberr.UndefinedObject, `type "%s" does not exist`, name)
}

func (n names) className(oid uint32) (string, bool) {
	l := lookup(n)
	schema, name, ok := l.RelationName(oid)
	if !ok {
		return "", false
	}
	if found, ok := l.RelationOID(quoteName(name)); ok && found == oid {
		return quoteName(name), true
	}
	return quoteName(schema) + "." + quoteName(name), true
}

func (n names) classOID(name string) (uint32, error) {
	if oid, ok := (lookup(n)).RelationOID(name); ok {
		return oid, nil
	}
	if parts, ok := splitQualified(name); ok {
		name = strings.Join(parts, ".")
	}
	return 0, dberr.New(dberr.UndefinedTable, `relation "%s" does not exist`, name)
}

func (n names) schemaName(oid uint32) (string, bool) {
	if v := (lookup(n)).view(); v != nil {
		if sc := v.SchemaByID(catalog.ID(oid)); sc != nil {
			return quoteName(sc.Name), true
		}
	}
	return n.s.srv.system.SchemaName(catalog.ID(oid))
}

func (n names) schemaOID(name string) (uint32, error) {
	parts, ok := splitQualified(name)
	if v := (lookup(n)).view(); v != nil && ok && len(parts) == 1 {
		if sc := v.Schema(parts[0]); sc != nil {
			return uint32(sc.ID), nil
		}
		if id := n.s.srv.system.SchemaID(parts[0]); id != 0 {
			return uint32(id), nil
		}
	}
	return 0, dberr.New(dberr.InvalidSchemaName, `schema "%s" does not exist`, name)
}

// unqualified takes the schema off a name; operators are found by their last part.
func unqualified(name string) string {
	return strings.TrimPrefix(strings.TrimSpace(name), "pg_catalog.")
}

// operator finds an operator by OID, nil when there is none. Operators are numbered apart from functions.
func (n names) operator(oid uint32) *functions.Operator {
	all := n.s.srv.registry.Entries().Operators
	if i := slices.IndexFunc(all, func(o *functions.Operator) bool { return o.OID == oid }); i >= 0 {
		return all[i]
	}
	return nil
}

func (n names) operName(oid uint32) (string, bool) {
	if o := n.operator(oid); o != nil {
		return o.Name, true
	}
	return "", false
}

// operatorName is the text form of a regoperator: the name with the operands, NONE for the left one of a prefix operator.
func (n names) operatorName(oid uint32) (string, bool) {
	o := n.operator(oid)
	if o == nil {
		return "", false
	}
	left := "NONE"
	if o.Left != nil {
		left = n.shownType(o.Left)
	}
	return o.Name + "(" + left + "," + n.shownType(o.Right) + ")", true
}

func (n names) roleName(oid uint32) (string, bool) {
	if oid == uint32(catalog.SuperRole) {
		return superuser, true
	}
	if v := (lookup(n)).view(); v != nil {
		if r := v.RoleByID(catalog.ID(oid)); r != nil {
			return quoteName(r.Name), true
		}
	}
	return "", false
}

func (n names) roleOID(name string) (uint32, error) {
	parts, ok := splitQualified(name)
	if ok && len(parts) == 1 {
		if parts[0] == superuser {
			return uint32(catalog.SuperRole), nil
		}
		if v := (lookup(n)).view(); v != nil {
			if r := v.Role(parts[0]); r != nil {
				return uint32(r.ID), nil
			}
		}
	}
	return 0, dberr.New(dberr.UndefinedObject, `role "%s" does not exist`, name)
}
