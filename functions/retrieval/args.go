package retrieval

import (
	"maps"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// Parameters that several functions share.
var (
	pCollection = functions.Param{Name: "collection", Type: value.Text}
	pField      = functions.Param{Name: "field", Type: value.Text}
	pQuery      = functions.Param{Name: "query", Type: value.Text}
	pK          = functions.Param{Name: "k", Type: value.Int4, Default: "10"}
	pBudget     = functions.Param{Name: "budget", Type: value.Int4, Default: "1000"}
	pFilter     = functions.Param{Name: "filter", Type: value.JSON, Default: "NULL", JSONBToo: true}
	pEmbedder   = functions.Param{Name: "embedder", Type: value.Text, Default: "NULL"}
)

// text gives a text argument, "" for NULL.
func text(v value.Value) string { return v.Str() }

// count gives an integer argument that must not be negative, or the default for NULL.
func count(param string, v value.Value, def int) (int, error) {
	if v.IsNull() {
		return def, nil
	}
	if v.Int() < 0 {
		return 0, dberr.New(dberr.InvalidParameterValue, "%s must not be negative", param)
	}
	return int(v.Int()), nil
}

// anyNull tells whether one of the required arguments is NULL: such a call has no rows.
func anyNull(args []value.Value) bool {
	for _, a := range args {
		if a.IsNull() {
			return true
		}
	}
	return false
}

// joinKeys lists the names of a table for a hint.
func joinKeys[T any](m map[string]T) string { return strings.Join(slices.Sorted(maps.Keys(m)), ", ") }
