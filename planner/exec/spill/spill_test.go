package spill

import (
	"fmt"
	"testing"

	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// TestRoundTrip writes columns of all forms, with and without a selection, and reads them twice.
func TestRoundTrip(t *testing.T) {
	types := []*value.Type{value.Boolean, value.Int8, value.Float8, value.Text, value.Numeric, value.IntervalT, value.ArrayOf(value.Int4), value.RecordType, value.JSONB}
	texts := []string{"t", "-5", "1.5e300", "a'b\"c", "123456789012345678901234567890.5", "1 mon 2 days", "{1,NULL,3}", "", `{"a": 1}`}
	const n = 3000
	cols := make([]*value.Column, len(types))
	for i, typ := range types {
		cols[i] = value.NewColumn(typ, n)
		for k := range n {
			switch {
			case (k+i)%7 == 0:
				cols[i].AppendNull()
			case typ.OID == value.RecordType.OID:
				cols[i].Append(value.Box(&value.Record{Fields: value.Schema{{Name: "f", Type: value.Int4}}, Vals: []value.Value{value.Int(int64(k))}}))
			default:
				text := texts[i]
				if typ.OID == value.Text.OID {
					text = fmt.Sprint(text, k)
				}
				v, err := typeio.In(typ, -1, text, nil)
				if err != nil {
					t.Fatal(err)
				}
				cols[i].Append(v)
			}
		}
	}
	f, err := Create(t.TempDir(), types)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sel := []int32{5, 6, 7, 2999}
	if err := f.Write(cols, nil, n); err != nil {
		t.Fatal(err)
	}
	if err := f.Write(cols, sel, n); err != nil {
		t.Fatal(err)
	}
	want := make([]int, 0, n+len(sel))
	for k := range n {
		want = append(want, k)
	}
	for _, k := range sel {
		want = append(want, int(k))
	}
	for range 2 {
		checkRows(t, f, types, cols, want)
	}
}

func checkRows(t *testing.T, f *File, types []*value.Type, cols []*value.Column, want []int) {
	t.Helper()
	r, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for {
		b, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			break
		}
		for i := range b.Len {
			for k, c := range b.Cols {
				got, exp := c.Get(i), cols[k].Get(want[at])
				if got.IsNull() != exp.IsNull() || !got.IsNull() && typeio.Text(types[k], got, nil) != typeio.Text(types[k], exp, nil) {
					t.Fatalf("row %d, %s: got %v, want %v", at, types[k], got, exp)
				}
			}
			at++
		}
	}
	if at != len(want) {
		t.Fatalf("%d rows, want %d", at, len(want))
	}
}
