package dt

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Order tells which of the ambiguous numbers of a date is which.
type Order uint8

// The orders of the setting DateStyle.
const (
	MDY Order = iota
	DMY
	YMD
)

// Parts of a date and time that a text has given.
type mask uint16

const (
	hasYear mask = 1 << iota
	hasMonth
	hasDay
	hasDOY
	hasHour
	hasMinute
	hasSecond
	hasZone
	hasDST
	hasDOW
	hasAMPM
	hasADBC

	hasDate = hasYear | hasMonth | hasDay
	hasTime = hasHour | hasMinute | hasSecond
)

// decoder gathers what the fields of a text say.
type decoder struct {
	order     Order
	loc       *time.Location
	now       time.Time
	tm        Tm
	yday      int
	seen      mask
	twoDigits bool // the year has one or two digits
	textMonth bool
	julian    bool
	bc        bool
	ampm      int // 0 none, 1 am, 2 pm
	dst       int // seconds that DST adds
	offset    int // seconds east, when hasZone
	named     *time.Location
	abbrev    string // of an abbreviation whose offset depends on the date
	special   int    // a reserved word, -1 none
	prefix    int    // unit that the next number has, -1 none
	isoTime   bool   // the next number is a time: after T
	zoneErr   error
	timeOnly  bool
}

func newDecoder(order Order, loc *time.Location, now time.Time) *decoder {
	return &decoder{order: order, loc: loc, now: now, special: -1, prefix: -1}
}

// decode reads all fields; the result's parts are checked by finish.
func (d *decoder) decode(fields []field) fault {
	for i, f := range fields {
		got, bad := d.field(f, i, fields)
		if bad != ok {
			return bad
		}
		if got&d.seen != 0 || d.timeOnly && f.kind == fString && got&(hasMonth|hasDOW) != 0 {
			return badFormat
		}
		d.seen |= got
	}
	if date := d.seen & hasDate; d.timeOnly && date != 0 && date != hasDate {
		return badFormat // a time stands behind a whole date or none
	}
	return ok
}

// field reads one field and says which parts it gave.
func (d *decoder) field(f field, i int, all []field) (mask, fault) {
	switch f.kind {
	case fDate:
		return d.dateField(f.text)
	case fTime:
		if d.prefix >= 0 && !d.isoTime {
			return 0, badFormat
		}
		d.isoTime, d.prefix = false, -1
		if bad := d.timeText(f.text); bad != ok {
			return 0, bad
		}
		return hasTime, ok
	case fZone:
		off, bad := parseOffset(f.text)
		if bad != ok {
			return 0, bad
		}
		d.offset = off
		return hasZone, ok
	case fNumber:
		return d.numberField(f.text)
	}
	return d.word(f.text, i, all)
}

// dateField reads a field with separators: a date, or a zone name, or run-together time and zone.
func (d *decoder) dateField(s string) (mask, fault) {
	switch {
	case d.prefix == uJulian:
		d.prefix = -1
		j, rest, isInt := leadingInt(s)
		if !isInt || j < 0 {
			return 0, badField
		}
		off, bad := parseOffset(rest)
		if bad != ok {
			return 0, bad
		}
		d.setJulian(j)
		d.offset = off
		return hasDate | hasTime | hasZone, ok
	case d.isoTime || d.seen&(hasMonth|hasDay) == hasMonth|hasDay || d.timeOnly:
		return d.lateDateField(s)
	}
	return d.date(s)
}

// lateDateField reads a field with separators where the date is known already.
func (d *decoder) lateDateField(s string) (mask, fault) {
	if !isDigit(s[0]) && !d.isoTime {
		loc := Named(s)
		if loc == nil {
			d.zoneErr = dberr.New(dberr.InvalidParameterValue, `time zone "%s" not recognized`, s)
			return 0, badFormat
		}
		d.named = loc
		return hasZone, ok
	}
	d.isoTime, d.prefix = false, -1
	if d.seen&hasTime == hasTime {
		return 0, badFormat
	}
	at := strings.IndexByte(s, '-')
	if at < 0 {
		return 0, badFormat
	}
	off, bad := parseOffset(s[at:])
	if bad != ok {
		return 0, bad
	}
	d.offset = off
	seen := d.seen
	if d.timeOnly {
		seen |= hasDate
	}
	got, bad := d.runTogether(s[:at], seen)
	return got | hasZone, bad
}

func (d *decoder) setJulian(j int64) {
	d.tm.Year, d.tm.Month, d.tm.Day = Civil(j - EpochJulian)
	d.julian = true
}

// numberField reads a bare number: part of a date, or date or time digits run together.
func (d *decoder) numberField(s string) (mask, fault) {
	if d.isoTime {
		d.isoTime, d.prefix = false, -1
		got, bad := d.runTogether(s, d.seen|hasDate)
		if bad == ok && got != hasTime {
			return 0, badFormat
		}
		return got, bad
	}
	if d.prefix >= 0 {
		return d.prefixed(s)
	}
	dot := strings.IndexByte(s, '.')
	switch {
	case d.timeOnly && (dot < 0 || dot > 2) && len(s) >= 4:
		return d.runTogether(s, d.seen|hasDate)
	case dot >= 0 && d.seen&hasDate == 0 && !d.timeOnly:
		return d.date(s)
	case dot > 2, len(s) >= 6 && (d.seen&hasDate == 0 || d.seen&hasTime == 0):
		return d.runTogether(s, d.seen)
	case d.timeOnly: // a date in parts does not stand before a time
		return 0, badFormat
	}
	return d.number(s, d.seen)
}

// prefixed reads a number whose unit came before it: J2451187, y2001m02d04.
func (d *decoder) prefixed(s string) (mask, fault) {
	unit := d.prefix
	d.prefix = -1
	n, rest, isInt := leadingInt(s)
	if !isInt {
		return 0, badField
	}
	if unit == uJulian {
		if n < 0 || n > math.MaxInt32 {
			return 0, badField
		}
		d.setJulian(n)
		if rest == "" {
			return hasDate, ok
		}
		f, err := strconv.ParseFloat(rest, 64)
		if err != nil {
			return 0, badFormat
		}
		us := int64(f * Day)
		t := TimeParts(us)
		d.tm.Hour, d.tm.Min, d.tm.Sec, d.tm.Usec = t.Hour, t.Min, t.Sec, t.Usec
		return hasDate | hasTime, ok
	}
	if rest != "" && !(unit == uSecond && rest[0] == '.') {
		return 0, badFormat
	}
	switch unit {
	case uYear:
		d.tm.Year = n
		return hasYear, ok
	case uMonth:
		if d.seen&hasMonth != 0 && d.seen&hasHour != 0 { // a month after an hour is minutes
			d.tm.Min = int(n)
			return hasMinute, ok
		}
		d.tm.Month = int(n)
		return hasMonth, ok
	case uDay:
		d.tm.Day = int(n)
		return hasDay, ok
	case uHour:
		d.tm.Hour = int(n)
		return hasHour, ok
	case uMinute:
		d.tm.Min = int(n)
		return hasMinute, ok
	case uSecond:
		d.tm.Sec = int(n)
		if rest != "" {
			us, bad := fraction(rest)
			if bad != ok {
				return 0, bad
			}
			d.tm.Usec = us
		}
		return hasSecond, ok
	}
	return 0, badFormat
}

// leadingInt reads the integer that s starts with.
func leadingInt(s string) (n int64, rest string, good bool) {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	n, err := strconv.ParseInt(s[:i], 10, 32)
	return n, s[i:], err == nil
}

// fraction reads .digits as microseconds, rounded.
func fraction(s string) (int, fault) {
	if s == "." {
		return 0, ok
	}
	for i := 1; i < len(s); i++ {
		if !isDigit(s[i]) {
			return 0, badFormat
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, badFormat
	}
	return int(math.RoundToEven(f * 1000000)), ok
}

// date reads year, month and day in one field.
func (d *decoder) date(s string) (mask, fault) {
	var parts []string
	for i := 0; i < len(s) && len(parts) < 25; {
		j := i
		switch {
		case isDigit(s[i]):
			for j < len(s) && isDigit(s[j]) {
				j++
			}
		case isAlpha(s[i]):
			for j < len(s) && isAlpha(s[j]) {
				j++
			}
		default:
			i++
			continue
		}
		parts = append(parts, s[i:j])
		i = j
	}
	seen, got := d.seen, mask(0)
	add := func(m mask) fault {
		if m&seen != 0 {
			return badFormat
		}
		seen |= m
		got |= m
		return ok
	}
	var numbers []string
	for _, p := range parts { // the month's name first: it tells what the numbers are
		if isDigit(p[0]) {
			numbers = append(numbers, p)
			continue
		}
		switch w := words[token(p)]; w.kind {
		case wIgnore:
		case wMonth:
			d.tm.Month, d.textMonth = w.val, true
			if bad := add(hasMonth); bad != ok {
				return 0, bad
			}
		default:
			return 0, badFormat
		}
	}
	for _, p := range numbers {
		m, bad := d.number(p, seen)
		if bad == ok {
			bad = add(m)
		}
		if bad != ok {
			return 0, bad
		}
	}
	if seen&^(hasDOY|hasZone) != hasDate {
		return 0, badFormat
	}
	return got, ok
}

// number decides what a bare number is from what is known already.
func (d *decoder) number(s string, seen mask) (mask, fault) {
	v, rest, isInt := leadingInt(s)
	if !isInt {
		return 0, badField
	}
	if rest != "" {
		if len(s)-len(rest) > 2 {
			return d.runTogether(s, seen|hasDate)
		}
		us, bad := fraction(rest)
		if bad != ok {
			return 0, bad
		}
		d.tm.Usec = us
	}
	if len(s) == 3 && seen&hasDate == hasYear && v >= 1 && v <= 366 {
		d.yday = int(v)
		return hasDOY | hasMonth | hasDay, ok
	}
	year := func() (mask, fault) {
		d.tm.Year = v
		d.twoDigits = len(s) <= 2
		return hasYear, ok
	}
	month := func() (mask, fault) { d.tm.Month = int(v); return hasMonth, ok }
	day := func() (mask, fault) { d.tm.Day = int(v); return hasDay, ok }
	long := len(s) >= 3
	switch seen & hasDate {
	case 0:
		switch {
		case long || d.order == YMD:
			return year()
		case d.order == DMY:
			return day()
		}
		return month()
	case hasYear, hasDay:
		return month()
	case hasMonth:
		if d.textMonth && (long || d.order == YMD) {
			return year()
		}
		return day()
	case hasYear | hasMonth:
		if d.textMonth && long && d.twoDigits { // the first number was the day after all
			d.tm.Day, d.tm.Year, d.twoDigits = int(d.tm.Year), v, false
			return hasDay, ok
		}
		return day()
	case hasMonth | hasDay:
		return year()
	case hasDate:
		return d.runTogether(s, seen)
	}
	return 0, badFormat
}

// runTogether reads digits without separators: yyyymmdd, yymmdd, hhmmss, hhmm, with a fraction.
func (d *decoder) runTogether(s string, seen mask) (mask, fault) {
	if dot := strings.IndexByte(s, '.'); dot >= 0 {
		us, bad := fraction(s[dot:])
		if bad != ok {
			return 0, bad
		}
		d.tm.Usec = us
		s = s[:dot]
	} else if seen&hasDate != hasDate && len(s) >= 6 {
		n := len(s)
		d.tm.Day, d.tm.Month = atoi(s[n-2:]), atoi(s[n-4:n-2])
		y, _ := strconv.ParseInt(s[:n-4], 10, 32)
		d.tm.Year = y
		if n == 6 {
			d.twoDigits = true
		}
		return hasDate, ok
	}
	if seen&hasTime == hasTime {
		return 0, badFormat
	}
	switch len(s) {
	case 6:
		d.tm.Hour, d.tm.Min, d.tm.Sec = atoi(s[:2]), atoi(s[2:4]), atoi(s[4:])
		return hasTime, ok
	case 4:
		d.tm.Hour, d.tm.Min, d.tm.Sec = atoi(s[:2]), atoi(s[2:]), 0
		return hasTime, ok
	}
	return 0, badFormat
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// timeText reads hh:mm[:ss[.ffffff]]; mm:ss.fff has no hour.
func (d *decoder) timeText(s string) fault {
	h, m, sec, us, bad := clock(s)
	if bad != ok {
		return bad
	}
	d.tm.Hour, d.tm.Min, d.tm.Sec, d.tm.Usec = int(h), m, sec, us
	if h > 24 || h == 24 && (m > 0 || sec > 0 || us > 0) {
		return badField
	}
	return ok
}

// clock reads the parts of a time; the hour may be large (intervals).
func clock(s string) (h int64, m, sec, us int, bad fault) {
	i := strings.IndexByte(s, ':')
	if i < 0 {
		return 0, 0, 0, 0, badFormat
	}
	h, err := strconv.ParseInt(s[:i], 10, 64)
	if err != nil {
		return 0, 0, 0, 0, badField
	}
	next := func() (int64, fault) {
		s = s[i+1:]
		for i = 0; i < len(s) && isDigit(s[i]); i++ {
		}
		n, err := strconv.ParseInt(s[:i], 10, 32)
		if i > 0 && err != nil {
			return 0, badField
		}
		return n, ok
	}
	mm, bad := next()
	if bad != ok {
		return 0, 0, 0, 0, bad
	}
	var ss int64
	switch {
	case i == len(s):
	case s[i] == '.': // minutes and seconds
		if us, bad = fraction(s[i:]); bad != ok {
			return 0, 0, 0, 0, bad
		}
		if h > math.MaxInt32 {
			return 0, 0, 0, 0, badField
		}
		h, mm, ss = 0, h, mm
	case s[i] == ':':
		if ss, bad = next(); bad != ok {
			return 0, 0, 0, 0, bad
		}
		if i < len(s) {
			if s[i] != '.' {
				return 0, 0, 0, 0, badFormat
			}
			if us, bad = fraction(s[i:]); bad != ok {
				return 0, 0, 0, 0, bad
			}
		}
	default:
		return 0, 0, 0, 0, badFormat
	}
	if mm > 59 || ss > 60 {
		return 0, 0, 0, 0, badField
	}
	return h, int(mm), int(ss), us, ok
}

// parseOffset reads a zone like +02, -0330, +05:30:00 as seconds east.
func parseOffset(s string) (int, fault) {
	if s == "" || s[0] != '+' && s[0] != '-' {
		return 0, badFormat
	}
	neg := s[0] == '-'
	hr, rest, isInt := leadingInt(s[1:])
	if !isInt {
		return 0, badZone
	}
	mins, secs := int64(0), int64(0)
	switch {
	case strings.HasPrefix(rest, ":"):
		if mins, rest, isInt = leadingInt(rest[1:]); !isInt {
			return 0, badZone
		}
		if strings.HasPrefix(rest, ":") {
			if secs, rest, isInt = leadingInt(rest[1:]); !isInt {
				return 0, badZone
			}
		}
	case rest == "" && len(s) > 3:
		hr, mins = hr/100, hr%100
	}
	if hr > 15 || mins > 59 || secs > 59 {
		return 0, badZone
	}
	if rest != "" {
		return 0, badFormat
	}
	off := int(hr*3600 + mins*60 + secs)
	if neg {
		off = -off
	}
	return off, ok
}
