package dt

import (
	"time"
)

// word reads a word of a date.
func (d *decoder) word(s string, i int, all []field) (mask, fault) {
	if a, found := LookupAbbrev(s); found {
		if a.Zone != "" {
			d.abbrev = s
		} else {
			d.offset = a.Offset
		}
		return hasZone, ok
	}
	w, known := words[token(s)]
	if !known {
		loc := Named(s)
		if loc == nil {
			return 0, badFormat
		}
		d.named = loc
		return hasZone, ok
	}
	switch w.kind {
	case wIgnore:
		return 0, ok
	case wReserved:
		return d.reserved(w.val)
	case wMonth:
		got := hasMonth
		// a number that was taken for the month was the day
		if d.seen&hasMonth != 0 && !d.textMonth && d.seen&hasDay == 0 && d.tm.Month >= 1 && d.tm.Month <= 31 {
			d.tm.Day = d.tm.Month
			got = hasDay
		}
		d.tm.Month, d.textMonth = w.val, true
		return got, ok
	case wWeekday:
		return hasDOW, ok
	case wAMPM:
		d.ampm = 1 + w.val
		return hasAMPM, ok
	case wADBC:
		d.bc = w.val == 1
		return hasADBC, ok
	case wZoneMod:
		d.dst = w.val
		return hasDST, ok
	case wUnit:
		d.prefix = w.val
		return 0, ok
	case wISOTime:
		if !d.timeOnly && d.seen&hasDate != hasDate {
			return 0, badFormat
		}
		if i+1 >= len(all) || all[i+1].kind != fNumber && all[i+1].kind != fTime && all[i+1].kind != fDate {
			return 0, badFormat
		}
		d.isoTime, d.prefix = true, uOther
		return 0, ok
	}
	return 0, badFormat
}

// reserved handles now, today and their like.
func (d *decoder) reserved(v int) (mask, fault) {
	if v == vZulu {
		d.tm.Hour, d.tm.Min, d.tm.Sec, d.tm.Usec = 0, 0, 0, 0
		d.offset = 0
		return hasTime | hasZone, ok
	}
	if v == vEpoch || v == vLate || v == vEarly {
		d.special = v
		return hasDate | hasTime | hasZone, ok
	}
	local := ToLocal(d.loc, FromTime(d.now))
	t := Split(local)
	if v == vNow {
		d.tm = t
		d.offset, _, _ = OffsetAt(d.loc, FromTime(d.now))
		if d.timeOnly {
			return hasTime | hasZone, ok
		}
		return hasDate | hasTime | hasZone, ok
	}
	day := FloorDiv(local, Day)
	switch v {
	case vTomorrow:
		day++
	case vYesterday:
		day--
	}
	d.tm.Year, d.tm.Month, d.tm.Day = Civil(day)
	d.julian = true // the year is final
	return hasDate, ok
}

// FromTime gives the timestamp (UTC) of a Go time.
func FromTime(t time.Time) int64 { return t.UnixMicro() - unixMicros }

// ToTime gives the Go time of a finite UTC timestamp.
func ToTime(us int64) time.Time { return time.UnixMicro(us + unixMicros).UTC() }

// validate makes the year final and checks month and day.
func (d *decoder) validate() fault {
	if d.seen&hasYear != 0 && !d.julian && d.special < 0 {
		switch {
		case d.bc:
			if d.tm.Year <= 0 {
				return badField
			}
			d.tm.Year = 1 - d.tm.Year
		case d.twoDigits && d.tm.Year < 70:
			d.tm.Year += 2000
		case d.twoDigits && d.tm.Year < 100:
			d.tm.Year += 1900
		case d.tm.Year <= 0:
			return badField
		}
	}
	if d.seen&hasDOY != 0 {
		d.tm.Year, d.tm.Month, d.tm.Day = Civil(DaysOf(d.tm.Year, 1, 1) + int64(d.yday) - 1)
	}
	if d.special >= 0 {
		return ok
	}
	if d.seen&hasMonth != 0 && (d.tm.Month < 1 || d.tm.Month > 12) {
		return badMonthDay
	}
	if d.seen&hasDay != 0 && (d.tm.Day < 1 || d.tm.Day > 31) {
		return badMonthDay
	}
	if d.seen&hasDate == hasDate && d.tm.Day > DaysIn(d.tm.Year, d.tm.Month) {
		return badField
	}
	return d.noon()
}

// noon applies AM and PM.
func (d *decoder) noon() fault {
	switch {
	case d.ampm != 0 && d.tm.Hour > 12:
		return badField
	case d.ampm == 1 && d.tm.Hour == 12:
		d.tm.Hour = 0
	case d.ampm == 2 && d.tm.Hour != 12:
		d.tm.Hour += 12
	}
	if t := d.tm; t.Hour > 24 || t.Min > 59 || t.Sec > 60 || t.Hour == 24 && (t.Min > 0 || t.Sec > 0 || t.Usec > 0) {
		return badField
	}
	return ok
}

// zoneOffset gives the offset that applies at the decoded wall-clock time.
func (d *decoder) zoneOffset() (int, fault) {
	local := DaysOf(d.tm.Year, d.tm.Month, d.tm.Day)*Day + d.tm.TimeOf()
	switch {
	case d.named != nil:
		if d.seen&hasDST != 0 {
			return 0, badFormat
		}
		return LocalOffset(d.named, local), ok
	case d.abbrev != "":
		if d.seen&hasDST != 0 {
			return 0, badFormat
		}
		a, _ := LookupAbbrev(d.abbrev)
		return a.AbbrevOffset(d.abbrev, local), ok
	case d.seen&hasZone != 0:
		return d.offset + d.dst, ok
	}
	if d.seen&hasDST != 0 {
		return 0, badFormat
	}
	return LocalOffset(d.loc, local), ok
}

// ParseOffset reads a numeric zone as seconds east.
func ParseOffset(s string) (int, bool) {
	off, bad := parseOffset(s)
	return off, bad == ok
}
