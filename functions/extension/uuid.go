package extension

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"encoding/binary"
	"hash"
	"net"
	"sync"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/value"
)

// namespace gives one of the name spaces that RFC 4122 defines; they differ in one byte.
func namespace(b byte) val {
	return value.Bytes([]byte{0x6b, 0xa7, 0xb8, b, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8})
}

// uuids lists the functions of uuid-ossp.
func uuids() []fn {
	constant := func(v val) functions.EvalFunc { return pure(func([]val) val { return v }) }
	named := []functions.Param{{Name: "namespace", Type: value.UUID}, {Name: "name", Type: value.Text}}
	return []fn{
		{name: "uuid_nil", ret: value.UUID, eval: constant(value.Bytes(make([]byte, 16)))},
		{name: "uuid_ns_dns", ret: value.UUID, eval: constant(namespace(0x10))},
		{name: "uuid_ns_url", ret: value.UUID, eval: constant(namespace(0x11))},
		{name: "uuid_ns_oid", ret: value.UUID, eval: constant(namespace(0x12))},
		{name: "uuid_ns_x500", ret: value.UUID, eval: constant(namespace(0x14))},
		{name: "uuid_generate_v1", ret: value.UUID, volatile: true, eval: pure(func([]val) val { return clockUUID(hardwareNode()) })},
		{name: "uuid_generate_v1mc", ret: value.UUID, volatile: true, eval: pure(func([]val) val { return clockUUID(randomNode()) })},
		{name: "uuid_generate_v3", params: named, ret: value.UUID, eval: pure(func(a []val) val { return nameUUID(md5.New(), 3, a) })},
		{name: "uuid_generate_v4", ret: value.UUID, volatile: true, eval: pure(func([]val) val {
			b := make([]byte, 16)
			rand.Read(b)
			return sealed(b, 4)
		})},
		{name: "uuid_generate_v5", params: named, ret: value.UUID, eval: pure(func(a []val) val { return nameUUID(sha1.New(), 5, a) })},
	}
}

// sealed sets version and variant. It keeps b.
func sealed(b []byte, version byte) val {
	b[6], b[8] = b[6]&0x0f|version<<4, b[8]&0x3f|0x80
	return value.Bytes(b)
}

// nameUUID hashes a name within a name space.
func nameUUID(h hash.Hash, version byte, a []val) val {
	h.Write(a[0].Bytes())
	h.Write(a[1].Bytes())
	return sealed(h.Sum(nil)[:16], version)
}

// gregorian is the moment that version 1 counts from, 1582-10-15, in units of 100 ns before 1970.
const gregorian = 0x01b21dd213814000

// clock gives moments that no other call gets, in units of 100 ns. The sequence is drawn anew when the system's clock goes back.
var clock struct {
	sync.Mutex
	last     uint64
	sequence uint16
}

// moment takes the next moment. Calls within one unit take the units that follow; going back by more than a second is a clock that was set.
func moment() (t uint64, sequence uint16) {
	clock.Lock()
	defer clock.Unlock()
	now := uint64(time.Now().UnixNano()/100) + gregorian
	if clock.last == 0 || now+1e7 < clock.last {
		var b [2]byte
		rand.Read(b[:])
		clock.sequence = binary.BigEndian.Uint16(b[:])
	} else {
		now = max(now, clock.last+1)
	}
	clock.last = now
	return now, clock.sequence
}

// clockUUID makes a UUID of version 1.
func clockUUID(node [6]byte) val {
	t, sequence := moment()
	b := make([]byte, 16)
	binary.BigEndian.PutUint32(b, uint32(t))
	binary.BigEndian.PutUint16(b[4:], uint16(t>>32))
	binary.BigEndian.PutUint16(b[6:], uint16(t>>48))
	binary.BigEndian.PutUint16(b[8:], sequence)
	copy(b[10:], node[:])
	return sealed(b, 1)
}

// hardwareNode is the address of the first network card, or a random one that stays as long as the process where there is none.
var hardwareNode = sync.OnceValue(func() (node [6]byte) {
	cards, err := net.Interfaces()
	if err != nil {
		return randomNode()
	}
	for _, c := range cards {
		if len(c.HardwareAddr) == len(node) && c.Flags&net.FlagLoopback == 0 {
			return [6]byte(c.HardwareAddr)
		}
	}
	return randomNode()
})

// randomNode is an address that no network card has: a local one of a group.
func randomNode() (node [6]byte) {
	rand.Read(node[:])
	node[0] |= 3
	return node
}
