package scalar

import (
	"math"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/value"
)

func span(v val) value.Interval { return v.Box().(value.Interval) }

func boxSpan(i value.Interval, err error) (val, error) {
	if err != nil {
		return value.Null, err
	}
	return value.Box(i), nil
}

func intVal(i int64, err error) (val, error) {
	if err != nil {
		return value.Null, err
	}
	return value.Int(i), nil
}

func zone(c *call) *time.Location { return format(c).Zone() }

// dateToTimestamp widens a date; beyond the range of timestamps it fails.
func dateToTimestamp(d int64) (int64, error) {
	switch d {
	case dt.DateInf:
		return dt.TimestampInf, nil
	case dt.DateNegInf:
		return dt.TimestampNegInf, nil
	}
	if d >= dt.EndTimestamp/dt.Day {
		return 0, dberr.New(dberr.DatetimeFieldOverflow, "date out of range for timestamp")
	}
	return d * dt.Day, nil
}

// clampTimestamp is dateToTimestamp for comparisons: too late dates are later than all timestamps.
func clampTimestamp(d int64) int64 {
	us, err := dateToTimestamp(d)
	if err != nil {
		return math.MaxInt64 - 1
	}
	return us
}

// toUTC reads a timestamp as wall clock of the session's zone.
func toUTC(loc *time.Location, us int64) (int64, error) {
	if dt.Infinite(us) {
		return us, nil
	}
	u := dt.ToUTC(loc, us)
	if !dt.ValidTimestamp(u) {
		return 0, dt.TimestampOutOfRange()
	}
	return u, nil
}

// toLocal gives the wall clock of a zone.
func toLocal(loc *time.Location, us int64) (int64, error) {
	if dt.Infinite(us) {
		return us, nil
	}
	l := dt.ToLocal(loc, us)
	if !dt.ValidTimestamp(l) {
		return 0, dt.TimestampOutOfRange()
	}
	return l, nil
}

// timestampToDate cuts the time off.
func timestampToDate(us int64) int64 {
	switch us {
	case dt.TimestampInf:
		return dt.DateInf
	case dt.TimestampNegInf:
		return dt.DateNegInf
	}
	return dt.FloorDiv(us, dt.Day)
}

// dateComparisons compare dates with timestamps and timestamps of both kinds.
func dateComparisons() []def {
	same := func(_ *call, us int64) int64 { return us }
	fromDate := func(_ *call, d int64) int64 { return clampTimestamp(d) }
	local := func(c *call, us int64) int64 { return clampUTC(zone(c), us) }
	dateTZ := func(c *call, d int64) int64 { return clampUTC(zone(c), clampTimestamp(d)) }
	var out []def
	for _, p := range []struct {
		a, b   string
		fa, fb func(*call, int64) int64
	}{
		{"date", "timestamp", fromDate, same}, {"timestamp", "date", same, fromDate},
		{"date", "timestamptz", dateTZ, same}, {"timestamptz", "date", same, dateTZ},
		{"timestamp", "timestamptz", local, same}, {"timestamptz", "timestamp", same, local},
	} {
		for _, op := range cmpOps {
			out = append(out, def{
				Sig: p.a + "_" + op.suffix + "_" + p.b + "(" + p.a + "," + p.b + ")",
				Eval: with(func(c *call, a []val) (val, error) {
					return value.Bool(op.holds(cmp64(p.fa(c, a[0].Int()), p.fb(c, a[1].Int())))), nil
				}),
			})
		}
	}
	return out
}

// clampUTC is toUTC for comparisons.
func clampUTC(loc *time.Location, us int64) int64 {
	if dt.Infinite(us) || !dt.ValidTimestamp(us) {
		return us
	}
	return dt.ToUTC(loc, us)
}

func cmp64(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// dateArithmetic gives + and - among dates, times and intervals.
func dateArithmetic() []def {
	shift := func(loc func(*call) *time.Location, neg bool) eval {
		return with(func(c *call, a []val) (val, error) {
			i := span(a[1])
			if neg {
				var err error
				if i, err = dt.IntervalNeg(i); err != nil {
					return value.Null, err
				}
			}
			return intVal(dt.AddInterval(a[0].Int(), i, loc(c)))
		})
	}
	none := func(*call) *time.Location { return nil }
	return []def{
		{Sig: "date_pli(date,int4)", Eval: try(func(a []val) (val, error) { return addDays(a[0].Int(), a[1].Int()) })},
		{Sig: "integer_pl_date(int4,date)", Eval: try(func(a []val) (val, error) { return addDays(a[1].Int(), a[0].Int()) })},
		{Sig: "date_mii(date,int4)", Eval: try(func(a []val) (val, error) { return addDays(a[0].Int(), -a[1].Int()) })},
		{Sig: "date_mi(date,date)", Eval: try(func(a []val) (val, error) {
			if dt.InfiniteDate(a[0].Int()) || dt.InfiniteDate(a[1].Int()) {
				return value.Null, dberr.New(dberr.DatetimeFieldOverflow, "cannot subtract infinite dates")
			}
			return value.Int(a[0].Int() - a[1].Int()), nil
		})},
		{Sig: "date_pl_interval(date,interval)", Eval: try(func(a []val) (val, error) { return dateInterval(a[0], span(a[1]), false) })},
		{Sig: "date_mi_interval(date,interval)", Eval: try(func(a []val) (val, error) { return dateInterval(a[0], span(a[1]), true) })},
		{Sig: "interval_pl_date(interval,date)", Eval: try(func(a []val) (val, error) { return dateInterval(a[1], span(a[0]), false) })},
		{Sig: "timestamp_pl_interval(timestamp,interval)", Eval: shift(none, false)}, {Sig: "timestamp_mi_interval(timestamp,interval)", Eval: shift(none, true)},
		{Sig: "timestamptz_pl_interval(timestamptz,interval)", Eval: shift(zone, false)}, {Sig: "timestamptz_mi_interval(timestamptz,interval)", Eval: shift(zone, true)},
		{Sig: "interval_pl_timestamp(interval,timestamp)", Eval: swapArgs(shift(none, false))},
		{Sig: "interval_pl_timestamptz(interval,timestamptz)", Eval: swapArgs(shift(zone, false))},
		{Sig: "timestamp_mi(timestamp,timestamp)", Eval: try(func(a []val) (val, error) { return boxSpan(dt.TimestampSub(a[0].Int(), a[1].Int())) })},
		{Sig: "timestamptz_mi(timestamptz,timestamptz)", Eval: try(func(a []val) (val, error) { return boxSpan(dt.TimestampSub(a[0].Int(), a[1].Int())) })},
		{Sig: "datetime_pl(date,time)", Eval: try(func(a []val) (val, error) { return dateTime(a[0].Int(), a[1].Int()) })},
		{Sig: "timedate_pl(time,date)", Eval: try(func(a []val) (val, error) { return dateTime(a[1].Int(), a[0].Int()) })},
		{Sig: "datetimetz_pl(date,timetz)", Eval: try(func(a []val) (val, error) { return dateTimeTZ(a[0].Int(), a[1].Box().(value.TimeTZ)) })},
		{Sig: "timetzdate_pl(timetz,date)", Eval: try(func(a []val) (val, error) { return dateTimeTZ(a[1].Int(), a[0].Box().(value.TimeTZ)) })},
		{Sig: "timestamp(date,time)", Eval: try(func(a []val) (val, error) { return dateTime(a[0].Int(), a[1].Int()) })},
		{Sig: "timestamptz(date,timetz)", Eval: try(func(a []val) (val, error) { return dateTimeTZ(a[0].Int(), a[1].Box().(value.TimeTZ)) })},
		{Sig: "timestamptz(date,time)", Eval: with(func(c *call, a []val) (val, error) {
			us, err := dateTime(a[0].Int(), a[1].Int())
			if err != nil {
				return us, err
			}
			return intVal(toUTC(zone(c), us.Int()))
		})},
		{Sig: "time_pl_interval(time,interval)", Eval: pure(func(a []val) val { return value.Int(dt.FloorMod(a[0].Int()+span(a[1]).Micros%dt.Day, dt.Day)) })},
		{Sig: "time_mi_interval(time,interval)", Eval: pure(func(a []val) val { return value.Int(dt.FloorMod(a[0].Int()-span(a[1]).Micros%dt.Day, dt.Day)) })},
		{Sig: "interval_pl_time(interval,time)", Eval: pure(func(a []val) val { return value.Int(dt.FloorMod(a[1].Int()+span(a[0]).Micros%dt.Day, dt.Day)) })},
		{Sig: "time_mi_time(time,time)", Eval: pure(func(a []val) val { return value.Box(value.Interval{Micros: a[0].Int() - a[1].Int()}) })},
		{Sig: "timetz_pl_interval(timetz,interval)", Eval: pure(func(a []val) val { return shiftTimeTZ(a[0], span(a[1]).Micros) })},
		{Sig: "timetz_mi_interval(timetz,interval)", Eval: pure(func(a []val) val { return shiftTimeTZ(a[0], -span(a[1]).Micros) })},
		{Sig: "interval_pl_timetz(interval,timetz)", Eval: pure(func(a []val) val { return shiftTimeTZ(a[1], span(a[0]).Micros) })},
		{Sig: "interval_pl(interval,interval)", Eval: try(func(a []val) (val, error) { return boxSpan(dt.IntervalAdd(span(a[0]), span(a[1]))) })},
		{Sig: "interval_mi(interval,interval)", Eval: try(func(a []val) (val, error) { return boxSpan(dt.IntervalSub(span(a[0]), span(a[1]))) })},
		{Sig: "interval_um(interval)", Eval: try(func(a []val) (val, error) { return boxSpan(dt.IntervalNeg(span(a[0]))) })},
		{Sig: "interval_mul(interval,float8)", Eval: try(func(a []val) (val, error) { return boxSpan(dt.IntervalMul(span(a[0]), a[1].Float())) })},
		{Sig: "mul_d_interval(float8,interval)", Eval: try(func(a []val) (val, error) { return boxSpan(dt.IntervalMul(span(a[1]), a[0].Float())) })},
		{Sig: "interval_div(interval,float8)", Eval: try(func(a []val) (val, error) { return boxSpan(dt.IntervalDiv(span(a[0]), a[1].Float())) })},
	}
}

func swapArgs(e eval) eval {
	return with(func(c *call, a []val) (val, error) { return e(nil, c, []val{a[1], a[0]}) })
}

func dateOutOfRange() error { return dberr.New(dberr.DatetimeFieldOverflow, "date out of range") }

func addDays(d, n int64) (val, error) {
	if dt.InfiniteDate(d) {
		return value.Int(d), nil
	}
	if d += n; !dt.ValidDate(d) {
		return value.Null, dateOutOfRange()
	}
	return value.Int(d), nil
}

func dateInterval(d val, i value.Interval, neg bool) (val, error) {
	us, err := dateToTimestamp(d.Int())
	if err != nil {
		return value.Null, err
	}
	if neg {
		if i, err = dt.IntervalNeg(i); err != nil {
			return value.Null, err
		}
	}
	return intVal(dt.AddInterval(us, i, nil))
}

func dateTime(d, t int64) (val, error) {
	us, err := dateToTimestamp(d)
	if err != nil || dt.Infinite(us) {
		return intVal(us, err)
	}
	if us += t; !dt.ValidTimestamp(us) {
		return value.Null, dt.TimestampOutOfRange()
	}
	return value.Int(us), nil
}

func dateTimeTZ(d int64, t value.TimeTZ) (val, error) {
	us, err := dateToTimestamp(d)
	if err != nil || dt.Infinite(us) {
		return intVal(us, err)
	}
	if us += t.Micros + int64(t.Zone)*dt.Second; !dt.ValidTimestamp(us) {
		return value.Null, dt.TimestampOutOfRange()
	}
	return value.Int(us), nil
}

func shiftTimeTZ(v val, by int64) val {
	t := v.Box().(value.TimeTZ)
	t.Micros = dt.FloorMod(t.Micros+by%dt.Day, dt.Day)
	return value.Box(t)
}

// dateCasts gives the casts among dates and times.
func dateCasts() []def {
	return []def{
		{Sig: "timestamp(date)", Eval: try(func(a []val) (val, error) { return intVal(dateToTimestamp(a[0].Int())) })},
		{Sig: "timestamptz(date)", Eval: with(func(c *call, a []val) (val, error) {
			us, err := dateToTimestamp(a[0].Int())
			if err != nil {
				return value.Null, err
			}
			return intVal(toUTC(zone(c), us))
		})},
		{Sig: "timestamptz(timestamp)", Eval: with(func(c *call, a []val) (val, error) { return intVal(toUTC(zone(c), a[0].Int())) })},
		{Sig: "timestamp(timestamptz)", Eval: with(func(c *call, a []val) (val, error) { return intVal(toLocal(zone(c), a[0].Int())) })},
		{Sig: "date(timestamp)", Eval: pure(func(a []val) val { return value.Int(timestampToDate(a[0].Int())) })},
		{Sig: "date(timestamptz)", Eval: with(func(c *call, a []val) (val, error) {
			us, err := toLocal(zone(c), a[0].Int())
			return value.Int(timestampToDate(us)), err
		})},
		{Sig: "time(timestamp)", Eval: pure(func(a []val) val { return timeOf(a[0].Int()) })},
		{Sig: "time(timestamptz)", Eval: with(func(c *call, a []val) (val, error) {
			us, err := toLocal(zone(c), a[0].Int())
			return timeOf(us), err
		})},
		{Sig: "time(interval)", Eval: pure(func(a []val) val { return value.Int(dt.FloorMod(span(a[0]).Micros, dt.Day)) })},
		{Sig: "time(timetz)", Eval: pure(func(a []val) val { return value.Int(a[0].Box().(value.TimeTZ).Micros) })},
		{Sig: "timetz(time)", Eval: with(func(c *call, a []val) (val, error) {
			now := dt.ToLocal(zone(c), dt.FromTime(format(c).Input().Now))
			off := dt.LocalOffset(zone(c), dt.FloorDiv(now, dt.Day)*dt.Day+a[0].Int())
			return value.Box(value.TimeTZ{Micros: a[0].Int(), Zone: int32(-off)}), nil
		})},
		{Sig: "timetz(timestamptz)", Eval: with(func(c *call, a []val) (val, error) {
			if dt.Infinite(a[0].Int()) {
				return value.Null, nil
			}
			off, _, _ := dt.OffsetAt(zone(c), a[0].Int())
			us := a[0].Int() + int64(off)*dt.Second
			return value.Box(value.TimeTZ{Micros: dt.FloorMod(us, dt.Day), Zone: int32(-off)}), nil
		})},
		{Sig: "interval(time)", Eval: pure(func(a []val) val { return value.Box(value.Interval{Micros: a[0].Int()}) })},
	}
}

func timeOf(us int64) val {
	if dt.Infinite(us) {
		return value.Null
	}
	return value.Int(dt.FloorMod(us, dt.Day))
}

// orderedPairs gives larger and smaller of the date types.
func orderedPairs() []def {
	var out []def
	for _, t := range []string{"date", "time", "timestamp", "timestamptz"} {
		two := "(" + t + "," + t + ")"
		out = append(out,
			def{Sig: t + "_larger" + two, Eval: pure(func(a []val) val { return value.Int(max(a[0].Int(), a[1].Int())) })},
			def{Sig: t + "_smaller" + two, Eval: pure(func(a []val) val { return value.Int(min(a[0].Int(), a[1].Int())) })})
	}
	return append(out,
		def{Sig: "isfinite(date)", Eval: pure(func(a []val) val { return value.Bool(!dt.InfiniteDate(a[0].Int())) })},
		def{Sig: "isfinite(timestamp)", Eval: pure(func(a []val) val { return value.Bool(!dt.Infinite(a[0].Int())) })},
		def{Sig: "isfinite(timestamptz)", Eval: pure(func(a []val) val { return value.Bool(!dt.Infinite(a[0].Int())) })},
		def{Sig: "isfinite(interval)", Eval: pure(func([]val) val { return value.Bool(true) })},
	)
}
