package scalar

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/value"
)

// txnTime, statementTime and clockTime are the three clocks; without a session the running clock stands for all.

func txnTime(c *call) time.Time {
	if c == nil || c.Env == nil || c.Env.TxnTime.IsZero() {
		return format(c).Input().Now
	}
	return c.Env.TxnTime
}

func statementTime(c *call) time.Time {
	if c == nil || c.Env == nil || c.Env.StatementTime.IsZero() {
		return txnTime(c)
	}
	return c.Env.StatementTime
}

func clockTime(c *call) time.Time {
	if c == nil || c.Env == nil || c.Env.Clock == nil {
		return time.Now()
	}
	return c.Env.Clock()
}

func clock(f func(*call) time.Time) eval {
	return with(func(c *call, _ []val) (val, error) { return value.Int(dt.FromTime(f(c))), nil })
}

// dateFunctions gives the functions of chapter 9.9 that aren't operators or fields.
func dateFunctions() []def {
	out := []def{
		{Sig: "now()", Eval: clock(txnTime)}, {Sig: "transaction_timestamp()", Eval: clock(txnTime)},
		{Sig: "statement_timestamp()", Eval: clock(statementTime)}, {Sig: "clock_timestamp()", Eval: clock(clockTime)},
		{Sig: "timeofday()", Eval: with(func(c *call, _ []val) (val, error) {
			return text(clockTime(c).In(zone(c)).Format("Mon Jan 02 15:04:05.000000 2006 MST")), nil
		})},
		{Sig: "date_trunc(text,timestamp)", Eval: try(func(a []val) (val, error) { return truncate(a[0].Str(), a[1].Int(), value.Timestamp, nil) })},
		{Sig: "date_trunc(text,timestamptz)", Eval: with(func(c *call, a []val) (val, error) {
			return truncate(a[0].Str(), a[1].Int(), value.TimestampTZ, zone(c))
		})},
		{Sig: "date_trunc(text,timestamptz,text)", Eval: try(truncIn)},
		{Sig: "date_trunc(text,interval)", Eval: try(func(a []val) (val, error) { return truncInterval(a[0].Str(), span(a[1])) })},
		{Sig: "date_bin(interval,timestamp,timestamp)", Eval: try(dateBin)}, {Sig: "date_bin(interval,timestamptz,timestamptz)", Eval: try(dateBin)},
		{Sig: "age(timestamp,timestamp)", Eval: try(func(a []val) (val, error) { return boxSpan(dt.Age(a[0].Int(), a[1].Int(), nil)) })},
		{Sig: "age(timestamptz,timestamptz)", Eval: with(func(c *call, a []val) (val, error) { return boxSpan(dt.Age(a[0].Int(), a[1].Int(), zone(c))) })},
		{Sig: "age(timestamp)", Eval: with(func(c *call, a []val) (val, error) { return boxSpan(dt.Age(today(c), a[0].Int(), nil)) })},
		{Sig: "age(timestamptz)", Eval: with(func(c *call, a []val) (val, error) {
			return boxSpan(dt.Age(dt.ToUTC(zone(c), today(c)), a[0].Int(), zone(c)))
		})},
		{Sig: "justify_hours(interval)", Eval: try(func(a []val) (val, error) { return boxSpan(dt.JustifyHours(span(a[0]))) })},
		{Sig: "justify_days(interval)", Eval: try(func(a []val) (val, error) { return boxSpan(dt.JustifyDays(span(a[0]))) })},
		{Sig: "justify_interval(interval)", Eval: try(func(a []val) (val, error) { return boxSpan(dt.JustifyInterval(span(a[0]))) })},
		{Sig: "to_timestamp(float8)", Eval: try(toTimestamp)},
	}
	return append(append(out, makers()...), overlaps()...)
}

// today is midnight of the session's day, as wall clock.
func today(c *call) int64 {
	local := dt.ToLocal(zone(c), dt.FromTime(txnTime(c)))
	return dt.FloorDiv(local, dt.Day) * dt.Day
}

func truncIn(a []val) (val, error) {
	if dt.Infinite(a[1].Int()) {
		return a[1], nil
	}
	ab, loc, err := zoneNamed(a[2].Str())
	if err != nil {
		return value.Null, err
	}
	if ab != nil {
		off := ab.AbbrevOffset(lowerASCII(a[2].Str()), a[1].Int())
		loc = dt.Fixed(a[2].Str(), a[2].Str(), off)
	}
	return truncate(a[0].Str(), a[1].Int(), value.TimestampTZ, loc)
}

// toTimestamp reads seconds since 1970.
func toTimestamp(a []val) (val, error) {
	f := a[0].Float()
	switch {
	case f != f:
		return value.Null, dberr.New(dberr.DatetimeFieldOverflow, "timestamp cannot be NaN")
	case math.IsInf(f, 1):
		return value.Int(dt.TimestampInf), nil
	case math.IsInf(f, -1):
		return value.Int(dt.TimestampNegInf), nil
	}
	out := func() error {
		return dberr.New(dberr.DatetimeFieldOverflow, `timestamp out of range: "%s"`, string(typeio.AppendFloat(nil, f, 64, 0)))
	}
	const limit = 9224318016000 // the last second, of Unix time
	if f < -210866803200 || f >= limit {
		return value.Null, out()
	}
	us := math.RoundToEven((f - dt.UnixDays*86400) * dt.Second)
	if us < dt.MinTimestamp || us >= dt.EndTimestamp {
		return value.Null, out()
	}
	return value.Int(int64(us)), nil
}

// makers gives make_date and its like.
func makers() []def {
	return []def{
		{Sig: "make_date(int4,int4,int4)", Eval: try(makeDate)},
		{Sig: "make_time(int4,int4,float8)", Eval: try(func(a []val) (val, error) { return intVal(makeTime(a[0].Int(), a[1].Int(), a[2].Float())) })},
		{Sig: "make_timestamp(int4,int4,int4,int4,int4,float8)", Eval: try(func(a []val) (val, error) { return intVal(makeTimestamp(a)) })},
		{Sig: "make_timestamptz(int4,int4,int4,int4,int4,float8)", Eval: with(func(c *call, a []val) (val, error) {
			us, err := makeTimestamp(a)
			if err != nil {
				return value.Null, err
			}
			return intVal(toUTC(zone(c), us))
		})},
		{Sig: "make_timestamptz(int4,int4,int4,int4,int4,float8,text)", Eval: try(makeTimestampIn)},
		{Sig: "make_interval(int4,int4,int4,int4,int4,int4,float8)", Eval: try(makeInterval)},
	}
}

// makeDate reports a year before Christ by its inner number; makeDay does not.
func makeDate(a []val) (val, error) { return makeDay(a, 1) }

func makeDay(a []val, adjust int64) (val, error) {
	y, m, d := a[0].Int(), a[1].Int(), a[2].Int()
	bad := func() (val, error) {
		if y < 0 && y != math.MinInt32 {
			y += adjust
		}
		return value.Null, dberr.New(dberr.DatetimeFieldOverflow, "date field value out of range: %d-%02d-%02d", y, m, d)
	}
	year := y
	if y < 0 {
		year = y + 1 // 1 BC is the year before 1
	}
	if y == 0 || y == math.MinInt32 || m < 1 || m > 12 || d < 1 || d > int64(dt.DaysIn(year, int(m))) {
		return bad()
	}
	days := dt.DaysOf(year, int(m), int(d))
	if !dt.ValidDate(days) {
		return value.Null, dberr.New(dberr.DatetimeFieldOverflow, "date out of range: %d-%02d-%02d", y, m, d)
	}
	return value.Int(days), nil
}

// secondsText writes seconds as C's %02g.
func secondsText(s float64) string {
	t := string(typeio.AppendFloat(nil, s, 64, -9))
	if len(t) < 2 {
		return "0" + t
	}
	return t
}

func makeTime(h, m int64, s float64) (int64, error) {
	us := math.RoundToEven(s * dt.Second)
	if h < 0 || m < 0 || m > 59 || s != s || s < 0 || us > 60*dt.Second || h > 24 || h == 24 && (m > 0 || us > 0) {
		return 0, dberr.New(dberr.DatetimeFieldOverflow, "time field value out of range: %d:%02d:%s", h, m, secondsText(s))
	}
	return h*dt.Hour + m*dt.Minute + int64(us), nil
}

func makeTimestamp(a []val) (int64, error) {
	d, err := makeDay(a, 0)
	if err != nil {
		return 0, err
	}
	t, err := makeTime(a[3].Int(), a[4].Int(), a[5].Float())
	if err != nil {
		return 0, err
	}
	if d.Int() < dt.EndTimestamp/dt.Day {
		if us := d.Int()*dt.Day + t; dt.ValidTimestamp(us) {
			return us, nil
		}
	}
	return 0, dberr.New(dberr.DatetimeFieldOverflow, "timestamp out of range: %d-%02d-%02d %d:%02d:%s",
		a[0].Int(), a[1].Int(), a[2].Int(), a[3].Int(), a[4].Int(), secondsText(a[5].Float()))
}

func makeTimestampIn(a []val) (val, error) {
	us, err := makeTimestamp(a)
	if err != nil {
		return value.Null, err
	}
	name := a[6].Str()
	if name != "" && (name[0] >= '0' && name[0] <= '9') { // a number without sign is no zone
		return value.Null, dberr.New(dberr.InvalidParameterValue, `invalid input syntax for type numeric time zone: "%s"`, name).
			WithHint(`Numeric time zones must have "-" or "+" as first character.`)
	}
	if name != "" && (name[0] == '+' || name[0] == '-') { // counts east, unlike POSIX
		east, ok := looseOffset(name)
		if !ok {
			return value.Null, dberr.New(dberr.InvalidParameterValue, `invalid input syntax for type numeric time zone: "%s"`, name)
		}
		return shiftZone(us, -east)
	}
	ab, loc, err := zoneNamed(name)
	switch {
	case err != nil:
		return value.Null, err
	case ab != nil:
		return shiftZone(us, -int64(ab.AbbrevOffset(lowerASCII(name), us)))
	}
	return intVal(toUTC(loc, us))
}

// looseOffset reads a signed offset whose parts may be missing behind their colons, as PostgreSQL takes it: +1, +100, +1:, +10:00:1. It
// gives the seconds east.
func looseOffset(s string) (int64, bool) {
	parts := strings.Split(s[1:], ":")
	if len(parts) > 3 {
		return 0, false
	}
	var n [3]int64
	for i, p := range parts {
		if p == "" && i > 0 {
			continue
		}
		v, err := strconv.ParseUint(p, 10, 31)
		if err != nil {
			return 0, false
		}
		n[i] = int64(v)
	}
	if len(parts) == 1 && len(s) > 3 { // hours and minutes in one
		n[0], n[1] = n[0]/100, n[0]%100
	}
	if n[0] > 15 || n[1] > 59 || n[2] > 59 {
		return 0, false
	}
	east := n[0]*3600 + n[1]*60 + n[2]
	if s[0] == '-' {
		east = -east
	}
	return east, true
}

func makeInterval(a []val) (val, error) {
	bad := func() (val, error) {
		return value.Null, dberr.New(dberr.DatetimeFieldOverflow, "interval out of range")
	}
	months, days := a[0].Int()*12+a[1].Int(), a[2].Int()*7+a[3].Int()
	s := a[6].Float()
	if s != s || math.IsInf(s, 0) || months != int64(int32(months)) || days != int64(int32(days)) {
		return bad()
	}
	us := a[4].Int()*dt.Hour + a[5].Int()*dt.Minute
	f := math.RoundToEven(s * dt.Second)
	if math.Abs(f) >= 1<<62 {
		return bad()
	}
	sum, ok := add64(us, int64(f))
	if !ok {
		return bad()
	}
	return value.Box(value.Interval{Months: int32(months), Days: int32(days), Micros: sum}), nil
}

// overlaps gives the functions behind (a, b) OVERLAPS (c, d): both ends, or a start and an interval, on either side.
func overlaps() []def {
	type kind struct {
		name string
		cmp  func(a, b val) int
		add  func(c *call, t, i val) (val, error)
	}
	ints := typeio.Comparer(value.Int8)
	stamp := func(zoned bool) func(c *call, t, i val) (val, error) {
		return func(c *call, t, i val) (val, error) {
			var loc *time.Location
			if zoned {
				loc = zone(c)
			}
			return intVal(dt.AddInterval(t.Int(), span(i), loc))
		}
	}
	kinds := []kind{
		{"timestamp", ints, stamp(false)}, {"timestamptz", ints, stamp(true)},
		{"time", ints, func(_ *call, t, i val) (val, error) {
			return value.Int(dt.FloorMod(t.Int()+span(i).Micros%dt.Day, dt.Day)), nil
		}},
		{"timetz", typeio.Comparer(value.TimeTZT), nil},
	}
	var out []def
	for _, k := range kinds {
		for form := range 4 {
			ends := [2]string{k.name, k.name}
			for side := range ends {
				if form>>side&1 == 1 {
					ends[side] = "interval"
				}
			}
			if form > 0 && k.add == nil {
				continue
			}
			out = append(out, def{
				Sig: "overlaps(" + k.name + "," + ends[0] + "," + k.name + "," + ends[1] + ")",
				Eval: with(func(c *call, a []val) (val, error) {
					a = append([]val(nil), a...)
					for side := range ends {
						if form>>side&1 == 0 {
							continue
						}
						if a[2*side].IsNull() || a[2*side+1].IsNull() {
							a[2*side+1] = value.Null // the sum
							continue
						}
						var err error
						if a[2*side+1], err = k.add(c, a[2*side], a[2*side+1]); err != nil {
							return value.Null, err
						}
					}
					return overlap(a, k.cmp), nil
				}),
			})
		}
	}
	return out
}

// overlap compares two periods; NULL ends make the answer NULL unless it doesn't depend on them.
func overlap(a []val, cmp func(a, b val) int) val {
	order := func(s, e val) (val, val, bool) {
		switch {
		case s.IsNull() && e.IsNull():
			return s, e, false
		case s.IsNull():
			return e, s, true
		case !e.IsNull() && cmp(s, e) > 0:
			return e, s, true
		}
		return s, e, true
	}
	s1, e1, ok1 := order(a[0], a[1])
	s2, e2, ok2 := order(a[2], a[3])
	if !ok1 || !ok2 {
		return value.Null
	}
	switch c := cmp(s1, s2); {
	case c == 0:
		if e1.IsNull() || e2.IsNull() {
			return value.Null
		}
		return value.Bool(true)
	case c < 0:
		s1, e1, s2, e2 = s2, e2, s1, e1
	}
	// s1 is the later start
	switch {
	case e2.IsNull():
		return value.Null
	case cmp(s1, e2) < 0:
		return value.Bool(true)
	case e1.IsNull():
		return value.Null
	}
	return value.Bool(false)
}
