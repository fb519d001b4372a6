package table

import (
	"github.com/omgdb/omgdb/functions/scalar"
)

// regexes gives regexp_matches and regexp_split_to_table.
func regexes() []def {
	matches := func(c *call, a []val) (filler, error) {
		rows, err := scalar.RegexpMatches(c, a)
		return listed(rows), err
	}
	split := func(c *call, a []val) (filler, error) {
		rows, err := scalar.RegexpSplit(c, a, "regexp_split_to_table()")
		return listed(rows), err
	}
	return []def{
		streaming("regexp_matches(text,text)", matches), streaming("regexp_matches(text,text,text)", matches),
		streaming("regexp_split_to_table(text,text)", split), streaming("regexp_split_to_table(text,text,text)", split),
	}
}
