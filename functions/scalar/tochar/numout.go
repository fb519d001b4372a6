package tochar

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
)

// Number is a number to be written: how it rounds is its type's.
type Number interface {
	// Digits gives the number times 10^multi with post digits after the point, and how many digits after the point there are in fact.
	Digits(multi, post int) (text string, kept int, err error)
	// Scientific gives the number with post digits after the point and an exponent; ok is false for NaN and infinities.
	Scientific(post int) (text string, ok bool)
	// Int gives the number rounded, for Roman numerals.
	Int() (int64, error)
}

// NumToChar writes a number by a template.
func NumToChar(n Number, template string) (string, error) {
	p, err := planNumber(template)
	if err != nil {
		return "", err
	}
	switch {
	case p.roman:
		i, err := n.Int()
		if err != nil {
			return "", err
		}
		w := &numWriter{plan: p, number: romanText(i)}
		w.plan.lsign, w.plan.preLsign, w.plan.post, w.plan.pre = signNone, 0, 0, 0
		fill := p.fill
		*p = plan{items: p.items, fill: fill, roman: true}
		return w.run()
	case p.eeee:
		s, ok := n.Scientific(p.post)
		if !ok {
			b := []byte(strings.Repeat("#", p.pre+p.post+6))
			b[0] = ' '
			b[p.pre+1] = '.'
			return string(b), nil
		}
		if s[0] != '-' {
			s = " " + s
		}
		return s, nil
	}
	text, kept, err := n.Digits(p.multi, p.post)
	if err != nil {
		return "", err
	}
	if p.isMulti {
		p.pre += p.multi
	}
	p.post = kept
	w := &numWriter{plan: p, sign: '+', number: text}
	if text[0] == '-' {
		w.sign, w.number = '-', text[1:]
	}
	whole := len(w.number)
	if i := strings.IndexByte(w.number, '.'); i >= 0 {
		whole = i
	}
	switch {
	case whole < p.pre:
		w.spaces = p.pre - whole
	case whole > p.pre:
		b := []byte(strings.Repeat("#", p.pre+p.post+1))
		b[p.pre] = '.'
		w.number = string(b)
	}
	return w.run()
}

// numWriter goes through a template.
type numWriter struct {
	plan      *plan
	number    string // digits and point, without sign
	sign      byte
	spaces    int // places before the number's first digit
	out       []byte
	at        int // of the next digit in number
	curr      int // places done
	count     int
	relevant  int // the last digit that FM shows, -1 all
	signDone  bool
	inNumber  bool
	zeroStart int
}

func (w *numWriter) char(i int) byte {
	if i >= 0 && i < len(w.number) {
		return w.number[i]
	}
	return 0
}

// run gives the text. A place that the number has no character for ends it: only NaN and infinities have such places.
func (w *numWriter) run() (string, error) {
	p := w.plan
	w.zeroStart = p.zeroStart
	if w.zeroStart > 0 {
		w.zeroStart--
	}
	if p.plus || p.minus {
		w.signDone = !p.plus || p.minus
	} else {
		if w.sign != '-' && p.fill {
			p.bracket = false
		}
		w.signDone = w.sign == '+' && p.fill && !p.hasLsign
		if p.lsign == signPre && p.pre == p.preLsign {
			p.lsign = signPost
		}
	}
	w.count = p.post + p.pre - 1
	w.relevant = -1
	if p.fill && p.decimal {
		w.relevant = lastRelevant(w.number)
		if w.relevant >= 0 && p.zeroEnd > w.spaces {
			w.relevant = max(w.relevant, min(len(w.number)-1, p.zeroEnd-w.spaces))
		}
	}
	if !w.signDone && w.spaces == 0 {
		w.count++
	}
	for _, it := range p.items {
		if it.kind != nField {
			w.out = append(w.out, it.text...)
			continue
		}
		if err := w.field(it.field); err != nil {
			return "", err
		}
	}
	text, _, _ := strings.Cut(string(w.out), "\x00")
	return text, nil
}

// lastRelevant gives the place of the last digit after the point that is not zero, the point's when there is none; -1 without point.
func lastRelevant(s string) int {
	last := strings.IndexByte(s, '.')
	if last < 0 {
		return -1
	}
	for i := last + 1; i < len(s); i++ {
		if s[i] != '0' {
			last = i
		}
	}
	return last
}

func (w *numWriter) field(f *field) error {
	p := w.plan
	switch f.id {
	case "9", "0", ".", "D":
		w.digit(f.id)
	case ",", "G":
		switch {
		case w.inNumber:
			w.out = append(w.out, ',')
		case !p.fill:
			w.out = append(w.out, ' ')
		}
	case "L":
		w.out = append(w.out, ' ')
	case "RN":
		s := w.number
		if f.name == "rn" {
			s = strings.ToLower(s)
		}
		if !p.fill {
			s = fmt.Sprintf("%15s", s)
		}
		w.out = append(w.out, s...)
	case "TH":
		if p.roman || strings.HasPrefix(w.number, "#") || w.sign == '-' || p.decimal {
			return nil
		}
		if c := w.number[len(w.number)-1]; c < '0' || c > '9' {
			return dberr.New(dberr.InvalidTextRepresentation, `"%s" is not a number`, w.number)
		}
		kind := byte('T')
		if f.name == "th" {
			kind = 't'
		}
		w.out = append(w.out, ordinal(w.number, kind)...)
	case "MI":
		w.mark(w.sign == '-', '-')
	case "PL":
		w.mark(w.sign == '+', '+')
	case "SG":
		w.out = append(w.out, w.sign)
	}
	return nil
}

func (w *numWriter) mark(on bool, c byte) {
	switch {
	case on:
		w.out = append(w.out, c)
	case !w.plan.fill:
		w.out = append(w.out, ' ')
	}
}

// leadingZero tells whether the next digit is a zero before the point that 9 leaves out.
func (w *numWriter) leadingZero() bool {
	return !w.plan.zero && w.at == 0 && w.char(0) == '0' && w.plan.post != 0
}

// digit writes one place.
func (w *numWriter) digit(id string) {
	p := w.plan
	if p.roman {
		return
	}
	w.inNumber = false
	bareFraction := w.relevant >= 0 && w.char(w.relevant) == '.'
	if !w.signDone && (w.curr >= w.spaces || p.zero && w.zeroStart == w.curr) && (!w.leadingZero() || bareFraction) {
		w.writeSign()
	}
	switch {
	case w.curr < w.spaces && (w.zeroStart > w.curr || !p.zero):
		if !p.fill {
			w.out = append(w.out, ' ')
		}
	case p.zero && w.curr < w.spaces && w.zeroStart <= w.curr:
		w.out = append(w.out, '0')
		w.inNumber = true
	default:
		switch {
		case w.char(w.at) == '.':
			w.out = append(w.out, '.')
		case w.relevant >= 0 && w.at > w.relevant && id != "0":
		case w.leadingZero():
			if !p.fill {
				w.out = append(w.out, ' ')
			} else if bareFraction {
				w.out = append(w.out, '0')
			}
		default:
			w.out = append(w.out, w.char(w.at)) // 0 after the last one ends the text
			w.inNumber = true
		}
		if w.at < len(w.number) {
			w.at++
		}
	}
	w.closeSign()
	w.curr++
}

func (w *numWriter) writeSign() {
	p := w.plan
	switch {
	case p.hasLsign:
		if p.lsign == signPre {
			w.out = append(w.out, w.sign)
			w.signDone = true
		}
		return
	case p.bracket:
		c := byte('<')
		if w.sign == '+' {
			c = ' '
		}
		w.out = append(w.out, c)
	case w.sign == '+':
		if !p.fill {
			w.out = append(w.out, ' ')
		}
	case w.sign == '-':
		w.out = append(w.out, '-')
	}
	w.signDone = true
}

// closeSign writes a closing bracket or a trailing sign after the last place.
func (w *numWriter) closeSign() {
	p := w.plan
	end := w.count
	if w.spaces > 0 {
		end++
	}
	if p.decimal {
		end++
	}
	if w.relevant >= 0 && w.relevant == w.at {
		end = w.curr
	}
	if w.curr+1 != end {
		return
	}
	switch {
	case w.signDone && p.bracket:
		c := byte('>')
		if w.sign == '+' {
			c = ' '
		}
		w.out = append(w.out, c)
	case p.hasLsign && p.lsign == signPost:
		w.out = append(w.out, w.sign)
	}
}

var romanDigits = []struct {
	v int64
	s string
}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}}

func romanText(n int64) string {
	if n > 3999 || n < 1 {
		return strings.Repeat("#", 15)
	}
	var b strings.Builder
	for _, d := range romanDigits {
		for n >= d.v {
			b.WriteString(d.s)
			n -= d.v
		}
	}
	return b.String()
}

// Numeric writes a numeric.
type Numeric struct{ D *num.Dec }

// Digits rounds half away from zero.
func (n Numeric) Digits(multi, post int) (string, int, error) {
	d := n.D
	if multi > 0 {
		ten, err := num.Pow(num.FromInt(10), num.FromInt(int64(multi)))
		if err == nil {
			d, err = num.Mul(d, ten)
		}
		if err != nil {
			return "", 0, err
		}
	}
	d, err := num.Round(d, post)
	if err != nil {
		return "", 0, err
	}
	return num.String(d), post, nil
}

// Scientific rounds half away from zero.
func (n Numeric) Scientific(post int) (string, bool) {
	if !num.Finite(n.D) {
		return "", false
	}
	return num.Scientific(n.D, post), true
}

// Int rounds half away from zero.
func (n Numeric) Int() (int64, error) {
	switch {
	case num.IsNaN(n.D):
		return 0, dberr.New(dberr.FeatureNotSupported, "cannot convert NaN to integer")
	case num.IsInf(n.D):
		return 0, dberr.New(dberr.FeatureNotSupported, "cannot convert infinity to integer")
	}
	i, ok := num.Int64(n.D)
	if !ok || i != int64(int32(i)) {
		return 0, intRange()
	}
	return i, nil
}

// Float writes a float8 (15 significant digits) or float4 (6).
type Float struct {
	F      float64
	Single bool
}

// Digits never shows more digits than the type has.
func (f Float) Digits(multi, post int) (string, int, error) {
	v, most := f.F*math.Pow10(multi), 15
	if f.Single {
		v, most = float64(float32(v)), 6
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return floatName(v), post, nil
	}
	whole := len(strconv.FormatFloat(math.Abs(v), 'f', 0, 64))
	if whole >= most {
		post = 0
	} else if whole+post > most {
		post = most - whole
	}
	return strconv.FormatFloat(v, 'f', post, 64), post, nil
}

func floatName(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case v < 0:
		return "-Infinity"
	}
	return "Infinity"
}

// Scientific is C's %e.
func (f Float) Scientific(post int) (string, bool) {
	if math.IsNaN(f.F) || math.IsInf(f.F, 0) {
		return "", false
	}
	return strconv.FormatFloat(f.F, 'e', post, 64), true
}

// Int rounds half to even; 0 stands for what an integer can't hold.
func (f Float) Int() (int64, error) {
	r := math.RoundToEven(f.F)
	if !(r >= math.MinInt32 && r <= math.MaxInt32) {
		return 0, nil // no Roman numeral either
	}
	return int64(r), nil
}

// Integer writes an int8.
type Integer int64

// Digits writes zeros after the point.
func (i Integer) Digits(multi, post int) (string, int, error) {
	s, _, err := Numeric{num.FromInt(int64(i))}.Digits(multi, 0)
	if post > 0 {
		s += "." + strings.Repeat("0", post)
	}
	return s, post, err
}

// Scientific is that of numerics.
func (i Integer) Scientific(post int) (string, bool) {
	return num.Scientific(num.FromInt(int64(i)), post), true
}

// Int gives the number.
func (i Integer) Int() (int64, error) {
	if int64(i) != int64(int32(i)) {
		return 0, intRange()
	}
	return int64(i), nil
}

// Int4 writes an int4: in scientific notation as a float.
type Int4 struct{ Integer }

// Scientific is C's %e.
func (i Int4) Scientific(post int) (string, bool) {
	return Float{F: float64(i.Integer)}.Scientific(post)
}
