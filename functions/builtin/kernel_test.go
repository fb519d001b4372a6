package builtin

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// column makes a column of sample values of a type; nil when there are none.
func sampleColumn(t *value.Type, n int, rng *rand.Rand) *value.Column {
	s := samples[t.Name]
	if s == nil {
		return nil
	}
	col := value.NewColumn(t, n)
	for range n {
		v, err := typeio.In(t, -1, s[rng.IntN(len(s))], nil)
		if err != nil {
			panic(err)
		}
		col.Append(v)
	}
	return col
}

// Every kernel must give what its row form gives, for columns and constants, with and without a selection; where the row form
// fails on a row, the kernel must fail.
func TestKernels(t *testing.T) {
	reg, err := New(functions.Entries{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	kernels := 0
	for _, f := range reg.Entries().Scalars {
		if f.Kernel == nil || len(f.Params) > 2 {
			continue
		}
		for shape := range 1 << len(f.Params) {
			for range 20 {
				if checkKernel(t, f, shape, rng) {
					kernels++
				}
			}
		}
	}
	if kernels < 1000 {
		t.Errorf("only %d runs of kernels", kernels)
	}
}

func checkKernel(t *testing.T, f *functions.Scalar, shape int, rng *rand.Rand) bool {
	const n = 9
	args := make([]*value.Column, len(f.Params))
	consts := make([]bool, len(args))
	for i, p := range f.Params {
		consts[i] = shape>>i&1 == 1
		size := n
		if consts[i] {
			size = 1
		}
		if args[i] = sampleColumn(p.Type, size, rng); args[i] == nil {
			return false
		}
	}
	var sel []int32
	positions := []int32{0, 1, 2, 3, 4, 5, 6, 7, 8}
	if rng.IntN(2) == 0 {
		sel = []int32{1, 4, 7}
		positions = sel
	}
	want := make([]value.Value, n)
	failed := false
	vals := make([]value.Value, len(args))
	row := &functions.Call{}
	for _, i := range positions {
		for k, a := range args {
			j := int(i)
			if consts[k] {
				j = 0
			}
			vals[k] = a.Get(j)
		}
		v, err := f.Eval(context.Background(), row, vals)
		failed = failed || err != nil
		want[i] = v
	}
	out := value.NewColumn(f.Ret, n)
	err := f.Kernel(&functions.Call{}, args, consts, sel, n, out)
	if (err != nil) != failed {
		t.Errorf("%s: the kernel's error is %v, the rows failed: %v", f.Name, err, failed)
		return true
	}
	if err != nil {
		return true
	}
	for _, i := range positions {
		got := out.Get(int(i))
		if got.IsNull() != want[i].IsNull() || !got.IsNull() && showValue(f.Ret, got) != showValue(f.Ret, want[i]) {
			t.Errorf("%s row %d of shape %b: kernel %v, row form %v", f.Name, i, shape, showValue(f.Ret, got), showValue(f.Ret, want[i]))
			break
		}
	}
	return true
}

func BenchmarkKernels(b *testing.B) {
	reg, err := New(functions.Entries{})
	if err != nil {
		b.Fatal(err)
	}
	const n = 1024
	small := value.NewColumn(value.Int4, n)
	floats := value.NewColumn(value.Float8, n)
	texts := value.NewColumn(value.Text, n)
	for i := range n {
		small.Append(value.Int(int64(i)))
		floats.Append(value.Float(float64(i)))
		texts.Append(value.String("some text"))
	}
	for _, c := range []struct {
		op  string
		col *value.Column
		ret *value.Type
	}{{"=", small, value.Boolean}, {"<", small, value.Boolean}, {"+", small, value.Int4}, {"*", small, value.Int4}, {"<", floats, value.Boolean},
		{"+", floats, value.Float8}, {"=", texts, value.Boolean}} {
		o := reg.Operator(c.op, c.col.Type, c.col.Type)
		one := value.NewColumn(c.col.Type, 1)
		one.Append(c.col.Get(7))
		b.Run(c.op+" "+c.col.Type.Name, func(b *testing.B) {
			out := value.NewColumn(c.ret, n)
			b.SetBytes(n)
			for b.Loop() {
				out.Reset()
				if err := o.Fn.Kernel(&functions.Call{}, []*value.Column{c.col, one}, []bool{false, true}, nil, n, out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
