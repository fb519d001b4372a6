package scalar

import (
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/value"
)

// truncTm sets all fields below a unit to their start; ok is false for units that dates can't be cut to.
func truncTm(u dt.Unit, t *dt.Tm) bool {
	switch u {
	case dt.Weeks:
		days := dt.DaysOf(t.Year, t.Month, t.Day)
		days -= int64((dt.Weekday(days) + 6) % 7)
		t.Year, t.Month, t.Day = dt.Civil(days)
		clearTime(t)
		return true
	case dt.Millennia:
		t.Year = periodStart(t.Year, 1000)
	case dt.Centuries:
		t.Year = periodStart(t.Year, 100)
	case dt.Decades:
		t.Year = dt.FloorDiv(t.Year, 10) * 10
	}
	switch u {
	case dt.Millennia, dt.Centuries, dt.Decades, dt.Years:
		t.Month, t.Day = 1, 1
	case dt.Quarters:
		t.Month, t.Day = (t.Month-1)/3*3+1, 1
	case dt.Months:
		t.Day = 1
	case dt.Days:
	case dt.Hours:
		t.Min, t.Sec, t.Usec = 0, 0, 0
		return true
	case dt.Minutes:
		t.Sec, t.Usec = 0, 0
		return true
	case dt.Seconds:
		t.Usec = 0
		return true
	case dt.Milliseconds:
		t.Usec -= t.Usec % 1000
		return true
	case dt.Microseconds:
		return true
	default:
		return false
	}
	clearTime(t)
	return true
}

func clearTime(t *dt.Tm) { t.Hour, t.Min, t.Sec, t.Usec = 0, 0, 0, 0 }

func periodStart(y, size int64) int64 {
	if y > 0 {
		return (y+size-1)/size*size - size + 1
	}
	return -((size-1-(y-1))/size)*size + 1
}

// truncate cuts a timestamp; with zone loc is the wall clock that counts.
func truncate(unit string, us int64, t *value.Type, loc *time.Location) (val, error) {
	if dt.Infinite(us) {
		return value.Int(us), nil
	}
	u, ok := dt.UnitNamed(unit)
	if !ok {
		return value.Null, notRecognized(unit, t)
	}
	offset := 0
	if loc != nil {
		offset, _, _ = dt.OffsetAt(loc, us)
	}
	tm := dt.Split(us + int64(offset)*dt.Second)
	if !truncTm(u, &tm) {
		return value.Null, notSupported(unit, t)
	}
	local, valid := tm.Join()
	if !valid {
		return value.Null, dt.TimestampOutOfRange()
	}
	switch {
	case loc == nil:
		return value.Int(local), nil
	case u >= dt.Days: // the start of a day may have another offset
		return intVal(toUTC(loc, local))
	}
	return value.Int(local - int64(offset)*dt.Second), nil
}

// truncInterval cuts an interval.
func truncInterval(unit string, i value.Interval) (val, error) {
	u, ok := dt.UnitNamed(unit)
	if !ok {
		return value.Null, notRecognized(unit, value.IntervalT)
	}
	p := dt.PartsOf(i)
	switch u {
	case dt.Millennia:
		p.Year = p.Year / 1000 * 1000
	case dt.Centuries:
		p.Year = p.Year / 100 * 100
	case dt.Decades:
		p.Year = p.Year / 10 * 10
	}
	switch u {
	case dt.Millennia, dt.Centuries, dt.Decades, dt.Years:
		p.Month, p.Day = 0, 0
	case dt.Quarters:
		p.Month, p.Day = p.Month/3*3, 0
	case dt.Months:
		p.Day = 0
	case dt.Days, dt.Hours, dt.Minutes, dt.Seconds, dt.Milliseconds, dt.Microseconds:
	case dt.Weeks:
		return value.Null, notSupported(unit, value.IntervalT).(*dberr.Error).WithDetail("Months usually have fractional weeks.")
	default:
		return value.Null, notSupported(unit, value.IntervalT)
	}
	us := i.Micros
	switch u {
	case dt.Microseconds:
	case dt.Milliseconds:
		us -= us % 1000
	case dt.Seconds:
		us -= us % dt.Second
	case dt.Minutes:
		us -= us % dt.Minute
	case dt.Hours:
		us -= us % dt.Hour
	default:
		us = 0
	}
	return value.Box(value.Interval{Months: int32(p.Year*12 + p.Month), Days: int32(p.Day), Micros: us}), nil
}

// dateBin gives the start of the stride that a timestamp lies in, counted from origin.
func dateBin(a []val) (val, error) {
	i, us, origin := span(a[0]), a[1].Int(), a[2].Int()
	switch {
	case dt.Infinite(us):
		return a[1], nil
	case dt.Infinite(origin):
		return value.Null, dberr.New(dberr.DatetimeFieldOverflow, "origin out of range")
	case i.Months != 0:
		return value.Null, dberr.New(dberr.FeatureNotSupported, "timestamps cannot be binned into intervals containing months or years")
	}
	step, over := mul64(int64(i.Days), dt.Day)
	if over {
		step, over = add64(step, i.Micros)
	}
	if !over {
		return value.Null, dberr.New(dberr.DatetimeFieldOverflow, "interval out of range")
	}
	if step <= 0 {
		return value.Null, dberr.New(dberr.DatetimeFieldOverflow, "stride must be greater than zero")
	}
	diff, ok := sub64(us, origin)
	if !ok {
		return value.Null, dberr.New(dberr.DatetimeFieldOverflow, "interval out of range")
	}
	delta := diff - diff%step
	if diff < 0 && delta != diff {
		delta -= step
	}
	r, ok := add64(origin, delta)
	if !ok || !dt.ValidTimestamp(r) {
		return value.Null, dt.TimestampOutOfRange()
	}
	return value.Int(r), nil
}

// zoneNamed finds the zone of AT TIME ZONE: the offset of an abbreviation (fixed or by date) or a zone.
func zoneNamed(name string) (abbrev *dt.Abbrev, loc *time.Location, err error) {
	if a, ok := dt.LookupAbbrev(lowerASCII(name)); ok {
		return &a, nil, nil
	}
	if loc := dt.Named(name); loc != nil {
		return nil, loc, nil
	}
	return nil, nil, dberr.New(dberr.InvalidParameterValue, `time zone "%s" not recognized`, name)
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 32
		}
	}
	return string(b)
}

// intervalOffset gives the seconds east of an interval used as a zone.
func intervalOffset(i value.Interval, f func() string) (int64, error) {
	if i.Months != 0 || i.Days != 0 {
		return 0, dberr.New(dberr.InvalidParameterValue, `interval time zone "%s" must not include months or days`, f())
	}
	return i.Micros / dt.Second, nil
}

// shiftZone moves a timestamp by an offset in seconds.
func shiftZone(us, secs int64) (val, error) {
	if dt.Infinite(us) {
		return value.Int(us), nil
	}
	if us += secs * dt.Second; !dt.ValidTimestamp(us) {
		return value.Null, dt.TimestampOutOfRange()
	}
	return value.Int(us), nil
}

// zoneFunctions gives timezone(), which AT TIME ZONE calls.
func zoneFunctions() []def {
	byInterval := func(sign int64) eval {
		return with(func(c *call, a []val) (val, error) {
			if dt.Infinite(a[1].Int()) {
				return a[1], nil
			}
			off, err := intervalOffset(span(a[0]), func() string { return anyInterval(c, a[0]) })
			if err != nil {
				return value.Null, err
			}
			return shiftZone(a[1].Int(), sign*off)
		})
	}
	return []def{
		{Sig: "timezone(text,timestamptz)", Eval: try(func(a []val) (val, error) {
			if dt.Infinite(a[1].Int()) {
				return a[1], nil
			}
			ab, loc, err := zoneNamed(a[0].Str())
			switch {
			case err != nil:
				return value.Null, err
			case ab != nil && ab.Zone == "":
				return shiftZone(a[1].Int(), int64(ab.Offset))
			case ab != nil:
				return shiftZone(a[1].Int(), int64(ab.AbbrevOffset(lowerASCII(a[0].Str()), a[1].Int())))
			}
			return intVal(toLocal(loc, a[1].Int()))
		})},
		{Sig: "timezone(text,timestamp)", Eval: try(func(a []val) (val, error) {
			if dt.Infinite(a[1].Int()) {
				return a[1], nil
			}
			ab, loc, err := zoneNamed(a[0].Str())
			switch {
			case err != nil:
				return value.Null, err
			case ab != nil:
				return shiftZone(a[1].Int(), -int64(ab.AbbrevOffset(lowerASCII(a[0].Str()), a[1].Int())))
			}
			return intVal(toUTC(loc, a[1].Int()))
		})},
		{Sig: "timezone(interval,timestamptz)", Eval: byInterval(1)}, {Sig: "timezone(interval,timestamp)", Eval: byInterval(-1)},
		{Sig: "timezone(text,timetz)", Eval: with(func(c *call, a []val) (val, error) {
			ab, loc, err := zoneNamed(a[0].Str())
			if err != nil {
				return value.Null, err
			}
			now := dt.FromTime(format(c).Input().Now)
			off := 0
			if ab != nil {
				off = ab.AbbrevOffset(lowerASCII(a[0].Str()), now)
			} else {
				off, _, _ = dt.OffsetAt(loc, now)
			}
			return moveTimeTZ(a[1], int32(-off)), nil
		})},
		{Sig: "timezone(interval,timetz)", Eval: with(func(c *call, a []val) (val, error) {
			off, err := intervalOffset(span(a[0]), func() string { return anyInterval(c, a[0]) })
			if err != nil {
				return value.Null, err
			}
			return moveTimeTZ(a[1], int32(-off)), nil
		})},
	}
}

func anyInterval(c *call, v val) string {
	return string(dt.AppendInterval(nil, span(v), format(c).IntervalStyle))
}

// moveTimeTZ shows a timetz in another zone (seconds west).
func moveTimeTZ(v val, zone int32) val {
	t := v.Box().(value.TimeTZ)
	return value.Box(value.TimeTZ{Micros: dt.FloorMod(t.Micros+int64(t.Zone-zone)*dt.Second, dt.Day), Zone: zone})
}
