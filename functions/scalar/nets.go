package scalar

import (
	"math/big"
	"net/netip"
	"strconv"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

func inet(v val) netip.Prefix { return v.Box().(netip.Prefix) }

func boxInet(p netip.Prefix) val { return value.Box(p) }

// netFunctions gives the functions and operators of inet, cidr and the MAC addresses.
func netFunctions() []def {
	within := func(f func(a, b netip.Prefix) bool) eval {
		return pure(func(a []val) val { return value.Bool(f(inet(a[0]), inet(a[1]))) })
	}
	sub := func(a, b netip.Prefix, equal bool) bool {
		return (a.Bits() > b.Bits() || equal && a.Bits() == b.Bits()) && sameFamily(a, b) && b.Contains(a.Addr())
	}
	out := []def{
		{Sig: "network_sub(inet,inet)", Eval: within(func(a, b netip.Prefix) bool { return sub(a, b, false) })},
		{Sig: "network_subeq(inet,inet)", Eval: within(func(a, b netip.Prefix) bool { return sub(a, b, true) })},
		{Sig: "network_sup(inet,inet)", Eval: within(func(a, b netip.Prefix) bool { return sub(b, a, false) })},
		{Sig: "network_supeq(inet,inet)", Eval: within(func(a, b netip.Prefix) bool { return sub(b, a, true) })},
		{Sig: "network_overlap(inet,inet)", Eval: within(netip.Prefix.Overlaps)},
		{Sig: "inet_same_family(inet,inet)", Eval: within(sameFamily)},
		{Sig: "network_larger(inet,inet)", Eval: pure(func(a []val) val { return pickBy(a, 1, typeio.Comparer(value.Inet)) })},
		{Sig: "network_smaller(inet,inet)", Eval: pure(func(a []val) val { return pickBy(a, -1, typeio.Comparer(value.Inet)) })},
		{Sig: "family(inet)", Eval: pure(func(a []val) val {
			if inet(a[0]).Addr().Is4() {
				return value.Int(4)
			}
			return value.Int(6)
		})},
		{Sig: "host(inet)", Eval: pure(func(a []val) val { return text(inet(a[0]).Addr().String()) })},
		{Sig: "text(inet)", Eval: pure(func(a []val) val { return text(inet(a[0]).Addr().String() + "/" + strconv.Itoa(inet(a[0]).Bits())) })},
		{Sig: "abbrev(inet)", Eval: with(func(c *call, a []val) (val, error) { return text(typeio.Text(value.Inet, a[0], nil)), nil })},
		{Sig: "abbrev(cidr)", Eval: pure(func(a []val) val { return text(abbrevCIDR(inet(a[0]))) })},
		{Sig: "masklen(inet)", Eval: pure(func(a []val) val { return value.Int(int64(inet(a[0]).Bits())) })},
		{Sig: "network(inet)", Eval: pure(func(a []val) val { return boxInet(inet(a[0]).Masked()) })},
		{Sig: "cidr(inet)", Eval: pure(func(a []val) val { return boxInet(inet(a[0]).Masked()) })},
		{Sig: "netmask(inet)", Eval: pure(func(a []val) val { return boxInet(host(mask(inet(a[0]), false))) })},
		{Sig: "hostmask(inet)", Eval: pure(func(a []val) val { return boxInet(host(mask(inet(a[0]), true))) })},
		{Sig: "broadcast(inet)", Eval: pure(func(a []val) val { return boxInet(broadcast(inet(a[0]))) })},
		{Sig: "set_masklen(inet,int4)", Eval: try(func(a []val) (val, error) { return setMasklen(a, false) })},
		{Sig: "set_masklen(cidr,int4)", Eval: try(func(a []val) (val, error) { return setMasklen(a, true) })},
		{Sig: "inet_merge(inet,inet)", Eval: try(inetMerge)},
		{Sig: "inetnot(inet)", Eval: pure(func(a []val) val {
			b := inet(a[0]).Addr().AsSlice()
			for i := range b {
				b[i] = ^b[i]
			}
			return boxInet(netip.PrefixFrom(addrOf(b), inet(a[0]).Bits()))
		})},
		{Sig: "inetand(inet,inet)", Eval: inetBits("AND", func(x, y byte) byte { return x & y })},
		{Sig: "inetor(inet,inet)", Eval: inetBits("OR", func(x, y byte) byte { return x | y })},
		{Sig: "inetpl(inet,int8)", Eval: try(func(a []val) (val, error) { return inetAdd(inet(a[0]), a[1].Int(), 1) })},
		{Sig: "int8pl_inet(int8,inet)", Eval: try(func(a []val) (val, error) { return inetAdd(inet(a[1]), a[0].Int(), 1) })},
		{Sig: "inetmi_int8(inet,int8)", Eval: try(func(a []val) (val, error) { return inetAdd(inet(a[0]), a[1].Int(), -1) })},
		{Sig: "inetmi(inet,inet)", Eval: try(inetDiff)},
	}
	return append(out, macFunctions()...)
}

func sameFamily(a, b netip.Prefix) bool { return a.Addr().BitLen() == b.Addr().BitLen() }

func addrOf(b []byte) netip.Addr {
	a, _ := netip.AddrFromSlice(b)
	return a
}

// host makes an inet of a whole address.
func host(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a, a.BitLen()) }

// mask gives the network mask, or the host mask.
func mask(p netip.Prefix, hosts bool) netip.Addr {
	b := make([]byte, p.Addr().BitLen()/8)
	for i := range p.Addr().BitLen() {
		if (i < p.Bits()) != hosts {
			b[i/8] |= 0x80 >> (i % 8)
		}
	}
	return addrOf(b)
}

func broadcast(p netip.Prefix) netip.Prefix {
	b, m := p.Addr().AsSlice(), mask(p, true).AsSlice()
	for i := range b {
		b[i] |= m[i]
	}
	return netip.PrefixFrom(addrOf(b), p.Bits())
}

// abbrevCIDR leaves out trailing zero bytes of a network.
func abbrevCIDR(p netip.Prefix) string {
	if !p.Addr().Is4() {
		return abbrevCIDR6(p.Masked().Addr().As16(), p.Bits()) + "/" + strconv.Itoa(p.Bits())
	}
	b := p.Addr().As4()
	s := strconv.Itoa(int(b[0]))
	for i := 1; i < (p.Bits()+7)/8; i++ {
		s += "." + strconv.Itoa(int(b[i]))
	}
	return s + "/" + strconv.Itoa(p.Bits())
}

// abbrevCIDR6 writes the words of a network up to its mask, at least two. The longest run of zeros is left out, and what looks like an
// IPv4 address is written as one.
func abbrevCIDR6(b [16]byte, bits int) string {
	if bits == 0 {
		return "::"
	}
	words := max((bits+15)/16, 2)
	zeroAt, zeros := zeroRun(b[:2*words])
	v4 := zeros != words && zeroAt == 0 && (zeros == 6 || zeros == 5 && b[10] == 0xff && b[11] == 0xff || zeros == 7 && b[14] != 0 && b[15] != 1)
	var out []byte
	for w := range words {
		switch hi, lo := b[2*w], b[2*w+1]; {
		case zeros > 0 && w >= zeroAt && w < zeroAt+zeros:
			if w == zeroAt {
				out = append(out, ':')
			}
			if w == words-1 {
				out = append(out, ':')
			}
		case v4 && w > 5:
			out = append(out, map[bool]byte{true: ':', false: '.'}[w == 6])
			out = strconv.AppendInt(out, int64(hi), 10)
			if w != 7 || bits > 120 {
				out = strconv.AppendInt(append(out, '.'), int64(lo), 10)
			}
		default:
			if len(out) > 0 {
				out = append(out, ':')
			}
			out = strconv.AppendInt(out, int64(hi)<<8|int64(lo), 16)
		}
	}
	return string(out)
}

// zeroRun finds the longest run of zero words: where it begins and how long it is. As in PostgreSQL, a run that is no longer than the one
// before it is counted on.
func zeroRun(b []byte) (at, length int) {
	start, n := 0, 0
	keep := func() {
		if n > length {
			at, length, n = start, n, 0
		}
	}
	for i := 0; i < len(b); i += 2 {
		if b[i]|b[i+1] != 0 {
			keep()
			continue
		}
		if n == 0 {
			start = i / 2
		}
		n++
	}
	keep()
	return at, length
}

func setMasklen(a []val, cidr bool) (val, error) {
	p, n := inet(a[0]), int(a[1].Int())
	if n == -1 {
		n = p.Addr().BitLen()
	}
	if n < 0 || n > p.Addr().BitLen() {
		return value.Null, dberr.New(dberr.InvalidParameterValue, "invalid mask length: %d", n)
	}
	q := netip.PrefixFrom(p.Addr(), n)
	if cidr {
		q = q.Masked()
	}
	return boxInet(q), nil
}

// inetMerge gives the smallest network that holds both.
func inetMerge(a []val) (val, error) {
	x, y := inet(a[0]), inet(a[1])
	if !sameFamily(x, y) {
		return value.Null, dberr.New(dberr.InvalidParameterValue, "cannot merge addresses from different families")
	}
	p, q := x.Addr().AsSlice(), y.Addr().AsSlice()
	n := 0
	for n < min(x.Bits(), y.Bits()) && (p[n/8]^q[n/8])&(0x80>>(n%8)) == 0 {
		n++
	}
	return boxInet(netip.PrefixFrom(x.Addr(), n).Masked()), nil
}

func inetBits(name string, f func(x, y byte) byte) eval {
	return try(func(a []val) (val, error) {
		x, y := inet(a[0]), inet(a[1])
		if !sameFamily(x, y) {
			return value.Null, dberr.New(dberr.InvalidParameterValue, "cannot %s inet values of different sizes", name)
		}
		p, q := x.Addr().AsSlice(), y.Addr().AsSlice()
		for i := range p {
			p[i] = f(p[i], q[i])
		}
		return boxInet(netip.PrefixFrom(addrOf(p), max(x.Bits(), y.Bits()))), nil
	})
}

func inetAdd(p netip.Prefix, n, sign int64) (val, error) {
	z := new(big.Int).SetBytes(p.Addr().AsSlice())
	z.Add(z, big.NewInt(n*sign)) // the smallest number has no opposite: it stays what it is
	size := p.Addr().BitLen() / 8
	if z.Sign() < 0 || z.BitLen() > size*8 {
		return value.Null, dberr.New(dberr.NumericValueOutOfRange, "result is out of range")
	}
	return boxInet(netip.PrefixFrom(addrOf(z.FillBytes(make([]byte, size))), p.Bits())), nil
}

func inetDiff(a []val) (val, error) {
	x, y := inet(a[0]), inet(a[1])
	if !sameFamily(x, y) {
		return value.Null, dberr.New(dberr.InvalidParameterValue, "cannot subtract inet values of different sizes")
	}
	z := new(big.Int).Sub(new(big.Int).SetBytes(x.Addr().AsSlice()), new(big.Int).SetBytes(y.Addr().AsSlice()))
	if !x.Addr().Is4() { // in two's complement of as many bits as an address has
		whole := new(big.Int).Lsh(big.NewInt(1), 128)
		if z.Mod(z, whole); z.Bit(127) == 1 {
			z.Sub(z, whole)
		}
	}
	if !z.IsInt64() {
		return value.Null, dberr.New(dberr.NumericValueOutOfRange, "result is out of range")
	}
	return value.Int(z.Int64()), nil
}

// boxMAC makes a macaddr of six bytes or a macaddr8 of eight.
func boxMAC(b []byte) val {
	if len(b) == 6 {
		return value.Box([6]byte(b))
	}
	return value.Box([8]byte(b))
}

func macFunctions() []def {
	var out []def
	for _, t := range []string{"macaddr", "macaddr8"} {
		bits := func(f func(x, y byte) byte) eval {
			return pure(func(a []val) val {
				x, y := append([]byte(nil), typeio.MACBytes(a[0])...), typeio.MACBytes(a[1])
				for i := range x {
					x[i] = f(x[i], y[i])
				}
				return boxMAC(x)
			})
		}
		out = append(out,
			def{Sig: t + "_and(" + t + "," + t + ")", Eval: bits(func(x, y byte) byte { return x & y })},
			def{Sig: t + "_or(" + t + "," + t + ")", Eval: bits(func(x, y byte) byte { return x | y })},
			def{Sig: t + "_not(" + t + ")", Eval: pure(func(a []val) val {
				x := append([]byte(nil), typeio.MACBytes(a[0])...)
				for i := range x {
					x[i] = ^x[i]
				}
				return boxMAC(x)
			})},
			def{Sig: "trunc(" + t + ")", Eval: pure(func(a []val) val {
				x := append([]byte(nil), typeio.MACBytes(a[0])...)
				clear(x[3:])
				return boxMAC(x)
			})})
	}
	return append(out,
		def{Sig: "macaddr8_set7bit(macaddr8)", Eval: pure(func(a []val) val {
			x := append([]byte(nil), typeio.MACBytes(a[0])...)
			x[0] |= 2
			return boxMAC(x)
		})},
		def{Sig: "macaddr8(macaddr)", Eval: pure(func(a []val) val {
			x := typeio.MACBytes(a[0])
			return boxMAC([]byte{x[0], x[1], x[2], 0xff, 0xfe, x[3], x[4], x[5]})
		})},
		def{Sig: "macaddr(macaddr8)", Eval: try(func(a []val) (val, error) {
			x := typeio.MACBytes(a[0])
			if x[3] != 0xff || x[4] != 0xfe {
				return value.Null, dberr.New(dberr.NumericValueOutOfRange, "macaddr8 data out of range to convert to macaddr").
					WithHint("Only addresses that have FF and FE as values in the 4th and 5th bytes from the left, for example xx:xx:xx:ff:fe:xx:xx:xx, are eligible to be converted from macaddr8 to macaddr.")
			}
			return boxMAC([]byte{x[0], x[1], x[2], x[5], x[6], x[7]}), nil
		})})
}
