package scalar

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/value"
)

// ints and flts give out room for n values.
func ints(out *value.Column, n int) []int64 {
	if cap(out.Ints) < n {
		out.Ints = make([]int64, n, max(n, 1024))
	}
	out.Ints = out.Ints[:n]
	return out.Ints
}

func flts(out *value.Column, n int) []float64 {
	if cap(out.Flts) < n {
		out.Flts = make([]float64, n, max(n, 1024))
	}
	out.Flts = out.Flts[:n]
	return out.Flts
}

// intLoop is the loop of an operation on integers; bad collects overflows so that the loop has no branch for them.
type intLoop func(a, b []int64, sel []int32, out []int64) (bad bool)

// intArith makes the kernel of an operation from its loops: two columns, and a column and a constant on the right.
// A constant on the left is spread out.
func intArith(t intType, cols intLoop, right func(a []int64, c int64, sel []int32, out []int64) bool) functions.KernelFunc {
	return func(_ *functions.Call, args []*value.Column, consts []bool, sel []int32, n int, out *value.Column) error {
		res := ints(out, n)
		a, b := args[0].Ints, args[1].Ints
		if consts[0] {
			a = spread(a[0], n)
		}
		var bad bool
		if consts[1] {
			bad = right(a, b[0], sel, res)
		} else {
			bad = cols(a, b, sel, res)
		}
		if !bad {
			bad = !fits(t, sel, res)
		}
		if bad {
			return outOfRange(t.sql)
		}
		return nil
	}
}

func spread[T any](v T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// fits checks that the computed values are in the type's range.
func fits(t intType, sel []int32, out []int64) bool {
	if t.bits == 64 {
		return true
	}
	shift := 64 - t.bits
	bad := int64(0)
	if sel == nil {
		for _, v := range out {
			bad |= v<<shift>>shift ^ v
		}
		return bad == 0
	}
	for _, i := range sel {
		v := out[i]
		bad |= v<<shift>>shift ^ v
	}
	return bad == 0
}

func addKernel(t intType) functions.KernelFunc {
	return intArith(t, func(a, b []int64, sel []int32, out []int64) bool {
		bad := int64(0)
		if sel == nil {
			a, b = a[:len(out)], b[:len(out)]
			for i, x := range a {
				s := x + b[i]
				bad |= (x ^ s) & (b[i] ^ s)
				out[i] = s
			}
			return bad < 0
		}
		for _, i := range sel {
			s := a[i] + b[i]
			bad |= (a[i] ^ s) & (b[i] ^ s)
			out[i] = s
		}
		return bad < 0
	}, func(a []int64, c int64, sel []int32, out []int64) bool {
		bad := int64(0)
		if sel == nil {
			a = a[:len(out)]
			for i, x := range a {
				s := x + c
				bad |= (x ^ s) & (c ^ s)
				out[i] = s
			}
			return bad < 0
		}
		for _, i := range sel {
			s := a[i] + c
			bad |= (a[i] ^ s) & (c ^ s)
			out[i] = s
		}
		return bad < 0
	})
}

func subKernel(t intType) functions.KernelFunc {
	return intArith(t, func(a, b []int64, sel []int32, out []int64) bool {
		bad := int64(0)
		if sel == nil {
			a, b = a[:len(out)], b[:len(out)]
			for i, x := range a {
				d := x - b[i]
				bad |= (x ^ b[i]) & (x ^ d)
				out[i] = d
			}
			return bad < 0
		}
		for _, i := range sel {
			d := a[i] - b[i]
			bad |= (a[i] ^ b[i]) & (a[i] ^ d)
			out[i] = d
		}
		return bad < 0
	}, func(a []int64, c int64, sel []int32, out []int64) bool {
		bad := int64(0)
		if sel == nil {
			a = a[:len(out)]
			for i, x := range a {
				d := x - c
				bad |= (x ^ c) & (x ^ d)
				out[i] = d
			}
			return bad < 0
		}
		for _, i := range sel {
			d := a[i] - c
			bad |= (a[i] ^ c) & (a[i] ^ d)
			out[i] = d
		}
		return bad < 0
	})
}

func mulKernel(t intType) functions.KernelFunc {
	return intArith(t, func(a, b []int64, sel []int32, out []int64) bool {
		bad := false
		for k := range positions(sel, len(out)) {
			i := at(sel, k)
			p, ok := mul64(a[i], b[i])
			out[i] = p
			bad = bad || !ok
		}
		return bad
	}, func(a []int64, c int64, sel []int32, out []int64) bool {
		bad := false
		for k := range positions(sel, len(out)) {
			i := at(sel, k)
			p, ok := mul64(a[i], c)
			out[i] = p
			bad = bad || !ok
		}
		return bad
	})
}

// divKernel and modKernel check each divisor.
func divKernel(t intType) functions.KernelFunc {
	return func(_ *functions.Call, args []*value.Column, consts []bool, sel []int32, n int, out *value.Column) error {
		res, a, b := ints(out, n), args[0].Ints, args[1].Ints
		for k := range positions(sel, n) {
			i := at(sel, k)
			x, y := a[pick(consts[0], i)], b[pick(consts[1], i)]
			switch {
			case y == 0:
				return divByZero()
			case y == -1 && x == t.min:
				return outOfRange(t.sql)
			}
			res[i] = x / y
		}
		return nil
	}
}

func modKernel(intType) functions.KernelFunc {
	return func(_ *functions.Call, args []*value.Column, consts []bool, sel []int32, n int, out *value.Column) error {
		res, a, b := ints(out, n), args[0].Ints, args[1].Ints
		for k := range positions(sel, n) {
			i := at(sel, k)
			x, y := a[pick(consts[0], i)], b[pick(consts[1], i)]
			switch y {
			case 0:
				return divByZero()
			case -1:
				res[i] = 0
			default:
				res[i] = x % y
			}
		}
		return nil
	}
}

// floatArith makes the kernel of an operation on floats whose result is checked.
func floatArith(f func(x, y float64) (float64, error)) functions.KernelFunc {
	return func(_ *functions.Call, args []*value.Column, consts []bool, sel []int32, n int, out *value.Column) error {
		res, a, b := flts(out, n), args[0].Flts, args[1].Flts
		for k := range positions(sel, n) {
			i := at(sel, k)
			r, err := f(a[pick(consts[0], i)], b[pick(consts[1], i)])
			if err != nil {
				return err
			}
			res[i] = r
		}
		return nil
	}
}
