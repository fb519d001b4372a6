package scalar

import (
	"strings"
	"unicode/utf8"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/scalar/pgregex"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// regexCache keeps the last pattern of a call site.
type regexCache struct {
	src   string
	flags pgregex.Flags
	re    *pgregex.Regexp
}

// Regex compiles a pattern, or gives the one that the call site compiled last.
func Regex(c *call, src string, flags pgregex.Flags) (*pgregex.Regexp, error) {
	if c != nil {
		if rc, _ := c.State.(*regexCache); rc != nil && rc.src == src && rc.flags == flags {
			return rc.re, nil
		}
	}
	re, err := pgregex.Compile(src, flags)
	if err == nil && c != nil {
		c.State = &regexCache{src: strings.Clone(src), flags: flags, re: re}
	}
	return re, err
}

// matchEval makes the Eval of ~ (fold: ~*) or its negation.
func matchEval(fold, neg bool) eval {
	return with(func(c *call, a []val) (val, error) {
		re, err := Regex(c, a[1].Str(), pgregex.Flags{Fold: fold})
		if err != nil {
			return value.Null, err
		}
		ok, err := re.Match(a[0].Str())
		return value.Bool(ok != neg), err
	})
}

func matchKernel(fold, neg bool) functions.KernelFunc {
	return func(c *functions.Call, args []*value.Column, consts []bool, sel []int32, n int, out *value.Column) error {
		res, a, b := bools(out, n), args[0].Strs, args[1].Strs
		for k := range positions(sel, n) {
			i := at(sel, k)
			re, err := Regex(c, b[pick(consts[1], i)], pgregex.Flags{Fold: fold})
			if err != nil {
				return err
			}
			ok, err := re.Match(a[pick(consts[0], i)])
			if err != nil {
				return err
			}
			res[i] = ok != neg
		}
		return nil
	}
}

// regexFunctions gives the operators and functions of POSIX patterns.
func regexFunctions() []def {
	var out []def
	for _, t := range []string{"text", "name", "bpchar"} {
		for _, op := range []struct {
			name      string
			fold, neg bool
		}{{"regexeq", false, false}, {"regexne", false, true}, {"icregexeq", true, false}, {"icregexne", true, true}} {
			out = append(out, def{Sig: t + op.name + "(" + t + ",text)", Eval: matchEval(op.fold, op.neg), Kernel: matchKernel(op.fold, op.neg)})
		}
	}
	for _, f := range []struct {
		name string
		args []string
		eval func(c *call, a []val) (val, error)
	}{
		{"regexp_like", []string{"text,text", "text,text,text"}, regexpLike},
		{"regexp_match", []string{"text,text", "text,text,text"}, regexpMatch},
		{"regexp_count", []string{"text,text", "text,text,int4", "text,text,int4,text"}, regexpCount},
		{"regexp_instr", []string{"text,text", "text,text,int4", "text,text,int4,int4", "text,text,int4,int4,int4", "text,text,int4,int4,int4,text",
			"text,text,int4,int4,int4,text,int4"}, regexpInstr},
		{"regexp_substr", []string{"text,text", "text,text,int4", "text,text,int4,int4", "text,text,int4,int4,text", "text,text,int4,int4,text,int4"}, regexpSubstr},
		{"regexp_replace", []string{"text,text,text", "text,text,text,text"}, regexpReplace},
		{"regexp_replace", []string{"text,text,text,int4", "text,text,text,int4,int4", "text,text,text,int4,int4,text"}, regexpReplaceN},
		{"regexp_split_to_array", []string{"text,text", "text,text,text"}, func(c *call, a []val) (val, error) {
			parts, err := RegexpSplit(c, a, "regexp_split_to_array()")
			return value.Box(value.NewArray(value.Text, parts)), err
		}},
		{"substring", []string{"text,text"}, substringRegex}, {"substring", []string{"text,text,text"}, substringSimilar},
		{"similar_to_escape", []string{"text", "text,text"}, func(_ *call, a []val) (val, error) { return similarToEscape(a) }},
		{"similar_escape", []string{"text,text"}, func(_ *call, a []val) (val, error) {
			if a[0].IsNull() {
				return value.Null, nil
			}
			if a[1].IsNull() {
				a = a[:1]
			}
			return similarToEscape(a)
		}},
	} {
		for _, args := range f.args {
			out = append(out, def{Sig: f.name + "(" + args + ")", Eval: with(f.eval)})
		}
	}
	return out
}

// options reads the flags argument, when there is one; g is refused for the functions that have no use for it.
func options(a []val, i int, refuseG string) (f pgregex.Flags, global bool, err error) {
	if i >= len(a) {
		return f, false, nil
	}
	f, global, err = pgregex.ParseFlags(a[i].Str())
	if err == nil && global && refuseG != "" {
		err = dberr.New(dberr.InvalidParameterValue, `%s does not support the "global" option`, refuseG)
		if refuseG == "regexp_match()" {
			err = err.(*dberr.Error).WithHint("Use the regexp_matches function instead.")
		}
	}
	return f, global, err
}

func regexpLike(c *call, a []val) (val, error) {
	f, _, err := options(a, 2, "regexp_like()")
	if err != nil {
		return value.Null, err
	}
	re, err := Regex(c, a[1].Str(), f)
	if err != nil {
		return value.Null, err
	}
	ok, err := re.Match(a[0].Str())
	return value.Bool(ok), err
}

// groupsOf gives a match as an array: the groups, or the whole when there are none.
func groupsOf(s string, m []int) val {
	if len(m) == 2 {
		return value.Box(value.NewArray(value.Text, []val{text(s[m[0]:m[1]])}))
	}
	out := make([]val, len(m)/2-1)
	for i := range out {
		if from := m[2*i+2]; from >= 0 {
			out[i] = text(s[from:m[2*i+3]])
		}
	}
	return value.Box(value.NewArray(value.Text, out))
}

func regexpMatch(c *call, a []val) (val, error) {
	f, _, err := options(a, 2, "regexp_match()")
	if err != nil {
		return value.Null, err
	}
	re, err := Regex(c, a[1].Str(), f)
	if err != nil {
		return value.Null, err
	}
	m, err := re.Find(a[0].Str(), 0)
	if err != nil || m == nil {
		return value.Null, err
	}
	return groupsOf(a[0].Str(), m), nil
}

// eachMatch calls f for the matches one after the other: after an empty one the search goes on one character further. f says whether
// to go on.
func eachMatch(re *pgregex.Regexp, s string, start int, f func(m []int) bool) error {
	for start <= len(s) {
		m, err := re.Find(s, start)
		if err != nil || m == nil {
			return err
		}
		if !f(m) {
			return nil
		}
		start = m[1]
		if m[0] == m[1] {
			if start >= len(s) {
				return nil
			}
			_, n := utf8.DecodeRuneInString(s[start:])
			start += n
		}
	}
	return nil
}

// RegexpMatches gives the matches of regexp_matches as arrays.
func RegexpMatches(c *call, a []val) ([]val, error) {
	f, global, err := options(a, 2, "")
	if err != nil {
		return nil, err
	}
	re, err := Regex(c, a[1].Str(), f)
	if err != nil {
		return nil, err
	}
	var out []val
	s := a[0].Str()
	err = eachMatch(re, s, 0, func(m []int) bool {
		out = append(out, groupsOf(s, m))
		return global
	})
	return out, err
}

// RegexpSplit cuts a text at the matches of a pattern; empty matches at the ends, or right after a match, cut nothing.
func RegexpSplit(c *call, a []val, name string) ([]val, error) {
	f, _, err := options(a, 2, name)
	if err != nil {
		return nil, err
	}
	re, err := Regex(c, a[1].Str(), f)
	if err != nil {
		return nil, err
	}
	var out []val
	s, last := a[0].Str(), 0
	err = eachMatch(re, s, 0, func(m []int) bool {
		if m[0] == m[1] && (m[0] >= len(s) || m[0] <= last) {
			return true
		}
		out = append(out, text(s[last:m[0]]))
		last = m[1]
		return true
	})
	return append(out, text(s[last:])), err
}

// number reads an integer argument that must be at least low.
func number(a []val, i int, name string, def, low int64) (int64, error) {
	if i >= len(a) {
		return def, nil
	}
	if n := a[i].Int(); n >= low {
		return n, nil
	}
	return 0, dberr.New(dberr.InvalidParameterValue, `invalid value for parameter "%s": %d`, name, a[i].Int())
}

func regexpCount(c *call, a []val) (val, error) {
	start, err := number(a, 2, "start", 1, 1)
	if err != nil {
		return value.Null, err
	}
	f, _, err := options(a, 3, "regexp_count()")
	if err != nil {
		return value.Null, err
	}
	re, err := Regex(c, a[1].Str(), f)
	if err != nil {
		return value.Null, err
	}
	n := int64(0)
	s := a[0].Str()
	if start > int64(utf8.RuneCountInString(s))+1 {
		return value.Int(0), nil
	}
	err = eachMatch(re, s, byteAt(s, start-1), func([]int) bool { n++; return true })
	return value.Int(n), err
}

// nth finds the n-th match from a start (character from 1).
func nth(c *call, s, pattern string, start, n int64, f pgregex.Flags) ([]int, error) {
	re, err := Regex(c, pattern, f)
	if err != nil {
		return nil, err
	}
	var found []int
	if start > int64(utf8.RuneCountInString(s))+1 {
		return nil, nil
	}
	err = eachMatch(re, s, byteAt(s, start-1), func(m []int) bool {
		n--
		if n == 0 {
			found = m
		}
		return n > 0
	})
	return found, err
}

func regexpInstr(c *call, a []val) (val, error) {
	start, err := number(a, 2, "start", 1, 1)
	if err != nil {
		return value.Null, err
	}
	n, err := number(a, 3, "n", 1, 1)
	if err != nil {
		return value.Null, err
	}
	end := int64(0)
	if len(a) > 4 {
		if end = a[4].Int(); end != 0 && end != 1 {
			return value.Null, dberr.New(dberr.InvalidParameterValue, `invalid value for parameter "%s": %d`, "endoption", end)
		}
	}
	group, err := number(a, 6, "subexpr", 0, 0)
	if err != nil {
		return value.Null, err
	}
	f, _, err := options(a, 5, "regexp_instr()")
	if err != nil {
		return value.Null, err
	}
	m, err := nth(c, a[0].Str(), a[1].Str(), start, n, f)
	if group == 1 && len(m) == 2 {
		group = 0 // a pattern without parentheses is its own subexpression
	}
	if err != nil || int(2*group)+1 >= len(m) || m[2*group] < 0 {
		return value.Int(0), err
	}
	return value.Int(int64(utf8.RuneCountInString(a[0].Str()[:m[2*group+end]])) + 1), nil
}

func regexpSubstr(c *call, a []val) (val, error) {
	start, err := number(a, 2, "start", 1, 1)
	if err != nil {
		return value.Null, err
	}
	n, err := number(a, 3, "n", 1, 1)
	if err != nil {
		return value.Null, err
	}
	group, err := number(a, 5, "subexpr", 0, 0)
	if err != nil {
		return value.Null, err
	}
	f, _, err := options(a, 4, "regexp_substr()")
	if err != nil {
		return value.Null, err
	}
	m, err := nth(c, a[0].Str(), a[1].Str(), start, n, f)
	if group == 1 && len(m) == 2 {
		group = 0
	}
	if err != nil || int(2*group)+1 >= len(m) || m[2*group] < 0 {
		return value.Null, err
	}
	return text(a[0].Str()[m[2*group]:m[2*group+1]]), nil
}

func regexpReplace(c *call, a []val) (val, error) {
	if len(a) > 3 && a[3].Str() != "" && a[3].Str()[0] >= '0' && a[3].Str()[0] <= '9' {
		return value.Null, dberr.New(dberr.InvalidParameterValue, `invalid regular expression option: "%s"`, firstChar(a[3].Str())).
			WithHint("If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.")
	}
	f, global, err := options(a, 3, "")
	if err != nil {
		return value.Null, err
	}
	n := int64(1)
	if global {
		n = 0
	}
	return replaceMatches(c, a, f, 1, n)
}

// regexpReplaceN replaces the n-th match (0: all) from a start.
func regexpReplaceN(c *call, a []val) (val, error) {
	start, err := number(a, 3, "start", 1, 1)
	if err != nil {
		return value.Null, err
	}
	n, err := number(a, 4, "n", 1, 0)
	if err != nil {
		return value.Null, err
	}
	f, global, err := options(a, 5, "")
	if err != nil {
		return value.Null, err
	}
	if global && len(a) < 5 {
		n = 0
	}
	return replaceMatches(c, a, f, start, n)
}

func replaceMatches(c *call, a []val, f pgregex.Flags, start, n int64) (val, error) {
	re, err := Regex(c, a[1].Str(), f)
	if err != nil {
		return value.Null, err
	}
	s, with := a[0].Str(), a[2].Str()
	var b strings.Builder
	last, count := 0, int64(0)
	err = eachMatch(re, s, byteAt(s, start-1), func(m []int) bool {
		if count++; n > 0 && count < n {
			return true
		}
		b.WriteString(s[last:m[0]])
		expand(&b, with, s, m)
		last = m[1]
		return n == 0 && b.Len() < MaxText
	})
	if b.Len() >= MaxText {
		return value.Null, tooLong()
	}
	b.WriteString(s[last:])
	return text(b.String()), err
}

// expand writes a replacement: \1 … \9 are groups, \& is the whole match, \\ a backslash.
func expand(b *strings.Builder, with, s string, m []int) {
	for i := 0; i < len(with); i++ {
		if with[i] != '\\' || i+1 >= len(with) {
			b.WriteByte(with[i])
			continue
		}
		switch d := with[i+1]; {
		case d >= '1' && d <= '9':
			if k := int(d - '0'); 2*k+1 < len(m) && m[2*k] >= 0 {
				b.WriteString(s[m[2*k]:m[2*k+1]])
			}
			i++
		case d == '&':
			b.WriteString(s[m[0]:m[1]])
			i++
		case d == '\\':
			b.WriteByte('\\')
			i++
		default:
			b.WriteByte('\\')
		}
	}
}

// substringRegex gives the first group of a match, or the whole match where there is none.
func substringRegex(c *call, a []val) (val, error) {
	return substringMatch(c, a[0].Str(), a[1].Str())
}

func substringMatch(c *call, s, pattern string) (val, error) {
	re, err := Regex(c, pattern, pgregex.Flags{})
	if err != nil {
		return value.Null, err
	}
	m, err := re.Find(s, 0)
	if err != nil || m == nil {
		return value.Null, err
	}
	k := 0
	if len(m) > 2 {
		k = 2
	}
	if m[k] < 0 {
		return value.Null, nil
	}
	return text(s[m[k]:m[k+1]]), nil
}

func substringSimilar(c *call, a []val) (val, error) {
	p, err := similarToEscape(a[1:])
	if err != nil {
		return value.Null, err
	}
	return substringMatch(c, a[0].Str(), p.Str())
}
