package tochar

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/dt"
)

// Moment is what a date template writes: a timestamp in parts, or an interval.
type Moment struct {
	Year             int64 // astronomical; of an interval its years
	Month, Day       int
	Hour             int64
	Min, Sec, Usec   int
	Weekday, YearDay int
	Days             int64 // day number, of a timestamp
	Interval         bool
	Zone             string
	Offset           int // seconds east
	HasZone          bool
}

// FromTimestamp takes a timestamp apart.
func FromTimestamp(us int64) Moment {
	t := dt.Split(us)
	days := dt.FloorDiv(us, dt.Day)
	return Moment{
		Year: t.Year, Month: t.Month, Day: t.Day, Hour: int64(t.Hour), Min: t.Min, Sec: t.Sec, Usec: t.Usec,
		Weekday: dt.Weekday(days), YearDay: dt.YearDay(days), Days: days,
	}
}

// FromInterval takes an interval apart.
func FromInterval(i dt.Interval) Moment {
	p := dt.PartsOf(i)
	m := Moment{Interval: true, Year: p.Year, Month: int(p.Month), Day: int(p.Day), Hour: p.Hour, Min: p.Min, Sec: p.Sec, Usec: p.Usec}
	m.YearDay = int(m.Year*12+int64(m.Month))*30 + m.Day
	m.Days = julian(m.Year, int64(m.Month), int64(m.Day)) - dt.EpochJulian
	return m
}

// julian gives the Julian day that PostgreSQL finds for the parts of an interval, whatever they are.
func julian(y, m, d int64) int64 {
	if m > 2 {
		m++
		y += 4800
	} else {
		m += 13
		y += 4799
	}
	c := y / 100
	return y*365 - 32167 + y/4 - c + c/4 + 7834*m/256 + d
}

var (
	months = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	days   = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	roman  = []string{"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"}
)

// DateToChar writes a moment by a template.
func DateToChar(m Moment, template string) (string, error) {
	var b strings.Builder
	for _, it := range parse(template, dateFields, true) {
		if it.kind != nField {
			b.WriteString(it.text)
			continue
		}
		s, err := m.field(it)
		if err != nil {
			return "", err
		}
		b.WriteString(s)
		if it.th != 0 && it.field.digit && s != "" && !unsuffixed[it.field.id] {
			b.WriteString(ordinal(s, it.th))
		}
	}
	return b.String(), nil
}

// unsuffixed are digit patterns that take no TH.
var unsuffixed = map[string]bool{"TZM": true}

// calendarOnly are the patterns that intervals don't have.
var calendarOnly = map[string]bool{
	"AD": true, "BC": true, "A.D.": true, "B.C.": true, "TZ": true, "TZH": true, "TZM": true, "OF": true, "MONTH": true, "MON": true, "DAY": true, "DY": true,
	"D": true, "ID": true, "IW": false,
}

func (m *Moment) field(it item) (string, error) {
	f := it.field
	if m.Interval && calendarOnly[f.id] {
		return "", dberr.New(dberr.InvalidDatetimeFormat, "invalid format specification for an interval value").
			WithHint("Intervals are not tied to specific calendar dates.")
	}
	if s, ok := m.word(it); ok {
		return s, nil
	}
	if s, ok := m.clock(it); ok {
		return s, nil
	}
	return m.calendar(it), nil
}

// pad writes a number with zeros up to a width, a negative one with one more; FM writes it bare.
func (it *item) pad(v int64, width int) string {
	if it.fill {
		return strconv.FormatInt(v, 10)
	}
	if v < 0 {
		width++
	}
	return fmt.Sprintf("%0*d", width, v)
}

// plain is pad whose width counts the sign too.
func (it *item) plain(v int64, width int) string {
	if it.fill {
		return strconv.FormatInt(v, 10)
	}
	return fmt.Sprintf("%0*d", width, v)
}

// cased writes a word in the style of its pattern, padded with blanks to a width.
func (it *item) cased(s string, width int) string {
	switch it.field.style() {
	case upper:
		s = strings.ToUpper(s)
	case lower:
		s = strings.ToLower(s)
	}
	if it.fill || it.local {
		width = 0
	}
	return fmt.Sprintf("%-*s", width, s)
}

// word writes the patterns that are words.
func (m *Moment) word(it item) (string, bool) {
	pick := func(first bool, a, b string) (string, bool) {
		s := b
		if first {
			s = a
		}
		if it.field.style() == lower {
			s = strings.ToLower(s)
		}
		return s, true
	}
	pm := m.Hour%24 >= 12
	switch it.field.id {
	case "A.M.", "P.M.":
		return pick(pm, "P.M.", "A.M.")
	case "AM", "PM":
		return pick(pm, "PM", "AM")
	case "A.D.", "B.C.":
		return pick(m.Year <= 0, "B.C.", "A.D.")
	case "AD", "BC":
		return pick(m.Year <= 0, "BC", "AD")
	case "MONTH":
		return it.cased(months[m.Month-1], 9), true
	case "MON":
		return it.cased(months[m.Month-1][:3], 0), true
	case "DAY":
		return it.cased(days[m.Weekday], 9), true
	case "DY":
		return it.cased(days[m.Weekday][:3], 0), true
	case "RM":
		return m.roman(it), true
	case "TZ":
		if it.field.style() == lower {
			return strings.ToLower(m.Zone), true
		}
		return m.Zone, true
	case "FX":
		return "", true
	}
	return "", false
}

// roman writes the month; of an interval without months by the sign of its years.
func (m *Moment) roman(it item) string {
	if m.Month == 0 && m.Year == 0 {
		return ""
	}
	k := m.Month - 1
	switch {
	case m.Month == 0 && m.Year >= 0:
		k = 11
	case m.Month == 0:
		k = 0
	case m.Month < 0:
		k = m.Month + 12
	}
	return it.cased(roman[k], 4)
}

// clock writes the patterns of the time of day.
func (m *Moment) clock(it item) (string, bool) {
	switch it.field.id {
	case "HH", "HH12":
		h := m.Hour % 12
		if h == 0 {
			h = 12
		}
		width := 2
		if m.Hour < 0 {
			width = 3
			if h < 0 {
				width = 2 // pad adds the sign
			}
		}
		return it.pad(h, width), true
	case "HH24":
		return it.pad(m.Hour, 2), true
	case "MI":
		return it.pad(int64(m.Min), 2), true
	case "SS":
		return it.pad(int64(m.Sec), 2), true
	case "MS":
		return fmt.Sprintf("%03d", m.Usec/1000), true
	case "US", "FF6":
		return fmt.Sprintf("%06d", m.Usec), true
	case "FF1", "FF2", "FF3", "FF4", "FF5":
		n := int(it.field.id[2] - '0')
		div := 1
		for range 6 - n {
			div *= 10
		}
		return fmt.Sprintf("%0*d", n, m.Usec/div), true
	case "SSSS":
		return strconv.FormatInt(m.Hour*3600+int64(m.Min)*60+int64(m.Sec), 10), true
	case "TZH":
		return fmt.Sprintf("%c%02d", sign(m.Offset), abs(m.Offset)/3600), true
	case "TZM":
		return fmt.Sprintf("%02d", abs(m.Offset)%3600/60), true
	case "OF":
		s := fmt.Sprintf("%c%s", sign(m.Offset), it.pad(int64(abs(m.Offset)/3600), 2))
		if r := abs(m.Offset) % 3600; r != 0 {
			s += fmt.Sprintf(":%02d", r/60)
		}
		return s, true
	}
	return "", false
}

func sign(v int) byte {
	if v < 0 {
		return '-'
	}
	return '+'
}

func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}

// isoYear is the ISO year of an interval as if it was a date. PostgreSQL looks no further than the years beside that of the interval.
func (m *Moment) isoYear() int64 {
	week1 := func(year int64) int64 { // the Monday of the year's first week
		jan4 := julian(year, 1, 4)
		return jan4 - (jan4%7+7)%7
	}
	day, year := julian(m.Year, int64(m.Month), int64(m.Day)), m.Year
	if day < week1(year) {
		year--
	}
	if (day-week1(year))/7+1 >= 52 && day >= week1(year+1) {
		year++
	}
	return year
}

// year is the year as it is shown: of dates without a zero.
func (m *Moment) year(y int64) int64 {
	if m.Interval || y > 0 {
		return y
	}
	return 1 - y
}

// calendar writes the patterns of the date.
func (m *Moment) calendar(it item) string {
	iso, isoWeek := dt.ISOWeek(m.Days)
	if m.Interval {
		iso = m.isoYear()
	}
	isoDay := int(m.Days-dt.ISOWeekStart(iso, 1)) + 1
	y := m.year(m.Year)
	extra := 0 // for the sign: that of the calendar year also for ISO years
	if y < 0 {
		extra = 1
	}
	if it.field.id[0] == 'I' {
		y = m.year(iso)
	}
	switch it.field.id {
	case "MM":
		return it.pad(int64(m.Month), 2)
	case "DDD":
		return it.plain(int64(m.YearDay), 3)
	case "IDDD":
		return it.plain(int64(isoDay), 3)
	case "DD":
		return it.plain(int64(m.Day), 2)
	case "D":
		return strconv.Itoa(m.Weekday + 1)
	case "ID":
		return strconv.Itoa((m.Weekday+6)%7 + 1)
	case "WW":
		return it.plain(int64((m.YearDay-1)/7+1), 2)
	case "IW":
		return it.plain(int64(isoWeek), 2)
	case "W":
		return strconv.Itoa((m.Day-1)/7 + 1)
	case "Q":
		if m.Month == 0 {
			return ""
		}
		return strconv.Itoa((m.Month-1)/3 + 1)
	case "CC":
		c := m.century()
		if c <= 99 && c >= -99 {
			return it.pad(c, 2)
		}
		return strconv.FormatInt(c, 10)
	case "Y,YYY":
		return fmt.Sprintf("%d,%03d", y/1000, y%1000)
	case "YYYY", "IYYY":
		return it.plain(y, 4+extra)
	case "YYY", "IYY":
		return it.plain(y%1000, 3+extra)
	case "YY", "IY":
		return it.plain(y%100, 2+extra)
	case "Y", "I":
		return it.plain(y%10, 1+extra)
	case "J":
		return strconv.FormatInt(m.Days+dt.EpochJulian, 10)
	}
	return ""
}

func (m *Moment) century() int64 {
	switch {
	case m.Interval:
		return m.Year / 100
	case m.Year > 0:
		return (m.Year-1)/100 + 1
	}
	return m.Year/100 - 1
}
