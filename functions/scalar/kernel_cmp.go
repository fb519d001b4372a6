package scalar

import (
	"cmp"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/value"
)

// kernelOp is a comparison as kernels know it.
type kernelOp uint8

const (
	opEq kernelOp = iota
	opNe
	opLt
	opLe
	opGt
	opGe
)

// swapped gives the comparison with its sides changed.
func (op kernelOp) swapped() kernelOp {
	return [...]kernelOp{opEq: opEq, opNe: opNe, opLt: opGt, opLe: opGe, opGt: opLt, opGe: opLe}[op]
}

// reduce turns the six comparisons into three and a negation.
func (op kernelOp) reduce() (kernelOp, bool) {
	switch op {
	case opNe:
		return opEq, true
	case opGt:
		return opLe, true
	case opGe:
		return opLt, true
	}
	return op, false
}

// bools gives out room for n booleans.
func bools(out *value.Column, n int) []bool {
	if cap(out.Bools) < n {
		out.Bools = make([]bool, n, max(n, 1024))
	}
	out.Bools = out.Bools[:n]
	return out.Bools
}

func intKernel(op kernelOp) functions.KernelFunc {
	return func(_ *functions.Call, args []*value.Column, consts []bool, sel []int32, n int, out *value.Column) error {
		compare(op, args[0].Ints, args[1].Ints, consts, sel, bools(out, n))
		return nil
	}
}

func textKernel(op kernelOp) functions.KernelFunc {
	return func(_ *functions.Call, args []*value.Column, consts []bool, sel []int32, n int, out *value.Column) error {
		compare(op, args[0].Strs, args[1].Strs, consts, sel, bools(out, n))
		return nil
	}
}

// compare fills out for types whose order is Go's.
func compare[T cmp.Ordered](op kernelOp, a, b []T, consts []bool, sel []int32, out []bool) {
	if consts[0] && !consts[1] {
		a, b, op = b, a, op.swapped()
		consts = []bool{false, true}
	}
	op, neg := op.reduce()
	switch {
	case consts[0]:
		v := holds(op, a[0], b[0]) != neg
		for i := range out {
			out[i] = v
		}
	case consts[1] && sel == nil:
		compareConst(op, a, b[0], neg, out)
	case consts[1]:
		compareConstSel(op, a, b[0], neg, sel, out)
	case sel == nil:
		compareAll(op, a, b, neg, out)
	default:
		compareSel(op, a, b, neg, sel, out)
	}
}

func holds[T cmp.Ordered](op kernelOp, a, b T) bool {
	switch op {
	case opEq:
		return a == b
	case opLt:
		return a < b
	}
	return a <= b
}

func compareConst[T cmp.Ordered](op kernelOp, a []T, c T, neg bool, out []bool) {
	a = a[:len(out)]
	switch op {
	case opEq:
		for i, x := range a {
			out[i] = (x == c) != neg
		}
	case opLt:
		for i, x := range a {
			out[i] = (x < c) != neg
		}
	default:
		for i, x := range a {
			out[i] = (x <= c) != neg
		}
	}
}

func compareConstSel[T cmp.Ordered](op kernelOp, a []T, c T, neg bool, sel []int32, out []bool) {
	switch op {
	case opEq:
		for _, i := range sel {
			out[i] = (a[i] == c) != neg
		}
	case opLt:
		for _, i := range sel {
			out[i] = (a[i] < c) != neg
		}
	default:
		for _, i := range sel {
			out[i] = (a[i] <= c) != neg
		}
	}
}

func compareAll[T cmp.Ordered](op kernelOp, a, b []T, neg bool, out []bool) {
	a, b = a[:len(out)], b[:len(out)]
	switch op {
	case opEq:
		for i, x := range a {
			out[i] = (x == b[i]) != neg
		}
	case opLt:
		for i, x := range a {
			out[i] = (x < b[i]) != neg
		}
	default:
		for i, x := range a {
			out[i] = (x <= b[i]) != neg
		}
	}
}

func compareSel[T cmp.Ordered](op kernelOp, a, b []T, neg bool, sel []int32, out []bool) {
	switch op {
	case opEq:
		for _, i := range sel {
			out[i] = (a[i] == b[i]) != neg
		}
	case opLt:
		for _, i := range sel {
			out[i] = (a[i] < b[i]) != neg
		}
	default:
		for _, i := range sel {
			out[i] = (a[i] <= b[i]) != neg
		}
	}
}

// floatKernel compares floats; NaN is equal to itself and above all others, so Go's operators do only where no NaN is about.
func floatKernel(op kernelOp) functions.KernelFunc {
	return func(_ *functions.Call, args []*value.Column, consts []bool, sel []int32, n int, out *value.Column) error {
		a, b := args[0].Flts, args[1].Flts
		res := bools(out, n)
		if !hasNaN(a) && !hasNaN(b) {
			compare(op, a, b, consts, sel, res)
			return nil
		}
		holds := cmpOps[op].holds
		for k := range positions(sel, n) {
			i := at(sel, k)
			res[i] = holds(cmpNaN(a[pick(consts[0], i)], b[pick(consts[1], i)]))
		}
		return nil
	}
}

func hasNaN(a []float64) bool {
	for _, x := range a {
		if x != x {
			return true
		}
	}
	return false
}

func cmpNaN(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b || a != a && b != b:
		return 0
	case a != a:
		return 1
	}
	return -1
}

// positions is the number of positions to compute, at gives the k-th, pick the index of an argument.
func positions(sel []int32, n int) int {
	if sel != nil {
		return len(sel)
	}
	return n
}

func at(sel []int32, k int) int {
	if sel != nil {
		return int(sel[k])
	}
	return k
}

func pick(isConst bool, i int) int {
	if isConst {
		return 0
	}
	return i
}
