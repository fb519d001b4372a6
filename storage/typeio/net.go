package typeio

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// inet and cidr box a netip.Prefix (inet keeps the bits beyond the mask); macaddr boxes a [6]byte, macaddr8 a [8]byte.

func inetIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	p, ok := parseInet(s, false)
	if !ok {
		return value.Null, badSyntax("inet", s)
	}
	return value.Box(p), nil
}

func cidrIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	p, ok := parseInet(s, true)
	if !ok {
		return value.Null, badSyntax("cidr", s)
	}
	if p.Masked() != p {
		return value.Null, dberr.New(dberr.InvalidTextRepresentation, `invalid cidr value: "%s"`, s).WithDetail("Value has bits set to right of mask.")
	}
	return value.Box(p), nil
}

// parseInet reads address[/bits]. A cidr may leave out trailing bytes of an IPv4 address, whose class then gives the bits.
func parseInet(s string, cidr bool) (netip.Prefix, bool) {
	addr, bits, hasBits := strings.Cut(s, "/")
	n := -1
	if hasBits {
		v, err := strconv.ParseUint(bits, 10, 8)
		if err != nil || bits != strconv.Itoa(int(v)) {
			return netip.Prefix{}, false
		}
		n = int(v)
	}
	if strings.Contains(addr, ":") {
		a, err := netip.ParseAddr(addr)
		if err != nil || a.Zone() != "" || n > 128 {
			return netip.Prefix{}, false
		}
		if n < 0 {
			n = 128
		}
		return netip.PrefixFrom(a, n), true
	}
	parts := strings.Split(addr, ".")
	if len(parts) > 4 || !cidr && n < 0 && len(parts) != 4 || n > 32 {
		return netip.Prefix{}, false
	}
	var b [4]byte
	for i, p := range parts {
		v, err := strconv.ParseUint(p, 10, 8)
		if err != nil || len(p) > 3 {
			return netip.Prefix{}, false
		}
		b[i] = byte(v)
	}
	switch {
	case n >= 0:
	case cidr && len(parts) < 4:
		n = max(classBits(b[0]), len(parts)*8)
	default:
		n = 32
	}
	return netip.PrefixFrom(netip.AddrFrom4(b), n), true
}

// classBits is the network size of an old address class.
func classBits(first byte) int {
	switch {
	case first >= 240:
		return 32
	case first >= 224:
		return 8
	case first >= 192:
		return 24
	case first >= 128:
		return 16
	}
	return 8
}

func inetOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	p := v.Box().(netip.Prefix)
	dst = appendAddr(dst, p.Addr())
	if p.Bits() != p.Addr().BitLen() {
		dst = strconv.AppendInt(append(dst, '/'), int64(p.Bits()), 10)
	}
	return dst
}

func cidrOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	p := v.Box().(netip.Prefix)
	return strconv.AppendInt(append(appendAddr(dst, p.Addr()), '/'), int64(p.Bits()), 10)
}

// appendAddr writes an address; one of IPv6 whose first 96 bits alone are zero shows the rest as IPv4.
func appendAddr(dst []byte, a netip.Addr) []byte {
	if b := a.As16(); a.Is6() && !a.Is4In6() && [12]byte(b[:12]) == [12]byte{} && (b[12] != 0 || b[13] != 0) {
		return netip.AddrFrom4([4]byte(b[12:])).AppendTo(append(dst, "::"...))
	}
	return a.AppendTo(dst)
}

// inetCmp orders by family, common network bits, mask length, then whole address.
func inetCmp(a, b value.Value) int {
	x, y := a.Box().(netip.Prefix), b.Box().(netip.Prefix)
	if x.Addr().BitLen() != y.Addr().BitLen() {
		return sign(x.Addr().BitLen() - y.Addr().BitLen())
	}
	n := min(x.Bits(), y.Bits())
	px, _ := x.Addr().Prefix(n)
	py, _ := y.Addr().Prefix(n)
	if c := px.Addr().Compare(py.Addr()); c != 0 {
		return c
	}
	if c := x.Bits() - y.Bits(); c != 0 {
		return sign(c)
	}
	return x.Addr().Compare(y.Addr())
}

func inetHash(h uint64, v value.Value) uint64 {
	p := v.Box().(netip.Prefix)
	return mix(textHash(h, value.String(string(p.Addr().AsSlice()))), uint64(p.Bits()))
}

// MAC addresses.

func macIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	b, ok := parseMAC(s, 6)
	if !ok {
		return value.Null, badSyntax("macaddr", s)
	}
	return value.Box([6]byte(b)), nil
}

func mac8In(_ *value.Type, s string, _ *Format) (value.Value, error) {
	b, ok := parseMAC(s, 8)
	if !ok {
		return value.Null, badSyntax("macaddr8", s)
	}
	return value.Box([8]byte(b)), nil
}

// parseMAC reads n bytes in hexadecimal with one kind of separator (: - .) or none; six bytes widen to eight with FF:FE.
func parseMAC(s string, n int) ([]byte, bool) {
	s = strings.TrimSpace(s)
	var digits []byte
	var sep byte
	run := 0 // digits since the last separator
	for i := range len(s) {
		c := s[i]
		if c == ':' || c == '-' || c == '.' {
			if sep != 0 && c != sep || run == 0 || run%2 != 0 && n == 8 {
				return nil, false
			}
			if n == 6 && run == 1 {
				digits = append(digits[:len(digits)-1], '0', digits[len(digits)-1])
			}
			sep, run = c, 0
			continue
		}
		digits = append(digits, c)
		run++
	}
	if n == 6 && run == 1 && len(digits) > 0 {
		digits = append(digits[:len(digits)-1], '0', digits[len(digits)-1])
	}
	b := make([]byte, len(digits)/2)
	if _, err := hex.Decode(b, digits); err != nil || run == 0 {
		return nil, false
	}
	if n == 8 && len(b) == 6 {
		b = []byte{b[0], b[1], b[2], 0xff, 0xfe, b[3], b[4], b[5]}
	}
	return b, len(b) == n
}

// MACBytes gives the bytes of a macaddr or macaddr8.
func MACBytes(v value.Value) []byte {
	switch b := v.Box().(type) {
	case [6]byte:
		return b[:]
	case [8]byte:
		return b[:]
	}
	return nil
}

func macOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	for i, c := range MACBytes(v) {
		if i > 0 {
			dst = append(dst, ':')
		}
		dst = hex.AppendEncode(dst, []byte{c})
	}
	return dst
}

func macCmp(a, b value.Value) int { return bytes.Compare(MACBytes(a), MACBytes(b)) }

func macHash(h uint64, v value.Value) uint64 { return textHash(h, value.String(string(MACBytes(v)))) }

// pg_lsn, xid8 and tid.

func lsnIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	hi, lo, ok := strings.Cut(s, "/")
	a, err1 := strconv.ParseUint(hi, 16, 32)
	b, err2 := strconv.ParseUint(lo, 16, 32)
	if !ok || err1 != nil || err2 != nil || len(hi) > 8 || len(lo) > 8 {
		return value.Null, badSyntax("pg_lsn", s)
	}
	return value.Int(int64(a<<32 | b)), nil
}

func lsnOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	u := uint64(v.Int())
	s := strconv.FormatUint(u>>32, 16) + "/" + strconv.FormatUint(u&0xffffffff, 16)
	return append(dst, strings.ToUpper(s)...)
}

func uintCmp(a, b value.Value) int {
	x, y := uint64(a.Int()), uint64(b.Int())
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func xid8In(_ *value.Type, s string, _ *Format) (value.Value, error) {
	u, err := strconv.ParseUint(strings.TrimSpace(s), 0, 64)
	if err != nil {
		return value.Null, badSyntax("xid8", s)
	}
	return value.Int(int64(u)), nil
}

func xid8Out(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	return strconv.AppendUint(dst, uint64(v.Int()), 10)
}

func tidIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	t := strings.TrimSpace(s)
	block, off, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(t, "("), ")"), ",")
	a, err1 := strconv.ParseUint(block, 10, 32)
	b, err2 := strconv.ParseUint(off, 10, 16)
	if !ok || err1 != nil || err2 != nil || !strings.HasPrefix(t, "(") || !strings.HasSuffix(t, ")") {
		return value.Null, badSyntax("tid", s)
	}
	return value.Int(int64(a<<16 | b)), nil
}

func tidOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	u := uint64(v.Int())
	dst = strconv.AppendUint(append(dst, '('), u>>16, 10)
	return append(strconv.AppendUint(append(dst, ','), u&0xffff, 10), ')')
}
