package jsonfunc

import (
	"strings"

	"github.com/omgdb/omgdb/storage/doc"
)

// The functions on json look into its text. A json value is valid JSON (its input function has seen to that), so this reader checks nothing.

// skipSpace gives the position of the next byte of s from i on that is not blank.
func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

// skipString gives the end of the string that begins at i.
func skipString(s string, i int) int {
	for i++; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// skipValue gives the end of the value that begins at i.
func skipValue(s string, i int) int {
	switch s[i] {
	case '"':
		return skipString(s, i)
	case '{', '[':
		depth := 0
		for ; i < len(s); i++ {
			switch s[i] {
			case '"':
				i = skipString(s, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return i
	}
	for i < len(s) && !strings.ContainsRune(",]} \t\n\r", rune(s[i])) {
		i++
	}
	return i
}

// eachSpan visits the members of an object (key as written, in quotes) or the elements of an array (key "") until fn returns false.
func eachSpan(s string, fn func(key, val string) bool) {
	i := skipSpace(s, 0)
	closing := byte(']')
	if s[i] == '{' {
		closing = '}'
	}
	for i = skipSpace(s, i+1); s[i] != closing; i = skipSpace(s, i) {
		key := ""
		if closing == '}' {
			end := skipString(s, i)
			key = s[i:end]
			i = skipSpace(s, skipSpace(s, end)+1)
		}
		end := skipValue(s, i)
		if !fn(key, s[i:end]) {
			return
		}
		if i = skipSpace(s, end); s[i] == ',' {
			i = skipSpace(s, i+1)
		}
	}
}

// kindOf is the first byte of a value: { [ " t f n, or a digit or sign.
func kindOf(s string) byte { return s[skipSpace(s, 0)] }

// unquote decodes a string token.
func unquote(token string) (string, error) {
	if !strings.Contains(token, `\`) {
		return token[1 : len(token)-1], nil
	}
	v, err := doc.ParseJSONB([]byte(token))
	if err != nil {
		return "", err
	}
	b, _ := v.StringBytes()
	return string(b), nil
}

// spanField finds a member by name; the last of several counts.
func spanField(s, name string) (found string, ok bool, err error) {
	if kindOf(s) != '{' {
		return "", false, nil
	}
	eachSpan(s, func(key, val string) bool {
		var k string
		if k, err = unquote(key); err != nil {
			return false
		}
		if k == name {
			found, ok = val, true
		}
		return true
	})
	return found, ok, err
}

// spanElement finds an element by number, counted from the end when negative.
func spanElement(s string, n int) (found string, ok bool) {
	if kindOf(s) != '[' {
		return "", false
	}
	if n < 0 {
		n += spanCount(s)
	}
	i := 0
	eachSpan(s, func(_, val string) bool {
		if i == n {
			found, ok = val, true
		}
		i++
		return !ok
	})
	return found, ok
}

func spanCount(s string) int {
	n := 0
	eachSpan(s, func(string, string) bool {
		n++
		return true
	})
	return n
}
