package scalar

import (
	"strings"
	"unicode/utf8"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// likeShape is how a pattern can be matched without walking it.
type likeShape uint8

const (
	likeAny     likeShape = iota // walk the pattern
	likeExact                    // no wildcard
	likePrefix                   // abc%
	likeSuffix                   // %abc
	likeContain                  // %abc%
)

// likePattern is a compiled LIKE pattern. Items are literal text, one character (_), or any text (%).
type likePattern struct {
	shape likeShape
	lit   string // of the simple shapes
	items []likeItem
	bytes bool // _ is a byte (bytea), not a character
	// dangling is a pattern that ends with its escape character: an error for texts that bring the match there.
	dangling string
}

type likeItem struct {
	lit string
	one int  // so many characters
	any bool // then any text
}

// compileLike reads a pattern with backslash as escape character.
func compileLike(p string, byteWise bool) (*likePattern, error) {
	lp := &likePattern{bytes: byteWise}
	var lit strings.Builder
	add := func(it likeItem) {
		if lit.Len() > 0 {
			lp.items = append(lp.items, likeItem{lit: lit.String()})
			lit.Reset()
		}
		if n := len(lp.items); n > 0 && lp.items[n-1].lit == "" { // join wildcards: their order makes no difference
			lp.items[n-1].one += it.one
			lp.items[n-1].any = lp.items[n-1].any || it.any
			return
		}
		lp.items = append(lp.items, it)
	}
	for i := 0; i < len(p); i++ {
		switch c := p[i]; c {
		case '%':
			add(likeItem{any: true})
		case '_':
			add(likeItem{one: 1})
		case '\\':
			if i++; i == len(p) {
				return &likePattern{bytes: byteWise, dangling: p}, nil
			}
			lit.WriteByte(p[i])
		default:
			lit.WriteByte(c)
		}
	}
	if lit.Len() > 0 || len(lp.items) == 0 {
		lp.items = append(lp.items, likeItem{lit: lit.String()})
	}
	lp.classify()
	return lp, nil
}

func (p *likePattern) classify() {
	wild := func(it likeItem) bool { return it.any && it.one == 0 }
	isLit := func(it likeItem) bool { return !it.any && it.one == 0 }
	switch it := p.items; {
	case len(it) == 1 && isLit(it[0]):
		p.shape, p.lit = likeExact, it[0].lit
	case len(it) == 2 && isLit(it[0]) && wild(it[1]):
		p.shape, p.lit = likePrefix, it[0].lit
	case len(it) == 2 && wild(it[0]) && isLit(it[1]):
		p.shape, p.lit = likeSuffix, it[1].lit
	case len(it) == 3 && wild(it[0]) && isLit(it[1]) && wild(it[2]):
		p.shape, p.lit = likeContain, it[1].lit
	}
}

// test matches, or fails where the pattern does.
func (p *likePattern) test(s string) (bool, error) {
	if p.dangling != "" {
		return false, p.reach(p.dangling, s)
	}
	return p.match(s), nil
}

// reach follows a pattern that ends with its escape character, which fits no text, and fails when the match comes to that end.
func (p *likePattern) reach(pat, s string) error {
	for pat != "" && s != "" {
		switch pat[0] {
		case '%':
			for pat != "" && pat[0] == '%' {
				pat = pat[1:]
			}
			for i := 0; i >= 0 && i < len(s); i = p.skip(s, i, 1) {
				if err := p.reach(pat, s[i:]); err != nil {
					return err
				}
			}
			return nil
		case '_':
			pat, s = pat[1:], s[p.skip(s, 0, 1):]
			continue
		case '\\':
			if pat = pat[1:]; pat == "" {
				return dberr.New(dberr.InvalidEscapeSequence, "LIKE pattern must not end with escape character")
			}
		}
		if pat[0] != s[0] {
			return nil
		}
		pat, s = pat[1:], s[1:]
	}
	return nil
}

func (p *likePattern) match(s string) bool {
	switch p.shape {
	case likeExact:
		return s == p.lit
	case likePrefix:
		return strings.HasPrefix(s, p.lit)
	case likeSuffix:
		return strings.HasSuffix(s, p.lit)
	case likeContain:
		return strings.Contains(s, p.lit)
	}
	return p.walk(s)
}

// walk matches item by item; after a % it is enough to try the first place where the next literal fits, and to come back to the
// last % on failure.
func (p *likePattern) walk(s string) bool {
	i, k := 0, 0
	backItem, backPos := -1, 0
	for {
		ok := true
		switch {
		case k == len(p.items):
			if i == len(s) {
				return true
			}
			ok = false
		case p.items[k].lit != "" || p.items[k].one == 0 && !p.items[k].any:
			if strings.HasPrefix(s[i:], p.items[k].lit) {
				i += len(p.items[k].lit)
				k++
			} else {
				ok = false
			}
		default:
			j := p.skip(s, i, p.items[k].one)
			if j < 0 {
				return false
			}
			i = j
			if p.items[k].any {
				if k+1 == len(p.items) {
					return true
				}
				backItem, backPos = k+1, i
			}
			k++
		}
		if ok {
			continue
		}
		if backItem < 0 {
			return false
		}
		backPos = p.next(s, backItem, backPos)
		if backPos < 0 {
			return false
		}
		i, k = backPos, backItem
	}
}

// next gives the next place after from where the literal that follows a % may start.
func (p *likePattern) next(s string, item, from int) int {
	if from >= len(s) {
		return -1
	}
	j := p.skip(s, from, 1)
	if lit := p.items[item].lit; lit != "" {
		d := strings.Index(s[j:], lit)
		if d < 0 {
			return -1
		}
		if d > 0 && item == len(p.items)-1 && len(s)-len(lit) >= j { // the last literal must end the text
			return len(s) - len(lit)
		}
		return j + d
	}
	return j
}

// skip gives the place n characters after i, -1 when s ends before.
func (p *likePattern) skip(s string, i, n int) int {
	for ; n > 0; n-- {
		if i >= len(s) {
			return -1
		}
		if p.bytes || s[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i
}

// likeCache keeps the last pattern of a call site.
type likeCache struct {
	src string
	p   *likePattern
}

func likeFor(c *call, src string, fold, byteWise bool) (*likePattern, error) {
	var lc *likeCache
	if c != nil {
		if lc, _ = c.State.(*likeCache); lc != nil && lc.src == src {
			return lc.p, nil
		}
	}
	pat := src
	if fold {
		pat = strings.ToLower(src)
	}
	p, err := compileLike(pat, byteWise)
	if err == nil && c != nil {
		c.State = &likeCache{src: strings.Clone(src), p: p}
	}
	return p, err
}

// likeEval makes the Eval of LIKE (fold: ILIKE) or its negation.
func likeEval(fold, neg, byteWise bool) eval {
	return with(func(c *call, a []val) (val, error) {
		p, err := likeFor(c, a[1].Str(), fold, byteWise)
		if err != nil {
			return value.Null, err
		}
		s := a[0].Str()
		if fold {
			s = strings.ToLower(s)
		}
		ok, err := p.test(s)
		return value.Bool(ok != neg), err
	})
}

func likeKernel(fold, neg, byteWise bool) functions.KernelFunc {
	return func(c *functions.Call, args []*value.Column, consts []bool, sel []int32, n int, out *value.Column) error {
		res, a, b := bools(out, n), args[0].Strs, args[1].Strs
		for k := range positions(sel, n) {
			i := at(sel, k)
			p, err := likeFor(c, b[pick(consts[1], i)], fold, byteWise)
			if err != nil {
				return err
			}
			s := a[pick(consts[0], i)]
			if fold {
				s = strings.ToLower(s)
			}
			ok, err := p.test(s)
			if err != nil {
				return err
			}
			res[i] = ok != neg
		}
		return nil
	}
}

// likeFunctions gives LIKE and ILIKE for the string types.
func likeFunctions() []def {
	var out []def
	add := func(name, args string, fold, neg, byteWise bool) {
		out = append(out, def{Sig: name + "(" + args + ")", Eval: likeEval(fold, neg, byteWise), Kernel: likeKernel(fold, neg, byteWise)})
	}
	for _, t := range []string{"text", "name", "bpchar"} {
		args := t + ",text"
		add(t+"like", args, false, false, false)
		add(t+"nlike", args, false, true, false)
		add(t+"iclike", args, true, false, false)
		add(t+"icnlike", args, true, true, false)
	}
	add("bytealike", "bytea,bytea", false, false, true)
	add("byteanlike", "bytea,bytea", false, true, true)
	for _, t := range []string{"text,text", "name,text"} {
		add("like", t, false, false, false)
		add("notlike", t, false, true, false)
	}
	add("like", "bytea,bytea", false, false, true)
	add("notlike", "bytea,bytea", false, true, true)
	return append(out,
		def{Sig: "like_escape(text,text)", Eval: try(likeEscape)}, def{Sig: "like_escape(bytea,bytea)", Eval: try(likeEscape)})
}

// likeEscape turns a pattern with another escape character into one with backslash.
func likeEscape(a []val) (val, error) {
	p, esc := a[0].Str(), a[1].Str()
	if utf8.RuneCountInString(esc) > 1 {
		return value.Null, dberr.New(dberr.InvalidEscapeSequence, "invalid escape string").WithHint("Escape string must be empty or one character.")
	}
	if esc == `\` {
		return a[0], nil
	}
	var b strings.Builder
	after := false
	for i := 0; i < len(p); {
		if esc != "" && !after && strings.HasPrefix(p[i:], esc) {
			b.WriteByte('\\')
			i += len(esc)
			after = true
			continue
		}
		if p[i] == '\\' && !after {
			b.WriteByte('\\')
		}
		b.WriteByte(p[i])
		after = false
		i++
	}
	return text(b.String()), nil
}
