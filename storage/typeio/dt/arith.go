package dt

import (
	"math"
	"math/bits"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
)

func outOfRange() error { return dberr.New(dberr.DatetimeFieldOverflow, "interval out of range") }

// TimestampOutOfRange is the error of arithmetic that leaves the range of timestamps.
func TimestampOutOfRange() error {
	return dberr.New(dberr.DatetimeFieldOverflow, "timestamp out of range")
}

// IntervalAdd gives a + b.
func IntervalAdd(a, b Interval) (Interval, error) {
	m, d, us := int64(a.Months)+int64(b.Months), int64(a.Days)+int64(b.Days), a.Micros+b.Micros
	if !fits32(m) || !fits32(d) || (a.Micros^us)&(b.Micros^us) < 0 {
		return Interval{}, outOfRange()
	}
	return Interval{Months: int32(m), Days: int32(d), Micros: us}, nil
}

// IntervalSub gives a - b.
func IntervalSub(a, b Interval) (Interval, error) {
	m, d, us := int64(a.Months)-int64(b.Months), int64(a.Days)-int64(b.Days), a.Micros-b.Micros
	if !fits32(m) || !fits32(d) || (a.Micros^b.Micros)&(a.Micros^us) < 0 {
		return Interval{}, outOfRange()
	}
	return Interval{Months: int32(m), Days: int32(d), Micros: us}, nil
}

// IntervalNeg gives -i.
func IntervalNeg(i Interval) (Interval, error) { return IntervalSub(Interval{}, i) }

// IntervalMul gives i × f; fractions of months become days, fractions of days microseconds.
func IntervalMul(i Interval, f float64) (Interval, error) {
	return cascade(float64(i.Months)*f, float64(i.Days)*f, float64(i.Micros)*f)
}

// IntervalDiv gives i / f.
func IntervalDiv(i Interval, f float64) (Interval, error) {
	if f == 0 {
		return Interval{}, dberr.New(dberr.DivisionByZero, "division by zero")
	}
	return cascade(float64(i.Months)/f, float64(i.Days)/f, float64(i.Micros)/f)
}

// round6 rounds to six digits, as fractions of a second are kept.
func round6(x float64) float64 { return math.RoundToEven(x*1e6) / 1e6 }

func cascade(months, days, us float64) (Interval, error) {
	const limit32, limit63 = 1 << 31, 1 << 63
	bad := func(x, limit float64) bool { return math.IsNaN(x) || x < -limit || x >= limit }
	if bad(months, limit32) || bad(days, limit32) {
		return Interval{}, outOfRange()
	}
	m, d := int32(months), int32(days)
	restDays := round6((months - float64(m)) * 30)
	restSecs := round6((days - float64(d) + restDays - float64(int32(restDays))) * 86400)
	if math.Abs(restSecs) >= 86400 {
		whole := int32(restSecs / 86400)
		d += whole
		restSecs -= float64(whole) * 86400
	}
	d += int32(restDays)
	t := math.RoundToEven(us + restSecs*1e6)
	if bad(t, limit63) {
		return Interval{}, outOfRange()
	}
	return Interval{Months: m, Days: d, Micros: int64(t)}, nil
}

// CmpInterval orders intervals with months of 30 days and days of 24 hours.
func CmpInterval(a, b Interval) int {
	ah, al := total(a)
	bh, bl := total(b)
	switch {
	case ah != bh:
		if ah < bh {
			return -1
		}
		return 1
	case al < bl:
		return -1
	case al > bl:
		return 1
	}
	return 0
}

// total gives an interval in microseconds, 128 bits wide.
func total(i Interval) (hi int64, lo uint64) {
	days := int64(i.Months)*30 + int64(i.Days)
	h, l := bits.Mul64(uint64(abs64(days)), Day)
	hi, lo = int64(h), l
	if days < 0 {
		lo = -lo
		hi = ^hi
		if lo == 0 {
			hi++
		}
	}
	var c uint64
	lo, c = bits.Add64(lo, uint64(i.Micros), 0)
	return hi + i.Micros>>63 + int64(c), lo
}

// HashInterval gives equal intervals equal hashes.
func HashInterval(i Interval) uint64 {
	_, lo := total(i)
	return lo
}

// JustifyHours turns 24 hours into days.
func JustifyHours(i Interval) (Interval, error) {
	whole := i.Micros / Day
	d := int64(i.Days) + whole
	if !fits32(d) {
		return i, outOfRange()
	}
	i.Micros -= whole * Day
	i.Days = int32(d)
	if i.Days > 0 && i.Micros < 0 {
		i.Micros += Day
		i.Days--
	} else if i.Days < 0 && i.Micros > 0 {
		i.Micros -= Day
		i.Days++
	}
	return i, nil
}

// JustifyDays turns 30 days into months.
func JustifyDays(i Interval) (Interval, error) {
	whole := i.Days / 30
	m := int64(i.Months) + int64(whole)
	if !fits32(m) {
		return i, outOfRange()
	}
	i.Days -= whole * 30
	i.Months = int32(m)
	if i.Months > 0 && i.Days < 0 {
		i.Days += 30
		i.Months--
	} else if i.Months < 0 && i.Days > 0 {
		i.Days -= 30
		i.Months++
	}
	return i, nil
}

// JustifyInterval does both and gives all fields one sign.
func JustifyInterval(i Interval) (Interval, error) {
	months, days, us := int64(i.Months), int64(i.Days), i.Micros
	if days > 0 && us > 0 || days < 0 && us < 0 { // less risk of overflow: take whole months off first
		months += days / 30
		days %= 30
	}
	days += us / Day
	us %= Day
	months += days / 30
	days %= 30
	if months > 0 && (days < 0 || days == 0 && us < 0) {
		days += 30
		months--
	} else if months < 0 && (days > 0 || days == 0 && us > 0) {
		days -= 30
		months++
	}
	if days > 0 && us < 0 {
		us += Day
		days--
	} else if days < 0 && us > 0 {
		us -= Day
		days++
	}
	if !fits32(months) || !fits32(days) {
		return i, outOfRange()
	}
	return Interval{Months: int32(months), Days: int32(days), Micros: us}, nil
}

// AddInterval adds an interval to a timestamp: months first (the day is cut to the month's end), then days, then time.
// For a timestamp with zone loc tells where months and days pass; nil means a timestamp without zone.
func AddInterval(us int64, i Interval, loc *time.Location) (int64, error) {
	if Infinite(us) {
		return us, nil
	}
	if i.Months != 0 {
		t := Split(localTime(us, loc))
		m := t.Year*12 + int64(t.Month-1) + int64(i.Months)
		t.Year, t.Month = FloorDiv(m, 12), int(FloorMod(m, 12))+1
		t.Day = min(t.Day, DaysIn(t.Year, t.Month))
		joined, ok := t.Join()
		if !ok {
			return 0, TimestampOutOfRange()
		}
		us = utcTime(joined, loc)
	}
	if i.Days != 0 {
		local := localTime(us, loc)
		days := FloorDiv(local, Day) + int64(i.Days)
		if days < MinTimestamp/Day-1 || days > EndTimestamp/Day {
			return 0, TimestampOutOfRange()
		}
		t := days*Day + FloorMod(local, Day)
		if !ValidTimestamp(t) {
			return 0, TimestampOutOfRange()
		}
		us = utcTime(t, loc)
	}
	sum := us + i.Micros
	if (us^sum)&(i.Micros^sum) < 0 || !ValidTimestamp(sum) {
		return 0, TimestampOutOfRange()
	}
	return sum, nil
}

func localTime(us int64, loc *time.Location) int64 {
	if loc == nil {
		return us
	}
	return ToLocal(loc, us)
}

func utcTime(us int64, loc *time.Location) int64 {
	if loc == nil {
		return us
	}
	return ToUTC(loc, us)
}

// TimestampSub gives a - b as days and time.
func TimestampSub(a, b int64) (Interval, error) {
	if Infinite(a) || Infinite(b) {
		return Interval{}, dberr.New(dberr.DatetimeFieldOverflow, "cannot subtract infinite timestamps")
	}
	d := a - b
	if (a^b)&(a^d) < 0 {
		return Interval{}, outOfRange()
	}
	return JustifyHours(Interval{Micros: d})
}

// Age gives a - b in years, months, days and time, as a person counts. For timestamps with zone loc is their wall clock.
// Infinity counts as the date that its number would be: so does PostgreSQL 15.
func Age(a, b int64, loc *time.Location) (Interval, error) {
	if a == TimestampNegInf || b == TimestampNegInf {
		return Interval{}, TimestampOutOfRange()
	}
	x, y := Split(localTime(a, loc)), Split(localTime(b, loc))
	neg := a < b
	if neg {
		x, y = y, x
	}
	us := x.TimeOf() - y.TimeOf()
	day, month, year := x.Day-y.Day, x.Month-y.Month, x.Year-y.Year
	for us < 0 {
		us += Day
		day--
	}
	for day < 0 {
		// the days of the earlier date's month
		day += DaysIn(y.Year, y.Month)
		month--
	}
	for month < 0 {
		month += 12
		year--
	}
	i := Interval{Months: int32(year*12 + int64(month)), Days: int32(day), Micros: us}
	if neg {
		return IntervalNeg(i)
	}
	return i, nil
}
