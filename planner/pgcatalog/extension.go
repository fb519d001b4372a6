package pgcatalog

import (
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// extension is an extension of PostgreSQL whose types and functions are built in.
type extension struct {
	oid           uint32
	name, version string
	comment       string
}

var extensions = []extension{
	{13542, "plpgsql", "1.0", "PL/pgSQL procedural language"},
	{8990, "vector", "0.8.0", "vector data type and ivfflat and hnsw access methods"},
}

var pgExtension = of[extension]{
	items: func(*world) []extension { return extensions },
	cols: map[string]func(*world, extension) value.Value{
		"oid":            func(_ *world, x extension) value.Value { return oid(x.oid) },
		"extname":        func(_ *world, x extension) value.Value { return text(x.name) },
		"extowner":       func(*world, extension) value.Value { return oid(catalog.SuperRole) },
		"extnamespace":   func(w *world, x extension) value.Value { return oid(x.schema(w)) },
		"extrelocatable": func(_ *world, x extension) value.Value { return value.Bool(x.name == "vector") },
		"extversion":     func(_ *world, x extension) value.Value { return text(x.version) },
	},
}

var pgAvailableExtensions = of[extension]{
	items: pgExtension.items,
	cols: map[string]func(*world, extension) value.Value{
		"name":              func(_ *world, x extension) value.Value { return text(x.name) },
		"default_version":   func(_ *world, x extension) value.Value { return text(x.version) },
		"installed_version": func(_ *world, x extension) value.Value { return text(x.version) },
		"comment":           func(_ *world, x extension) value.Value { return text(x.comment) },
	},
}

var pgAvailableExtensionVersions = of[extension]{
	items: pgExtension.items,
	cols: map[string]func(*world, extension) value.Value{
		"name":        func(_ *world, x extension) value.Value { return text(x.name) },
		"version":     func(_ *world, x extension) value.Value { return text(x.version) },
		"installed":   func(*world, extension) value.Value { return value.Bool(true) },
		"superuser":   func(*world, extension) value.Value { return value.Bool(true) },
		"trusted":     func(*world, extension) value.Value { return value.Bool(true) },
		"relocatable": pgExtension.cols["extrelocatable"],
		"schema": func(w *world, x extension) value.Value {
			if x.name == "plpgsql" {
				return text("pg_catalog")
			}
			return value.Null
		},
		"comment": func(_ *world, x extension) value.Value { return text(x.comment) },
	},
}

// schema is where the extension's objects are found.
func (x extension) schema(w *world) catalog.ID {
	if x.name != "plpgsql" && w.view != nil {
		if sc := w.view.Schema("public"); sc != nil {
			return sc.ID
		}
	}
	return catalog.PgCatalogSchema
}
