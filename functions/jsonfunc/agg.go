package jsonfunc

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

func aggregates() []functions.AggDef {
	return []functions.AggDef{
		{Sig: "json_agg(anyelement)", New: func(c *call) functions.Accumulator { return &textAgg{call: c} }},
		{Sig: "jsonb_agg(anyelement)", New: func(c *call) functions.Accumulator { return &arrayAgg{call: c} }},
		{Sig: "json_object_agg(any,any)", New: func(c *call) functions.Accumulator { return &textAgg{call: c, object: true} }},
		{Sig: "jsonb_object_agg(any,any)", New: func(c *call) functions.Accumulator { return &objectAgg{call: c} }},
	}
}

// textAgg gathers json.
type textAgg struct {
	call   *call
	object bool
	out    []byte
}

func (t *textAgg) Add(_ context.Context, a []val) (err error) {
	switch {
	case t.out == nil && t.object:
		t.out = append(t.out, "{ "...)
	case t.out == nil:
		t.out = append(t.out, '[')
	default:
		t.out = append(t.out, ", "...)
	}
	i := 0
	if t.object {
		if a[0].IsNull() {
			return dberr.New(dberr.InvalidParameterValue, "field name must not be null")
		}
		key, err := keyText(t.call.Args[0], a[0], 0, format(t.call))
		if err != nil {
			return err
		}
		t.out = append(doc.AppendQuoted(t.out, key), " : "...)
		i = 1
	}
	if typ := t.call.Args[i]; i == 0 && len(t.out) > 2 && (typ.IsArray() || typ.OID == value.RecordType.OID || typ.Class == value.Composite) {
		t.out = append(t.out, "\n "...)
	}
	t.out, err = appendJSON(t.out, t.call.Args[i], a[i], format(t.call), "")
	return err
}

func (t *textAgg) Result(context.Context) (val, error) {
	if t.out == nil {
		return value.Null, nil
	}
	end := "]"
	if t.object {
		end = " }"
	}
	return value.String(string(t.out) + end), nil
}

// arrayAgg gathers a jsonb array.
type arrayAgg struct {
	call  *call
	elems []doc.Value
	any   bool
}

func (t *arrayAgg) Add(_ context.Context, a []val) error {
	d, err := toDoc(t.call.Args[0], a[0], format(t.call))
	t.elems, t.any = append(t.elems, d), true
	return err
}

func (t *arrayAgg) Result(context.Context) (val, error) {
	if !t.any {
		return value.Null, nil
	}
	return typeio.JSONB(doc.Array(t.elems...)), nil
}

// objectAgg gathers a jsonb object; the last value of a key counts.
type objectAgg struct {
	call *call
	keys []string
	vals []doc.Value
}

func (t *objectAgg) Add(_ context.Context, a []val) error {
	if a[0].IsNull() {
		return dberr.New(dberr.InvalidParameterValue, "field name must not be null")
	}
	key, err := keyText(t.call.Args[0], a[0], 0, format(t.call))
	if err != nil {
		return err
	}
	d, err := toDoc(t.call.Args[1], a[1], format(t.call))
	t.keys, t.vals = append(t.keys, key), append(t.vals, d)
	return err
}

func (t *objectAgg) Result(context.Context) (val, error) {
	if t.keys == nil {
		return value.Null, nil
	}
	b := doc.Builder{Canonical: true}
	b.BeginObject()
	for i, k := range t.keys {
		b.Key(k)
		b.Append(t.vals[i])
	}
	b.End()
	return changed(b.Value())
}
