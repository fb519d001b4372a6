package filter

import (
	"strings"
	"testing"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
)

func TestRegex(t *testing.T) {
	for _, c := range []struct {
		pattern, options, text string
		match                  bool
	}{
		{`abc`, "", "xabcx", true}, {`^abc`, "", "abcx", true}, {`^abc`, "", "xabc", false}, {``, "", "", true}, {``, "", "x", true},
		{`a.c`, "", "a\nc", false}, {`a.c`, "s", "a\nc", true}, {`^b$`, "m", "a\nb\nc", true}, {`ABC`, "i", "abc", true},
		{`x$`, "", "x\n", true}, {`x$`, "", "x\n\n", false}, {`(x$|y)`, "", "x", true}, {`x\Z`, "", "x\n", true}, {`x\z`, "", "x\n", false}, {`x$y*z*`, "", "x", true},
		{`\d`, "", "٣", false}, {`\w`, "", "é", false}, {`\W`, "", "é", true}, {`\s`, "", "\v", true}, {`[\s]`, "", "\v", true}, {`[^\s]`, "", "\v", false}, {`\S`, "", " ", false}, {`[\D]`, "", "5", false},
		{`\h`, "", "\u00a0", true}, {`\v`, "", "\u2028", true}, {`\R`, "", "\r\n", true}, {`^\N+$`, "", "ab", true}, {`\x41`, "", "A", true}, {`\x{1F600}`, "", "😀", true}, {`[\x{e9}]`, "", "é", true}, {`\e`, "", "\x1b", true}, {`\cA`, "", "\x01", true}, {`\011`, "", "\t", true}, {`[\b]`, "", "\b", true},
		{`\bfoo\b`, "", "a foo b", true}, {`\Q.*\E+`, "", ".*", true}, {`\Q.*`, "", "x", false}, {`a\/b`, "", "a/b", true}, {`[]a]`, "", "]", true}, {`[^]a]`, "", "]", false}, {`[[:alpha:]]`, "", "z", true}, {`[[:^alpha:]]`, "", "z", false}, {`[a[]`, "", "[", true},
		{`a b # c`, "x", "ab", true}, {`(?x) a b`, "", "ab", true}, {`a\ b`, "x", "a b", true}, {`[a b]`, "x", " ", true}, {`(?i)abc`, "", "ABC", true}, {`a(?i:b)c`, "", "aBc", true}, {`(?#note)a`, "", "a", true}, {`(?m)^b$`, "", "a\nb", true},
		{`(?P<y>a)(?P=y)`, "", "aa", true}, {`(?<y>a)b`, "", "ab", true}, {`(a)\g1`, "", "aa", true}, {`(a)\g{1}`, "", "aa", true}, {`(?<q>a)\k<q>`, "", "aa", true}, {`a(?=b)`, "", "ab", true}, {`(?<!a)b`, "", "ab", false}, {`(?>a+)b`, "", "aab", true},
		{`a{2000}`, "", strings.Repeat("a", 2000), true}, {`a{,3}`, "", "a{,3}", true}, {`(*UTF8)é`, "", "é", true}, {`\p{L}`, "", "é", true}, {`\p{Greek}`, "", "α", true},
	} {
		r, err := NewRegex(c.pattern, c.options)
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
			continue
		}
		if ok, err := r.MatchBytes([]byte(c.text)); err != nil || ok != c.match {
			t.Errorf("%q (%s) on %q: %v %v", c.pattern, c.options, c.text, ok, err)
		}
	}
	for _, p := range []string{`(`, `[a`, `a**`, `a*+`, `\`, `(?`, `(?R)`, `(?1)`, `\K`, `a{2,1}`, `(*COMMIT)a`, "a\x00", `\g`, `(?P=y`, `[z-a]`, `\x{110000}`} {
		if r, err := NewRegex(p, ""); err == nil {
			t.Errorf("%q is accepted (%v)", p, r.linear)
		}
	}
	if _, err := NewRegex("a", "z"); err == nil {
		t.Error("option z is accepted")
	}
}

// TestRegexEngines: what can run in linear time does.
func TestRegexEngines(t *testing.T) {
	for pattern, want := range map[string]string{`abc`: "plain", `^abc`: "plain", `a|b`: "linear", `^a+$`: "linear", `\s\d`: "linear", `(a)\1`: "backtracking", `a(?!b)`: "backtracking"} {
		r, err := NewRegex(pattern, "")
		if err != nil {
			t.Fatal(err)
		}
		got := "backtracking"
		if r.plain {
			got = "plain"
		} else if r.linear != nil {
			got = "linear"
		}
		if got != want {
			t.Errorf("%s runs %s, want %s", pattern, got, want)
		}
	}
}

// TestRegexLimit: an expression that never ends is stopped with an error.
func TestRegexLimit(t *testing.T) {
	r, err := NewRegex(`^(?=(a+)+$)\1x`, "")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	_, err = r.MatchBytes([]byte(strings.Repeat("a", 40) + "b"))
	if dberr.Code(err) != dberr.InvalidRegularExpression {
		t.Errorf("no error: %v", err)
	}
	if d := time.Since(start); d > 10*regexTimeout {
		t.Errorf("stopped only after %s", d)
	}
}

func TestLike(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		match         bool
	}{
		{"", "", true}, {"", "x", false}, {"%", "", true}, {"%%", "", true}, {"%%", "abc", true}, {"a%", "a", true}, {"%a", "ba", true}, {"%a%b%", "xaxbx", true}, {"%ab", "aab", true}, {"%aab", "aaab", true},
		{"_", "é", true}, {"__", "é", false}, {"a_%", "a", false}, {"a_%", "aé", true}, {"%_a", "a", false}, {`\%`, "%", true}, {`\%`, "x", false}, {`\\`, `\`, true}, {"é%", "éa", true}, {"%é", "aé", true}, {"a%a", "a", false},
	} {
		l, err := newLike(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if l.match([]byte(c.text)) != c.match {
			t.Errorf("%q LIKE %q is not %v", c.text, c.pattern, c.match)
		}
	}
	if _, err := newLike(`a\`); dberr.Code(err) != dberr.InvalidEscapeSequence {
		t.Errorf("a lone escape: %v", err)
	}
}
