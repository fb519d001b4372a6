package doc

import (
	"strconv"
)

// Dates in JSON are ISO 8601 texts in UTC, with a fraction of 3 or 6 digits when there is one. Years beyond four
// digits and before year 1 (astronomical: 0, -1 …) are written with as many digits as they need and a sign.

const (
	microsPerDay  = 86_400_000_000
	relaxedMaxMs  = 253_402_300_799_999 // 9999-12-31T23:59:59.999Z
	infinityText  = "infinity"
	minusInfinity = "-infinity"
)

// civil turns days since 1970-01-01 into a date of the proleptic Gregorian calendar.
func civil(days int64) (year int64, month, day int) {
	days += 719468 // since 0000-03-01
	era := floorDiv(days, 146097)
	doe := days - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	month = int(mp + 3)
	year = yoe + era*400
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

// daysOf is the inverse of civil.
func daysOf(year int64, month, day int) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := floorDiv(year, 400)
	yoe := year - era*400
	doy := int64((153*(month-3)+2)/5 + day - 1)
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// appendISO appends seconds since 1970 and a fraction as ISO text. bc prints years before 1 in PostgreSQL's way.
func appendISO(dst []byte, days, microOfDay int64, bc bool) []byte {
	year, month, day := civil(days)
	era := ""
	switch {
	case year <= 0 && bc:
		year, era = 1-year, " BC"
	case year < 0:
		dst, year = append(dst, '-'), -year
	}
	if year < 1000 {
		dst = append(dst, "000"[:3-len(strconv.FormatInt(year, 10))+1]...)
	}
	dst = strconv.AppendInt(dst, year, 10)
	dst = append2(append(dst, '-'), month)
	dst = append2(append(dst, '-'), day)
	sec := microOfDay / 1_000_000
	dst = append2(append(dst, 'T'), int(sec/3600))
	dst = append2(append(dst, ':'), int(sec/60%60))
	dst = append2(append(dst, ':'), int(sec%60))
	if frac := int(microOfDay % 1_000_000); frac != 0 {
		dst = append2(append(dst, '.', byte('0'+frac/100_000)), frac/1000%100)
		if frac %= 1000; frac != 0 {
			dst = append2(append(dst, byte('0'+frac/100)), frac%100)
		}
	}
	return append(append(dst, 'Z'), era...)
}

func append2(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }

// appendDateText appends the plain text of a date or private timestamp, in a form that PostgreSQL's timestamptz reads.
func (v Value) appendDateText(dst []byte, bc bool) []byte {
	if v.Type == TypeDate {
		ms := int64(leUint64(v.Data))
		days := floorDiv(ms, 86_400_000)
		return appendISO(dst, days, (ms-days*86_400_000)*1000, bc)
	}
	switch us, _ := v.Micros(); us {
	case maxMicros:
		return append(dst, infinityText...)
	case minMicros:
		return append(dst, minusInfinity...)
	default:
		days := floorDiv(us, microsPerDay)
		return appendISO(dst, days, us-days*microsPerDay, bc)
	}
}

// parseISO reads an ISO 8601 time with a zone (Z, ±hh, ±hhmm, ±hh:mm) into microseconds. whole is false when the time
// does not fit int64 microseconds; ms then holds its milliseconds.
func parseISO(s string) (us int64, ok bool) {
	switch s {
	case infinityText:
		return maxMicros, true
	case minusInfinity:
		return minMicros, true
	}
	p := isoParser{s: s, ok: true}
	year := p.year()
	p.byte('-')
	month := p.two(1, 12)
	p.byte('-')
	day := p.two(1, 31)
	p.byte('T')
	hour := p.two(0, 23)
	p.byte(':')
	minute := p.two(0, 59)
	second := 0
	if p.peek() == ':' {
		p.byte(':')
		second = p.two(0, 59)
	}
	frac := p.fraction()
	zone := p.zone()
	if !p.ok || p.s != "" || day > daysIn(year, month) {
		return 0, false
	}
	days := daysOf(year, month, day)
	if days < -106_751_990 || days > 106_751_990 { // int64 microseconds
		return 0, false
	}
	return days*microsPerDay + int64(hour*3600+minute*60+second-zone)*1_000_000 + frac, true
}

func daysIn(year int64, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// isoParser takes a text apart from the left; after the first mistake ok stays false.
type isoParser struct {
	s  string
	ok bool
}

func (p *isoParser) peek() byte {
	if p.s == "" {
		return 0
	}
	return p.s[0]
}

func (p *isoParser) byte(c byte) {
	if p.peek() != c {
		p.ok = false
		return
	}
	p.s = p.s[1:]
}

// digits reads between least and most digits.
func (p *isoParser) digits(least, most int) (n int64, count int) {
	for count < most && count < len(p.s) && p.s[count]-'0' <= 9 {
		n = n*10 + int64(p.s[count]-'0')
		count++
	}
	if count < least {
		p.ok = false
	}
	p.s = p.s[count:]
	return n, count
}

func (p *isoParser) two(low, high int) int {
	n, _ := p.digits(2, 2)
	if int(n) < low || int(n) > high {
		p.ok = false
	}
	return int(n)
}

func (p *isoParser) year() int64 {
	neg := p.peek() == '-'
	if neg || p.peek() == '+' {
		p.s = p.s[1:]
	}
	n, _ := p.digits(4, 6)
	if neg {
		n = -n
	}
	return n
}

// fraction reads up to six digits that count and then only zeros.
func (p *isoParser) fraction() int64 {
	if p.peek() != '.' {
		return 0
	}
	p.s = p.s[1:]
	n, count := p.digits(1, 6)
	for ; count < 6; count++ {
		n *= 10
	}
	for p.peek() == '0' {
		p.s = p.s[1:]
	}
	return n
}

// zone reads the offset from UTC in seconds.
func (p *isoParser) zone() int {
	sign := 1
	switch p.peek() {
	case 'Z':
		p.s = p.s[1:]
		return 0
	case '-':
		sign = -1
	case '+':
	default:
		p.ok = false
		return 0
	}
	p.s = p.s[1:]
	hour, minute := p.two(0, 23), 0
	if p.peek() == ':' {
		p.s = p.s[1:]
		minute = p.two(0, 59)
	} else if p.s != "" {
		minute = p.two(0, 59)
	}
	return sign * (hour*3600 + minute*60)
}
