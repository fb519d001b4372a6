package functions

import (
	"context"
	"fmt"
	"strings"

	"github.com/omgdb/omgdb/functions/pgfacts"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// EvalFunc computes a scalar function for one row.
type EvalFunc = func(ctx context.Context, c *Call, args []value.Value) (value.Value, error)

// KernelFunc computes a scalar function for columns; see Scalar.Kernel.
type KernelFunc = func(c *Call, args []*value.Column, consts []bool, sel []int32, n int, out *value.Column) error

// Def is one of PostgreSQL's scalar functions: its signature and what computes it. All else (OID, result, strictness,
// volatility, parameter names, defaults) is a fact, and the operators and casts that it implements follow from the facts too.
type Def struct {
	Sig    string // name(type,type), types by pg_type.typname, T[] for arrays
	Eval   EvalFunc
	Kernel KernelFunc
	Waits  bool
}

// AggDef is one of PostgreSQL's aggregates.
type AggDef struct {
	Sig       string
	New       func(c *Call) Accumulator
	NewBatch  func(c *Call) BatchAccumulator
	Strict    bool
	Removable bool
}

// WinDef is one of PostgreSQL's window functions.
type WinDef struct {
	Sig  string
	Eval func(ctx context.Context, c *Call, p Partition, i int) (value.Value, error)
}

// TableDef is one of PostgreSQL's set-returning functions. Exactly one of Open and Rows is given.
type TableDef struct {
	Sig     string
	Open    func(ctx context.Context, c *Call, args []value.Value, out value.Schema) (batch.Iter, error)
	Dynamic bool
}

// fact finds what a signature names. It fails on unknown types and functions: a misspelt entry.
func fact(sig string, kinds string) (*pgfacts.Proc, error) {
	name, rest, ok := strings.Cut(sig, "(")
	if !ok || !strings.HasSuffix(rest, ")") {
		return nil, fmt.Errorf("malformed signature %q", sig)
	}
	var args []uint32
	if rest = strings.TrimSuffix(rest, ")"); rest != "" {
		for w := range strings.SplitSeq(rest, ",") {
			t := typeNamed(strings.TrimSpace(w))
			if t == nil {
				return nil, fmt.Errorf("unknown type %q in %q", w, sig)
			}
			args = append(args, t.OID)
		}
	}
	p := pgfacts.Load().Find(name, args)
	if p == nil || strings.IndexByte(kinds, p.Kind) < 0 {
		return nil, fmt.Errorf("PostgreSQL has no function %s", sig)
	}
	return p, nil
}

// Known tells whether PostgreSQL has a function of this signature; families that are made in loops ask.
func Known(sig string) bool {
	_, err := fact(sig, "f")
	return err == nil
}

// typeNames maps pg_type.typname to the built-in types.
var typeNames = func() map[string]*value.Type {
	m := map[string]*value.Type{}
	for _, t := range value.Builtins() {
		m[t.Name] = t
	}
	return m
}()

func typeNamed(name string) *value.Type {
	if elem, ok := strings.CutSuffix(name, "[]"); ok {
		name = "_" + elem
	}
	return typeNames[name]
}

func factParams(p *pgfacts.Proc) []Param {
	out := make([]Param, len(p.Args))
	for i, oid := range p.Args {
		out[i] = Param{Name: p.Names[i], Type: value.ByOID(oid)}
		if d := i - (len(p.Args) - len(p.Defaults)); d >= 0 {
			out[i].Default = p.Defaults[d]
		}
	}
	return out
}

// Scalar completes the entry with its facts.
func (d *Def) Scalar() (*Scalar, error) {
	p, err := fact(d.Sig, "f")
	if err != nil {
		return nil, err
	}
	return &Scalar{
		OID: p.OID, Name: p.Name, Params: factParams(p), Variadic: p.Variadic, Ret: value.ByOID(p.Ret), Strict: p.Strict,
		Volatility: Volatility(p.Volatility), Eval: d.Eval, Kernel: d.Kernel, Waits: d.Waits, Descr: p.Descr,
	}, nil
}

// Aggregate completes the entry with its facts. Strictness is the entry's: in PostgreSQL it belongs to the transition function.
func (d *AggDef) Aggregate() (*Aggregate, error) {
	p, err := fact(d.Sig, "a")
	if err != nil {
		return nil, err
	}
	return &Aggregate{
		OID: p.OID, Name: p.Name, Params: factParams(p), Variadic: p.Variadic, Ret: value.ByOID(p.Ret), Strict: d.Strict,
		OrderedSet: p.AggKind == 'o' || p.AggKind == 'h', Hypothetical: p.AggKind == 'h', NumDirect: p.NumDirect,
		New: d.New, NewBatch: d.NewBatch, Removable: d.Removable, Descr: p.Descr,
	}, nil
}

// Window completes the entry with its facts.
func (d *WinDef) Window() (*Window, error) {
	p, err := fact(d.Sig, "w")
	if err != nil {
		return nil, err
	}
	return &Window{OID: p.OID, Name: p.Name, Params: factParams(p), Ret: value.ByOID(p.Ret), Eval: d.Eval, Descr: p.Descr}, nil
}

// Table completes the entry with its facts, and gives the scalar entry that stands for it in select lists.
func (d *TableDef) Table() (*Table, *Scalar, error) {
	p, err := fact(d.Sig, "f")
	if err != nil {
		return nil, nil, err
	}
	t := &Table{
		OID: p.OID, Name: p.Name, Params: factParams(p), Variadic: p.Variadic, Strict: p.Strict, Volatility: Volatility(p.Volatility),
		Rows: p.Rows, Open: d.Open, Dynamic: d.Dynamic, Single: !p.RetSet, Descr: p.Descr,
	}
	ret := value.ByOID(p.Ret)
	switch {
	case len(p.OutTypes) > 0:
		for i, oid := range p.OutTypes {
			t.Cols = append(t.Cols, Param{Name: p.OutNames[i], Type: value.ByOID(oid)})
		}
		t.Scalar = len(p.OutTypes) == 1
	case !d.Dynamic:
		t.Cols = []Param{{Name: p.Name, Type: ret}}
		t.Scalar = true
	}
	s := &Scalar{
		OID: p.OID, Name: p.Name, Params: t.Params, Variadic: p.Variadic, Ret: ret, Strict: p.Strict, Volatility: t.Volatility, Descr: p.Descr,
	}
	return t, s, nil
}
