package tochar

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/dt"
)

// Parsed is what a text says under a template.
type Parsed struct {
	Tm      dt.Tm
	HasZone bool
	Offset  int // seconds east
}

// reading is the state of reading a text.
type reading struct {
	in    string // the whole text
	s     string // what is left
	items []item
	fixed bool // FX
	extra int  // blanks skipped beyond the template's

	vals     map[string]int
	conv     byte
	clock12  bool
	yearSize int
	zoneSign int
}

func badFormat(format string, args ...any) *dberr.Error {
	return dberr.New(dberr.InvalidDatetimeFormat, format, args...)
}

func outOfRange(text string) error {
	return dberr.New(dberr.DatetimeFieldOverflow, `date/time field value out of range: "%s"`, text)
}

// DateFromChar reads a text by a template.
func DateFromChar(text, template string) (Parsed, error) {
	r := &reading{in: text, s: text, items: parse(template, dateFields, true), vals: map[string]int{}}
	for i := range r.items {
		if r.s == "" {
			break
		}
		if err := r.item(i); err != nil {
			return Parsed{}, err
		}
	}
	return r.finish()
}

func (r *reading) skipSpace() {
	for r.s != "" && isSpace(r.s[0]) {
		r.s = r.s[1:]
		r.extra++
	}
}

func (r *reading) skipChar() {
	_, n := utf8.DecodeRuneInString(r.s)
	r.s = r.s[n:]
}

func (r *reading) item(i int) error {
	it := &r.items[i]
	isFX := it.kind == nField && it.field.id == "FX"
	if !r.fixed && !isFX && (it.kind == nField || i == 0) {
		r.skipSpace()
	}
	switch it.kind {
	case nSpace, nSeparator:
		switch {
		case r.fixed:
			if r.s != "" {
				r.skipChar()
			}
		default:
			r.extra--
			if r.s != "" && (isSpace(r.s[0]) || separator(r.s)) {
				r.s = r.s[1:]
				r.extra++
			}
		}
		return nil
	case nChar:
		switch {
		case !r.fixed && r.extra > 0:
			r.extra--
		case r.s != "":
			r.skipChar()
		}
		return nil
	}
	if isFX {
		r.fixed = true
		return nil
	}
	if c := it.field.conv; c != 0 {
		if r.conv != 0 && r.conv != c {
			return badFormat("invalid combination of date conventions").
				WithHint("Do not mix Gregorian and ISO week date conventions in a formatting template.")
		}
		r.conv = c
	}
	if err := r.field(i); err != nil {
		return err
	}
	if !r.fixed {
		r.extra = 0
		r.skipSpace()
	}
	return nil
}

// set stores a value under a key; another value before is a conflict.
func (r *reading) set(key string, v int, f *field) error {
	if old := r.vals[key]; old != 0 && old != v {
		return badFormat(`conflicting values for "%s" field in formatting string`, f.name).
			WithDetail("This value contradicts a previous setting for the same field type.")
	}
	r.vals[key] = v
	return nil
}

// number reads an integer of n characters (0: as long as the pattern's name) and stores it; it gives the characters used.
func (r *reading) number(i int, key string, n int) (int, error) {
	it := &r.items[i]
	if n == 0 {
		n = len(it.field.name)
	}
	start := r.s
	for r.s != "" && isSpace(r.s[0]) {
		r.s = r.s[1:]
	}
	piece := r.s[:min(n, len(r.s))]
	var v int64
	var err error
	if it.fill || r.nextSeparates(i) {
		text := start
		for text != "" && isSpace(text[0]) {
			text = text[1:]
		}
		k := intPrefix(text)
		if k > 0 {
			v, err = strconv.ParseInt(strings.TrimPrefix(text[:k], "+"), 10, 32)
			r.s = text[k:]
		} else {
			r.s = start
		}
	} else {
		if len(piece) < n {
			return 0, badFormat(`source string too short for "%s" formatting field`, it.field.name).
				WithDetail("Field requires %d characters, but only %d remain.", n, len(piece)).
				WithHint(`If your source string is not fixed-width, try using the "FM" modifier.`)
		}
		k := intPrefix(piece)
		if k > 0 && k < n {
			return 0, badFormat(`invalid value "%s" for "%s"`, piece, it.field.name).
				WithDetail("Field requires %d characters, but only %d could be parsed.", n, k).
				WithHint(`If your source string is not fixed-width, try using the "FM" modifier.`)
		}
		if k > 0 {
			v, err = strconv.ParseInt(strings.TrimPrefix(piece[:k], "+"), 10, 32)
		}
		r.s = r.s[k:]
		if k == 0 {
			r.s = start
		}
	}
	used := len(start) - len(r.s)
	if used == 0 {
		return 0, badFormat(`invalid value "%s" for "%s"`, piece, it.field.name).WithDetail("Value must be an integer.")
	}
	if err != nil {
		return 0, dberr.New(dberr.DatetimeFieldOverflow, `value for "%s" in source string is out of range`, it.field.name).
			WithDetail("Value must be in the range %d to %d.", math.MinInt32, math.MaxInt32)
	}
	if it.th != 0 { // skip the two letters of the suffix
		for range 2 {
			if r.s != "" {
				r.skipChar()
			}
		}
	}
	if key == "" {
		return used, nil
	}
	return used, r.set(key, int(v), it.field)
}

// intPrefix gives the length of the integer that s starts with.
func intPrefix(s string) int {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	start := i
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == start {
		return 0
	}
	return i
}

// nextSeparates tells whether what follows item i ends a number by itself.
func (r *reading) nextSeparates(i int) bool {
	if r.items[i].th != 0 || i+1 == len(r.items) {
		return true
	}
	next := r.items[i+1]
	if next.kind == nField {
		return !next.field.digit
	}
	return len(next.text) != 1 || next.text[0] < '0' || next.text[0] > '9'
}

// choose reads one of several words and gives its place.
func (r *reading) choose(f *field, words []string) (int, error) {
	best, n := -1, 0
	for i, w := range words {
		if len(r.s) >= len(w) && strings.EqualFold(r.s[:len(w)], w) && len(w) > n {
			best, n = i, len(w)
			break
		}
	}
	if best < 0 {
		word := r.s
		for i := range len(word) {
			if isSpace(word[i]) {
				word = word[:i]
				break
			}
		}
		return 0, badFormat(`invalid value "%s" for "%s"`, word, f.name).
			WithDetail("The given value did not match any of the allowed values for this field.")
	}
	r.s = r.s[n:]
	return best, nil
}

var (
	meridians = map[bool][]string{true: {"a.m.", "p.m."}, false: {"am", "pm"}}
	eras      = map[bool][]string{true: {"a.d.", "b.c."}, false: {"ad", "bc"}}
	romanDown = []string{"xii", "xi", "x", "ix", "viii", "vii", "vi", "v", "iv", "iii", "ii", "i"}
)

func short(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w[:3]
	}
	return out
}

var scaleTo = map[string][]int{"MS": {0, 100, 10, 1}, "US": {0, 100000, 10000, 1000, 100, 10, 1}}

// field reads one pattern.
func (r *reading) field(i int) error {
	f := r.items[i].field
	word := func(key string, words []string, value func(k int) int) error {
		k, err := r.choose(f, words)
		if err != nil {
			return err
		}
		return r.set(key, value(k), f)
	}
	same := func(k int) int { return k }
	dotted := strings.Contains(f.name, ".")
	simple := func(key string, n int) error { _, err := r.number(i, key, n); return err }
	switch f.id {
	case "A.M.", "P.M.", "AM", "PM":
		r.clock12 = true
		return word("pm", meridians[dotted], same)
	case "A.D.", "B.C.", "AD", "BC":
		return word("bc", eras[dotted], same)
	case "MONTH":
		return word("mm", months, func(k int) int { return k + 1 })
	case "MON":
		return word("mm", short(months), func(k int) int { return k + 1 })
	case "DAY":
		return word("d", days, func(k int) int { return k + 1 })
	case "DY":
		return word("d", short(days), func(k int) int { return k + 1 })
	case "RM":
		return word("mm", romanDown, func(k int) int { return 12 - k })
	case "HH", "HH12":
		r.clock12 = true
		return simple("hh", 2)
	case "HH24":
		return simple("hh", 2)
	case "MI":
		return simple("mi", 0)
	case "SS":
		return simple("ss", 0)
	case "SSSS":
		return simple("ssss", 0)
	case "MS":
		return r.fraction(i, "ms", 3, scaleTo["MS"])
	case "US":
		return r.fraction(i, "us", 6, scaleTo["US"])
	case "FF1", "FF2", "FF3", "FF4", "FF5", "FF6":
		return r.fraction(i, "us", int(f.id[2]-'0'), scaleTo["US"])
	case "TZ", "OF":
		return dberr.New(dberr.FeatureNotSupported, `formatting field "%s" is only supported in to_char`, f.name)
	case "TZH":
		return r.zoneHour(i)
	case "TZM":
		if r.zoneSign == 0 {
			r.zoneSign = 1
		}
		return simple("tzm", 2)
	}
	return r.dateField(i, f, simple)
}

func (r *reading) dateField(i int, f *field, simple func(key string, n int) error) error {
	switch f.id {
	case "MM":
		return simple("mm", 0)
	case "DDD":
		return simple("ddd", 0)
	case "IDDD":
		return simple("ddd", 3)
	case "DD":
		return simple("dd", 0)
	case "D":
		return simple("d", 0)
	case "ID":
		if err := simple("d", 1); err != nil {
			return err
		}
		if r.vals["d"]++; r.vals["d"] > 7 { // counts from Monday
			r.vals["d"] = 1
		}
		return nil
	case "WW", "IW":
		return simple("ww", 0)
	case "W":
		return simple("w", 0)
	case "Q": // read, but it doesn't say which day
		return simple("", 0)
	case "CC":
		return simple("cc", 0)
	case "J":
		return simple("j", 0)
	case "Y,YYY":
		return r.commaYear(f, i)
	case "YYYY", "IYYY":
		r.yearSize = 4
		return simple("year", 0)
	case "YYY", "IYY", "YY", "IY", "Y", "I":
		n, err := r.number(i, "year", 0)
		if err != nil {
			return err
		}
		if n < 4 {
			r.vals["year"] = near2020(r.vals["year"])
		}
		r.yearSize = len(f.name)
		return nil
	}
	return nil
}

// near2020 completes a year of less than four digits.
func near2020(y int) int {
	switch {
	case y < 70:
		return y + 2000
	case y < 100:
		return y + 1900
	case y < 520:
		return y + 2000
	case y < 1000:
		return y + 1000
	}
	return y
}

func (r *reading) fraction(i int, key string, n int, scale []int) error {
	used, err := r.number(i, key, n)
	if err == nil {
		if used < len(scale) {
			r.vals[key] *= scale[used]
		}
	}
	return err
}

func (r *reading) zoneHour(i int) error {
	r.zoneSign = 1
	switch c := r.s[0]; {
	case c == '+' || c == '-' || c == ' ':
		if c == '-' {
			r.zoneSign = -1
		}
		r.s = r.s[1:]
	case r.extra > 0 && len(r.in) > len(r.s) && r.in[len(r.in)-len(r.s)-1] == '-': // the sign was taken for a separator
		r.zoneSign = -1
	}
	_, err := r.number(i, "tzh", 2)
	return err
}

// commaYear reads 2,024.
func (r *reading) commaYear(f *field, i int) error {
	s := strings.TrimLeft(r.s, " \t\n\r\f\v")
	k := intPrefix(s)
	bad := badFormat(`invalid input string for "Y,YYY"`)
	if k == 0 || k >= len(s) || s[k] != ',' {
		return bad
	}
	thousands, err := strconv.ParseInt(s[:k], 10, 32)
	rest := s[k+1:]
	n := intPrefix(rest[:min(3, len(rest))])
	if n == 0 || err != nil {
		return bad
	}
	years, _ := strconv.Atoi(rest[:n])
	r.s = rest[n:]
	r.yearSize = 4
	if r.items[i].th != 0 && len(r.s) >= 2 {
		r.s = r.s[2:]
	}
	y := thousands*1000 + int64(years)
	if y > math.MaxInt32 || y < math.MinInt32 {
		return dberr.New(dberr.DatetimeFieldOverflow, `value for "%s" in source string is out of range`, f.name)
	}
	return r.set("year", int(y), f)
}

// finish puts the parts together and checks them.
func (r *reading) finish() (Parsed, error) {
	v := r.vals
	tm := dt.Tm{Month: 1, Day: 1}
	if s := v["ssss"]; s != 0 {
		tm.Hour, tm.Min, tm.Sec = s/3600, s%3600/60, s%60
	}
	for key, p := range map[string]*int{"ss": &tm.Sec, "mi": &tm.Min, "hh": &tm.Hour} {
		if v[key] != 0 {
			*p = v[key]
		}
	}
	if r.clock12 {
		if tm.Hour < 1 || tm.Hour > 12 {
			return Parsed{}, badFormat(`hour "%d" is invalid for the 12-hour clock`, tm.Hour).
				WithHint("Use the 24-hour clock, or give an hour between 1 and 12.")
		}
		if v["pm"] != 0 && tm.Hour < 12 {
			tm.Hour += 12
		} else if v["pm"] == 0 && tm.Hour == 12 {
			tm.Hour = 0
		}
	}
	haveYear := r.year(&tm)
	if err := r.days(&tm, haveYear); err != nil {
		return Parsed{}, err
	}
	tm.Usec = v["ms"]*1000 + v["us"]
	if tm.Hour < 0 || tm.Hour >= 24 || tm.Min < 0 || tm.Min >= 60 || tm.Sec < 0 || tm.Sec >= 60 || tm.Usec < 0 || tm.Usec >= 1000000 {
		return Parsed{}, outOfRange(r.in)
	}
	p := Parsed{Tm: tm}
	if r.zoneSign != 0 {
		h, m := v["tzh"], v["tzm"]
		if h < 0 || h > 15 || m < 0 || m >= 60 {
			return p, dberr.New(dberr.InvalidTimeZoneValue, `time zone displacement out of range: "%s"`, r.in)
		}
		p.HasZone, p.Offset = true, r.zoneSign*(h*3600+m*60)
	}
	return p, nil
}

// year gives the year from year and century.
func (r *reading) year(tm *dt.Tm) bool {
	y, cc, bc := r.vals["year"], r.vals["cc"], r.vals["bc"] != 0
	if bc {
		cc = -cc
	}
	switch {
	case y != 0 && cc != 0 && r.yearSize <= 2:
		y %= 100
		switch {
		case y != 0 && cc >= 0:
			y += (cc - 1) * 100
		case y != 0:
			y = (cc+1)*100 - y + 1
		case cc >= 0:
			y = cc * 100
		default:
			y = cc*100 + 1
		}
	case y != 0:
		if bc {
			y = -y
		}
		if y < 0 {
			y++
		}
	case cc > 0:
		y = (cc-1)*100 + 1
	case cc < 0:
		y = cc*100 + 1
	default:
		return false
	}
	tm.Year = int64(y)
	return true
}

// days gives month and day from whatever says them.
func (r *reading) days(tm *dt.Tm, haveYear bool) error {
	v := r.vals
	haveMonth, haveDay := false, false
	if j := v["j"]; j != 0 {
		tm.Year, tm.Month, tm.Day = dt.Civil(int64(j) - dt.EpochJulian)
		haveYear, haveMonth, haveDay = true, true, true
	}
	ddd := v["ddd"]
	if w := v["ww"]; w != 0 {
		if r.conv == 'i' {
			day := dt.ISOWeekStart(tm.Year, w)
			if d := v["d"]; d > 1 {
				day += int64(d) - 2
			} else if d == 1 {
				day += 6
			}
			tm.Year, tm.Month, tm.Day = dt.Civil(day)
			haveYear, haveMonth, haveDay = true, true, true
		} else {
			ddd = (w-1)*7 + 1
		}
	}
	dd := v["dd"]
	if w := v["w"]; w != 0 {
		dd = (w-1)*7 + 1
	}
	if dd != 0 {
		tm.Day, haveDay = dd, true
	}
	if v["mm"] != 0 {
		tm.Month, haveMonth = v["mm"], true
	}
	if ddd != 0 && (tm.Month <= 1 || tm.Day <= 1) {
		if tm.Year == 0 && v["bc"] == 0 {
			return badFormat("cannot calculate day of year without year information")
		}
		if r.conv == 'i' {
			tm.Year, tm.Month, tm.Day = dt.Civil(dt.ISOWeekStart(tm.Year, 1) - 1 + int64(ddd))
			haveYear = true
		} else {
			r.yearDay(tm, ddd)
		}
		haveMonth, haveDay = true, true
	}
	return r.check(tm, haveYear, haveMonth, haveDay)
}

// yearDay fills month and day from the day of the year.
func (r *reading) yearDay(tm *dt.Tm, ddd int) {
	m, before := 1, 0
	for m <= 12 && ddd > before+dt.DaysIn(tm.Year, m) {
		before += dt.DaysIn(tm.Year, m)
		m++
	}
	if tm.Month <= 1 {
		tm.Month = m
	}
	if tm.Day <= 1 {
		tm.Day = ddd - before
	}
}

func (r *reading) check(tm *dt.Tm, haveYear, haveMonth, haveDay bool) error {
	if haveMonth && (tm.Month < 1 || tm.Month > 12) || haveDay && (tm.Day < 1 || tm.Day > 31) {
		return outOfRange(r.in)
	}
	if haveYear && haveMonth && haveDay && tm.Day > dt.DaysIn(tm.Year, tm.Month) {
		return outOfRange(r.in)
	}
	return nil
}
