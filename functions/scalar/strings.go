package scalar

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// MaxText is the most bytes that a text may have.
const MaxText = 1<<30 - 1

func text(s string) val { return value.String(s) }

// str1, str2 and str3 lift functions of texts that can't fail.
func str1(f func(s string) string) eval {
	return pure(func(a []val) val { return text(f(a[0].Str())) })
}

func str2(f func(s, t string) string) eval {
	return pure(func(a []val) val { return text(f(a[0].Str(), a[1].Str())) })
}

func str3(f func(s, t, u string) string) eval {
	return pure(func(a []val) val { return text(f(a[0].Str(), a[1].Str(), a[2].Str())) })
}

// strInt lifts a function of a text that gives an integer.
func strInt(f func(s string) int) eval {
	return pure(func(a []val) val { return value.Int(int64(f(a[0].Str()))) })
}

// strings gives the text functions that need no pattern.
func textFunctions() []def {
	return []def{
		{Sig: "textcat(text,text)", Eval: str2(func(s, t string) string { return s + t })},
		{Sig: "lower(text)", Eval: str1(strings.ToLower)}, {Sig: "upper(text)", Eval: str1(strings.ToUpper)}, {Sig: "initcap(text)", Eval: str1(initcap)},
		{Sig: "length(text)", Eval: strInt(utf8.RuneCountInString)}, {Sig: "char_length(text)", Eval: strInt(utf8.RuneCountInString)},
		{Sig: "character_length(text)", Eval: strInt(utf8.RuneCountInString)}, {Sig: "textlen(text)", Eval: strInt(utf8.RuneCountInString)},
		{Sig: "length(bpchar)", Eval: strInt(blankTrimmed)}, {Sig: "char_length(bpchar)", Eval: strInt(blankTrimmed)},
		{Sig: "character_length(bpchar)", Eval: strInt(blankTrimmed)},
		{Sig: "octet_length(text)", Eval: strInt(func(s string) int { return len(s) })}, {Sig: "octet_length(bpchar)", Eval: strInt(func(s string) int { return len(s) })},
		{Sig: "bit_length(text)", Eval: strInt(func(s string) int { return len(s) * 8 })},
		{Sig: "left(text,int4)", Eval: pure(func(a []val) val { return text(left(a[0].Str(), a[1].Int())) })},
		{Sig: "right(text,int4)", Eval: pure(func(a []val) val { return text(right(a[0].Str(), a[1].Int())) })},
		{Sig: "lpad(text,int4,text)", Eval: try(lpad)}, {Sig: "lpad(text,int4)", Eval: try(lpad)},
		{Sig: "rpad(text,int4,text)", Eval: try(rpad)}, {Sig: "rpad(text,int4)", Eval: try(rpad)},
		{Sig: "ltrim(text,text)", Eval: str2(trimLeft)}, {Sig: "ltrim(text)", Eval: str1(func(s string) string { return strings.TrimLeft(s, " ") })},
		{Sig: "rtrim(text,text)", Eval: str2(trimRight)}, {Sig: "rtrim(text)", Eval: str1(func(s string) string { return strings.TrimRight(s, " ") })},
		{Sig: "btrim(text,text)", Eval: str2(func(s, set string) string { return trimLeft(trimRight(s, set), set) })},
		{Sig: "btrim(text)", Eval: str1(func(s string) string { return strings.Trim(s, " ") })},
		{Sig: "strpos(text,text)", Eval: pure(func(a []val) val { return value.Int(position(a[0].Str(), a[1].Str())) })},
		{Sig: "position(text,text)", Eval: pure(func(a []val) val { return value.Int(position(a[0].Str(), a[1].Str())) })},
		{Sig: "substr(text,int4)", Eval: try(substr)}, {Sig: "substr(text,int4,int4)", Eval: try(substr)},
		{Sig: "substring(text,int4)", Eval: try(substr)}, {Sig: "substring(text,int4,int4)", Eval: try(substr)},
		{Sig: "overlay(text,text,int4)", Eval: try(overlay)}, {Sig: "overlay(text,text,int4,int4)", Eval: try(overlay)},
		{Sig: "replace(text,text,text)", Eval: try(replace)},
		{Sig: "translate(text,text,text)", Eval: str3(translate)}, {Sig: "reverse(text)", Eval: str1(reverse)},
		{Sig: "repeat(text,int4)", Eval: try(repeat)},
		{Sig: "split_part(text,text,int4)", Eval: try(splitPart)},
		{Sig: "starts_with(text,text)", Eval: pure(func(a []val) val { return value.Bool(strings.HasPrefix(a[0].Str(), a[1].Str())) })},
		{Sig: "ascii(text)", Eval: strInt(func(s string) int {
			r, n := utf8.DecodeRuneInString(s)
			if n == 0 {
				return 0
			}
			return int(r)
		})},
		{Sig: "chr(int4)", Eval: try(chr)},
		{Sig: "to_hex(int4)", Eval: pure(func(a []val) val { return text(strconv.FormatUint(uint64(uint32(a[0].Int())), 16)) })},
		{Sig: "to_hex(int8)", Eval: pure(func(a []val) val { return text(strconv.FormatUint(uint64(a[0].Int()), 16)) })},
		{Sig: "text_larger(text,text)", Eval: str2(func(s, t string) string { return max(s, t) })},
		{Sig: "text_smaller(text,text)", Eval: str2(func(s, t string) string { return min(s, t) })},
	}
}

func blankTrimmed(s string) int { return utf8.RuneCountInString(strings.TrimRight(s, " ")) }

// initcap raises the first letter of each word and lowers the others; a word is a run of letters and digits.
func initcap(s string) string {
	inWord := false
	return strings.Map(func(r rune) rune {
		switch {
		case inWord:
			r = unicode.ToLower(r)
		default:
			r = unicode.ToUpper(r)
		}
		inWord = unicode.IsLetter(r) || unicode.IsDigit(r)
		return r
	}, s)
}

// byteAt gives the byte offset of character n, counting from 0; len(s) when s is shorter.
func byteAt(s string, n int64) int {
	if n <= 0 {
		return 0
	}
	if n >= int64(len(s)) {
		return len(s)
	}
	i := 0
	for ; n > 0 && i < len(s); n-- {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i
}

func left(s string, n int64) string {
	if n < 0 {
		n += int64(utf8.RuneCountInString(s))
	}
	return s[:byteAt(s, n)]
}

func right(s string, n int64) string {
	if n < 0 {
		return s[byteAt(s, -n):]
	}
	return s[byteAt(s, int64(utf8.RuneCountInString(s))-n):]
}

// padding gives the text that fills s up to n characters; cut is s when it is too long.
func padding(a []val) (fill, cut string, err error) {
	s, n, with := a[0].Str(), max(a[1].Int(), 0), " "
	if len(a) > 2 {
		with = a[2].Str()
	}
	if n > MaxText/4 {
		return "", "", dberr.New(dberr.ProgramLimitExceeded, "requested length too large")
	}
	have := int64(utf8.RuneCountInString(s))
	if have >= n {
		return "", s[:byteAt(s, n)], nil
	}
	k := int64(utf8.RuneCountInString(with))
	if k == 0 {
		return "", s, nil
	}
	need := n - have
	fill = strings.Repeat(with, int(need/k)) + with[:byteAt(with, need%k)]
	return fill, s, nil
}

func lpad(a []val) (val, error) {
	fill, s, err := padding(a)
	return text(fill + s), err
}

func rpad(a []val) (val, error) {
	fill, s, err := padding(a)
	return text(s + fill), err
}

func trimLeft(s, set string) string {
	return strings.TrimLeftFunc(s, func(r rune) bool { return strings.ContainsRune(set, r) })
}

func trimRight(s, set string) string {
	return strings.TrimRightFunc(s, func(r rune) bool { return strings.ContainsRune(set, r) })
}

// position counts characters from 1; 0 when t is not in s.
func position(s, t string) int64 {
	i := strings.Index(s, t)
	if i < 0 {
		return 0
	}
	return int64(utf8.RuneCountInString(s[:i])) + 1
}

// bounds gives the characters from start (from 1) for n as 0-based limits; n < 0 in the arguments is an error.
func bounds(a []val) (from, to int64, err error) {
	start := a[1].Int()
	from, to = max(start, 1)-1, 1<<40
	if len(a) > 2 {
		n := a[2].Int()
		if n < 0 {
			return 0, 0, dberr.New("22011", "negative substring length not allowed")
		}
		to = max(start+n-1, 0)
	}
	return from, max(from, to), nil
}

func substr(a []val) (val, error) {
	from, to, err := bounds(a)
	if err != nil {
		return value.Null, err
	}
	s := a[0].Str()
	s = s[byteAt(s, from):]
	return text(s[:byteAt(s, to-from)]), nil
}

func overlay(a []val) (val, error) {
	s, t, start := a[0].Str(), a[1].Str(), a[2].Int()
	n := int64(utf8.RuneCountInString(t))
	if len(a) > 3 {
		n = a[3].Int()
	}
	if start <= 0 {
		return value.Null, dberr.New("22011", "negative substring length not allowed")
	}
	if start+n > 1<<31-1 {
		return value.Null, outOfRange("integer")
	}
	return text(s[:byteAt(s, start-1)] + t + s[byteAt(s, start-1+n):]), nil
}

func tooLong() error {
	return dberr.New(dberr.ProgramLimitExceeded, "requested length too large")
}

func replace(a []val) (val, error) {
	s, from, to := a[0].Str(), a[1].Str(), a[2].Str()
	if from == "" {
		return a[0], nil
	}
	if n := len(to) - len(from); n > 0 && n*strings.Count(s, from)+len(s) > MaxText {
		return value.Null, tooLong()
	}
	return text(strings.ReplaceAll(s, from, to)), nil
}

// translate changes each character of s that is in from into the one at the same place in to, or drops it.
func translate(s, from, to string) string {
	m := map[rune]rune{}
	rest := []rune(to)
	for _, r := range from {
		out := rune(-1)
		if len(rest) > 0 {
			out, rest = rest[0], rest[1:]
		}
		if _, ok := m[r]; !ok {
			m[r] = out
		}
	}
	return strings.Map(func(r rune) rune {
		if t, ok := m[r]; ok {
			return t
		}
		return r
	}, s)
}

func reverse(s string) string {
	b := make([]byte, 0, len(s))
	for len(s) > 0 {
		_, n := utf8.DecodeLastRuneInString(s)
		b = append(b, s[len(s)-n:]...)
		s = s[:len(s)-n]
	}
	return string(b)
}

func repeat(a []val) (val, error) {
	s, n := a[0].Str(), max(a[1].Int(), 0)
	if len(s) > 0 && n > MaxText/int64(len(s)) {
		return value.Null, tooLong()
	}
	return text(strings.Repeat(s, int(n))), nil
}

// splitPart gives field n, counting from 1, or from the end when negative.
func splitPart(a []val) (val, error) {
	s, sep, n := a[0].Str(), a[1].Str(), a[2].Int()
	if n == 0 {
		return value.Null, dberr.New(dberr.InvalidParameterValue, "field position must not be zero")
	}
	if sep == "" || s == "" {
		if s != "" && (n == 1 || n == -1) {
			return text(s), nil
		}
		return text(""), nil
	}
	if n < 0 {
		n += int64(strings.Count(s, sep)) + 2
		if n <= 0 {
			return text(""), nil
		}
	}
	for ; n > 1; n-- {
		_, rest, ok := strings.Cut(s, sep)
		if !ok {
			return text(""), nil
		}
		s = rest
	}
	s, _, _ = strings.Cut(s, sep)
	return text(s), nil
}

func chr(a []val) (val, error) {
	n := a[0].Int()
	switch {
	case n < 0:
		return value.Null, dberr.New(dberr.InvalidParameterValue, "character number must be positive")
	case n == 0:
		return value.Null, dberr.New(dberr.ProgramLimitExceeded, "null character not permitted")
	case n > unicode.MaxRune:
		return value.Null, dberr.New(dberr.ProgramLimitExceeded, "requested character too large for encoding: %d", n)
	case n >= 0xd800 && n < 0xe000:
		return value.Null, dberr.New(dberr.ProgramLimitExceeded, "requested character not valid for encoding: %d", n)
	}
	return text(string(rune(n))), nil
}
