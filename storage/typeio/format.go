package typeio

import (
	"time"

	"github.com/omgdb/omgdb/storage/value"
)

// DateStyle chooses how dates and timestamps are written.
type DateStyle uint8

// The styles of the setting DateStyle.
const (
	StyleISO DateStyle = iota
	StyleSQL
	StylePostgres
	StyleGerman
)

// DateOrder tells which of the ambiguous numbers of a date is which.
type DateOrder uint8

// The orders of the setting DateStyle.
const (
	OrderMDY DateOrder = iota
	OrderDMY
	OrderYMD
)

// IntervalStyle chooses how intervals are written.
type IntervalStyle uint8

// The styles of the setting IntervalStyle.
const (
	IntervalPostgres IntervalStyle = iota
	IntervalVerbose
	IntervalSQL
	IntervalISO
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

func (f *Format) zone() *time.Location {
	if f.TimeZone == nil {
		return time.UTC
	}
	return f.TimeZone
}
