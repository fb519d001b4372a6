package dt

import (
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
)

// fieldKind is what a piece of a date or interval text looks like.
type fieldKind uint8

const (
	fNumber  fieldKind = iota // digits, maybe with a fraction
	fString                   // a word
	fDate                     // with separators - / . inside
	fTime                     // with colons
	fZone                     // a sign and digits
	fSpecial                  // a sign and a word: -infinity
)

type field struct {
	kind fieldKind
	text string // words in lower case
}

// What can be wrong with a text. Each becomes an error that quotes the whole text.
type fault uint8

const (
	ok fault = iota
	badFormat
	badField
	badMonthDay // like badField, where another DateStyle might help
	badInterval
	badZone
)

// err turns a fault into the error for a text of a type.
func (f fault) err(typ, text string) error {
	switch f {
	case badField:
		return dberr.New(dberr.DatetimeFieldOverflow, `date/time field value out of range: "%s"`, text)
	case badMonthDay:
		return dberr.New(dberr.DatetimeFieldOverflow, `date/time field value out of range: "%s"`, text).
			WithHint(`Perhaps you need a different "datestyle" setting.`)
	case badInterval:
		return dberr.New(dberr.IntervalFieldOverflow, `interval field value out of range: "%s"`, text)
	case badZone:
		return dberr.New(dberr.InvalidTimeZoneValue, `time zone displacement out of range: "%s"`, text)
	}
	return dberr.New(dberr.InvalidDatetimeFormat, `invalid input syntax for type %s: "%s"`, typ, text)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlpha(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 }
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isPunct(c byte) bool { return c > ' ' && c < 0x7f && !isDigit(c) && !isAlpha(c) }

// Limits of a text: its fields, and their lengths together.
const (
	maxFields = 25
	maxText   = 128 + maxFields
)

// scanner cuts a text into fields.
type scanner struct {
	s string
	i int
}

func (sc *scanner) peek() byte {
	if sc.i < len(sc.s) {
		return sc.s[sc.i]
	}
	return 0
}

// run takes characters while the test holds.
func (sc *scanner) run(test func(c byte) bool) {
	for sc.i < len(sc.s) && test(sc.s[sc.i]) {
		sc.i++
	}
}

// split cuts a text into at most maxFields fields.
func split(text string) ([]field, fault) {
	sc := &scanner{s: text}
	var out []field
	for sc.i < len(sc.s) {
		c := sc.peek()
		if isSpace(c) {
			sc.i++
			continue
		}
		start := sc.i
		var kind fieldKind
		switch {
		case isDigit(c):
			kind = sc.digits()
		case c == '.':
			kind = fNumber
			sc.i++
			sc.run(isDigit)
		case isAlpha(c):
			kind = sc.word()
		case c == '+' || c == '-':
			sign := string(c)
			sc.i++
			sc.run(isSpace)
			start = sc.i
			switch {
			case isDigit(sc.peek()):
				kind = fZone
				sc.run(func(c byte) bool { return isDigit(c) || c == ':' || c == '.' || c == '-' })
			case isAlpha(sc.peek()):
				kind = fSpecial
				sc.run(isAlpha)
			default:
				return nil, badFormat
			}
			out = append(out, field{kind, sign + strings.ToLower(sc.s[start:sc.i])})
			start = -1
		case isPunct(c):
			sc.i++
			continue
		default:
			return nil, badFormat
		}
		if start >= 0 {
			out = append(out, field{kind, lower(sc.s[start:sc.i])})
		}
		if len(out) > maxFields {
			return nil, badFormat
		}
	}
	return out, ok
}

// lower folds ASCII letters only, as the words of dates are ASCII.
func lower(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			b := []byte(s)
			for j, c := range b {
				if c >= 'A' && c <= 'Z' {
					b[j] = c + 32
				}
			}
			return string(b)
		}
	}
	return s
}

// digits reads a field that starts with a digit: a number, a time or a date.
func (sc *scanner) digits() fieldKind {
	sc.run(isDigit)
	switch d := sc.peek(); d {
	case ':':
		sc.run(func(c byte) bool { return isDigit(c) || c == ':' || c == '.' })
		return fTime
	case '-', '/', '.':
		sc.i++
		if !isDigit(sc.peek()) { // a text month
			sc.run(func(c byte) bool { return isDigit(c) || isAlpha(c) || c == d })
			return fDate
		}
		kind := fDate
		if d == '.' {
			kind = fNumber
		}
		sc.run(isDigit)
		if sc.peek() == d { // three parts with the same separator
			kind = fDate
			sc.i++
			sc.run(func(c byte) bool { return isDigit(c) || c == d })
		}
		return kind
	}
	return fNumber
}

// word reads a field that starts with a letter: a word, a date like Jan-8-1999 or a zone name like Europe/Berlin.
func (sc *scanner) word() fieldKind {
	start := sc.i
	sc.run(isAlpha)
	c := sc.peek()
	date := c == '-' || c == '/' || c == '.'
	if c == '+' || isDigit(c) {
		_, known := words[token(lower(sc.s[start:sc.i]))]
		date = !known
	}
	if !date {
		return fString
	}
	sc.run(func(c byte) bool {
		return c == '+' || c == '-' || c == '/' || c == '_' || c == '.' || c == ':' || isDigit(c) || isAlpha(c)
	})
	return fDate
}

// token cuts a word to the length that tells words apart.
func token(s string) string {
	if len(s) > 10 {
		return s[:10]
	}
	return s
}

// wordKind is what a word in a date means.
type wordKind uint8

const (
	wUnknown wordKind = iota
	wIgnore
	wReserved // now, today, epoch …
	wMonth
	wWeekday
	wAMPM
	wADBC
	wZoneMod // DST
	wZone    // an abbreviation
	wUnit
	wISOTime // the T between date and time
)

// Reserved words.
const (
	vNow = iota
	vToday
	vTomorrow
	vYesterday
	vZulu
	vEpoch
	vLate
	vEarly
)

// Units.
const (
	uMicrosecond = iota
	uMillisecond
	uSecond
	uMinute
	uHour
	uDay
	uWeek
	uMonth
	uQuarter
	uYear
	uDecade
	uCentury
	uMillennium
	uJulian
	uOther // fields that can't be amounts
)

type meaning struct {
	kind wordKind
	val  int
}

// words are the words of dates, cut to ten letters.
var words = map[string]meaning{
	"-infinity": {wReserved, vEarly}, "infinity": {wReserved, vLate}, "epoch": {wReserved, vEpoch}, "now": {wReserved, vNow},
	"today": {wReserved, vToday}, "tomorrow": {wReserved, vTomorrow}, "yesterday": {wReserved, vYesterday}, "allballs": {wReserved, vZulu},
	"ad": {wADBC, 0}, "bc": {wADBC, 1}, "am": {wAMPM, 0}, "pm": {wAMPM, 1}, "at": {wIgnore, 0}, "on": {wIgnore, 0}, "dst": {wZoneMod, 3600},
	"jan": {wMonth, 1}, "january": {wMonth, 1}, "feb": {wMonth, 2}, "february": {wMonth, 2}, "mar": {wMonth, 3}, "march": {wMonth, 3},
	"apr": {wMonth, 4}, "april": {wMonth, 4}, "may": {wMonth, 5}, "jun": {wMonth, 6}, "june": {wMonth, 6}, "jul": {wMonth, 7}, "july": {wMonth, 7},
	"aug": {wMonth, 8}, "august": {wMonth, 8}, "sep": {wMonth, 9}, "sept": {wMonth, 9}, "september": {wMonth, 9}, "oct": {wMonth, 10},
	"october": {wMonth, 10}, "nov": {wMonth, 11}, "november": {wMonth, 11}, "dec": {wMonth, 12}, "december": {wMonth, 12},
	"sun": {wWeekday, 0}, "sunday": {wWeekday, 0}, "mon": {wWeekday, 1}, "monday": {wWeekday, 1}, "tue": {wWeekday, 2}, "tues": {wWeekday, 2},
	"tuesday": {wWeekday, 2}, "wed": {wWeekday, 3}, "weds": {wWeekday, 3}, "wednesday": {wWeekday, 3}, "thu": {wWeekday, 4}, "thur": {wWeekday, 4},
	"thurs": {wWeekday, 4}, "thursday": {wWeekday, 4}, "fri": {wWeekday, 5}, "friday": {wWeekday, 5}, "sat": {wWeekday, 6}, "saturday": {wWeekday, 6},
	"d": {wUnit, uDay}, "h": {wUnit, uHour}, "m": {wUnit, uMonth}, "mm": {wUnit, uMinute}, "s": {wUnit, uSecond}, "y": {wUnit, uYear},
	"j": {wUnit, uJulian}, "jd": {wUnit, uJulian}, "julian": {wUnit, uJulian}, "t": {wISOTime, 0},
	"dow": {wUnit, uOther}, "doy": {wUnit, uOther}, "isodow": {wUnit, uOther}, "isoyear": {wUnit, uOther},
}

// units are the words of intervals, cut to ten letters.
var units = map[string]int{
	"us": uMicrosecond, "usec": uMicrosecond, "usecs": uMicrosecond, "usecond": uMicrosecond, "useconds": uMicrosecond, "microsecon": uMicrosecond,
	"ms": uMillisecond, "msec": uMillisecond, "msecs": uMillisecond, "msecond": uMillisecond, "mseconds": uMillisecond, "millisecon": uMillisecond,
	"s": uSecond, "sec": uSecond, "secs": uSecond, "second": uSecond, "seconds": uSecond,
	"m": uMinute, "min": uMinute, "mins": uMinute, "minute": uMinute, "minutes": uMinute,
	"h": uHour, "hr": uHour, "hrs": uHour, "hour": uHour, "hours": uHour, "d": uDay, "day": uDay, "days": uDay,
	"w": uWeek, "week": uWeek, "weeks": uWeek, "mon": uMonth, "mons": uMonth, "month": uMonth, "months": uMonth,
	"qtr": uQuarter, "quarter": uQuarter, "y": uYear, "yr": uYear, "yrs": uYear, "year": uYear, "years": uYear,
	"dec": uDecade, "decs": uDecade, "decade": uDecade, "decades": uDecade,
	"c": uCentury, "cent": uCentury, "century": uCentury, "centuries": uCentury,
	"mil": uMillennium, "mils": uMillennium, "millennia": uMillennium, "millennium": uMillennium,
}
