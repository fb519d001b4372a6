package pgcatalog

import (
	"github.com/omgdb/omgdb/functions/extension"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

var pgExtension = of[extension.Extension]{
	items: func(*world) []extension.Extension { return extension.All },
	cols: map[string]func(*world, extension.Extension) value.Value{
		"oid":            func(_ *world, x extension.Extension) value.Value { return oid(x.OID) },
		"extname":        func(_ *world, x extension.Extension) value.Value { return text(x.Name) },
		"extowner":       func(*world, extension.Extension) value.Value { return oid(catalog.SuperRole) },
		"extnamespace":   func(w *world, x extension.Extension) value.Value { return oid(extensionSchema(x, w)) },
		"extrelocatable": func(_ *world, x extension.Extension) value.Value { return value.Bool(x.Relocatable) },
		"extversion":     func(_ *world, x extension.Extension) value.Value { return text(x.Version) },
	},
}

var pgAvailableExtensions = of[extension.Extension]{
	items: pgExtension.items,
	cols: map[string]func(*world, extension.Extension) value.Value{
		"name":              func(_ *world, x extension.Extension) value.Value { return text(x.Name) },
		"default_version":   func(_ *world, x extension.Extension) value.Value { return text(x.Version) },
		"installed_version": func(_ *world, x extension.Extension) value.Value { return text(x.Version) },
		"comment":           func(_ *world, x extension.Extension) value.Value { return text(x.Comment) },
	},
}

var pgAvailableExtensionVersions = of[extension.Extension]{
	items: pgExtension.items,
	cols: map[string]func(*world, extension.Extension) value.Value{
		"name":        func(_ *world, x extension.Extension) value.Value { return text(x.Name) },
		"version":     func(_ *world, x extension.Extension) value.Value { return text(x.Version) },
		"installed":   func(*world, extension.Extension) value.Value { return value.Bool(true) },
		"superuser":   func(*world, extension.Extension) value.Value { return value.Bool(true) },
		"trusted":     func(*world, extension.Extension) value.Value { return value.Bool(true) },
		"relocatable": pgExtension.cols["extrelocatable"],
		"schema": func(w *world, x extension.Extension) value.Value {
			if x.Name == "plpgsql" {
				return text("pg_catalog")
			}
			return value.Null
		},
		"comment": func(_ *world, x extension.Extension) value.Value { return text(x.Comment) },
	},
}

// extensionSchema is where the extension's objects are found.
func extensionSchema(x extension.Extension, w *world) catalog.ID {
	if x.Name != "plpgsql" && w.view != nil {
		if sc := w.view.Schema("public"); sc != nil {
			return sc.ID
		}
	}
	return catalog.PgCatalogSchema
}
