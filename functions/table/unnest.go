package table

import (
	"github.com/omgdb/omgdb/functions/scalar"
	"github.com/omgdb/omgdb/storage/value"
)

// unnests gives the functions that spread a container into rows.
func unnests() []def {
	return []def{
		streaming("unnest(anyarray)", func(_ *call, a []val) (filler, error) { return listed(a[0].Box().(*value.Array).Elems), nil }),
		streaming("unnest(anymultirange)", func(_ *call, a []val) (filler, error) {
			var out []val
			for _, r := range a[0].Box().(*value.Multirange).Ranges {
				out = append(out, value.Box(r))
			}
			return listed(out), nil
		}),
		streaming("string_to_table(text,text)", splitTable), streaming("string_to_table(text,text,text)", splitTable),
	}
}

func splitTable(_ *call, a []val) (filler, error) {
	if a[0].IsNull() {
		return listed(nil), nil
	}
	null := value.Null
	if len(a) > 2 {
		null = a[2]
	}
	return listed(scalar.SplitText(a[0].Str(), a[1], null)), nil
}
