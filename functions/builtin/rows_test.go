package builtin

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Two kinds of golden lines are not expressions:
//
//	@agg NAME arg; arg [| direct]     an aggregate over the elements of arrays (one array for each argument)
//	@set NAME(args)                   all rows of a set-returning function, as an array or a row of arrays' texts
//
// pgQuery gives the query that asks PostgreSQL the same.

var aggLine = regexp.MustCompile(`^@agg (\w+) (.*?)(?: \| (.*))?$`)

func pgQuery(expr string) string {
	if m := aggLine.FindStringSubmatch(expr); m != nil {
		args := strings.Split(m[2], "; ")
		cols := []string{"x", "y"}[:len(args)]
		call := m[1] + "(" + strings.Join(cols, ", ") + ")"
		if m[3] != "" {
			call = m[1] + "(" + m[3] + ") WITHIN GROUP (ORDER BY x)"
		} else if m[1] == "mode" {
			call = "mode() WITHIN GROUP (ORDER BY x)"
		}
		return "SELECT " + call + " FROM unnest(" + strings.Join(args, ", ") + ") t(" + strings.Join(cols, ", ") + ")"
	}
	if call, ok := strings.CutPrefix(expr, "@set "); ok {
		return "SELECT coalesce(string_agg(x::text, ' | '), '') FROM " + call + " x"
	}
	return "SELECT " + expr
}

// rows evaluates the lines that are not expressions.
func (s *session) rows(expr string) (string, error) {
	if m := aggLine.FindStringSubmatch(expr); m != nil {
		return s.aggregate(m[1], strings.Split(m[2], "; "), m[3])
	}
	return s.rowSet(strings.TrimPrefix(expr, "@set "))
}

func (s *session) aggregate(name string, arrays []string, direct string) (string, error) {
	var cols []*value.Array
	for _, a := range arrays {
		x, err := s.ev.eval(a)
		if err != nil {
			return "", err
		}
		cols = append(cols, x.v.Box().(*value.Array))
	}
	var lead []typed
	if direct != "" {
		d, err := s.ev.eval(direct)
		if err != nil {
			return "", err
		}
		lead = append(lead, d)
	}
	args := append([]typed{}, lead...)
	for _, c := range cols {
		args = append(args, typed{t: c.Elem})
	}
	aggs := s.ev.reg.Aggregates(name)
	i := s.ev.choose(args, len(aggs), func(i int) []*value.Type {
		var ts []*value.Type
		for _, p := range aggs[i].Params {
			ts = append(ts, p.Type)
		}
		for len(ts) > 0 && len(ts) < len(args) && ts[len(ts)-1].OID == value.Any.OID {
			ts = append(ts, value.Any)
		}
		return ts
	})
	if i < 0 {
		return "", fmt.Errorf("no aggregate %s", name)
	}
	return s.runAggregate(aggs[i], lead, cols)
}

func (s *session) runAggregate(a *functions.Aggregate, lead []typed, cols []*value.Array) (string, error) {
	ret := a.Ret
	c := &functions.Call{Env: s.ev.env}
	for i, d := range lead {
		want := d.t
		if p := a.Params[i].Type; !p.IsPoly() && p.OID != value.Any.OID {
			want = p
		} else if d.t.OID == value.Unknown.OID {
			want = cols[0].Elem
		}
		x, err := s.ev.cast(d, want, -1, false)
		if err != nil {
			return "", err
		}
		lead[i] = x
		c.Args = append(c.Args, x.t)
	}
	data := make([][]value.Value, len(cols))
	for k, col := range cols {
		want := col.Elem
		if p := a.Params[min(k+len(lead), len(a.Params)-1)].Type; !p.IsPoly() && p.OID != value.Any.OID {
			want = p
		}
		c.Args = append(c.Args, want)
		for _, e := range col.Elems {
			x, err := s.ev.cast(typed{col.Elem, e}, want, -1, false)
			if err != nil {
				return "", err
			}
			data[k] = append(data[k], x.v)
		}
	}
	last := c.Args[len(c.Args)-1]
	switch {
	case ret.OID == value.AnyArray.OID:
		ret = value.ArrayOf(last)
	case ret.OID == value.AnyMultirange.OID && last.Class == value.RangeClass:
		ret = rangeOver(last.Elem, value.MultiClass)
	case ret.IsPoly():
		ret = last
	}
	c.Ret = ret
	v, err := byRows(a, c, lead, data)
	if err != nil {
		return "", err
	}
	if a.NewBatch != nil {
		b, err := byBatch(a, c, data)
		if err != nil {
			return "", err
		}
		if !typeio.Equal(ret, v, b) || showValue(ret, v) != showValue(ret, b) {
			return "", fmt.Errorf("rows give %s, batches %s", showValue(ret, v), showValue(ret, b))
		}
	}
	return showValue(ret, v), nil
}

func showValue(t *value.Type, v value.Value) string {
	if v.IsNull() {
		return "NULL"
	}
	return typeio.Text(t, v, nil)
}

// byRows adds row by row; a removable aggregate first takes a few strange rows that it then has to take back.
func byRows(a *functions.Aggregate, c *functions.Call, lead []typed, data [][]value.Value) (value.Value, error) {
	ctx := context.Background()
	acc := a.New(c)
	var order []int
	for i := range data[0] {
		order = append(order, i)
	}
	if a.OrderedSet {
		cmp := typeio.Comparer(c.Args[len(lead)])
		sortStable(order, func(i, j int) int { return cmpNulls(cmp, data[0][i], data[0][j]) })
	}
	args := make([]value.Value, len(lead)+len(data))
	row := func(i int) []value.Value {
		for k, d := range lead {
			args[k] = d.v
		}
		for k := range data {
			args[len(lead)+k] = data[k][i]
		}
		return args
	}
	if a.Removable && len(order) > 0 {
		for _, i := range order {
			if err := acc.Add(ctx, row(i)); err != nil {
				return value.Null, err
			}
		}
	}
	for _, i := range order {
		if err := acc.Add(ctx, row(i)); err != nil {
			return value.Null, err
		}
	}
	if a.Removable && len(order) > 0 {
		for _, i := range order {
			if err := acc.(functions.Remover).Remove(ctx, row(i)); err != nil {
				return value.Null, err
			}
		}
	}
	return acc.Result(ctx)
}

func sortStable(order []int, cmp func(i, j int) int) {
	for i := 1; i < len(order); i++ {
		for j := i; j > 0 && cmp(order[j-1], order[j]) > 0; j-- {
			order[j-1], order[j] = order[j], order[j-1]
		}
	}
}

func cmpNulls(cmp func(a, b value.Value) int, a, b value.Value) int {
	switch {
	case a.IsNull() && b.IsNull():
		return 0
	case a.IsNull():
		return 1
	case b.IsNull():
		return -1
	}
	return cmp(a, b)
}

// byBatch adds the rows to group 1 of 3 in two batches, the second with a selection, and checks that the others stay empty.
func byBatch(a *functions.Aggregate, c *functions.Call, data [][]value.Value) (value.Value, error) {
	ctx := context.Background()
	acc := a.NewBatch(c)
	acc.Grow(1)
	acc.Grow(3)
	n := len(data[0])
	half := n / 2
	for _, part := range [][2]int{{0, half}, {half, n}} {
		cols := make([]*value.Column, len(data))
		var sel []int32
		var group []int32
		for k := range data {
			cols[k] = value.NewColumn(c.Args[k], n)
			for i := part[0]; i < part[1]; i++ {
				cols[k].Append(data[k][i])
			}
			cols[k].AppendNull() // not selected
		}
		for i := range part[1] - part[0] {
			sel, group = append(sel, int32(i)), append(group, 1)
		}
		if sel == nil {
			sel = []int32{}
		}
		if err := acc.AddBatch(ctx, cols, sel, part[1]-part[0]+1, group); err != nil {
			return value.Null, err
		}
	}
	return acc.ResultAt(ctx, 1)
}

// set runs a set-returning function.
func (s *session) rowSet(call string) (string, error) {
	e := s.ev
	e.toks, e.pos = tokens(call), 0
	name := strings.ToLower(e.next())
	e.expect("(")
	var args []typed
	for e.peek() != ")" {
		if len(args) > 0 {
			e.expect(",")
		}
		x, err := e.expr()
		if err != nil {
			return "", err
		}
		args = append(args, x)
	}
	fns := e.reg.Tables(name)
	i := e.choose(args, len(fns), func(i int) []*value.Type {
		var ts []*value.Type
		for _, p := range fns[i].Params {
			ts = append(ts, p.Type)
		}
		for n := len(args); n < len(ts) && fns[i].Params[n].Default != ""; {
			ts = ts[:n]
		}
		return ts
	})
	if i < 0 {
		return "", dberr.New(dberr.UndefinedFunction, "no set-returning function %s", name)
	}
	return s.runSet(fns[i], args)
}

func (s *session) runSet(f *functions.Table, args []typed) (string, error) {
	e := s.ev
	for n := len(args); n < len(f.Params) && f.Params[n].Default != ""; n++ {
		sub := &evaluator{reg: e.reg, env: e.env}
		d, err := sub.eval(f.Params[n].Default)
		if err != nil {
			return "", err
		}
		args = append(args, d)
	}
	c := &functions.Call{Env: e.env}
	vals := make([]value.Value, len(args))
	var elem *value.Type
	for i, a := range args {
		want := f.Params[i].Type
		if want.IsPoly() {
			want = a.t
			elem = a.t.Elem
			if a.t.Class == value.MultiClass {
				elem = rangeOver(elem, value.RangeClass)
			}
		}
		x, err := e.cast(a, want, -1, false)
		if err != nil {
			return "", err
		}
		if f.Strict && x.v.IsNull() {
			return "", nil
		}
		vals[i] = x.v
		c.Args = append(c.Args, x.t)
	}
	var schema value.Schema
	for _, p := range f.Cols {
		t := p.Type
		if t.IsPoly() {
			t = elem
		}
		schema = append(schema, value.Field{Name: p.Name, Type: t, Mod: -1})
	}
	ctx := context.Background()
	it, err := f.Open(ctx, c, vals, schema)
	if err != nil {
		return "", err
	}
	defer it.Close()
	var out []string
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return strings.Join(out, " | "), err
		}
		for r := range b.Rows() {
			if len(schema) == 1 {
				if v := b.Cols[0].Get(b.Row(r)); !v.IsNull() {
					out = append(out, showValue(schema[0].Type, v))
				}
				continue
			}
			rec := &value.Record{Fields: schema}
			for _, col := range b.Cols {
				rec.Vals = append(rec.Vals, col.Get(b.Row(r)))
			}
			out = append(out, showValue(value.RecordType, value.Box(rec)))
		}
	}
}

// errorText gives the golden form of an error.
func errorText(err error) string {
	var e *dberr.Error
	if errors.As(err, &e) {
		return escaper.Replace("!" + e.Code + " " + e.Message)
	}
	return "!!!!!! " + err.Error()
}
