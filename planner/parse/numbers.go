package parse

import "github.com/omgdb/omgdb/storage/dberr"

// checkNumbers refuses numbers with letters or underscores behind them. The C parser is that of a later version, which reads 1_000 and 0x10
// as numbers.
func checkNumbers(sql string) error {
	sc := scanner{s: sql}
	for {
		kind, text := sc.next()
		if kind == tokEnd {
			return nil
		}
		if kind != tokOther || !isDigit(text[0]) {
			continue
		}
		if n := numberLen(text); n < len(text) && isIdentStart(text[n]) {
			end := n
			for end < len(text) && (isIdentStart(text[end]) || isDigit(text[end])) {
				end++
			}
			return dberr.New(dberr.SyntaxError, "trailing junk after numeric literal at or near \"%s\"", text[:end]).At(sc.pos - len(text))
		}
	}
}

// numberLen is the length of the number that s begins with: digits, a fraction, an exponent.
func numberLen(s string) int {
	digits := func(i int) int {
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		return i
	}
	end := digits(0)
	if end < len(s) && s[end] == '.' {
		if end+1 < len(s) && s[end+1] == '.' { // the dots of a range
			return end
		}
		end = digits(end + 1)
	}
	if end < len(s) && (s[end] == 'e' || s[end] == 'E') {
		at := end + 1
		if at < len(s) && (s[at] == '+' || s[at] == '-') {
			at++
		}
		if after := digits(at); after > at {
			end = after
		}
	}
	return end
}
