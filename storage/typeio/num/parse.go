package num

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
)

func syntax(s string) error {
	return dberr.New(dberr.InvalidTextRepresentation, `invalid input syntax for type numeric: "%s"`, s)
}

// Space tells whether c is one of the blanks that input functions skip.
func Space(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// TrimSpace cuts those blanks from both ends.
func TrimSpace(s string) string {
	for len(s) > 0 && Space(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && Space(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// Parse reads numeric's text form.
func Parse(text string) (*Dec, error) {
	s := TrimSpace(text)
	neg := false
	rest := s
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		neg = rest[0] == '-'
		rest = rest[1:]
	}
	if rest == "" {
		return nil, syntax(text)
	}
	if c := rest[0]; c != '.' && (c < '0' || c > '9') {
		switch {
		case strings.EqualFold(rest, "infinity"), strings.EqualFold(rest, "inf"):
			if neg {
				return NegInf, nil
			}
			return Inf, nil
		case strings.EqualFold(rest, "nan") && rest == s:
			return NaN, nil
		}
		return nil, syntax(text)
	}
	return parseDigits(text, rest, neg)
}

// parseDigits reads digits[.digits][e[+-]digits].
func parseDigits(text, s string, neg bool) (*Dec, error) {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	digits, frac := s[:i], ""
	if i < len(s) && s[i] == '.' {
		j := i + 1
		for j < len(s) && isDigit(s[j]) {
			j++
		}
		frac = s[i+1 : j]
		i = j
	}
	if len(digits)+len(frac) == 0 {
		return nil, syntax(text)
	}
	exp := 0
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		e, err := strconv.Atoi(strings.TrimPrefix(s[i+1:], "+"))
		if err != nil && (i+1 >= len(s) || !exponentDigits(s[i+1:])) || strings.HasPrefix(s[i+1:], "+-") {
			return nil, syntax(text)
		}
		if err != nil || e > 1<<29 || e < -1<<29 {
			return nil, overflow()
		}
		exp, i = e, len(s)
	}
	if i != len(s) {
		return nil, syntax(text)
	}
	return build(digits, frac, exp, neg)
}

func exponentDigits(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func build(digits, frac string, exp int, neg bool) (*Dec, error) {
	all := digits
	if frac != "" {
		all = digits + frac
	}
	all = strings.TrimLeft(all, "0")
	scale := len(frac) - exp
	if scale > MaxScale || len(all)-scale > MaxWeightDigits && all != "" {
		return nil, overflow()
	}
	if len(all) <= 18 {
		v, _ := strconv.ParseInt("0"+all, 10, 64)
		up := int32(max(0, -scale))
		if v == 0 {
			up = 0
		}
		if w, ok := scaled(v, up); ok {
			if neg {
				w = -w
			}
			return fromSmall(w, int32(-max(scale, 0))), nil
		}
	}
	z, _ := new(big.Int).SetString(all, 10)
	if scale < 0 {
		z.Mul(z, Pow10(-scale))
		scale = 0
	}
	if neg {
		z.Neg(z)
	}
	return FromBig(z, scale)
}
