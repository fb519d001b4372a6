package dt

import (
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Input is what reading a date or time depends on.
type Input struct {
	Order Order
	Loc   *time.Location
	Now   time.Time // of the transaction
}

// full reads a text with a full date; typ names the type in errors.
func (in Input) full(typ, text string) (*decoder, error) {
	d := newDecoder(in.Order, in.Loc, in.Now)
	if len(text) > maxText*2 {
		return nil, badFormat.err(typ, text)
	}
	fields, bad := split(text)
	if bad == ok {
		bad = d.decode(fields)
	}
	if bad == ok && d.prefix >= 0 {
		bad = badFormat
	}
	if bad == ok {
		bad = d.validate()
	}
	if bad == ok && d.seen&hasDate != hasDate {
		bad = badFormat
	}
	if d.zoneErr != nil {
		return nil, d.zoneErr
	}
	if bad != ok {
		return nil, bad.err(typ, text)
	}
	return d, nil
}

// Date reads a date.
func (in Input) Date(text string) (int64, error) {
	d, err := in.full("date", text)
	if err != nil {
		return 0, err
	}
	switch d.special {
	case vEpoch:
		return -UnixDays, nil
	case vLate:
		return DateInf, nil
	case vEarly:
		return DateNegInf, nil
	}
	if d.tm.Year > 5874898 || d.tm.Year < -4713 {
		return 0, dberr.New(dberr.DatetimeFieldOverflow, `date out of range: "%s"`, text)
	}
	days := DaysOf(d.tm.Year, d.tm.Month, d.tm.Day)
	if !ValidDate(days) {
		return 0, dberr.New(dberr.DatetimeFieldOverflow, `date out of range: "%s"`, text)
	}
	return days, nil
}

// Timestamp reads a timestamp without time zone; a zone in the text is ignored.
func (in Input) Timestamp(text string) (int64, error) {
	if us, _, plain := isoTimestamp(text); plain {
		return us, nil
	}
	return in.timestamp("timestamp", text, func(*decoder) (int, fault) { return 0, ok })
}

// TimestampTZ reads a timestamp with time zone.
func (in Input) TimestampTZ(text string) (int64, error) {
	if us, zoned, plain := isoTimestamp(text); plain && zoned {
		return us, nil
	}
	return in.timestamp("timestamp with time zone", text, (*decoder).zoneOffset)
}

func (in Input) timestamp(typ, text string, offset func(*decoder) (int, fault)) (int64, error) {
	d, err := in.full(typ, text)
	if err != nil {
		return 0, err
	}
	switch d.special {
	case vEpoch:
		return -unixMicros, nil
	case vLate:
		return TimestampInf, nil
	case vEarly:
		return TimestampNegInf, nil
	}
	off, bad := offset(d)
	if bad != ok {
		return 0, bad.err(typ, text)
	}
	us, valid := d.tm.join(off)
	if !valid {
		return 0, dberr.New(dberr.DatetimeFieldOverflow, `timestamp out of range: "%s"`, text)
	}
	return us, nil
}

// join puts a timestamp together that was told at an offset (seconds east).
func (t Tm) join(offset int) (int64, bool) {
	if t.Year < -4800 || t.Year > 294277 {
		return 0, false
	}
	// near the upper limit the sum overflows: leave room
	days := DaysOf(t.Year, t.Month, t.Day)
	rest := t.TimeOf() - int64(offset)*Second
	if days > EndTimestamp/Day+2 || days < MinTimestamp/Day-2 {
		return 0, false
	}
	if days > 0 && rest > 0 && days*Day > 1<<63-1-rest {
		return 0, false
	}
	us := days*Day + rest
	return us, ValidTimestamp(us)
}

// clockOnly reads a text that needs no date.
func (in Input) clockOnly(typ, text string) (*decoder, error) {
	d := newDecoder(in.Order, in.Loc, in.Now)
	d.timeOnly = true
	if len(text) > maxText*2 {
		return nil, badFormat.err(typ, text)
	}
	fields, bad := split(text)
	if bad == ok && len(fields) > 0 && dateFirst(fields) {
		d.timeOnly = false
	}
	if bad == ok {
		bad = d.decode(fields)
	}
	if bad == ok && d.prefix >= 0 {
		bad = badFormat
	}
	if bad == ok {
		bad = d.validate()
	}
	if bad == ok && (d.special >= 0 || d.seen&hasTime != hasTime) {
		bad = badFormat
	}
	if d.zoneErr != nil {
		return nil, d.zoneErr
	}
	if bad != ok {
		return nil, bad.err(typ, text)
	}
	return d, nil
}

// dateFirst tells whether a time text starts with a date (and not with digits run together and their zone: 040506-08).
func dateFirst(fields []field) bool {
	return fields[0].kind == fDate && len(fields) > 1
}

// Time reads a time without time zone: microseconds since midnight.
func (in Input) Time(text string) (int64, error) {
	d, err := in.clockOnly("time", text)
	if err != nil {
		return 0, err
	}
	if d.seen&hasDate != hasDate && d.named != nil && !fixedZone(d.named) {
		return 0, badFormat.err("time", text) // the zone means nothing without a date
	}
	us := d.tm.TimeOf()
	if us > Day {
		return 0, badField.err("time", text)
	}
	return us, nil
}

// TimeTZ reads a time with time zone: microseconds since midnight and the offset in seconds east.
func (in Input) TimeTZ(text string) (us int64, offset int, err error) {
	const typ = "time with time zone"
	d, err := in.clockOnly(typ, text)
	if err != nil {
		return 0, 0, err
	}
	if d.seen&hasDate != hasDate { // the zone's offset is today's
		if d.named != nil && !fixedZone(d.named) {
			return 0, 0, badFormat.err(typ, text)
		}
		d.tm.Year, d.tm.Month, d.tm.Day = Civil(FloorDiv(ToLocal(in.Loc, FromTime(in.Now)), Day))
	}
	off, bad := d.zoneOffset()
	if bad == ok && d.tm.TimeOf() > Day {
		bad = badField
	}
	if bad != ok {
		return 0, 0, bad.err(typ, text)
	}
	return d.tm.TimeOf(), off, nil
}

// fixedZone tells whether a zone always has the same offset.
func fixedZone(loc *time.Location) bool {
	t := time.Unix(0, 0).In(loc)
	start, end := t.ZoneBounds()
	return start.IsZero() && end.IsZero()
}
