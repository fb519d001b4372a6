package jsonpath

import (
	"strings"

	"github.com/omgdb/omgdb/functions/scalar/tochar"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/typeio/jsonpath"
	"github.com/omgdb/omgdb/storage/value"
)

// moment is what datetime() reads. at is in µs: of a date and a timestamp its wall clock, of a timestamptz UTC, of the times since midnight.
type moment struct {
	typ    *value.Type
	at     int64
	offset int // seconds east, of the types with a zone
}

// formats are the templates that datetime() without one tries.
var formats = func() []string {
	out := []string{"yyyy-mm-dd"}
	for _, date := range []string{"", "yyyy-mm-dd ", `yyyy-mm-dd"T"`} {
		for _, frac := range []string{".US", ""} {
			for _, zone := range []string{"TZH:TZM", "TZH", ""} {
				out = append(out, date+"HH24:MI:SS"+frac+zone)
			}
		}
	}
	return out
}()

func (r *run) datetime(n *jsonpath.Node, it item) (item, error) {
	s, ok := stringOf(it)
	if !ok {
		return item{}, r.fail(dberr.InvalidSQLJSONDatetime, "jsonpath item method .%s() can only be applied to a string", "datetime")
	}
	text := string(s)
	if n.HasText {
		m, err := readMoment(text, n.Text)
		if err != nil {
			return item{}, r.soft(err)
		}
		return m.item(), nil
	}
	for _, f := range formats {
		if m, err := readMoment(text, f); err == nil {
			return m.item(), nil
		}
	}
	if !r.throw {
		return item{}, errSoft
	}
	return item{}, dberr.New(dberr.InvalidSQLJSONDatetime, `datetime format is not recognized: "%s"`, text).
		WithHint("Use a datetime template argument to specify the input data format.")
}

func readMoment(text, template string) (*moment, error) {
	p, parts, err := tochar.DateFromCharStrict(text, template)
	switch {
	case err != nil:
		return nil, err
	case !parts.Date && !parts.Time:
		return nil, dberr.New(dberr.InvalidDatetimeFormat, "datetime format is not dated and not timed")
	case !parts.Time && parts.Zone:
		return nil, dberr.New(dberr.InvalidDatetimeFormat, "datetime format is zoned but not timed")
	case !parts.Date && parts.Zone:
		return &moment{value.TimeTZT, p.Tm.TimeOf(), p.Offset}, nil
	case !parts.Date:
		return &moment{value.Time, p.Tm.TimeOf(), 0}, nil
	case !parts.Time:
		day := dt.DaysOf(p.Tm.Year, p.Tm.Month, p.Tm.Day)
		if !dt.ValidDate(day) || day >= dt.EndTimestamp/dt.Day {
			return nil, dberr.New(dberr.DatetimeFieldOverflow, `date out of range: "%s"`, text)
		}
		return &moment{value.Date, day * dt.Day, 0}, nil
	}
	us, ok := p.Tm.Join()
	us -= int64(p.Offset) * dt.Second
	m := &moment{value.Timestamp, us, p.Offset}
	if parts.Zone {
		m.typ = value.TimestampTZ
	}
	if !ok || !dt.ValidTimestamp(us) {
		return nil, dberr.New(dberr.DatetimeFieldOverflow, "%s out of range", m.typ.Name)
	}
	return m, nil
}

// item gives the moment with its text in ISO 8601, with the zone that it was read with.
func (m *moment) item() item {
	var b []byte
	switch m.typ.OID {
	case value.Date.OID:
		b = dt.AppendDate(nil, m.at/dt.Day, dt.ISO, dt.YMD)
	case value.Time.OID, value.TimeTZT.OID:
		b = dt.AppendTime(nil, m.at)
	default:
		b = dt.AppendTimestamp(nil, m.at+int64(m.offset)*dt.Second, dt.ISO, dt.YMD)
	}
	s := string(b)
	if m.typ.OID == value.Timestamp.OID || m.typ.OID == value.TimestampTZ.OID {
		s = strings.Replace(s, " ", "T", 1)
	}
	if m.typ.OID == value.TimeTZT.OID || m.typ.OID == value.TimestampTZ.OID {
		s, bc := strings.CutSuffix(s, " BC")
		s += offsetText(m.offset)
		if bc {
			s += " BC"
		}
		return item{Value: doc.String(s), moment: m}
	}
	return item{Value: doc.String(s), moment: m}
}

// offsetText is +HH:MM.
func offsetText(offset int) string {
	s := string(dt.AppendOffset(nil, offset))
	if len(s) == 3 {
		s += ":00"
	}
	return s
}

// compareMoments orders two moments; ok is false when their types have nothing in common. A type without zone meets one with only where
// the session's time zone may be used.
func (r *run) compareMoments(a, b *moment) (c int, ok bool, err error) {
	clock := func(m *moment) bool { return m.typ.OID == value.Time.OID || m.typ.OID == value.TimeTZT.OID }
	if clock(a) != clock(b) {
		return 0, false, nil
	}
	x, err := r.comparable(a, b)
	if err != nil {
		return 0, false, err
	}
	y, err := r.comparable(b, a)
	if err != nil {
		return 0, false, err
	}
	switch {
	case x.at != y.at:
		return order(x.at, y.at), true, nil
	case clock(a): // the same instant: the zone decides, as for timetz
		return order(int64(y.offset), int64(x.offset)), true, nil
	}
	return 0, true, nil
}

func order(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// comparable gives m as it compares with another: in UTC when one of them has a zone.
func (r *run) comparable(m, with *moment) (moment, error) {
	zoned := func(m *moment) bool { return m.typ.OID == value.TimeTZT.OID || m.typ.OID == value.TimestampTZ.OID }
	out := *m
	if zoned(m) || !zoned(with) {
		if m.typ.OID == value.TimeTZT.OID {
			out.at -= int64(m.offset) * dt.Second
		}
		return out, nil
	}
	if !r.zones {
		return out, dberr.New(dberr.FeatureNotSupported, "cannot convert value from %s to %s without time zone usage", m.typ.Name, with.typ.Name).
			WithHint("Use *_tz() function for time zone support.")
	}
	loc := r.format.Zone()
	if m.typ.OID == value.Time.OID { // a time has the offset of today
		now := dt.ToLocal(loc, dt.FromTime(r.format.Input().Now))
		out.offset = dt.LocalOffset(loc, dt.FloorDiv(now, dt.Day)*dt.Day+m.at)
		out.at -= int64(out.offset) * dt.Second
		return out, nil
	}
	out.at = dt.ToUTC(loc, m.at)
	return out, nil
}
