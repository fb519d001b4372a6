package main

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// pair is gc.pair.
type pair struct {
	A *int32
	B string
}

// customTypes are types that the user made: pgx asks the catalogs for them, then sends and fetches them in binary.
func customTypes(ctx context.Context, dsn string) error {
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	if err := run(ctx, c, "CREATE TYPE gc.pair AS (a int, b text)", "CREATE TYPE gc.nested AS (p gc.pair, l gc.pair[], m gc.mood, s gc.small)", "CREATE DOMAIN gc.name AS text NOT NULL", "CREATE DOMAIN gc.smaller AS gc.small CHECK (VALUE < 5)",
		"CREATE TYPE gc.span AS RANGE (SUBTYPE = float8)", "CREATE TABLE gc.custom (m gc.mood, ms gc.mood[], p gc.pair, ps gc.pair[], s gc.small, sp gc.span, n gc.nested)"); err != nil {
		return err
	}
	for _, name := range []string{"gc.mood", "gc._mood", "gc.pair", "gc._pair", "gc.small", "gc._small", "gc.smaller", "gc.name", "gc.span", "gc._span", "gc.span_multirange", "gc.nested", "gc.custom", "gc.nope"} {
		show("load "+name, func() (any, error) {
			t, err := c.LoadType(ctx, name)
			if err != nil {
				return nil, err
			}
			c.TypeMap().RegisterType(t)
			return codec(t), nil
		})
	}
	show("load many", func() (any, error) {
		other, err := pgx.Connect(ctx, dsn)
		if err != nil {
			return nil, err
		}
		defer other.Close(ctx)
		ts, err := other.LoadTypes(ctx, []string{"gc.nested", "gc._pair", "gc.span"})
		var out []any
		for _, t := range ts {
			out = append(out, t.Name)
		}
		return out, err
	})
	echo := func(label, typ string, v any) {
		show("sent "+label, func() (any, error) { return one(ctx, c, "SELECT ($1::"+typ+")::text", v) })
		show("fetched "+label, func() (any, error) {
			var got any
			err := c.QueryRow(ctx, "SELECT $1::"+typ, v).Scan(&got)
			return got, err
		})
	}
	seven := int32(7)
	echo("enum", "gc.mood", "ok")
	echo("enum array", "gc.mood[]", []string{"ok", "sad"})
	echo("unknown label", "gc.mood", "grumpy")
	echo("composite", "gc.pair", pair{&seven, `a "b", (c)`})
	echo("composite with null", "gc.pair", pair{nil, ""})
	echo("composite array", "gc.pair[]", []pair{{&seven, "x"}, {nil, `\`}})
	echo("domain", "gc.small", 3)
	echo("domain refuses", "gc.small", 30)
	echo("domain over a domain", "gc.smaller", 6)
	echo("range", "gc.span", pgtype.Range[pgtype.Float8]{Lower: pgtype.Float8{Float64: 1, Valid: true}, Upper: pgtype.Float8{Float64: 2.5, Valid: true}, LowerType: pgtype.Inclusive, UpperType: pgtype.Exclusive, Valid: true})
	show("scanned", func() (any, error) {
		var p pair
		var ps []pair
		var m string
		var ms []string
		err := c.QueryRow(ctx, `SELECT ROW(1, 'x')::gc.pair, ARRAY[ROW(NULL, 'y')::gc.pair], 'sad'::gc.mood, '{ok}'::gc.mood[]`).Scan(&p, &ps, &m, &ms)
		if err != nil {
			return nil, err
		}
		return []any{*p.A, p.B, ps[0].A == nil, ps[0].B, m, ms}, nil
	})
	show("record", func() (any, error) {
		return all(c.Query(ctx, "SELECT ROW(1, 'a'::text, NULL::int, '{1}'::int[]), t FROM (VALUES (1, 'x'::text)) t"))
	})
	show("row of a table", func() (any, error) {
		return all(c.Query(ctx, "SELECT c::text, pg_typeof(c)::text FROM (VALUES (1)) v LEFT JOIN gc.custom c ON true"))
	})
	show("insert", func() (any, error) {
		_, err := c.Exec(ctx, "INSERT INTO gc.custom (m, ms, p, ps, s) VALUES ($1, $2, $3, $4, $5)", "ok", []string{"sad"}, pair{&seven, "p"}, []pair{{&seven, "q"}}, 4)
		if err != nil {
			return nil, err
		}
		return all(c.Query(ctx, "SELECT m, ms::text, (p).a, (p).b, ps[1].b, s, sp IS NULL FROM gc.custom"))
	})
	show("copy", func() (any, error) {
		return c.CopyFrom(ctx, pgx.Identifier{"gc", "custom"}, []string{"m", "ms", "p", "ps", "s"}, pgx.CopyFromRows([][]any{{"sad", []string{"ok", "ok"}, pair{nil, "z"}, []pair{}, 1}}))
	})
	show("copied rows", func() (any, error) {
		return all(c.Query(ctx, "SELECT t::text FROM gc.custom t ORDER BY s"))
	})
	show("new label", func() (any, error) {
		if err := run(ctx, c, "ALTER TYPE gc.mood ADD VALUE 'great' BEFORE 'ok'"); err != nil {
			return nil, err
		}
		return one(ctx, c, "SELECT enum_range(NULL::gc.mood)::text || $1::gc.mood::text", "great")
	})
	return nil
}

// codec is what pgx has made of a type.
func codec(t *pgtype.Type) any {
	switch k := t.Codec.(type) {
	case *pgtype.EnumCodec:
		return "enum"
	case *pgtype.ArrayCodec:
		return "array of " + k.ElementType.Name
	case *pgtype.RangeCodec:
		return "range of " + k.ElementType.Name
	case *pgtype.MultirangeCodec:
		return "multirange of " + k.ElementType.Name
	case *pgtype.CompositeCodec:
		out := []any{"composite"}
		for _, f := range k.Fields {
			out = append(out, f.Name, f.Type.Name)
		}
		return out
	}
	return "like its base"
}
