package dt

import (
	"math"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/value"
)

// Interval is SQL's interval.
type Interval = value.Interval

// Style chooses how intervals are written.
type IntervalStyle uint8

// The styles of the setting IntervalStyle.
const (
	StylePostgres IntervalStyle = iota
	StyleVerbose
	StyleSQL
	StyleISO8601
)

// The field bits of an interval's modifier.
const (
	MaskMonth  = 1 << 1
	MaskYear   = 1 << 2
	MaskDay    = 1 << 3
	MaskHour   = 1 << 10
	MaskMinute = 1 << 11
	MaskSecond = 1 << 12
	FullRange  = 0x7fff
)

// ModRange gives the field bits and the precision (-1: none) of an interval's modifier.
func ModRange(mod int32) (fields int, precision int) {
	if mod < 0 {
		return FullRange, -1
	}
	fields, precision = int(mod>>16&0x7fff), int(mod&0xffff)
	if precision == 0xffff {
		precision = -1
	}
	return fields, precision
}

// span gathers an interval with overflow checks.
type span struct {
	us        int64
	day, mon  int64
	year      int64
	overflown bool
}

func fits32(v int64) bool { return v == int64(int32(v)) }

func (s *span) addTo(p *int64, v, scale int64) {
	m := v * scale
	if v != 0 && (m/v != scale || m%v != 0) {
		s.overflown = true
	}
	*p += m
	if !fits32(*p) || !fits32(m) {
		s.overflown = true
	}
}

func (s *span) micros(v int64, frac float64, scale int64) {
	m := v * scale
	if v != 0 && m/v != scale {
		s.overflown = true
	}
	s.addMicros(m)
	s.fracMicros(frac, scale)
}

func (s *span) addMicros(m int64) {
	sum := s.us + m
	if (s.us^sum)&(m^sum) < 0 {
		s.overflown = true
	}
	s.us = sum
}

// fracMicros adds a fraction of a unit of scale microseconds, rounded.
func (s *span) fracMicros(frac float64, scale int64) {
	if frac == 0 {
		return
	}
	frac *= float64(scale)
	whole := int64(frac)
	s.addMicros(whole)
	s.addMicros(int64(math.RoundToEven(frac - float64(whole))))
}

// fracDays adds a fraction of a unit of scale days: whole days, then microseconds.
func (s *span) fracDays(frac float64, scale int64) {
	if frac == 0 {
		return
	}
	frac *= float64(scale)
	whole := int64(frac)
	s.addTo(&s.day, whole, 1)
	s.fracMicros(frac-float64(whole), Day)
}

// fracYears adds a fraction of a unit of scale years, rounded to months.
func (s *span) fracYears(frac float64, scale int64) {
	s.addTo(&s.mon, int64(math.RoundToEven(frac*float64(scale)*12)), 1)
}

// amount adds a number of some unit and gives the bits that it takes.
func (s *span) amount(unit int, v int64, frac float64) (uint32, fault) {
	bit := uint32(1) << unit
	switch unit {
	case uMicrosecond:
		s.micros(v, frac, 1)
	case uMillisecond:
		s.micros(v, frac, 1000)
	case uSecond:
		s.micros(v, frac, Second)
		if frac != 0 {
			bit = allSeconds
		}
	case uMinute:
		s.micros(v, frac, Minute)
	case uHour:
		s.micros(v, frac, Hour)
	case uDay:
		s.addTo(&s.day, v, 1)
		s.fracMicros(frac, Day)
	case uWeek:
		s.addTo(&s.day, v, 7)
		s.fracDays(frac, 7)
	case uMonth:
		s.addTo(&s.mon, v, 1)
		s.fracDays(frac, 30)
	case uYear, uDecade, uCentury, uMillennium:
		n := [...]int64{uYear: 1, uDecade: 10, uCentury: 100, uMillennium: 1000}[unit]
		s.addTo(&s.year, v, n)
		s.fracYears(frac, n)
	default:
		return 0, badFormat
	}
	if s.overflown {
		return 0, badInterval
	}
	return bit, ok
}

const (
	allSeconds = 1<<uMicrosecond | 1<<uMillisecond | 1<<uSecond
	allTime    = allSeconds | 1<<uMinute | 1<<uHour
)

func (s *span) interval() (Interval, bool) {
	months := s.year*12 + s.mon
	if !fits32(months) || !fits32(s.day) || s.overflown {
		return Interval{}, false
	}
	return Interval{Months: int32(months), Days: int32(s.day), Micros: s.us}, true
}

func (s *span) negate() {
	if s.us == math.MinInt64 || s.day == math.MinInt32 || s.mon == math.MinInt32 || s.year == math.MinInt32 {
		s.overflown = true
		return
	}
	s.us, s.day, s.mon, s.year = -s.us, -s.day, -s.mon, -s.year
}

// ParseInterval reads an interval. mod is the type modifier (-1: none), which says what a bare number means; its rounding is FitInterval's.
func ParseInterval(text string, mod int32, style IntervalStyle) (Interval, error) {
	fieldsOf, _ := ModRange(mod)
	if len(text) > 1024 {
		return Interval{}, badFormat.err("interval", text)
	}
	var s span
	fields, bad := split(text)
	if bad == ok {
		bad = s.decode(fields, fieldsOf, style)
	}
	if bad == badFormat {
		s = span{}
		bad = s.iso(strings.TrimSpace(text))
	}
	if bad == badField {
		bad = badInterval
	}
	if bad != ok {
		return Interval{}, bad.err("interval", text)
	}
	i, good := s.interval()
	if !good {
		return Interval{}, outOfRange()
	}
	return i, nil
}

// decode reads the fields from the last to the first, so that a unit is known before its number.
func (s *span) decode(fields []field, fieldsOf int, style IntervalStyle) fault {
	unit := -1
	var seen uint32
	ago := false
	force := style == StyleSQL && leadingSign(fields)
	for i := len(fields) - 1; i >= 0; i-- {
		f := fields[i]
		var got uint32
		var bad fault
		switch f.kind {
		case fTime:
			got, bad = s.clock(f.text, fieldsOf, force)
			unit = uDay
		case fZone, fDate, fNumber:
			if f.kind == fZone && strings.IndexByte(f.text, ':') > 0 {
				got, bad = s.clock(f.text[1:], fieldsOf, force || f.text[0] == '-')
				unit = uDay
				break
			}
			if unit < 0 {
				unit = defaultUnit(fieldsOf)
			}
			got, bad = s.number(f.text, &unit, force)
			if unit == uHour {
				unit = uDay
			}
		default:
			u, known := units[token(f.text)]
			switch {
			case f.text == "ago":
				ago, unit = true, -1
				if i != len(fields)-1 {
					return badFormat
				}
			case known:
				unit = u
			default:
				return badFormat
			}
		}
		if bad != ok {
			return bad
		}
		if got&seen != 0 {
			return badFormat
		}
		seen |= got
	}
	if seen == 0 {
		return badFormat
	}
	if ago {
		s.negate()
	}
	if s.overflown {
		return badInterval
	}
	return ok
}

// leadingSign tells whether only the first field has a sign, a minus: SQL's style then means it for all fields.
func leadingSign(fields []field) bool {
	for i, f := range fields {
		signed := f.text[0] == '-' || f.text[0] == '+'
		if i == 0 && f.text[0] != '-' || i > 0 && signed {
			return false
		}
	}
	return len(fields) > 0
}

// clock reads h:m[:s] as an amount of time.
func (s *span) clock(text string, fieldsOf int, neg bool) (uint32, fault) {
	h, m, sec, us, bad := clock(text)
	if bad != ok {
		return 0, bad
	}
	if fieldsOf == MaskMinute|MaskSecond && strings.Count(text, ":") == 1 && !strings.Contains(text, ".") {
		if h > math.MaxInt32 {
			return 0, badInterval
		}
		h, m, sec = 0, int(h), m
		if m > 59 {
			h, m = int64(m/60), m%60
		}
	}
	var t span
	t.micros(h, 0, Hour)
	t.micros(int64(m), 0, Minute)
	t.micros(int64(sec), 0, Second)
	t.addMicros(int64(us))
	if t.overflown {
		return 0, badInterval
	}
	if neg {
		t.us = -t.us
	}
	s.addMicros(t.us)
	return allTime, ok
}

// defaultUnit is the unit of a last number without one.
func defaultUnit(fieldsOf int) int {
	switch {
	case fieldsOf == FullRange, fieldsOf&MaskSecond != 0:
		return uSecond
	case fieldsOf&MaskMinute != 0:
		return uMinute
	case fieldsOf&MaskHour != 0:
		return uHour
	case fieldsOf&MaskDay != 0:
		return uDay
	case fieldsOf&MaskMonth != 0:
		return uMonth
	}
	return uYear
}

// number reads an amount: an integer, a decimal, or years-months, before which another number would be one of months, too.
func (s *span) number(text string, unit *int, force bool) (uint32, fault) {
	i := 0
	if text[0] == '-' || text[0] == '+' {
		i = 1
	}
	neg := text[0] == '-'
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	v, err := strconv.ParseInt(text[:i], 10, 64)
	if err != nil && strings.Trim(text[:i], "+-") != "" {
		return 0, badField
	}
	frac := 0.0
	switch rest := text[i:]; {
	case rest == "":
	case rest[0] == '-':
		m, tail, isInt := leadingInt(rest[1:])
		if !isInt && rest != "-" || m >= 12 {
			return 0, badField
		}
		if tail != "" {
			return 0, badFormat
		}
		if neg {
			m = -m
		}
		*unit = uMonth
		if v > math.MaxInt32 || v < math.MinInt32 {
			return 0, badField
		}
		v = v*12 + m
	case rest[0] == '.':
		if rest != "." {
			if frac, err = strconv.ParseFloat("0"+rest, 64); err != nil {
				return 0, badFormat
			}
		}
		if neg {
			frac = -frac
		}
	default:
		return 0, badFormat
	}
	if force {
		v, frac = -max(v, -v), -math.Abs(frac)
	}
	return s.amount(*unit, v, frac)
}

// FitInterval cuts an interval to the fields of a modifier and rounds its seconds.
func FitInterval(i Interval, mod int32) Interval {
	fields, precision := ModRange(mod)
	switch {
	case fields == FullRange || fields&MaskSecond != 0:
	case fields&MaskMinute != 0:
		i.Micros -= i.Micros % Minute
	case fields&MaskHour != 0:
		i.Micros -= i.Micros % Hour
	default:
		i.Micros = 0
	}
	switch fields {
	case MaskYear:
		i.Months -= i.Months % 12
		i.Days = 0
	case MaskMonth, MaskYear | MaskMonth:
		i.Days = 0
	}
	if precision >= 0 && precision < 6 {
		i.Micros = RoundTo(i.Micros, precision)
	}
	return i
}

var pow10 = [...]int64{1, 10, 100, 1000, 10000, 100000, 1000000}

// RoundTo rounds microseconds half away from zero to a number of second digits (0–6).
func RoundTo(us int64, precision int) int64 {
	if precision < 0 || precision >= 6 {
		return us
	}
	scale := pow10[6-precision]
	if us >= 0 {
		return (us + scale/2) / scale * scale
	}
	return -((-us + scale/2) / scale * scale)
}
