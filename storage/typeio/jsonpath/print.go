package jsonpath

import (
	"strconv"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio/num"
)

// String gives the canonical text, which reads back to the same path.
func (p *Path) String() string {
	var dst []byte
	if p.Strict {
		dst = append(dst, "strict "...)
	}
	return string(p.Expr.print(dst, false, true))
}

// print appends a node and its chain: inPath after another step, brackets when an operator needs them where it stands.
func (n *Node) print(dst []byte, inPath, brackets bool) []byte {
	for first := true; n != nil; n, first = n.Next, false {
		dst = n.step(dst, inPath || !first, brackets || !first || n.Next != nil)
	}
	return dst
}

func (n *Node) step(dst []byte, inPath, brackets bool) []byte {
	switch {
	case n.Op.Method() != "":
		dst = append(append(append(dst, '.'), n.Op.Method()...), '(')
		if n.HasText {
			dst = doc.AppendQuoted(dst, n.Text)
		}
		return append(dst, ')')
	case n.Op < Or:
		return n.primary(dst)
	case n.Op <= LikeRegex:
		return n.operator(dst, brackets)
	}
	return n.accessor(dst, inPath)
}

func (n *Node) primary(dst []byte) []byte {
	switch n.Op {
	case Null:
		return append(dst, "null"...)
	case Bool:
		return strconv.AppendBool(dst, n.True)
	case Number:
		if n.Next == nil {
			return num.Append(dst, n.Num)
		}
		return append(num.Append(append(dst, '('), n.Num), ')')
	case String:
		return doc.AppendQuoted(dst, n.Text)
	case Variable:
		return doc.AppendQuoted(append(dst, '$'), n.Text)
	case Root:
		return append(dst, '$')
	case Current:
		return append(dst, '@')
	}
	return append(dst, "last"...)
}

func (n *Node) operator(dst []byte, brackets bool) []byte {
	switch n.Op {
	case Not, IsUnknown, Exists: // they bring brackets of their own, and need more only before an accessor
		brackets = n.Next != nil
	}
	if brackets {
		dst = append(dst, '(')
	}
	operand := func(dst []byte, x *Node) []byte { return x.print(dst, false, x.Op.prio() <= n.Op.prio()) }
	switch n.Op {
	case Not:
		dst = append(n.Left.print(append(dst, "!("...), false, false), ')')
	case Exists:
		dst = append(n.Left.print(append(dst, "exists ("...), false, false), ')')
	case IsUnknown:
		dst = append(n.Left.print(append(dst, '('), false, false), ") is unknown"...)
	case LikeRegex:
		dst = append(operand(dst, n.Left), " like_regex "...)
		dst = n.Regex.print(doc.AppendQuoted(dst, n.Text))
	case Plus, Minus:
		dst = operand(append(dst, n.Op.Symbol()...), n.Left)
	default:
		dst = append(append(append(operand(dst, n.Left), ' '), n.Op.Symbol()...), ' ')
		dst = operand(dst, n.Right)
	}
	if brackets {
		dst = append(dst, ')')
	}
	return dst
}

func (f RegexFlags) print(dst []byte) []byte {
	if f == (RegexFlags{}) {
		return dst
	}
	dst = append(dst, ` flag "`...)
	for _, x := range []struct {
		on   bool
		name byte
	}{{f.Fold, 'i'}, {f.DotAll, 's'}, {f.Lines, 'm'}, {f.Spaces, 'x'}, {f.Quote, 'q'}} {
		if x.on {
			dst = append(dst, x.name)
		}
	}
	return append(dst, '"')
}

func (n *Node) accessor(dst []byte, inPath bool) []byte {
	switch n.Op {
	case Filter:
		return append(n.Left.print(append(dst, "?("...), false, false), ')')
	case AnyElement:
		return append(dst, "[*]"...)
	case Subscripts:
		for i, s := range n.Subs {
			dst = append(dst, "[,"[min(i, 1)])
			dst = s.From.print(dst, false, false)
			if s.To != nil {
				dst = s.To.print(append(dst, " to "...), false, false)
			}
		}
		return append(dst, ']')
	}
	if inPath {
		dst = append(dst, '.')
	}
	switch n.Op {
	case Key:
		return doc.AppendQuoted(dst, n.Text)
	case AnyKey:
		return append(dst, '*')
	}
	return n.levels(append(dst, "**"...))
}

func (n *Node) levels(dst []byte) []byte {
	level := func(dst []byte, l uint32) []byte {
		if l == Deepest {
			return append(dst, "last"...)
		}
		return strconv.AppendUint(dst, uint64(l), 10)
	}
	switch {
	case n.First == 0 && n.To == Deepest:
		return dst
	case n.First == n.To:
		return append(level(append(dst, '{'), n.First), '}')
	}
	dst = append(level(append(dst, '{'), n.First), " to "...)
	return append(level(dst, n.To), '}')
}
