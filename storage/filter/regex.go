package filter

import (
	"bytes"
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"

	"github.com/dlclark/regexp2"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
)

// Regex is $regex: a Perl-style expression over strings. Most run on RE2 in linear time; those that need backtracking (look-
// around, back references) run under a time limit and end with 2201B when it is over.
type Regex struct {
	Pattern, Options string

	prefix, infix []byte // the whole expression is one of these plain texts
	plain         bool
	linear        *regexp.Regexp
	backtracking  *regexp2.Regexp
}

// regexTimeout bounds one match of a backtracking expression.
const regexTimeout = time.Second

// NewRegex compiles an expression; options are among i, m, s, x and u. The error says what is wrong, without a code.
func NewRegex(pattern, options string) (*Regex, error) {
	for _, o := range options {
		if !strings.ContainsRune("imsxu", o) {
			return nil, errors.New("invalid flag \"" + string(o) + "\" in regex options (i, m, s, x and u are known)")
		}
	}
	if strings.IndexByte(pattern, 0) >= 0 {
		return nil, errors.New("a regular expression cannot hold a zero byte")
	}
	r := &Regex{Pattern: pattern, Options: options}
	t := translator{in: pattern, multiline: strings.Contains(options, "m"), extended: strings.Contains(options, "x")}
	if err := t.run(); err != nil {
		return nil, err
	}
	if !t.backtrack {
		if r.compileLinear(string(t.out)) {
			return r, nil
		}
	}
	return r, r.compileBacktracking(string(t.out))
}

func (r *Regex) compileLinear(pattern string) bool {
	flags := ""
	for _, o := range "ims" {
		if strings.ContainsRune(r.Options, o) {
			flags += string(o)
		}
	}
	if flags != "" {
		pattern = "(?" + flags + ")" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return false
	}
	r.linear = re
	r.findPlain(pattern)
	return true
}

// findPlain recognises `text` and `^text`, which need no machine.
func (r *Regex) findPlain(pattern string) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return
	}
	re = re.Simplify()
	if re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase == 0 {
		r.infix, r.plain = []byte(string(re.Rune)), true
		return
	}
	if re.Op == syntax.OpEmptyMatch {
		r.plain = true
		return
	}
	if re.Op == syntax.OpConcat && len(re.Sub) == 2 && re.Sub[0].Op == syntax.OpBeginText &&
		re.Sub[1].Op == syntax.OpLiteral && re.Sub[1].Flags&syntax.FoldCase == 0 {
		r.prefix, r.plain = []byte(string(re.Sub[1].Rune)), true
	}
}

func (r *Regex) compileBacktracking(pattern string) error {
	var flags regexp2.RegexOptions
	for _, o := range r.Options {
		switch o {
		case 'i':
			flags |= regexp2.IgnoreCase
		case 'm':
			flags |= regexp2.Multiline
		case 's':
			flags |= regexp2.Singleline
		}
	}
	re, err := regexp2.Compile(pattern, flags)
	if err != nil {
		return err
	}
	re.MatchTimeout = regexTimeout
	r.backtracking = re
	return nil
}

// MatchBytes matches a text.
func (r *Regex) MatchBytes(s []byte) (bool, error) {
	switch {
	case r.prefix != nil:
		return bytes.HasPrefix(s, r.prefix), nil
	case r.plain:
		return bytes.Contains(s, r.infix), nil
	case r.linear != nil:
		return r.linear.Match(s), nil
	}
	ok, err := r.backtracking.MatchString(string(s))
	if err != nil {
		return false, dberr.New(dberr.InvalidRegularExpression, "regular expression is too complex: \"%s\" took longer than %s on one text", r.Pattern, regexTimeout).
			WithHint("Avoid nested repetitions, look-around and back references.")
	}
	return ok, nil
}

// match tests one value: a string that the expression matches, or the same expression stored as a value.
func (r *Regex) match(v doc.Value) (bool, error) {
	if v.Class() == doc.ClassString {
		s, _ := v.StringBytes()
		return r.MatchBytes(s)
	}
	if pattern, options, ok := v.Regex(); ok {
		return string(pattern) == r.Pattern && string(options) == r.Options, nil
	}
	return false, nil
}

func (r *Regex) operator(dst []byte) []byte {
	dst = doc.AppendQuoted(append(dst, `"$regex":`...), r.Pattern)
	if r.Options != "" {
		dst = doc.AppendQuoted(append(dst, `,"$options":`...), r.Options)
	}
	return dst
}

// extended prints the expression as an Extended JSON value.
func (r *Regex) extended(dst []byte) []byte {
	dst = doc.AppendQuoted(append(dst, `{"$regularExpression":{"pattern":`...), r.Pattern)
	return append(doc.AppendQuoted(append(dst, `,"options":`...), r.Options), "}}"...)
}
