package session

import (
	"math"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
)

// kind is the type of a setting, pg_settings.vartype.
type kind uint8

const (
	kindBool kind = iota
	kindInt
	kindReal
	kindString
	kindEnum
)

var kindNames = [...]string{"bool", "integer", "real", "string", "enum"}

// changeable tells when a setting may be changed, pg_settings.context.
type changeable uint8

const (
	ctxUser       changeable = iota // by anybody at any time
	ctxSuper                        // by a superuser at any time
	ctxBackend                      // in the start-up message only
	ctxSighup                       // by the server's configuration while it runs
	ctxPostmaster                   // at server start
	ctxInternal                     // never
)

var contextNames = [...]string{"user", "superuser", "backend", "sighup", "postmaster", "internal"}

// setting describes one configuration parameter. Its value is kept in canonical text: a boolean as on or off, a number with a unit in
// that unit, an enum as the table spells it.
type setting struct {
	name, def    string // def may use a unit
	kind         kind
	ctx          changeable
	unit         string // ms, s, B, kB, 8kB, MB, "" for none
	min, max     float64
	enum         string // values, comma-separated
	list         bool   // SET name = a, b: a list of names
	report       bool   // changes are sent to the client
	hidden       bool   // not in pg_settings, as in PostgreSQL
	plan         bool   // plans depend on it: part of the plan cache's key
	group, descr string
	// check gives the canonical form of a value that has passed the kind's own check.
	check func(s *setting, val string) (string, error)
	// inTxn settings belong to the transaction; it tells whether the session may set val now.
	inTxn func(s *Session, now, val string) error
}

// settingIndex finds a setting by its lower-case name.
var settingIndex = func() map[string]int {
	m := make(map[string]int, len(settings))
	for i := range settings {
		m[strings.ToLower(settings[i].name)] = i
	}
	return m
}()

// bootValues are the canonical defaults by index.
var bootValues = func() []string {
	vals := make([]string, len(settings))
	for i := range settings {
		v, err := settings[i].canonical(settings[i].def)
		if err != nil {
			panic("session: default of " + settings[i].name + ": " + err.Error())
		}
		vals[i] = v
	}
	return vals
}()

func settingNo(name string) int { return settingIndex[strings.ToLower(name)] }

// canonical checks a value and gives its canonical text.
func (s *setting) canonical(val string) (string, error) {
	out, err := kindChecks[s.kind](s, val)
	if err == nil && s.check != nil {
		out, err = s.check(s, out)
	}
	return out, err
}

var kindChecks = [...]func(*setting, string) (string, error){
	kindBool:   checkBool,
	kindInt:    checkInt,
	kindReal:   checkReal,
	kindString: func(_ *setting, val string) (string, error) { return val, nil },
	kindEnum:   checkEnum,
}

func (s *setting) invalid(val string) *dberr.Error {
	return dberr.New(dberr.InvalidParameterValue, `invalid value for parameter "%s": "%s"`, s.name, val)
}

func checkBool(s *setting, val string) (string, error) {
	b, ok := typeio.ParseBool(strings.TrimSpace(val))
	if !ok {
		return "", dberr.New(dberr.InvalidParameterValue, `parameter "%s" requires a Boolean value`, s.name)
	}
	return onOff(b), nil
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func checkEnum(s *setting, val string) (string, error) {
	names := strings.Split(s.enum, ",")
	for _, n := range names {
		if strings.EqualFold(n, val) {
			return n, nil
		}
	}
	if strings.EqualFold(val, "debug") && strings.Contains(s.enum, "debug2") { // a spelling that works and is not offered
		return "debug2", nil
	}
	// Booleans have several spellings also where a setting has more values than two.
	if b, ok := typeio.ParseBool(val); ok {
		for _, n := range names {
			if n == onOff(b) {
				return n, nil
			}
		}
	}
	return "", s.invalid(val).WithHint("Available values: %s.", strings.Join(names, ", "))
}

func checkInt(s *setting, val string) (string, error) {
	f, err := s.number(val)
	if err != nil {
		return "", err
	}
	f = math.RoundToEven(f)
	if f > maxInt4 || f < -maxInt4-1 {
		return "", s.invalid(val).WithHint("Value exceeds integer range.")
	}
	if f < s.min || f > s.max {
		return "", dberr.New(dberr.InvalidParameterValue, `%d%s is outside the valid range for parameter "%s" (%d .. %d)`,
			int64(f), s.unitSuffix(), s.name, int64(s.min), int64(s.max))
	}
	return strconv.FormatInt(int64(f), 10), nil
}

func checkReal(s *setting, val string) (string, error) {
	f, err := s.number(val)
	if err != nil {
		return "", err
	}
	if f < s.min || f > s.max || math.IsNaN(f) {
		return "", dberr.New(dberr.InvalidParameterValue, `%s%s is outside the valid range for parameter "%s" (%s .. %s)`,
			shortReal(f), s.unitSuffix(), s.name, shortReal(s.min), shortReal(s.max))
	}
	return shortReal(f), nil
}

func shortReal(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func (s *setting) unitSuffix() string {
	if s.unit == "" {
		return ""
	}
	return " " + s.unit
}

// unitScale is the size of each unit in its family's smallest one: microseconds and bytes.
var unitScale = map[string]struct {
	family byte
	size   float64
}{
	"us": {'t', 1}, "ms": {'t', 1e3}, "s": {'t', 1e6}, "min": {'t', 60e6}, "h": {'t', 3600e6}, "d": {'t', 86400e6},
	"B": {'m', 1}, "kB": {'m', 1 << 10}, "8kB": {'m', 8 << 10}, "MB": {'m', 1 << 20}, "GB": {'m', 1 << 30}, "TB": {'m', 1 << 40},
}

// number reads a number with an optional unit and gives it in the setting's own unit.
func (s *setting) number(val string) (float64, error) {
	val = strings.TrimSpace(val)
	digits := len(val)
	if !strings.HasPrefix(strings.ToLower(strings.TrimLeft(val, "+-")), "0x") {
		digits = strings.LastIndexAny(val, "0123456789.") + 1
	}
	num, unit := val[:digits], strings.TrimSpace(val[digits:])
	f, err := strconv.ParseFloat(num, 64)
	if err != nil {
		n, err := strconv.ParseInt(num, 0, 64)
		if err != nil {
			return 0, s.invalid(val)
		}
		f = float64(n)
	}
	if unit == "" {
		return f, nil
	}
	own, given := unitScale[s.unit], unitScale[unit]
	if own.family == 0 || given.family != own.family || unit == "8kB" {
		e := s.invalid(val)
		switch own.family {
		case 't':
			e = e.WithHint(`Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".`)
		case 'm':
			e = e.WithHint(`Valid units for this parameter are "B", "kB", "MB", "GB", and "TB".`)
		}
		return 0, e
	}
	return f * given.size / own.size, nil
}

// show gives a canonical value as SHOW prints it: numbers in the largest unit that keeps them whole.
func (s *setting) show(val string) string {
	own := unitScale[s.unit]
	if own.family == 0 || s.kind != kindInt {
		return val
	}
	n, err := strconv.ParseInt(val, 10, 64)
	if err != nil || n <= 0 {
		return val
	}
	units := []string{"TB", "GB", "MB", "kB", "B"}
	if own.family == 't' {
		units = []string{"d", "h", "min", "s", "ms", "us"}
	}
	total := float64(n) * own.size
	for _, u := range units {
		if q := total / unitScale[u].size; q >= 1 && q == math.Trunc(q) {
			return strconv.FormatFloat(q, 'f', 0, 64) + u
		}
	}
	return val
}

func intText(f float64) string { return strconv.FormatInt(int64(f), 10) }
