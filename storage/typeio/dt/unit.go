package dt

// Unit is a field of a date, time or interval that a function is asked for by name.
type Unit uint8

// The units.
const (
	Microseconds = Unit(uMicrosecond)
	Milliseconds = Unit(uMillisecond)
	Seconds      = Unit(uSecond)
	Minutes      = Unit(uMinute)
	Hours        = Unit(uHour)
	Days         = Unit(uDay)
	Weeks        = Unit(uWeek)
	Months       = Unit(uMonth)
	Quarters     = Unit(uQuarter)
	Years        = Unit(uYear)
	Decades      = Unit(uDecade)
	Centuries    = Unit(uCentury)
	Millennia    = Unit(uMillennium)
	Julian       = Unit(uJulian)
)

// More units, that are no amounts.
const (
	DayOfWeek = Unit(uOther) + iota
	DayOfYear
	ISODayOfWeek
	ISOYear
	Epoch
	ZoneOffset
	ZoneHour
	ZoneMinute
)

var specialUnits = map[string]Unit{
	"dow": DayOfWeek, "doy": DayOfYear, "isodow": ISODayOfWeek, "isoyear": ISOYear, "epoch": Epoch, "julian": Julian, "j": Julian, "jd": Julian,
}

var zoneUnits = map[string]Unit{"timezone": ZoneOffset, "timezone_h": ZoneHour, "timezone_m": ZoneMinute}

// UnitNamed finds a unit that amounts can have, as date_trunc takes it; the name is folded to lower case.
func UnitNamed(name string) (Unit, bool) {
	n := token(lower(name))
	if u, ok := zoneUnits[n]; ok {
		return u, true
	}
	u, ok := units[n]
	return Unit(u), ok
}

// FieldNamed finds a field as extract takes it.
func FieldNamed(name string) (Unit, bool) {
	if u, ok := UnitNamed(name); ok {
		return u, true
	}
	u, ok := specialUnits[token(lower(name))]
	return u, ok
}
