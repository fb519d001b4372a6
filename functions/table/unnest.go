package table

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// arrays lists the functions that take arrays apart.
func arrays() []functions.TableDef {
	return []functions.TableDef{
		{Sig: "unnest(anyarray)", Open: unnest},
		{Sig: "unnest(anymultirange)", Open: unnestRanges},
		{Sig: "generate_subscripts(anyarray,int4)", Open: subscripts}, {Sig: "generate_subscripts(anyarray,int4,bool)", Open: subscripts},
	}
}

// unnest gives the elements in row-major order; composite elements fill the columns of their row.
func unnest(_ context.Context, _ *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	arr := a[0].Box().(*value.Array)
	cols := batch.Columns(out, len(arr.Elems))
	for _, e := range arr.Elems {
		if len(out) == 1 {
			cols[0].Append(e)
			continue
		}
		rec, _ := e.Box().(*value.Record)
		for i, c := range cols {
			if rec == nil || i >= len(rec.Vals) {
				c.AppendNull()
				continue
			}
			c.Append(rec.Vals[i])
		}
	}
	return batch.Of(out, cols...), nil
}

func unnestRanges(_ context.Context, _ *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	m := a[0].Box().(*value.Multirange)
	cols := batch.Columns(out, len(m.Ranges))
	for _, r := range m.Ranges {
		cols[0].Append(value.Box(r))
	}
	return batch.Of(out, cols...), nil
}

func subscripts(_ context.Context, _ *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	arr, dim := a[0].Box().(*value.Array), a[1].Int()
	if dim < 1 || dim > int64(len(arr.Dims)) {
		return batch.Of(out, batch.Columns(out, 0)...), nil
	}
	d := arr.Dims[dim-1]
	i, last, step := int64(d.Lower), int64(d.Lower)+int64(d.Len)-1, int64(1)
	if len(a) > 2 && a[2].Bool() {
		i, last, step = last, i, -1
	}
	return generate(out, func() (value.Value, bool, error) {
		if (last-i)*step < 0 {
			return value.Null, false, nil
		}
		v := value.Int(i)
		i += step
		return v, true, nil
	}), nil
}
