package pgcatalog

import "github.com/omgdb/omgdb/storage/value"

// The views of statistics. Rows are counted, as estimates; what PostgreSQL counts of its pages and processes stays at zero.

func statTable(more map[string]func(*world, class) value.Value) map[string]func(*world, class) value.Value {
	cols := map[string]func(*world, class) value.Value{
		"relid":      func(_ *world, c class) value.Value { return oid(c.oid) },
		"schemaname": classSchema, "relname": className,
	}
	for k, f := range more {
		cols[k] = f
	}
	return cols
}

func nought[T any](*world, T) value.Value { return num(0) }

// noughts makes columns of zeros.
func noughts[T any](cols map[string]func(*world, T) value.Value, names ...string) map[string]func(*world, T) value.Value {
	for _, n := range names {
		cols[n] = nought[T]
	}
	return cols
}

var statTableColumns = noughts(statTable(map[string]func(*world, class) value.Value{
	"n_live_tup": func(w *world, c class) value.Value { return num(int64(max(w.tuples(c), 0))) },
}), "seq_scan", "seq_tup_read", "idx_scan", "idx_tup_fetch", "n_tup_ins", "n_tup_upd", "n_tup_del", "n_tup_hot_upd", "n_dead_tup", "n_mod_since_analyze",
	"n_ins_since_vacuum", "vacuum_count", "autovacuum_count", "analyze_count", "autoanalyze_count")

var statioTableColumns = noughts(statTable(nil), "heap_blks_read", "heap_blks_hit", "idx_blks_read", "idx_blks_hit")

func statIndex(names ...string) map[string]func(*world, class) value.Value {
	return noughts(map[string]func(*world, class) value.Value{
		"relid":      func(_ *world, c class) value.Value { return oid(c.rel.ID) },
		"indexrelid": func(_ *world, c class) value.Value { return oid(c.oid) },
		"schemaname": classSchema, "indexrelname": className,
		"relname": func(_ *world, c class) value.Value { return text(c.rel.Name) },
	}, names...)
}

var (
	pgStatUserTables    = of[class]{items: ofUserKind('r', 'm'), cols: statTableColumns}
	pgStatAllTables     = of[class]{items: ofKind('r', 'm'), cols: statTableColumns}
	pgStatioUserTables  = of[class]{items: ofUserKind('r', 'm'), cols: statioTableColumns}
	pgStatioAllTables   = of[class]{items: ofKind('r', 'm'), cols: statioTableColumns}
	pgStatUserIndexes   = of[class]{items: (*world).indexClasses, cols: statIndex("idx_scan", "idx_tup_read", "idx_tup_fetch")}
	pgStatioUserIndexes = of[class]{items: (*world).indexClasses, cols: statIndex("idx_blks_read", "idx_blks_hit")}
	pgStatioSequences   = of[class]{items: (*world).sequences, cols: noughts(statTable(nil), "blks_read", "blks_hit")}
)
