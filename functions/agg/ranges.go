package agg

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// ranges gives range_agg and range_intersect_agg.
func ranges() []def {
	union := func(c *call) functions.Accumulator { return &rangeUnion{elem: c.Args[0].Elem} }
	return []def{
		{Sig: "range_agg(anyrange)", New: union}, {Sig: "range_agg(anymultirange)", New: union},
		logic[extreme]{
			add: func(s *extreme, v val) error {
				if s.some {
					v = value.Box(typeio.RangeIntersect(s.best.Box().(*value.Range), v.Box().(*value.Range)))
				}
				s.best, s.some = v, true
				return nil
			},
			result: func(s *extreme) (val, error) { return s.best, nil },
		}.def("range_intersect_agg(anyrange)", extreme{}),
		logic[extreme]{
			add: func(s *extreme, v val) error {
				if s.some {
					v = value.Box(typeio.MultirangeIntersect(s.best.Box().(*value.Multirange), v.Box().(*value.Multirange)))
				}
				s.best, s.some = v, true
				return nil
			},
			result: func(s *extreme) (val, error) { return s.best, nil },
		}.def("range_intersect_agg(anymultirange)", extreme{}),
	}
}

// rangeUnion gathers ranges and joins them at the end.
type rangeUnion struct {
	elem *value.Type
	rs   []*value.Range
	some bool
}

func (u *rangeUnion) Add(_ context.Context, a []val) error {
	if a[0].IsNull() {
		return nil
	}
	u.some = true
	switch x := a[0].Box().(type) {
	case *value.Range:
		u.rs = append(u.rs, x)
	case *value.Multirange:
		u.rs = append(u.rs, x.Ranges...)
	}
	return nil
}

func (u *rangeUnion) Result(context.Context) (val, error) {
	if !u.some {
		return value.Null, nil
	}
	return value.Box(typeio.NewMultirange(u.elem, u.rs)), nil
}
