package doc

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"sync"
	"time"
)

// ObjectID is the usual key of a document: 4 bytes of seconds, 5 of the generator, 3 of a counter.
type ObjectID [12]byte

// String gives the 24 hexadecimal digits.
func (id ObjectID) String() string { return hex.EncodeToString(id[:]) }

// Value gives the id as a Value.
func (id ObjectID) Value() Value { return Value{TypeObjectID, append([]byte(nil), id[:]...)} }

// ParseObjectID reads 24 hexadecimal digits.
func ParseObjectID(s string) (id ObjectID, ok bool) {
	if len(s) != 24 {
		return id, false
	}
	_, err := hex.Decode(id[:], []byte(s))
	return id, err == nil
}

// ObjectIDs makes ids that rise strictly, also when the clock steps back or the counter runs over (the seconds then run
// ahead of the clock). The zero value is ready; it is safe for concurrent use.
type ObjectIDs struct {
	mu   sync.Mutex
	last ObjectID
	own  [5]byte
	init bool
}

const counterAt = 9

// Next makes an id above every one made or observed before.
func (g *ObjectIDs) Next() ObjectID {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.init {
		rand.Read(g.own[:]) // never fails
		g.init = true
	}
	var id ObjectID
	binary.BigEndian.PutUint32(id[:], uint32(time.Now().Unix()))
	copy(id[4:], g.own[:])
	if bytes.Compare(id[:], g.last[:]) <= 0 {
		id = g.after(g.last)
	}
	g.last = id
	return id
}

// after gives the next id of this generator above last.
func (g *ObjectIDs) after(last ObjectID) ObjectID {
	id := last
	counter := uint32(id[9])<<16 | uint32(id[10])<<8 | uint32(id[11])
	if bytes.Equal(id[4:counterAt], g.own[:]) && counter < 1<<24-1 {
		counter++
		id[9], id[10], id[11] = byte(counter>>16), byte(counter>>8), byte(counter)
		return id
	}
	if bytes.Compare(id[4:counterAt], g.own[:]) >= 0 { // full, or a higher generator: the next second is free
		binary.BigEndian.PutUint32(id[:], binary.BigEndian.Uint32(id[:])+1)
	}
	copy(id[4:], g.own[:])
	clear(id[counterAt:])
	return id
}

// Observe makes later ids rise above one found in the store.
func (g *ObjectIDs) Observe(id ObjectID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if bytes.Compare(id[:], g.last[:]) > 0 {
		g.last = id
	}
}

var objectIDs ObjectIDs

// NewObjectID makes an id above every one made by this process before.
func NewObjectID() ObjectID { return objectIDs.Next() }

// AppendIDText appends the text of a document's _id: an ObjectId's hex digits, a string itself, a number in plain
// digits without zeros at the end of its fraction (so that equal numbers have one text), canonical JSON for the rest.
func AppendIDText(dst []byte, id Value) []byte {
	switch id.Class() {
	case ClassObjectID:
		return hex.AppendEncode(dst, id.Data)
	case ClassString:
		if id.Type == TypeString {
			s, _ := id.StringBytes()
			return append(dst, s...)
		}
	case ClassNumber:
		var buf DecimalBuf
		d, kind := id.Decompose(&buf)
		if kind != Finite {
			return append(dst, kindName[kind]...)
		}
		if d.Exp < 0 {
			if d = d.trimZeros(); d.Exp > 0 {
				d = d.writeOut(d.Exp)
			}
		}
		if d.Neg = d.Neg && len(d.Coef) > 0; len(d.Coef) == 0 {
			d.Exp = 0
		}
		return d.appendPlain(dst)
	}
	return append(dst, id.AppendCanonical(nil)...) // an extra copy, so that dst may lie on the caller's stack
}

// IDText is AppendIDText as a string.
func IDText(id Value) string {
	if id.Type == TypeString {
		s, _ := id.StringBytes()
		return string(s)
	}
	var room [64]byte
	return string(AppendIDText(room[:0], id))
}
