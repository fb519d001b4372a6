package wire

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// message is one backend message.
type message struct {
	kind byte
	body []byte
}

const firstUserOID = 16384

// trace prints a message in the package's notation. A body that does not fit its type prints as malformed, with the
// bytes, so that a transcript shows it.
func (m message) trace() string {
	c := &cursor{b: m.body}
	s := printers[m.kind]
	if s == nil {
		return fmt.Sprintf("unknown %q x%q", m.kind, hex.EncodeToString(m.body))
	}
	out := s(c)
	if c.short || len(c.b) > 0 {
		return fmt.Sprintf("malformed %q x%q", m.kind, hex.EncodeToString(m.body))
	}
	return out
}

// printers are the messages by type byte.
var printers = map[byte]func(c *cursor) string{
	'1': bare("1"), '2': bare("2"), '3': bare("3"), 'n': bare("n"), 's': bare("s"), 'I': bare("I"), 'c': bare("c"),
	'Z': func(c *cursor) string { return "Z[" + string(c.take(1)) + "]" },
	'C': func(c *cursor) string { return "C[" + c.cstring() + "]" },
	'K': func(c *cursor) string { c.take(4); return fmt.Sprintf("K(%d)", len(c.rest())) },
	'S': printParameter,
	'A': func(c *cursor) string { c.take(4); return fmt.Sprintf("A(%q,%q)", c.cstring(), c.cstring()) },
	'E': func(c *cursor) string { return "E[" + printFields(c) + "]" },
	'N': func(c *cursor) string { return "N[" + printFields(c) + "]" },
	'T': printRowDescription,
	't': printParameterDescription,
	'D': printDataRow,
	'd': func(c *cursor) string { return "d(" + printBytes(c.rest()) + ")" },
	'G': func(c *cursor) string { return "G" + printCopy(c) },
	'H': func(c *cursor) string { return "H" + printCopy(c) },
	'W': func(c *cursor) string { return "W" + printCopy(c) },
	'R': printAuthentication,
	'v': printNegotiation,
	'V': printFunctionResult,
}

func bare(s string) func(*cursor) string { return func(*cursor) string { return s } }

func printParameter(c *cursor) string {
	name, v := c.cstring(), c.cstring()
	if name == "server_version" {
		major, _, _ := strings.Cut(v, ".")
		v = major + ".*"
	}
	return fmt.Sprintf("S(%s=%s)", name, v)
}

// fieldOrder is how error fields print; F, L and R speak of the server's source and are left out.
const fieldOrder = "SVCMDHPpqWstcdn"

func printFields(c *cursor) string {
	got := map[byte]string{}
	for {
		t := c.take(1)
		if c.short || t[0] == 0 {
			break
		}
		got[t[0]] = c.cstring()
	}
	if got['V'] == got['S'] { // they differ only in translated messages
		delete(got, 'V')
	} else if _, ok := got['V']; !ok {
		got['V'] = "missing"
	}
	var parts []string
	for i := 0; i < len(fieldOrder); i++ {
		v, ok := got[fieldOrder[i]]
		if !ok {
			continue
		}
		switch fieldOrder[i] {
		case 'S', 'C':
			parts = append(parts, v)
		case 'P':
			parts = append(parts, "P"+v)
		default:
			parts = append(parts, fmt.Sprintf("%c=%q", fieldOrder[i], v))
		}
	}
	return strings.Join(parts, " ")
}

func printRowDescription(c *cursor) string {
	var cols []string
	for range c.uint16() {
		name := c.cstring()
		table, att, oid := c.uint32(), c.uint16(), c.uint32()
		size, mod, format := int16(c.uint16()), int32(c.uint32()), c.uint16()
		if c.short {
			break
		}
		s := fmt.Sprintf("%s:%s:%d:%d:%d", name, oidName(oid), size, mod, format)
		if table != 0 || att != 0 {
			s += fmt.Sprintf(" %s.%d", tableName(table), att)
		}
		cols = append(cols, s)
	}
	return "T[" + strings.Join(cols, ", ") + "]"
}

func oidName(oid uint32) string {
	if oid >= firstUserOID {
		return "user"
	}
	return strconv.FormatUint(uint64(oid), 10)
}

func tableName(oid uint32) string {
	if oid >= firstUserOID {
		return "tab"
	}
	return strconv.FormatUint(uint64(oid), 10)
}

func printParameterDescription(c *cursor) string {
	var oids []string
	for range c.uint16() {
		oids = append(oids, oidName(c.uint32()))
	}
	return "t[" + strings.Join(oids, ",") + "]"
}

func printDataRow(c *cursor) string {
	var cells []string
	for range c.uint16() {
		n := int32(c.uint32())
		if n < 0 {
			cells = append(cells, "NULL")
		} else {
			cells = append(cells, printBytes(c.take(int(n))))
		}
	}
	return "D(" + strings.Join(cells, ",") + ")"
}

// printBytes prints text as a quoted string and anything else as hex.
func printBytes(b []byte) string {
	if utf8.Valid(b) && strings.IndexFunc(string(b), func(r rune) bool {
		return !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r'
	}) < 0 {
		return strconv.Quote(string(b))
	}
	return `x"` + hex.EncodeToString(b) + `"`
}

func printCopy(c *cursor) string {
	overall := c.take(1)
	var cols []string
	for range c.uint16() {
		cols = append(cols, strconv.Itoa(int(c.uint16())))
	}
	if c.short {
		return ""
	}
	return fmt.Sprintf("[%d; %s]", overall[0], strings.Join(cols, ","))
}

func printAuthentication(c *cursor) string {
	kind := c.uint32()
	switch kind {
	case 10: // SASL: the offered mechanisms
		var names []string
		for !c.short {
			name := c.cstring()
			if name == "" {
				break
			}
			names = append(names, name)
		}
		return fmt.Sprintf("R(10; %s)", strings.Join(names, ","))
	case 0, 3:
		return fmt.Sprintf("R(%d)", kind)
	}
	return fmt.Sprintf("R(%d; %d bytes)", kind, len(c.rest())) // salts and proofs differ every time
}

func printNegotiation(c *cursor) string {
	version := c.uint32()
	var names []string
	for range c.uint32() {
		if c.short {
			break
		}
		names = append(names, c.cstring())
	}
	return fmt.Sprintf("v(%08x; %s)", version, strings.Join(names, ","))
}

func printFunctionResult(c *cursor) string {
	n := int32(c.uint32())
	if n < 0 {
		return "V(NULL)"
	}
	return "V(" + printBytes(c.take(int(n))) + ")"
}

// cursor reads a message body; once it ran out, short stays true and reads give zeros.
type cursor struct {
	b     []byte
	short bool
}

func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.b) {
		c.short, c.b = true, nil
		return make([]byte, min(max(n, 0), 8))
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor) rest() []byte   { return c.take(len(c.b)) }
func (c *cursor) uint16() uint16 { return binary.BigEndian.Uint16(c.take(2)) }
func (c *cursor) uint32() uint32 { return binary.BigEndian.Uint32(c.take(4)) }

func (c *cursor) cstring() string {
	for i, x := range c.b {
		if x == 0 {
			s := string(c.b[:i])
			c.b = c.b[i+1:]
			return s
		}
	}
	c.short, c.b = true, nil
	return ""
}
