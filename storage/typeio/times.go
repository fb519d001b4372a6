package typeio

import (
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/value"
)

const maxDate = dt.EndDate - 1

func intOf(v int64, err error) (value.Value, error) {
	if err != nil {
		return value.Null, err
	}
	return value.Int(v), nil
}

func dateIn(_ *value.Type, s string, f *Format) (value.Value, error) {
	return intOf(f.Input().Date(s))
}

func dateOut(dst []byte, _ *value.Type, v value.Value, f *Format) []byte {
	return dt.AppendDate(dst, v.Int(), f.DateStyle, f.DateOrder)
}

func timeIn(_ *value.Type, s string, f *Format) (value.Value, error) {
	return intOf(f.Input().Time(s))
}

func timeOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	return dt.AppendTime(dst, v.Int())
}

// timeMod rounds a time; 23:59:59.9999995 may become 24:00:00.
func timeMod(_ *value.Type, mod int32, v value.Value, _ bool) (value.Value, error) {
	return value.Int(dt.RoundTo(v.Int(), int(mod))), nil
}

func timestampIn(_ *value.Type, s string, f *Format) (value.Value, error) {
	return intOf(f.Input().Timestamp(s))
}

func timestampOut(dst []byte, _ *value.Type, v value.Value, f *Format) []byte {
	return dt.AppendTimestamp(dst, v.Int(), f.DateStyle, f.DateOrder)
}

func timestampTZIn(_ *value.Type, s string, f *Format) (value.Value, error) {
	return intOf(f.Input().TimestampTZ(s))
}

func timestampTZOut(dst []byte, _ *value.Type, v value.Value, f *Format) []byte {
	return dt.AppendTimestampTZ(dst, v.Int(), f.zone(), f.DateStyle, f.DateOrder)
}

func timestampMod(_ *value.Type, mod int32, v value.Value, _ bool) (value.Value, error) {
	us := v.Int()
	if dt.Infinite(us) {
		return v, nil
	}
	if us = dt.RoundTo(us, int(mod)); !dt.ValidTimestamp(us) {
		return value.Null, dt.TimestampOutOfRange()
	}
	return value.Int(us), nil
}

// timetz.

func timetzIn(_ *value.Type, s string, f *Format) (value.Value, error) {
	us, offset, err := f.Input().TimeTZ(s)
	if err != nil {
		return value.Null, err
	}
	return value.Box(value.TimeTZ{Micros: us, Zone: int32(-offset)}), nil
}

func timetzOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	t := v.Box().(value.TimeTZ)
	return dt.AppendOffset(dt.AppendTime(dst, t.Micros), int(-t.Zone))
}

func timetzMod(_ *value.Type, mod int32, v value.Value, _ bool) (value.Value, error) {
	t := v.Box().(value.TimeTZ)
	t.Micros = dt.RoundTo(t.Micros, int(mod))
	return value.Box(t), nil
}

// timetzCmp orders by the moment in UTC, then by zone.
func timetzCmp(a, b value.Value) int {
	x, y := a.Box().(value.TimeTZ), b.Box().(value.TimeTZ)
	if c := sign64(x.Micros+int64(x.Zone)*dt.Second, y.Micros+int64(y.Zone)*dt.Second); c != 0 {
		return c
	}
	return sign64(int64(x.Zone), int64(y.Zone))
}

func sign64(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func timetzHash(h uint64, v value.Value) uint64 {
	t := v.Box().(value.TimeTZ)
	return mix(mix(h, uint64(t.Micros)), uint64(t.Zone))
}

// interval.

func intervalIn(mod int32, s string, f *Format) (value.Value, error) {
	i, err := dt.ParseInterval(s, mod, f.IntervalStyle)
	if err != nil {
		return value.Null, err
	}
	return value.Box(i), nil
}

func intervalOut(dst []byte, _ *value.Type, v value.Value, f *Format) []byte {
	return dt.AppendInterval(dst, v.Box().(value.Interval), f.IntervalStyle)
}

func intervalMod(_ *value.Type, mod int32, v value.Value, _ bool) (value.Value, error) {
	return value.Box(dt.FitInterval(v.Box().(value.Interval), mod)), nil
}

func intervalCmp(a, b value.Value) int {
	return dt.CmpInterval(a.Box().(value.Interval), b.Box().(value.Interval))
}

func intervalHash(h uint64, v value.Value) uint64 {
	return mix(h, dt.HashInterval(v.Box().(value.Interval)))
}
