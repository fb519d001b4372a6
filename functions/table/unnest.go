package table

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/scalar"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// unnests gives the functions that spread a container into rows.
func unnests() []def {
	return []def{
		{Sig: "unnest(anyarray)", Open: func(_ context.Context, _ *functions.Call, a []val, out value.Schema) (batch.Iter, error) {
			arr := a[0].Box().(*value.Array)
			elem := typeio.Base(arr.Elem)
			if (len(elem.Fields) > 0 || elem.OID == value.RecordType.OID) && !(len(out) == 1 && out[0].Type.OID == arr.Elem.OID) {
				if err := fitRows(arr.Elems, out); err != nil {
					return nil, err
				}
				return newStream(out, listedRecords(arr.Elems)), nil
			}
			return newStream(out, listed(arr.Elems)), nil
		}},
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

// fitRows refuses records that are not of the shape that the query expects.
func fitRows(rows []val, out value.Schema) error {
	for _, v := range rows {
		r, ok := v.Box().(*value.Record)
		if !ok {
			continue
		}
		if len(r.Vals) != len(out) {
			return dberr.New(dberr.DatatypeMismatch, "function return row and query-specified return row do not match").
				WithDetail("Returned row contains %d attributes, but query expects %d.", len(r.Vals), len(out))
		}
		for i, f := range r.Fields {
			if f.Type.OID != out[i].Type.OID {
				return dberr.New(dberr.DatatypeMismatch, "function return row and query-specified return row do not match").
					WithDetail("Returned type %s at ordinal position %d, but query expects %s.", f.Type.SQL, i+1, out[i].Type.SQL)
			}
		}
	}
	return nil
}

// listedRecords makes a filler of the fields of records; of a NULL record all are NULL.
func listedRecords(vals []val) filler {
	return func(cols []*value.Column, n int) (bool, error) {
		k := min(n, len(vals))
		for _, v := range vals[:k] {
			for i, c := range cols {
				if v.IsNull() {
					c.AppendNull()
				} else {
					c.Append(v.Box().(*value.Record).Vals[i])
				}
			}
		}
		vals = vals[k:]
		return len(vals) == 0, nil
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
