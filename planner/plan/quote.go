package plan

import "strings"

// reserved are the key words that cannot stand as plain names (manual, appendix C): all but the non-reserved ones.
var reserved = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean
		both case cast char character check coalesce collate collation column concurrently constraint create cross current_catalog
		current_date current_role current_schema current_time current_timestamp current_user dec decimal default deferrable desc distinct
		do else end except exists extract false fetch float for foreign freeze from full grant greatest group grouping having ilike in
		initially inner inout int integer intersect interval into is isnull join lateral leading least left like limit localtime
		localtimestamp national natural nchar none normalize not notnull null nullif numeric offset on only or order out outer overlaps
		overlay placing position precision primary real references returning right row select session_user setof similar smallint some
		substring symmetric table tablesample then time timestamp to trailing treat trim true union unique user using values varchar
		variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot
		xmlserialize xmltable`) {
		m[w] = true
	}
	return m
}()

// QuoteIdent writes a name as SQL reads it: in double quotes when it has capitals, odd characters or is a key word.
func QuoteIdent(name string) string {
	safe := name != "" && !reserved[name]
	for i := 0; i < len(name) && safe; i++ {
		c := name[i]
		safe = c >= 'a' && c <= 'z' || c == '_' || i > 0 && (c >= '0' && c <= '9' || c == '$')
	}
	if safe {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// QuoteLiteral writes a string constant.
func QuoteLiteral(s string) string {
	q := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.Contains(s, `\`) {
		return "E" + strings.ReplaceAll(q, `\`, `\\`)
	}
	return q
}
