// Package dberr is the one error type of OMGDB: an SQLSTATE with PostgreSQL's error fields.
// An error gets its code where it arises; nobody classifies errors by their message.
package dberr

import (
	"errors"
	"fmt"
)

// Error carries what a PostgreSQL client shows of a failure (manual, chapter 55.8).
// The zero Severity means ERROR.
type Error struct {
	Severity string // "" (= ERROR), FATAL, PANIC, or WARNING, NOTICE, INFO, LOG, DEBUG for notices
	Code     string // five characters, see the constants
	Message  string
	Detail   string
	Hint     string
	// Position is the byte offset in the statement text plus one; 0 means none.
	// The wire turns it into the character position that the protocol wants.
	Position   int
	Where      string
	Schema     string
	Table      string
	Column     string
	DataType   string
	Constraint string
	// Routine names the place that raised the error, where drivers act on it; "" otherwise.
	Routine string
	// Err is the cause, for errors.Is and logs; it is never sent to a client.
	Err error
}

// New makes an error with a formatted message.
func New(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap makes an error with a formatted message and a cause.
func Wrap(err error, code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: err}
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// WithDetail sets the detail line and returns the error itself; call it only on an error just made.
func (e *Error) WithDetail(format string, args ...any) *Error {
	e.Detail = fmt.Sprintf(format, args...)
	return e
}

// WithHint sets the hint line and returns the error itself; call it only on an error just made.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// At returns the error with a position (byte offset in the statement text, from 0); a negative
// offset, or an error that has one, is left alone. The receiver is not changed.
func (e *Error) At(offset int) *Error {
	if offset < 0 || e.Position != 0 {
		return e
	}
	c := *e
	c.Position = offset + 1
	return &c
}

// As gives the *Error inside err, or wraps any other error as an internal one (XX000).
// It returns nil for nil.
func As(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: InternalError, Message: err.Error(), Err: err}
}

// Code gives the SQLSTATE of err: XX000 for a foreign error, "" for nil.
func Code(err error) string {
	if err == nil {
		return ""
	}
	return As(err).Code
}

// AddPosition gives err a position when it is an *Error without one.
func AddPosition(err error, offset int) error {
	var e *Error
	if errors.As(err, &e) {
		return e.At(offset)
	}
	return err
}
