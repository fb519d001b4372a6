package scalar

import (
	"math"
	"math/big"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// extract and date_part compute the same fields; one gives numeric, the other float8.

func notRecognized(unit string, t *value.Type) error {
	return dberr.New(dberr.InvalidParameterValue, `unit "%s" not recognized for type %s`, lowerASCII(unit), t.SQL)
}

func notSupported(unit string, t *value.Type) error {
	return dberr.New(dberr.FeatureNotSupported, `unit "%s" not supported for type %s`, lowerASCII(unit), t.SQL)
}

// part is a field's value: v × 10^-scale, exactly.
type part struct {
	v     int64
	scale int
	wide  *big.Int // instead of v, when it doesn't fit
	frac  *num.Dec // instead of both (julian days)
	sum   float64  // what adding up floats gives, where date_part shows that
	inf   int      // ±1: infinite
	null  bool
}

func whole(v int64) (part, error) { return part{v: v}, nil }

func (p part) numeric() (val, error) {
	switch {
	case p.null:
		return value.Null, nil
	case p.inf > 0:
		return value.Box(num.Inf), nil
	case p.inf < 0:
		return value.Box(num.NegInf), nil
	case p.frac != nil:
		return value.Box(p.frac), nil
	case p.wide != nil:
		return box(num.FromBig(new(big.Int).Set(p.wide), p.scale))
	}
	return box(num.FromBig(big.NewInt(p.v), p.scale))
}

func (p part) float() (val, error) {
	switch {
	case p.null:
		return value.Null, nil
	case p.inf != 0:
		return value.Float(math.Inf(p.inf)), nil
	case p.frac != nil:
		f, _ := num.Float(p.frac, 64)
		return value.Float(f), nil
	case p.sum != 0:
		return value.Float(p.sum), nil
	case p.wide != nil:
		f, _ := new(big.Float).SetInt(p.wide).Float64()
		return value.Float(f / math.Pow10(p.scale)), nil
	}
	return value.Float(float64(p.v) / math.Pow10(p.scale)), nil
}

// infinitePart is what an infinite date has: no cyclic fields, infinite others.
func infinitePart(u dt.Unit, negative bool) (part, bool) {
	switch u {
	case dt.Years, dt.Decades, dt.Centuries, dt.Millennia, dt.Julian, dt.ISOYear, dt.Epoch:
		if negative {
			return part{inf: -1}, true
		}
		return part{inf: 1}, true
	case dt.Microseconds, dt.Milliseconds, dt.Seconds, dt.Minutes, dt.Hours, dt.Days, dt.Months, dt.Quarters, dt.Weeks, dt.DayOfWeek, dt.ISODayOfWeek, dt.DayOfYear:
		return part{null: true}, true
	case dt.ZoneOffset, dt.ZoneHour, dt.ZoneMinute:
		return part{null: true}, true
	}
	return part{}, false
}

// timePart gives the fields of a time of day.
func timePart(u dt.Unit, t dt.Tm) (part, bool) {
	us := int64(t.Sec)*dt.Second + int64(t.Usec)
	switch u {
	case dt.Microseconds:
		return part{v: us}, true
	case dt.Milliseconds:
		return part{v: us, scale: 3, sum: float64(t.Sec)*1e3 + float64(t.Usec)/1e3}, true
	case dt.Seconds:
		return part{v: us, scale: 6, sum: float64(t.Sec) + float64(t.Usec)/1e6}, true
	case dt.Minutes:
		return part{v: int64(t.Min)}, true
	case dt.Hours:
		return part{v: int64(t.Hour)}, true
	}
	return part{}, false
}

// datePart gives the fields of a civil date.
func datePart(u dt.Unit, days int64) (part, bool) {
	y, m, d := dt.Civil(days)
	switch u {
	case dt.Days:
		return part{v: int64(d)}, true
	case dt.Months:
		return part{v: int64(m)}, true
	case dt.Quarters:
		return part{v: int64((m-1)/3 + 1)}, true
	case dt.Weeks:
		_, w := dt.ISOWeek(days)
		return part{v: int64(w)}, true
	case dt.ISOYear:
		iy, _ := dt.ISOWeek(days)
		return part{v: eraYear(iy)}, true
	case dt.DayOfWeek:
		return part{v: int64(dt.Weekday(days))}, true
	case dt.ISODayOfWeek:
		return part{v: int64((dt.Weekday(days)+6)%7 + 1)}, true
	case dt.DayOfYear:
		return part{v: int64(dt.YearDay(days))}, true
	}
	return yearPart(u, y)
}

// eraYear numbers years without a zero: 1 BC is -1.
func eraYear(y int64) int64 {
	if y <= 0 {
		return y - 1
	}
	return y
}

func yearPart(u dt.Unit, y int64) (part, bool) {
	switch u {
	case dt.Years:
		return part{v: eraYear(y)}, true
	case dt.Decades:
		return part{v: dt.FloorDiv(y, 10)}, true
	case dt.Centuries:
		return part{v: period(y, 100)}, true
	case dt.Millennia:
		return part{v: period(y, 1000)}, true
	}
	return part{}, false
}

// period counts centuries or millennia: the first one starts in year 1, the one before it is -1.
func period(y, size int64) int64 {
	if y > 0 {
		return (y + size - 1) / size
	}
	return -((size - 1 - (y - 1)) / size)
}

// julianPart is the Julian day with its fraction of the day.
func julianPart(days, usOfDay int64) (part, error) {
	frac, err := num.Div(num.FromInt(usOfDay), num.FromInt(dt.Day))
	if err != nil {
		return part{}, err
	}
	d, err := num.Add(num.FromInt(days+dt.EpochJulian), frac)
	return part{frac: d}, err
}

const epoch = dt.UnixDays * dt.Day // PostgreSQL's epoch in Unix time

// epochPart gives seconds since 1970.
func epochPart(us int64) part {
	if us > math.MaxInt64-epoch {
		return part{wide: new(big.Int).Add(big.NewInt(us), big.NewInt(epoch)), scale: 6}
	}
	return part{v: us + epoch, scale: 6}
}

// timestampPart gives a field of a timestamp; with zone offset is its seconds east, and us its UTC.
func timestampPart(unit string, us int64, t *value.Type, c *call) (part, error) {
	zoned := t.OID == value.TimestampTZ.OID
	u, ok := dt.FieldNamed(unit)
	if !ok {
		return part{}, notRecognized(unit, t)
	}
	if dt.Infinite(us) {
		p, ok := infinitePart(u, us < 0)
		if !ok {
			return p, notSupported(unit, t)
		}
		return p, nil
	}
	local, offset := us, 0
	if zoned {
		offset, _, _ = dt.OffsetAt(zone(c), us)
		local += int64(offset) * dt.Second
	}
	days := dt.FloorDiv(local, dt.Day)
	switch u {
	case dt.Epoch:
		return epochPart(us), nil
	case dt.Julian:
		return julianPart(days, local-days*dt.Day)
	}
	if zoned {
		if p, ok := zonePart(u, offset); ok {
			return p, nil
		}
	}
	if p, ok := timePart(u, dt.TimeParts(local-days*dt.Day)); ok {
		return p, nil
	}
	if p, ok := datePart(u, days); ok {
		return p, nil
	}
	return part{}, notSupported(unit, t)
}

func zonePart(u dt.Unit, offset int) (part, bool) {
	switch u {
	case dt.ZoneOffset:
		return part{v: int64(offset)}, true
	case dt.ZoneMinute:
		return part{v: int64(offset / 60 % 60)}, true
	case dt.ZoneHour:
		return part{v: int64(offset / 3600)}, true
	}
	return part{}, false
}

// dateField gives a field of a date.
func dateField(unit string, d int64) (part, error) {
	t := value.Date
	u, ok := dt.FieldNamed(unit)
	if !ok {
		return part{}, notRecognized(unit, t)
	}
	if u <= dt.Hours || u >= dt.ZoneOffset {
		return part{}, notSupported(unit, t)
	}
	if dt.InfiniteDate(d) {
		p, ok := infinitePart(u, d < 0)
		if !ok {
			return p, notSupported(unit, t)
		}
		return p, nil
	}
	switch u {
	case dt.Epoch:
		return whole((d + dt.UnixDays) * 86400)
	case dt.Julian:
		return whole(d + dt.EpochJulian)
	}
	if p, ok := datePart(u, d); ok {
		return p, nil
	}
	return part{}, notSupported(unit, t)
}

// clockField gives a field of a time, offset in seconds east when it has a zone.
func clockField(unit string, us int64, t *value.Type, offset int) (part, error) {
	zoned := t.OID == value.TimeTZT.OID
	u, ok := dt.FieldNamed(unit)
	if !ok {
		return part{}, notRecognized(unit, t)
	}
	if u == dt.Epoch {
		return part{v: us - int64(offset)*dt.Second, scale: 6}, nil
	}
	if zoned {
		if p, ok := zonePart(u, offset); ok {
			return p, nil
		}
	}
	if p, ok := timePart(u, dt.TimeParts(us)); ok {
		return p, nil
	}
	return part{}, notSupported(unit, t)
}

// intervalField gives a field of an interval.
func intervalField(unit string, i value.Interval) (part, error) {
	t := value.IntervalT
	u, ok := dt.FieldNamed(unit)
	if !ok {
		return part{}, notRecognized(unit, t)
	}
	p := dt.PartsOf(i)
	switch u {
	case dt.Hours:
		return whole(p.Hour)
	case dt.Days:
		return whole(p.Day)
	case dt.Months:
		return whole(p.Month)
	case dt.Quarters:
		return whole(p.Month/3 + 1)
	case dt.Years:
		return whole(p.Year)
	case dt.Decades:
		return whole(p.Year / 10)
	case dt.Centuries:
		return whole(p.Year / 100)
	case dt.Millennia:
		return whole(p.Year / 1000)
	case dt.Epoch:
		return intervalEpoch(i), nil
	}
	if q, ok := timePart(u, dt.Tm{Min: p.Min, Sec: p.Sec, Usec: p.Usec}); ok {
		return q, nil
	}
	return part{}, notSupported(unit, t)
}

// intervalEpoch counts years of 365.25 and months of 30 days.
func intervalEpoch(i value.Interval) part {
	quarterDays := 1461*int64(i.Months/12) + 120*int64(i.Months%12) + 4*int64(i.Days)
	w := new(big.Int).Mul(big.NewInt(quarterDays*(86400/4)), big.NewInt(dt.Second))
	w.Add(w, big.NewInt(i.Micros))
	sum := float64(i.Micros) / dt.Second
	sum += 365.25 * 86400 * float64(i.Months/12)
	sum += 30.0 * 86400 * float64(i.Months%12)
	sum += 86400 * float64(i.Days)
	if w.IsInt64() {
		return part{v: w.Int64(), scale: 6, sum: sum}
	}
	return part{wide: w, scale: 6, sum: sum}
}

// dateFields gives extract and date_part.
func dateFields() []def {
	parts := map[string]func(c *call, a []val) (part, error){
		"timestamp": func(c *call, a []val) (part, error) { return timestampPart(a[0].Str(), a[1].Int(), value.Timestamp, c) },
		"timestamptz": func(c *call, a []val) (part, error) {
			return timestampPart(a[0].Str(), a[1].Int(), value.TimestampTZ, c)
		},
		"time": func(_ *call, a []val) (part, error) { return clockField(a[0].Str(), a[1].Int(), value.Time, 0) },
		"timetz": func(_ *call, a []val) (part, error) {
			t := a[1].Box().(value.TimeTZ)
			return clockField(a[0].Str(), t.Micros, value.TimeTZT, int(-t.Zone))
		},
		"interval": func(_ *call, a []val) (part, error) { return intervalField(a[0].Str(), span(a[1])) },
	}
	var out []def
	for t, f := range parts {
		out = append(out,
			def{Sig: "extract(text," + t + ")", Eval: with(func(c *call, a []val) (val, error) { return partOf(f, c, a, part.numeric) })},
			def{Sig: "date_part(text," + t + ")", Eval: with(func(c *call, a []val) (val, error) { return partOf(f, c, a, part.float) })})
	}
	return append(out,
		def{Sig: "extract(text,date)", Eval: try(func(a []val) (val, error) {
			p, err := dateField(a[0].Str(), a[1].Int())
			if err != nil {
				return value.Null, err
			}
			return p.numeric()
		})},
		def{Sig: "date_part(text,date)", Eval: with(func(c *call, a []val) (val, error) { // by way of timestamp
			us, err := dateToTimestamp(a[1].Int())
			if err != nil {
				return value.Null, err
			}
			return partOf(parts["timestamp"], c, []val{a[0], value.Int(us)}, part.float)
		})})
}

func partOf(f func(c *call, a []val) (part, error), c *call, a []val, form func(part) (val, error)) (val, error) {
	p, err := f(c, a)
	if err != nil {
		return value.Null, err
	}
	return form(p)
}
