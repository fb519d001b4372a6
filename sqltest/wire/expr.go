package wire

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// value is an argument in a script: text or bytes, NULL, a number, a bare word, a list, or a call.
type value struct {
	kind valueKind
	text string // text, bytes, or word; the name of a call
	num  int64
	list []value // of a list or a call
}

type valueKind int

const (
	textValue valueKind = iota
	nullValue
	numberValue
	wordValue
	listValue
	callValue
)

// exprParser reads a line of calls: NAME, NAME(value, …).
type exprParser struct {
	in string
	at int
}

// parseCalls reads the messages of one > line. A bare word is a call without arguments.
func parseCalls(line string) ([]value, error) {
	p := &exprParser{in: line}
	var out []value
	for p.skip(); p.at < len(p.in); p.skip() {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		if v.kind == wordValue {
			v.kind = callValue
		}
		if v.kind != callValue {
			return nil, fmt.Errorf("column %d: want a message", p.at)
		}
		out = append(out, v)
	}
	return out, nil
}

func (p *exprParser) skip() {
	for p.at < len(p.in) && p.in[p.at] == ' ' {
		p.at++
	}
}

func (p *exprParser) value() (value, error) {
	p.skip()
	rest := p.in[p.at:]
	switch {
	case rest == "":
		return value{}, fmt.Errorf("column %d: want a value", p.at)
	case rest[0] == '"':
		return p.quoted(func(s string) (string, error) { return s, nil })
	case strings.HasPrefix(rest, `x"`):
		p.at++
		return p.quoted(func(s string) (string, error) {
			b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
			return string(b), err
		})
	case rest[0] == '(':
		list, err := p.list()
		return value{kind: listValue, list: list}, err
	}
	return p.word()
}

func (p *exprParser) quoted(conv func(string) (string, error)) (value, error) {
	raw, err := strconv.QuotedPrefix(p.in[p.at:])
	if err != nil {
		return value{}, fmt.Errorf("column %d: bad string", p.at)
	}
	p.at += len(raw)
	s, err := strconv.Unquote(raw)
	if err == nil {
		s, err = conv(s)
	}
	return value{text: s}, err
}

func (p *exprParser) list() (out []value, err error) {
	p.at++ // the opening parenthesis
	for {
		p.skip()
		if p.at < len(p.in) && p.in[p.at] == ')' {
			p.at++
			return out, nil
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		p.skip()
		if p.at < len(p.in) && p.in[p.at] == ',' {
			p.at++
		} else if p.at >= len(p.in) || p.in[p.at] != ')' {
			return nil, fmt.Errorf("column %d: want , or )", p.at)
		}
	}
}

// word reads a number, NULL, a bare word, or a call.
func (p *exprParser) word() (value, error) {
	start := p.at
	for p.at < len(p.in) && !strings.ContainsRune(` ,()"`, rune(p.in[p.at])) {
		p.at++
	}
	w := p.in[start:p.at]
	if w == "" {
		return value{}, fmt.Errorf("column %d: unexpected %q", p.at, p.in[p.at])
	}
	if n, err := strconv.ParseInt(w, 0, 64); err == nil {
		return value{kind: numberValue, num: n}, nil
	}
	if w == "NULL" {
		return value{kind: nullValue}, nil
	}
	if p.at < len(p.in) && p.in[p.at] == '(' {
		list, err := p.list()
		return value{kind: callValue, text: w, list: list}, err
	}
	return value{kind: wordValue, text: w}, nil
}
