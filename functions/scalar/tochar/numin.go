package tochar

import (
	"strings"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
)

func intRange() error { return dberr.New(dberr.NumericValueOutOfRange, "integer out of range") }

// numReader reads a number by a template.
type numReader struct {
	plan    *plan
	s       string
	i       int
	sign    byte // ' ' unknown
	digits  []byte
	pre     int
	post    int
	decimal bool
	started bool
}

// NumFromChar reads a text by a template; what doesn't fit the template is skipped.
func NumFromChar(text, template string) (*num.Dec, error) {
	p, err := planNumber(template)
	if err != nil {
		return nil, err
	}
	switch {
	case p.eeee:
		return nil, dberr.New(dberr.FeatureNotSupported, `"EEEE" not supported for input`)
	case p.roman:
		return nil, dberr.New(dberr.FeatureNotSupported, `"RN" not supported for input`)
	}
	r := &numReader{plan: p, s: text, sign: ' '}
	for _, it := range p.items {
		if r.i >= len(r.s) {
			break
		}
		if it.kind != nField {
			_, n := utf8.DecodeRuneInString(r.s[r.i:])
			r.i += n
			continue
		}
		if r.field(it.field) {
			r.i++
		}
	}
	s := strings.TrimSuffix(string(r.sign)+string(r.digits), ".")
	scale := r.post
	d, err := num.Parse(s)
	if err != nil {
		return nil, err
	}
	if d, err = num.Fit(d, num.MakeMod(p.pre+p.multi+scale, scale)); err != nil {
		return nil, err
	}
	if p.isMulti {
		ten, err := num.Pow(num.FromInt(10), num.FromInt(int64(-p.multi)))
		if err != nil {
			return nil, err
		}
		return num.Mul(d, ten)
	}
	return d, nil
}

func (r *numReader) peek() byte {
	if r.i < len(r.s) {
		return r.s[r.i]
	}
	return 0
}

// field reads one pattern; true: one more character is consumed.
func (r *numReader) field(f *field) bool {
	switch f.id {
	case "9", "0", ".", "D":
		r.digit(f.id)
		return true
	case ",", "G":
		if !r.started && r.plan.fill {
			return false
		}
		return r.peek() == ','
	case "L":
		r.eat(1)
	case "TH":
		r.eat(2)
	case "MI":
		return r.mark("-")
	case "PL":
		return r.mark("+")
	case "SG":
		return r.mark("-+")
	}
	return false
}

// mark reads a sign, or skips a character that is no data.
func (r *numReader) mark(signs string) bool {
	if strings.IndexByte(signs, r.peek()) >= 0 {
		r.sign = r.peek()
		return true
	}
	r.eat(1)
	return false
}

// eat skips up to n characters that can't be part of a number.
func (r *numReader) eat(n int) {
	for ; n > 0 && r.i < len(r.s) && strings.IndexByte("0123456789.,+-", r.s[r.i]) < 0; n-- {
		_, size := utf8.DecodeRuneInString(r.s[r.i:])
		r.i += size
	}
}

// digit reads a digit, a point, and signs around the number.
func (r *numReader) digit(id string) {
	p := r.plan
	if r.peek() == ' ' {
		r.i++
	}
	if r.i >= len(r.s) {
		return
	}
	if r.sign == ' ' && (id == "0" || id == "9") && r.pre+r.post == 0 {
		c := r.peek()
		switch {
		case p.hasLsign && p.lsign == signPre:
			if c == '-' || c == '+' {
				r.sign = c
				r.i++
			}
		case c == '-' || p.bracket && c == '<':
			r.sign = '-'
			r.i++
		case c == '+':
			r.sign = '+'
			r.i++
		}
	}
	if r.i >= len(r.s) {
		return
	}
	read := false
	switch c := r.peek(); {
	case c >= '0' && c <= '9':
		if r.decimal && r.post == p.post {
			return
		}
		r.digits = append(r.digits, c)
		if r.decimal {
			r.post++
		} else {
			r.pre++
		}
		read = true
	case p.decimal && !r.decimal && c == '.':
		r.digits = append(r.digits, '.')
		r.decimal, read = true, true
	}
	if r.sign != ' ' || r.pre+r.post == 0 {
		return
	}
	switch next := r.i + 1; {
	case p.hasLsign && read && next < len(r.s) && (r.s[next] < '0' || r.s[next] > '9'):
		if r.s[next] == '-' || r.s[next] == '+' {
			r.sign = r.s[next]
			r.i = next
		}
	case !read && !p.hasLsign && (p.plus || p.minus):
		if c := r.peek(); c == '-' || c == '+' {
			r.sign = c
		}
	}
}
