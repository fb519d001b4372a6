package table

import (
	"context"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// series lists generate_series.
func series() []functions.TableDef {
	return []functions.TableDef{
		{Sig: "generate_series(int4,int4)", Open: intSeries(1<<31 - 1)}, {Sig: "generate_series(int4,int4,int4)", Open: intSeries(1<<31 - 1)},
		{Sig: "generate_series(int8,int8)", Open: intSeries(1<<63 - 1)}, {Sig: "generate_series(int8,int8,int8)", Open: intSeries(1<<63 - 1)},
		{Sig: "generate_series(numeric,numeric)", Open: numericSeries}, {Sig: "generate_series(numeric,numeric,numeric)", Open: numericSeries},
		{Sig: "generate_series(timestamp,timestamp,interval)", Open: timeSeries(func(*functions.Call) *time.Location { return time.UTC })},
		{Sig: "generate_series(timestamptz,timestamptz,interval)", Open: timeSeries(func(c *functions.Call) *time.Location { return c.Env.Format.TimeZone })},
	}
}

func zeroStep() error { return dberr.New(dberr.InvalidParameterValue, "step size cannot equal zero") }

// generator is a stream of one column made row by row; next gives false at the end.
type generator struct {
	schema value.Schema
	col    *value.Column
	next   func() (value.Value, bool, error)
	b      batch.Batch
}

func generate(out value.Schema, next func() (value.Value, bool, error)) batch.Iter {
	return &generator{schema: out, col: value.NewColumn(out[0].Type, batch.Size), next: next}
}

func (g *generator) Schema() value.Schema { return g.schema }

func (g *generator) Next(context.Context) (*batch.Batch, error) {
	g.col.Reset()
	for g.next != nil && g.col.Len() < batch.Size {
		v, ok, err := g.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			g.next = nil
			break
		}
		g.col.Append(v)
	}
	if g.col.Len() == 0 {
		return nil, nil
	}
	g.b = batch.Batch{Cols: []*value.Column{g.col}, Len: g.col.Len()}
	return &g.b, nil
}

func (g *generator) Close() error { return nil }

// open starts a table function.
type open = func(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error)

// intSeries counts in steps up to limit in size: a step beyond it ends the series.
func intSeries(limit int64) open {
	return func(_ context.Context, _ *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
		at, stop, step, done := a[0].Int(), a[1].Int(), int64(1), false
		if len(a) > 2 {
			step = a[2].Int()
		}
		if step == 0 {
			return nil, zeroStep()
		}
		return generate(out, func() (value.Value, bool, error) {
			if done || step > 0 && at > stop || step < 0 && at < stop {
				return value.Null, false, nil
			}
			v := value.Int(at)
			if step > 0 && at > limit-step || step < 0 && at < -limit-1-step {
				done = true
			} else {
				at += step
			}
			return v, true, nil
		}), nil
	}
}

func numericSeries(_ context.Context, _ *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	at, stop, step := typeio.Num(a[0]), typeio.Num(a[1]), num.FromInt(1)
	if len(a) > 2 {
		step = typeio.Num(a[2])
	}
	for _, x := range []struct {
		name string
		d    *num.Dec
	}{{"start", at}, {"stop", stop}, {"step size", step}} {
		switch {
		case num.IsNaN(x.d):
			return nil, dberr.New(dberr.InvalidParameterValue, "%s value cannot be NaN", x.name)
		case num.IsInf(x.d):
			return nil, dberr.New(dberr.InvalidParameterValue, "%s value cannot be infinity", x.name)
		}
	}
	sign := num.Sign(step)
	if sign == 0 {
		return nil, zeroStep()
	}
	return generate(out, func() (value.Value, bool, error) {
		if c := num.Cmp(at, stop); sign > 0 && c > 0 || sign < 0 && c < 0 {
			return value.Null, false, nil
		}
		v := value.Box(at)
		next, err := num.Add(at, step)
		at = next
		return v, true, err
	}), nil
}

// timeSeries steps by an interval in a time zone.
func timeSeries(zone func(c *functions.Call) *time.Location) open {
	return func(_ context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
		at, stop, step, loc := a[0].Int(), a[1].Int(), a[2].Box().(value.Interval), zone(c)
		sign := dt.CmpInterval(step, dt.Interval{})
		if sign == 0 {
			return nil, zeroStep()
		}
		return generate(out, func() (value.Value, bool, error) {
			if sign > 0 && at > stop || sign < 0 && at < stop {
				return value.Null, false, nil
			}
			v := value.Int(at)
			next, err := dt.AddInterval(at, step, loc)
			at = next
			return v, true, err
		}), nil
	}
}
