package typeio

import (
	"strconv"
	"strings"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/value"
)

// The choices that package dt knows.
type (
	DateStyle     = dt.Style
	DateOrder     = dt.Order
	IntervalStyle = dt.IntervalStyle
)

// The styles of the setting DateStyle.
const (
	StyleISO      = dt.ISO
	StyleSQL      = dt.SQL
	StylePostgres = dt.Postgres
	StyleGerman   = dt.German
)

// The orders of the setting DateStyle.
const (
	OrderMDY = dt.MDY
	OrderDMY = dt.DMY
	OrderYMD = dt.YMD
)

// The styles of the setting IntervalStyle.
const (
	IntervalPostgres = dt.StylePostgres
	IntervalVerbose  = dt.StyleVerbose
	IntervalSQL      = dt.StyleSQL
	IntervalISO      = dt.StyleISO8601
)

// ByteaOutput chooses how bytea is written.
type ByteaOutput uint8

// The forms of the setting bytea_output.
const (
	ByteaHex ByteaOutput = iota
	ByteaEscape
)

// Format is the part of a session's settings that text forms depend on. It is not changed while a statement uses it:
// a session makes a new one when a setting changes.
type Format struct {
	DateStyle        DateStyle
	DateOrder        DateOrder
	IntervalStyle    IntervalStyle
	TimeZone         *time.Location // its String() is the setting's text
	ExtraFloatDigits int
	ByteaOutput      ByteaOutput
	// Now is the transaction's time, for the inputs 'now', 'today' …; zero means the clock.
	Now time.Time
	// Names resolves the names behind oid aliases (regclass …); nil knows built-in types only.
	Names Names
}

// Names turns object names into OIDs and back for the oid alias types. t is the alias type (regclass, regtype …).
type Names interface {
	// NameOf gives the text form of an object, ok false when there is none (its number is shown then).
	NameOf(t *value.Type, oid uint32) (name string, ok bool)
	// OIDOf finds an object by its text form; its errors are those of the input function.
	OIDOf(t *value.Type, name string) (uint32, error)
}

// Default is the format of a session that has set nothing: ISO, MDY, postgres, UTC, shortest floats, hex.
var Default = &Format{TimeZone: time.UTC, ExtraFloatDigits: 1}

func (f *Format) now() time.Time {
	if f.Now.IsZero() {
		return time.Now()
	}
	return f.Now
}

// Input gives what reading dates and times depends on.
func (f *Format) Input() dt.Input {
	return dt.Input{Order: f.DateOrder, Loc: f.zone(), Now: f.now()}
}

// Zone is the session's time zone, UTC when it has set none.
func (f *Format) Zone() *time.Location { return f.zone() }

func (f *Format) zone() *time.Location {
	if f.TimeZone == nil {
		return time.UTC
	}
	return f.TimeZone
}

// SetFormat changes one of the settings that a Format holds: DateStyle, IntervalStyle, TimeZone, extra_float_digits, bytea_output.
// The caller owns f; a name that is none of these is left alone.
func SetFormat(f *Format, name, val string) error {
	switch strings.ToLower(name) {
	case "datestyle":
		return f.setDateStyle(val)
	case "intervalstyle":
		styles := map[string]IntervalStyle{"postgres": IntervalPostgres, "postgres_verbose": IntervalVerbose, "sql_standard": IntervalSQL, "iso_8601": IntervalISO}
		s, ok := styles[strings.ToLower(val)]
		if !ok {
			return badSetting(name, val)
		}
		f.IntervalStyle = s
	case "timezone":
		loc := ZoneSetting(val)
		if loc == nil {
			return badSetting("TimeZone", val)
		}
		f.TimeZone = loc
	case "extra_float_digits":
		n, err := strconv.Atoi(val)
		if err != nil {
			return badSetting(name, val)
		}
		if n < -15 || n > 3 {
			return dberr.New(dberr.InvalidParameterValue, `%d is outside the valid range for parameter "extra_float_digits" (-15 .. 3)`, n)
		}
		f.ExtraFloatDigits = n
	case "bytea_output":
		switch strings.ToLower(val) {
		case "hex":
			f.ByteaOutput = ByteaHex
		case "escape":
			f.ByteaOutput = ByteaEscape
		default:
			return badSetting(name, val)
		}
	}
	return nil
}

func badSetting(name, val string) error {
	return dberr.New(dberr.InvalidParameterValue, `invalid value for parameter "%s": "%s"`, name, val)
}

// setDateStyle reads a list of words, of which each chooses a style or an order.
func (f *Format) setDateStyle(val string) error {
	style, order := f.DateStyle, f.DateOrder
	for w := range strings.SplitSeq(strings.ToLower(val), ",") {
		switch w = strings.TrimSpace(w); {
		case w == "iso":
			style = StyleISO
		case w == "sql":
			style = StyleSQL
		case strings.HasPrefix(w, "postgres"):
			style = StylePostgres
		case w == "german":
			style = StyleGerman
			if !strings.Contains(val, ",") {
				order = OrderDMY
			}
		case w == "ymd":
			order = OrderYMD
		case w == "dmy", strings.HasPrefix(w, "euro"):
			order = OrderDMY
		case w == "mdy", w == "us", strings.HasPrefix(w, "noneuro"):
			order = OrderMDY
		case w == "default":
			style, order = StyleISO, OrderMDY
		default:
			return badSetting("DateStyle", val)
		}
	}
	f.DateStyle, f.DateOrder = style, order
	return nil
}

// ZoneSetting finds the zone that a value of the setting TimeZone names: a zone, an abbreviation's offset is not one, a number of
// hours east, or a POSIX specification. nil: there is none.
func ZoneSetting(val string) *time.Location {
	if h, err := strconv.ParseFloat(strings.TrimSpace(val), 64); err == nil && h > -168 && h < 168 {
		secs := int(h * 3600)
		return dt.Fixed(zoneText(secs), string(dt.AppendOffset(nil, secs)), secs)
	}
	return dt.Named(val)
}

// zoneText is how a zone of an offset (seconds east) shows in SHOW TimeZone: <+02>-02.
func zoneText(secs int) string {
	iso := string(dt.AppendOffset(nil, secs))
	west := string(dt.AppendOffset(nil, -secs))
	if secs == 0 {
		west = "+00"
	}
	return "<" + iso + ">" + west
}

// OffsetZone reads a numeric zone that counts east (+02, -03:30); nil when it is none.
func OffsetZone(s string) *time.Location {
	secs, ok := dt.ParseOffset(s)
	if !ok {
		return nil
	}
	return dt.Fixed(zoneText(secs), string(dt.AppendOffset(nil, secs)), secs)
}
