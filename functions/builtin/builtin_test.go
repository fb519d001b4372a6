package builtin

import (
	"testing"

	"github.com/omgdb/omgdb/functions"
)

func TestNew(t *testing.T) {
	r, err := New(functions.Entries{})
	if err != nil {
		t.Fatal(err)
	}
	e := r.Entries()
	t.Logf("%d functions, %d aggregates, %d windows, %d table functions, %d operators, %d casts",
		len(e.Scalars), len(e.Aggregates), len(e.Windows), len(e.Tables), len(e.Operators), len(e.Casts))
}
