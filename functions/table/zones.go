package table

import (
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/value"
)

// zones gives the time zone names and abbreviations that PostgreSQL's views of these names show.
func zones() []def {
	return []def{
		streaming("pg_timezone_names()", func(c *call, _ []val) (filler, error) {
			names := dt.ZoneNames()
			slices.Sort(names)
			now := dt.FromTime(format(c).Input().Now)
			return func(cols []*value.Column, n int) (bool, error) {
				k := min(n, len(names))
				for _, name := range names[:k] {
					loc := dt.Named(name)
					if loc == nil {
						continue
					}
					off, abbrev, dst := dt.OffsetAt(loc, now)
					appendRow(cols, value.String(name), value.String(abbrev), offsetSpan(off), value.Bool(dst))
				}
				names = names[k:]
				return len(names) == 0, nil
			}, nil
		}),
		streaming("pg_timezone_abbrevs()", func(c *call, _ []val) (filler, error) {
			all := dt.Abbrevs()
			var names []string
			for name := range all {
				names = append(names, name)
			}
			slices.Sort(names)
			now := dt.FromTime(format(c).Input().Now)
			return func(cols []*value.Column, _ int) (bool, error) {
				for _, name := range names {
					a := all[name]
					appendRow(cols, value.String(strings.ToUpper(name)), offsetSpan(a.AbbrevOffset(name, now)), value.Bool(a.DST))
				}
				return true, nil
			}, nil
		}),
	}
}

func offsetSpan(secs int) val { return value.Box(value.Interval{Micros: int64(secs) * dt.Second}) }

func appendRow(cols []*value.Column, vals ...val) {
	for i, v := range vals {
		cols[i].Append(v)
	}
}
