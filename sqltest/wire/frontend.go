package wire

import (
	"encoding/binary"
	"fmt"
)

// Codes in place of a protocol version in a start-up packet.
const (
	cancelCode = 80877102
	sslCode    = 80877103
	gssCode    = 80877104
)

// secret is what BackendKeyData gave: process id and key.
type secret []byte

// encoder makes the bytes of frontend messages. params are added to start-up packets that lack them; secretOf gives a
// connection's key.
type encoder struct {
	params   [][2]string
	secretOf func(name string) (secret, error)
}

// plain messages have no body.
var plain = map[string]byte{"H": 'H', "S": 'S', "X": 'X', "c": 'c'}

// encode appends one message.
func (e *encoder) encode(b []byte, m value) ([]byte, error) {
	if t, ok := plain[m.text]; ok && len(m.list) == 0 {
		return typed(b, t, nil), nil
	}
	args := &arguments{list: m.list}
	switch m.text {
	case "Q", "f":
		b = typed(b, m.text[0], cstring(nil, args.str()))
	case "d":
		b = typed(b, 'd', []byte(args.str()))
	case "P":
		b = typed(b, 'P', parseBody(args))
	case "B":
		b = typed(b, 'B', bindBody(args))
	case "D", "C":
		b = typed(b, m.text[0], cstring([]byte(args.word()), args.str()))
	case "E":
		body := cstring(nil, args.str())
		b = typed(b, 'E', binary.BigEndian.AppendUint32(body, uint32(args.number())))
	case "startup":
		b = framed(b, e.startupBody(args))
	case "ssl":
		b = framed(b, binary.BigEndian.AppendUint32(nil, sslCode))
	case "gss":
		b = framed(b, binary.BigEndian.AppendUint32(nil, gssCode))
	case "cancelkey":
		key, err := e.secretOf(args.word())
		if err != nil {
			return nil, err
		}
		b = framed(b, cancelBody(key, byte(args.number())))
	case "msg":
		b = typed(b, args.str()[0], []byte(args.str()))
	case "raw":
		b = append(b, args.str()...)
	default:
		return nil, fmt.Errorf("unknown message %q", m.text)
	}
	if args.err == nil && len(args.list) > 0 {
		args.err = fmt.Errorf("too many arguments")
	}
	if args.err != nil {
		return nil, fmt.Errorf("%s: %w", m.text, args.err)
	}
	return b, nil
}

// typed appends a message with type byte and length.
func typed(b []byte, t byte, body []byte) []byte { return framed(append(b, t), body) }

// framed appends length and body.
func framed(b, body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(body)+4)), body...)
}

func cstring(b []byte, s string) []byte { return append(append(b, s...), 0) }

func parseBody(args *arguments) []byte {
	b := cstring(cstring(nil, args.str()), args.str())
	b = binary.BigEndian.AppendUint16(b, uint16(len(args.list)))
	for len(args.list) > 0 {
		b = binary.BigEndian.AppendUint32(b, uint32(args.number()))
	}
	return b
}

// bindBody is portal, statement, parameter formats, values, result formats; all but the names may be left out.
func bindBody(args *arguments) []byte {
	b := cstring(cstring(nil, args.str()), args.str())
	var values, paramFormats, resultFormats []value
	for _, v := range args.take() {
		switch {
		case v.kind == listValue:
			values = v.list
		case v.kind == callValue && v.text == "pf":
			paramFormats = v.list
		case v.kind == callValue && v.text == "rf":
			resultFormats = v.list
		default:
			args.fail("a value list, pf(…) or rf(…)")
		}
	}
	b = formats(b, paramFormats)
	b = binary.BigEndian.AppendUint16(b, uint16(len(values)))
	for _, v := range values {
		if v.kind == nullValue {
			b = binary.BigEndian.AppendUint32(b, ^uint32(0))
			continue
		}
		b = binary.BigEndian.AppendUint32(b, uint32(len(v.text)))
		b = append(b, v.text...)
	}
	return formats(b, resultFormats)
}

func formats(b []byte, codes []value) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(len(codes)))
	for _, c := range codes {
		b = binary.BigEndian.AppendUint16(b, uint16(c.num))
	}
	return b
}

func (e *encoder) startupBody(args *arguments) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(args.number()))
	given := map[string]bool{}
	var pairs []byte
	for len(args.list) > 0 && args.err == nil {
		k, v := args.str(), args.str()
		given[k] = true
		pairs = cstring(cstring(pairs, k), v)
	}
	for _, p := range e.params {
		if !given[p[0]] {
			b = cstring(cstring(b, p[0]), p[1])
		}
	}
	return append(append(b, pairs...), 0)
}

// cancelBody is a CancelRequest for the key, whose last byte is changed by xor (0 leaves it right).
func cancelBody(key secret, xor byte) []byte {
	b := append(binary.BigEndian.AppendUint32(nil, cancelCode), key...)
	b[len(b)-1] ^= xor
	return b
}

// arguments hands out a call's arguments in order; the first misuse stays as err.
type arguments struct {
	list []value
	err  error
}

func (a *arguments) fail(want string) {
	if a.err == nil {
		a.err = fmt.Errorf("want %s", want)
	}
}

func (a *arguments) next(kind valueKind, want string) value {
	if len(a.list) == 0 || a.list[0].kind != kind {
		a.fail(want)
		a.list = nil
		return value{text: "?"}
	}
	v := a.list[0]
	a.list = a.list[1:]
	return v
}

func (a *arguments) str() string   { return a.next(textValue, "a string").text }
func (a *arguments) word() string  { return a.next(wordValue, "a word").text }
func (a *arguments) number() int64 { return a.next(numberValue, "a number").num }

func (a *arguments) take() []value {
	all := a.list
	a.list = nil
	return all
}
