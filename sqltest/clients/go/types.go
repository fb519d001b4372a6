package main

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
)

// samples are values of types, as SQL text.
var samples = []struct{ typ, value string }{
	{"bool", "t"}, {"int2", "-3"}, {"int4", "2147483647"}, {"int8", "-9223372036854775808"}, {"oid", "4294967295"},
	{"float4", "0.1"}, {"float4", "NaN"}, {"float8", "1e-7"}, {"float8", "-Infinity"}, {"float8", "-0"},
	{"numeric", "12345.6780"}, {"numeric", "0.00"}, {"numeric", "NaN"}, {"numeric", "-Infinity"}, {"numeric", "1e40"}, {"numeric", "-0.000000123"},
	{"text", "ünï \\ ' \""}, {"text", ""}, {"varchar(3)", "ab"}, {"char(4)", "ab"}, {"name", "n"}, {`"char"`, "x"}, {"bytea", `\x00ff5c`}, {"bytea", ""},
	{"date", "2024-02-29"}, {"date", "infinity"}, {"date", "0044-03-15 BC"}, {"time", "12:00:01.5"}, {"time", "24:00:00"}, {"timetz", "12:00:01.5+02:30"},
	{"timestamp", "2024-02-29 12:00:00.000001"}, {"timestamp", "-infinity"}, {"timestamptz", "2024-02-29 12:00:00+02"}, {"timestamptz", "0044-03-15 00:00:00+00 BC"},
	{"interval", "1 year 2 months 3 days 04:05:06.789"}, {"interval", "-1 day"},
	{"uuid", "00112233-4455-6677-8899-aabbccddeeff"}, {"json", `{"b": [1,  2], "a": null}`}, {"jsonb", `{"b": [1, 2.50], "a": null}`}, {"jsonb", `"x"`}, {"jsonpath", "$.a[*] ? (@ > 1)"}, {"xml", "<a>1</a>"},
	{"inet", "192.168.0.1/24"}, {"inet", "::1"}, {"cidr", "10.0.0.0/8"}, {"macaddr", "08:00:2b:01:02:03"}, {"macaddr8", "08:00:2b:01:02:03:04:05"},
	{"bit(5)", "10110"}, {"varbit", "101"},
	{"tsvector", "'a':1A 'b':2,3"}, {"tsquery", "'a' & !'b' <-> 'c'"}, {"xid", "7"}, {"cid", "8"}, {"tid", "(1,2)"}, {"xid8", "9"}, {"pg_lsn", "16/B374D848"},
	{"regclass", "pg_type"}, {"regtype", "integer"}, {"regproc", "now"}, {"regnamespace", "pg_catalog"}, {"regrole", "postgres"},
	{"int4[]", "{1,2,NULL}"}, {"int4[]", "[0:1]={1,2}"}, {"int4[]", "{{1,2},{3,4}}"}, {"int4[]", "{}"}, {"text[]", `{"a b",NULL,"NULL","\""}`}, {"bool[]", "{t,f}"}, {"numeric[]", "{1.10,NaN}"}, {"float8[]", "{1.5}"},
	{"uuid[]", "{00112233-4455-6677-8899-aabbccddeeff}"}, {"bytea[]", `{"\\x00"}`}, {"jsonb[]", `{"{\"a\": 1}"}`}, {"timestamptz[]", `{"2024-02-29 12:00:00+00"}`}, {"date[]", "{2020-01-01}"}, {"interval[]", "{1 day}"}, {"inet[]", "{::1}"},
	{"int4range", "[1,3]"}, {"int8range", "(,5)"}, {"numrange", "[1.5,2.5]"}, {"daterange", "[2024-01-01,2024-02-01)"}, {"tsrange", `["2024-01-01 00:00:00",)`}, {"tstzrange", "empty"}, {"int4multirange", "{[1,3),[5,8)}"}, {"nummultirange", "{}"}, {"int4range[]", `{"[1,3)",empty}`},
}

// types sends and fetches every sample in both formats: the bytes on the wire, what pgx makes of them, and what comes back when the
// decoded value is a parameter.
func types(ctx context.Context, dsn string) error {
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	seen := map[string]int{}
	for _, s := range samples {
		name := s.typ
		if seen[s.typ]++; seen[s.typ] > 1 {
			name += " " + s.value
		}
		literal := "SELECT '" + strings.ReplaceAll(s.value, "'", "''") + "'::" + s.typ
		show("bytes of "+name, func() (any, error) { return raw(ctx, c, literal, pgx.BinaryFormatCode) })
		show("text of "+name, func() (any, error) {
			b, err := raw(ctx, c, literal, pgx.TextFormatCode)
			return string(b), err
		})
		for _, format := range []int16{pgx.TextFormatCode, pgx.BinaryFormatCode} {
			show([]string{"text", "binary"}[format]+" parameter "+name, func() (any, error) { return sent(ctx, c, literal, s.typ, format) })
		}
		show("value of "+name, func() (any, error) { return one(ctx, c, literal) })
	}
	for _, s := range samples {
		if seen[s.typ] > 0 {
			seen[s.typ] = 0
			show("null "+s.typ, func() (any, error) { return one(ctx, c, "SELECT $1::"+s.typ, nil) })
			show("oids of "+s.typ, func() (any, error) {
				d, err := c.Prepare(ctx, "", "SELECT $1::"+s.typ)
				if err != nil {
					return nil, err
				}
				f := d.Fields[0]
				return []any{d.ParamOIDs, f.DataTypeOID, f.DataTypeSize, f.TypeModifier, f.Name}, nil
			})
		}
	}
	return nil
}

// raw is the field of a one-row answer as it came.
func raw(ctx context.Context, c *pgx.Conn, sql string, format int16) ([]byte, error) {
	r := c.PgConn().ExecParams(ctx, sql, nil, nil, nil, []int16{format}).Read()
	if r.Err != nil || len(r.Rows) == 0 {
		return nil, r.Err
	}
	return r.Rows[0][0], nil
}

// sent fetches a value in a format, sends it as a parameter in the same one, and says what the server then reads.
func sent(ctx context.Context, c *pgx.Conn, literal, typ string, format int16) (any, error) {
	b, err := raw(ctx, c, literal, format)
	if err != nil {
		return nil, err
	}
	r := c.PgConn().ExecParams(ctx, "SELECT $1::"+typ+"::text", [][]byte{b}, nil, []int16{format}, []int16{pgx.TextFormatCode}).Read()
	if r.Err != nil || len(r.Rows) == 0 {
		return nil, r.Err
	}
	return string(r.Rows[0][0]), nil
}
