// Package dt is the calendar and the clock of SQL: dates, times, timestamps and intervals, read and written as PostgreSQL does.
//
// A date is days since 2000-01-01, a timestamp microseconds since 2000-01-01 00:00, both in the proleptic Gregorian
// calendar; their infinities are the limits of int32 and int64. Years count astronomically inside: 1 BC is year 0.
package dt

import "math"

// Units in microseconds.
const (
	Second = 1000000
	Minute = 60 * Second
	Hour   = 60 * Minute
	Day    = 24 * Hour
)

// Limits. A timestamp is at least MinTimestamp and below EndTimestamp; a date at least MinDate and below EndDate.
const (
	MinTimestamp = -211813488000000000
	EndTimestamp = 9223371331200000000
	MinDate      = -2451545   // 4714-11-24 BC, Julian day 0
	EndDate      = 2145031949 // 5874898-01-01

	TimestampInf    = math.MaxInt64
	TimestampNegInf = math.MinInt64
	DateInf         = math.MaxInt32
	DateNegInf      = math.MinInt32

	// EpochJulian is the Julian day of 2000-01-01, UnixDays the days from 1970 to it.
	EpochJulian = 2451545
	UnixDays    = 10957
)

// Infinite tells whether a timestamp is one of the infinities.
func Infinite(us int64) bool { return us == TimestampInf || us == TimestampNegInf }

// InfiniteDate tells whether a date is one of the infinities.
func InfiniteDate(d int64) bool { return d == DateInf || d == DateNegInf }

// ValidTimestamp tells whether us is a finite timestamp.
func ValidTimestamp(us int64) bool { return us >= MinTimestamp && us < EndTimestamp }

// ValidDate tells whether d is a finite date.
func ValidDate(d int64) bool { return d >= MinDate && d < EndDate }

// FloorDiv divides rounding down, FloorMod gives what is left (never negative for b > 0).
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// FloorMod is a - b·FloorDiv(a, b).
func FloorMod(a, b int64) int64 { return a - b*FloorDiv(a, b) }

// DaysOf gives the day number of a civil date. The month may be any number, the day too: both carry over.
func DaysOf(year int64, month, day int) int64 {
	m := int64(month) - 1
	year += FloorDiv(m, 12)
	m = FloorMod(m, 12) // 0 = January
	// years start in March here, so that the leap day is the last one
	m -= 2
	if m < 0 {
		m += 12
		year--
	}
	era := FloorDiv(year, 400)
	yoe := year - era*400
	doy := (153*m+2)/5 + int64(day) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468 - UnixDays
}

// Civil gives the civil date of a day number.
func Civil(days int64) (year int64, month, day int) {
	z := days + UnixDays + 719468
	era := FloorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	month = int(mp) + 3
	if month > 12 {
		month -= 12
	}
	year = yoe + era*400
	if month <= 2 {
		year++
	}
	return year, month, day
}

// Leap tells whether a year has a 29 February.
func Leap(year int64) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// DaysIn is the number of days of a month (1–12).
func DaysIn(year int64, month int) int {
	switch month {
	case 2:
		if Leap(year) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// Weekday gives 0 for Sunday … 6 for Saturday.
func Weekday(days int64) int { return int(FloorMod(days+6, 7)) }

// YearDay gives the day of the year, from 1.
func YearDay(days int64) int {
	y, _, _ := Civil(days)
	return int(days-DaysOf(y, 1, 1)) + 1
}

// ISOWeek gives the ISO 8601 year and week of a day.
func ISOWeek(days int64) (year int64, week int) {
	// the week's Thursday decides the year
	thursday := days - int64((Weekday(days)+6)%7) + 3
	year, _, _ = Civil(thursday)
	return year, int((thursday-DaysOf(year, 1, 1))/7) + 1
}

// ISOWeekStart gives the Monday of an ISO week.
func ISOWeekStart(year int64, week int) int64 {
	jan4 := DaysOf(year, 1, 4)
	return jan4 - int64((Weekday(jan4)+6)%7) + int64(week-1)*7
}

// Tm is a timestamp in parts.
type Tm struct {
	Year           int64
	Month, Day     int
	Hour, Min, Sec int
	Usec           int
}

// Split takes a finite timestamp apart.
func Split(us int64) Tm {
	days := FloorDiv(us, Day)
	t := TimeParts(us - days*Day)
	t.Year, t.Month, t.Day = Civil(days)
	return t
}

// TimeParts takes microseconds of a day apart.
func TimeParts(us int64) Tm {
	return Tm{Hour: int(us / Hour), Min: int(us / Minute % 60), Sec: int(us / Second % 60), Usec: int(us % Second)}
}

// TimeOf puts the time parts together: microseconds since midnight.
func (t Tm) TimeOf() int64 {
	return int64(t.Hour)*Hour + int64(t.Min)*Minute + int64(t.Sec)*Second + int64(t.Usec)
}

// Join puts a timestamp together; ok is false outside the type's range.
func (t Tm) Join() (us int64, ok bool) {
	if t.Year < -4800 || t.Year > 300000 {
		return 0, false
	}
	us = DaysOf(t.Year, t.Month, t.Day)*Day + t.TimeOf()
	return us, ValidTimestamp(us)
}
