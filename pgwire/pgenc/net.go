package pgenc

import (
	"encoding/binary"
	"net/netip"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Network addresses: family, bits of the mask, whether it is a cidr, length and bytes of the address.

const (
	familyIPv4 = 2
	familyIPv6 = 3
)

func putInet(dst []byte, t *value.Type, v value.Value, _ *typeio.Format) []byte {
	p := v.Box().(netip.Prefix)
	family, size := byte(familyIPv4), byte(4)
	if p.Addr().Is6() {
		family, size = familyIPv6, 16
	}
	cidr := byte(0)
	if t.OID == value.CIDR.OID {
		cidr = 1
	}
	return append(append(dst, family, byte(p.Bits()), cidr, size), p.Addr().AsSlice()...)
}

func getInet(r *reader, t *value.Type) value.Value {
	family, bits, _, size := r.uint8(), int(r.uint8()), r.uint8(), int(r.uint8())
	b := r.bytes(size)
	if r.err != nil {
		return value.Null
	}
	addr, ok := netip.AddrFromSlice(b)
	switch {
	case family != familyIPv4 && family != familyIPv6:
		r.fail(dberr.InvalidBinaryRepresentation, `invalid address family in external "%s" value`, t.Name)
	case !ok || addr.Is4() != (family == familyIPv4):
		r.fail(dberr.InvalidBinaryRepresentation, `invalid length in external "%s" value`, t.Name)
	case bits > addr.BitLen():
		r.fail(dberr.InvalidBinaryRepresentation, `invalid bits in external "%s" value`, t.Name)
	}
	p := netip.PrefixFrom(addr, bits)
	if t.OID == value.CIDR.OID && r.err == nil && p.Masked() != p {
		r.fail(dberr.InvalidBinaryRepresentation, `invalid external "cidr" value`)
	}
	return value.Box(p)
}

// Hardware addresses are their bytes.

func putMAC(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	return append(dst, typeio.MACBytes(v)...)
}

func getMAC(r *reader, _ *value.Type) value.Value { return value.Box([6]byte(r.fixed(6))) }

// getMAC8 also takes a 6-byte address, which gets ff:fe in its middle.
func getMAC8(r *reader, _ *value.Type) value.Value {
	if len(r.rest) == 6 {
		b := r.fixed(6)
		return value.Box([8]byte{b[0], b[1], b[2], 0xff, 0xfe, b[3], b[4], b[5]})
	}
	return value.Box([8]byte(r.fixed(8)))
}

// Bit strings: number of bits, then bytes. They are held as text of 0s and 1s.

func putBits(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	s := v.Str()
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(s)))
	for i := 0; i < len(s); i += 8 {
		b := byte(0)
		for k := 0; k < 8 && i+k < len(s); k++ {
			b |= (s[i+k] - '0') << (7 - k)
		}
		dst = append(dst, b)
	}
	return dst
}

func getBits(r *reader, _ *value.Type) value.Value {
	n := r.int32()
	if n < 0 && r.err == nil {
		r.fail(dberr.InvalidBinaryRepresentation, "invalid length in external bit string")
	}
	b := r.bytes((n + 7) / 8)
	if r.err != nil {
		return value.Null
	}
	out := make([]byte, n)
	for i := range out {
		out[i] = '0' + b[i/8]>>(7-i%8)&1
	}
	return value.Bytes(out)
}
