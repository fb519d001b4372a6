package dt

import (
	"strconv"
	"time"
)

// Style chooses how dates and timestamps are written.
type Style uint8

// The styles of the setting DateStyle.
const (
	ISO Style = iota
	SQL
	Postgres
	German
)

func append2(dst []byte, n int) []byte { return append(dst, byte('0'+n/10%10), byte('0'+n%10)) }

// appendYear writes a year of at least four digits, counting from 1 in either era.
func appendYear(dst []byte, year int64) []byte {
	if year <= 0 {
		year = 1 - year
	}
	for limit := int64(1000); limit > year && limit > 1; limit /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, year, 10)
}

// AppendDate writes a date.
func AppendDate(dst []byte, days int64, style Style, order Order) []byte {
	switch days {
	case DateInf:
		return append(dst, "infinity"...)
	case DateNegInf:
		return append(dst, "-infinity"...)
	}
	year, month, day := Civil(days)
	dst = appendCivil(dst, year, month, day, style, order)
	return appendEra(dst, year)
}

func appendEra(dst []byte, year int64) []byte {
	if year <= 0 {
		return append(dst, " BC"...)
	}
	return dst
}

// appendCivil writes a date without its era.
func appendCivil(dst []byte, year int64, month, day int, style Style, order Order) []byte {
	if style == ISO {
		dst = append(appendYear(dst, year), '-')
		dst = append(append2(dst, month), '-')
		return append2(dst, day)
	}
	sep := map[Style]byte{SQL: '/', Postgres: '-', German: '.'}[style]
	first, second := month, day
	if style == German || order == DMY {
		first, second = day, month
	}
	if style == Postgres && order == YMD { // the order only matters for input
		first, second = month, day
	}
	dst = append(append2(dst, first), sep)
	dst = append(append2(dst, second), sep)
	return appendYear(dst, year)
}

// AppendTime writes microseconds since midnight.
func AppendTime(dst []byte, us int64) []byte {
	dst = append(append2(dst, int(us/Hour)), ':')
	dst = append(append2(dst, int(us/Minute%60)), ':')
	dst = append2(dst, int(us/Second%60))
	return appendFraction(dst, int(us%Second))
}

// appendFraction writes microseconds after a point, without trailing zeros.
func appendFraction(dst []byte, us int) []byte {
	if us == 0 {
		return dst
	}
	if us < 0 {
		us = -us
	}
	dst = append(dst, '.')
	for div := 100000; us > 0; div /= 10 {
		dst = append(dst, byte('0'+us/div))
		us %= div
	}
	return dst
}

// AppendOffset writes an offset in seconds east: +02, -03:30.
func AppendOffset(dst []byte, offset int) []byte {
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	dst = append(dst, sign)
	if h := offset / 3600; h < 100 {
		dst = append2(dst, h)
	} else {
		dst = strconv.AppendInt(dst, int64(h), 10)
	}
	if offset%3600 != 0 {
		dst = append2(append(dst, ':'), offset/60%60)
		if offset%60 != 0 {
			dst = append2(append(dst, ':'), offset%60)
		}
	}
	return dst
}

var (
	dayNames   = [...]string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}
	monthNames = [...]string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}
)

func infinite(dst []byte, us int64) ([]byte, bool) {
	switch us {
	case TimestampInf:
		return append(dst, "infinity"...), true
	case TimestampNegInf:
		return append(dst, "-infinity"...), true
	}
	return dst, false
}

// AppendTimestamp writes a timestamp without zone.
func AppendTimestamp(dst []byte, us int64, style Style, order Order) []byte {
	dst, done := infinite(dst, us)
	if done {
		return dst
	}
	t := Split(us)
	dst = appendDateTime(dst, us, t, style, order)
	if style == Postgres {
		dst = appendYear(append(dst, ' '), t.Year)
	}
	return appendEra(dst, t.Year)
}

// appendDateTime writes date and time; in Postgres style the year comes later.
func appendDateTime(dst []byte, us int64, t Tm, style Style, order Order) []byte {
	if style == Postgres {
		dst = append(append(dst, dayNames[Weekday(FloorDiv(us, Day))]...), ' ')
		if order == DMY {
			dst = append(append(append2(dst, t.Day), ' '), monthNames[t.Month-1]...)
		} else {
			dst = append2(append(append(dst, monthNames[t.Month-1]...), ' '), t.Day)
		}
	} else {
		dst = appendCivil(dst, t.Year, t.Month, t.Day, style, order)
	}
	return AppendTime(append(dst, ' '), t.TimeOf())
}

// AppendTimestampTZ writes a timestamp with zone in the wall clock of loc.
func AppendTimestampTZ(dst []byte, us int64, loc *time.Location, style Style, order Order) []byte {
	dst, done := infinite(dst, us)
	if done {
		return dst
	}
	offset, abbrev, _ := OffsetAt(loc, us)
	local := us + int64(offset)*Second
	t := Split(local)
	dst = appendDateTime(dst, local, t, style, order)
	if style == Postgres {
		dst = appendYear(append(dst, ' '), t.Year)
	}
	switch {
	case style == ISO:
		dst = AppendOffset(dst, offset)
	case alphabetic(abbrev):
		dst = append(append(dst, ' '), abbrev...)
	case style == Postgres:
		dst = AppendOffset(append(dst, ' '), offset)
	default:
		dst = AppendOffset(dst, offset)
	}
	return appendEra(dst, t.Year)
}

// alphabetic tells an abbreviation like CET from one like +03, which is shown as an offset.
func alphabetic(abbrev string) bool { return abbrev != "" && abbrev[0] != '+' && abbrev[0] != '-' }

// AppendInterval writes an interval.
func AppendInterval(dst []byte, i Interval, style IntervalStyle) []byte {
	p := partsOf(i)
	switch style {
	case StyleVerbose:
		return p.verbose(dst)
	case StyleSQL:
		return p.sql(dst)
	case StyleISO8601:
		return p.iso(dst)
	}
	return p.postgres(dst)
}

// Parts is an interval in parts that all have the sign of what they are part of.
type Parts struct {
	Year, Month, Day int64
	Hour             int64
	Min, Sec, Usec   int
}

func partsOf(i Interval) Parts {
	us := i.Micros
	return Parts{
		Year: int64(i.Months / 12), Month: int64(i.Months % 12), Day: int64(i.Days),
		Hour: us / Hour, Min: int(us / Minute % 60), Sec: int(us / Second % 60), Usec: int(us % Second),
	}
}

// PartsOf takes an interval apart.
func PartsOf(i Interval) Parts { return partsOf(i) }

func abs64(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}

func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}

// seconds writes seconds and their fraction without sign.
func (p Parts) seconds(dst []byte, fill bool) []byte {
	s := abs(p.Sec)
	if fill {
		dst = append2(dst, s)
	} else {
		dst = strconv.AppendInt(dst, int64(s), 10)
	}
	return appendFraction(dst, p.Usec)
}

func (p Parts) timeNegative() bool { return p.Hour < 0 || p.Min < 0 || p.Sec < 0 || p.Usec < 0 }
func (p Parts) timeZero() bool     { return p.Hour == 0 && p.Min == 0 && p.Sec == 0 && p.Usec == 0 }

func (p Parts) postgres(dst []byte) []byte {
	start := len(dst)
	before := false
	for _, u := range []struct {
		v    int64
		name string
	}{{p.Year, "year"}, {p.Month, "mon"}, {p.Day, "day"}} {
		if u.v == 0 {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		if before && u.v > 0 {
			dst = append(dst, '+')
		}
		dst = append(append(strconv.AppendInt(dst, u.v, 10), ' '), u.name...)
		if u.v != 1 {
			dst = append(dst, 's')
		}
		before = u.v < 0
	}
	if len(dst) > start && p.timeZero() {
		return dst
	}
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	switch {
	case p.timeNegative():
		dst = append(dst, '-')
	case before:
		dst = append(dst, '+')
	}
	dst = p.hourMinute(dst, true)
	return p.seconds(dst, true)
}

// hourMinute writes hh:mm: without sign.
func (p Parts) hourMinute(dst []byte, fill bool) []byte {
	h := abs64(p.Hour)
	if fill && h < 10 {
		dst = append(dst, '0')
	}
	dst = append(strconv.AppendInt(dst, h, 10), ':')
	return append(append2(dst, abs(p.Min)), ':')
}

func (p Parts) verbose(dst []byte) []byte {
	dst = append(dst, '@')
	zero, before := true, false
	for _, u := range []struct {
		v    int64
		name string
	}{{p.Year, "year"}, {p.Month, "mon"}, {p.Day, "day"}, {p.Hour, "hour"}, {int64(p.Min), "min"}} {
		v := u.v
		if v == 0 {
			continue
		}
		if zero {
			before = v < 0
			v = abs64(v)
		} else if before {
			v = -v
		}
		dst = append(append(strconv.AppendInt(append(dst, ' '), v, 10), ' '), u.name...)
		if v != 1 {
			dst = append(dst, 's')
		}
		zero = false
	}
	if p.Sec != 0 || p.Usec != 0 {
		dst = append(dst, ' ')
		if p.Sec < 0 || p.Sec == 0 && p.Usec < 0 {
			if zero {
				before = true
			} else if !before {
				dst = append(dst, '-')
			}
		} else if before {
			dst = append(dst, '-')
		}
		dst = append(p.seconds(dst, false), " sec"...)
		if abs(p.Sec) != 1 || p.Usec != 0 {
			dst = append(dst, 's')
		}
		zero = false
	}
	if zero {
		dst = append(dst, " 0"...)
	}
	if before {
		dst = append(dst, " ago"...)
	}
	return dst
}

func (p Parts) sql(dst []byte) []byte {
	neg := p.Year < 0 || p.Month < 0 || p.Day < 0 || p.timeNegative()
	pos := p.Year > 0 || p.Month > 0 || p.Day > 0 || p.Hour > 0 || p.Min > 0 || p.Sec > 0 || p.Usec > 0
	yearMonth := p.Year != 0 || p.Month != 0
	dayTime := p.Day != 0 || !p.timeZero()
	standard := !(neg && pos) && !(yearMonth && dayTime)
	sign := func(neg bool) byte {
		if neg {
			return '-'
		}
		return '+'
	}
	if neg && standard {
		dst = append(dst, '-')
	}
	yearsMonths := func() {
		dst = append(strconv.AppendInt(dst, abs64(p.Year), 10), '-')
		dst = strconv.AppendInt(dst, abs64(p.Month), 10)
	}
	switch {
	case !neg && !pos:
		return append(dst, '0')
	case !standard:
		dst = append(dst, sign(p.Year < 0 || p.Month < 0))
		yearsMonths()
		dst = append(dst, ' ', sign(p.Day < 0))
		dst = strconv.AppendInt(dst, abs64(p.Day), 10)
		dst = append(dst, ' ', sign(p.timeNegative()))
	case yearMonth:
		yearsMonths()
		return dst
	case p.Day != 0:
		dst = append(strconv.AppendInt(dst, abs64(p.Day), 10), ' ')
	}
	return p.seconds(p.hourMinute(dst, false), true)
}

func (p Parts) iso(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, 'P')
	part := func(v int64, c byte) {
		if v != 0 {
			dst = append(strconv.AppendInt(dst, v, 10), c)
		}
	}
	part(p.Year, 'Y')
	part(p.Month, 'M')
	part(p.Day, 'D')
	if !p.timeZero() {
		dst = append(dst, 'T')
	}
	part(p.Hour, 'H')
	part(int64(p.Min), 'M')
	if p.Sec != 0 || p.Usec != 0 {
		if p.Sec < 0 || p.Usec < 0 {
			dst = append(dst, '-')
		}
		dst = append(p.seconds(dst, false), 'S')
	}
	if len(dst) == start+1 {
		return append(dst, "T0S"...)
	}
	return dst
}
