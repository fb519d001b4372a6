// Package lock is the lock table of a store: table, row, name and advisory locks with PostgreSQL's modes, waiting in order of
// arrival, and detection of deadlocks when a wait begins.
//
// A lock is named by a Tag and held by an Owner, which is one session: all of its transactions and the session itself. Locks of a
// transaction are remembered in the order in which they were taken, so that ROLLBACK TO can give back the newest of them.
package lock

import "strconv"

// Class says what a Tag names.
type Class uint8

// The classes of locks.
const (
	Table    Class = iota // Object is the relation
	Row                   // Object is the relation or unique index, Key the row or index key
	Name                  // Object is the name space, Key the name: held by who makes, drops or renames it
	Advisory              // Object is the database, Key the numbers
)

// Tag names a lock.
type Tag struct {
	Class  Class
	Object uint64
	Key    string
}

// Mode is the strength of a lock. Each class has its own modes.
type Mode uint8

// The modes of table locks (PostgreSQL manual, table 13.2).
const (
	AccessShare Mode = 1 + iota
	RowShare
	RowExclusive
	ShareUpdateExclusive
	Share
	ShareRowExclusive
	Exclusive
	AccessExclusive
)

// The modes of row locks (PostgreSQL manual, table 13.3).
const (
	KeyShare Mode = 1 + iota
	RowShared
	NoKeyUpdate
	Update
)

// The modes of name and advisory locks.
const (
	Shared Mode = 1 + iota
	Sole
)

// modeSet is a set of modes, bit by number.
type modeSet uint16

func (m Mode) set() modeSet { return 1 << m }

// conflicts tells for each class and mode the modes that other owners must not hold.
var conflicts = [...][]modeSet{
	Table: {
		AccessShare:          AccessExclusive.set(),
		RowShare:             Exclusive.set() | AccessExclusive.set(),
		RowExclusive:         Share.set() | ShareRowExclusive.set() | Exclusive.set() | AccessExclusive.set(),
		ShareUpdateExclusive: ShareUpdateExclusive.set() | Share.set() | ShareRowExclusive.set() | Exclusive.set() | AccessExclusive.set(),
		Share:                RowExclusive.set() | ShareUpdateExclusive.set() | ShareRowExclusive.set() | Exclusive.set() | AccessExclusive.set(),
		ShareRowExclusive:    RowExclusive.set() | ShareUpdateExclusive.set() | Share.set() | ShareRowExclusive.set() | Exclusive.set() | AccessExclusive.set(),
		Exclusive: RowShare.set() | RowExclusive.set() | ShareUpdateExclusive.set() | Share.set() | ShareRowExclusive.set() |
			Exclusive.set() | AccessExclusive.set(),
		AccessExclusive: AccessShare.set() | RowShare.set() | RowExclusive.set() | ShareUpdateExclusive.set() | Share.set() |
			ShareRowExclusive.set() | Exclusive.set() | AccessExclusive.set(),
	},
	Row: {
		KeyShare:    Update.set(),
		RowShared:   NoKeyUpdate.set() | Update.set(),
		NoKeyUpdate: RowShared.set() | NoKeyUpdate.set() | Update.set(),
		Update:      KeyShare.set() | RowShared.set() | NoKeyUpdate.set() | Update.set(),
	},
	Name:     {Shared: Sole.set(), Sole: Shared.set() | Sole.set()},
	Advisory: {Shared: Sole.set(), Sole: Shared.set() | Sole.set()},
}

// modeNames are pg_locks.mode.
var modeNames = [...][]string{
	Table: {"", "AccessShareLock", "RowShareLock", "RowExclusiveLock", "ShareUpdateExclusiveLock", "ShareLock", "ShareRowExclusiveLock",
		"ExclusiveLock", "AccessExclusiveLock"},
	Row:      {"", "KeyShareLock", "ShareLock", "NoKeyExclusiveLock", "ExclusiveLock"},
	Name:     {"", "ShareLock", "ExclusiveLock"},
	Advisory: {"", "ShareLock", "ExclusiveLock"},
}

// ModeName gives the name that pg_locks shows.
func ModeName(c Class, m Mode) string { return modeNames[c][m] }

// against gives the modes that conflict with any of the held ones.
func against(c Class, held modeSet) modeSet {
	var s modeSet
	for m := Mode(1); int(m) < len(conflicts[c]); m++ {
		if held&m.set() != 0 {
			s |= conflicts[c][m]
		}
	}
	return s
}

// describe names the lock for the detail of a deadlock.
func (t Tag) describe() string {
	object := strconv.FormatUint(t.Object, 10)
	switch t.Class {
	case Table:
		return "relation " + object
	case Row:
		return "row " + strconv.QuoteToASCII(t.Key) + " of relation " + object
	case Name:
		return "name " + strconv.Quote(t.Key)
	}
	return "advisory lock " + strconv.QuoteToASCII(t.Key)
}

// AdvisoryKey gives the number that an advisory lock's tag stands for, and whether it was made of two integers.
func (t Tag) AdvisoryKey() (key uint64, pair bool) {
	if t.Class != Advisory || len(t.Key) < 8 {
		return 0, false
	}
	for i := range 8 {
		key = key<<8 | uint64(t.Key[i])
	}
	return key, len(t.Key) > 8
}
