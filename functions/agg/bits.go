package agg

import (
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// bitwise gives bit_and, bit_or and bit_xor.
func bitwise() []def {
	ints := map[string]func(a, b int64) int64{
		"bit_and": func(a, b int64) int64 { return a & b }, "bit_or": func(a, b int64) int64 { return a | b }, "bit_xor": func(a, b int64) int64 { return a ^ b },
	}
	bits := map[string]func(a, b byte) byte{
		"bit_and": func(a, b byte) byte { return a & b }, "bit_or": func(a, b byte) byte { return a | b }, "bit_xor": func(a, b byte) byte { return '0' | (a ^ b) },
	}
	var out []def
	for name, f := range ints {
		for _, t := range []string{"int2", "int4", "int8"} {
			out = append(out, logic[intBest]{
				add: func(s *intBest, v val) error {
					if s.some {
						s.best = f(s.best, v.Int())
					} else {
						s.best, s.some = v.Int(), true
					}
					return nil
				},
				result: func(s *intBest) (val, error) {
					if !s.some {
						return value.Null, nil
					}
					return value.Int(s.best), nil
				},
			}.def(name+"("+t+")", intBest{}))
		}
		g := bits[name]
		out = append(out, logic[extreme]{
			add: func(s *extreme, v val) error {
				if !s.some {
					s.best, s.some = v, true
					return nil
				}
				a, b := s.best.Str(), v.Str()
				if len(a) != len(b) {
					return dberr.New(dberr.StringDataLengthMismatch, "cannot %s bit strings of different sizes", map[string]string{"bit_and": "AND", "bit_or": "OR", "bit_xor": "XOR"}[name])
				}
				c := make([]byte, len(a))
				for i := range c {
					c[i] = g(a[i], b[i])
				}
				s.best = value.Bytes(c)
				return nil
			},
			result: func(s *extreme) (val, error) { return s.best, nil },
		}.def(name+"(bit)", extreme{}))
	}
	return out
}
