package dt

import "strconv"

// isoReader reads ISO 8601 durations: with designators (P1Y2M3DT4H5M6S) and in the alternative forms (P0001-02-03T04:05:06).
type isoReader struct {
	s    *span
	text string
	bad  fault
}

// number reads a signed decimal as its whole part and fraction.
func (r *isoReader) number() (whole int64, frac float64, width int) {
	i := 0
	for i < len(r.text) && (isDigit(r.text[i]) || r.text[i] == '.' || i == 0 && r.text[0] == '-' ||
		(r.text[i] == 'e' || r.text[i] == 'E') && i+1 < len(r.text) && (isDigit(r.text[i+1]) || r.text[i+1] == '-' || r.text[i+1] == '+') ||
		(r.text[i] == '-' || r.text[i] == '+') && i > 0 && (r.text[i-1] == 'e' || r.text[i-1] == 'E')) {
		i++
	}
	f, err := strconv.ParseFloat(r.text[:i], 64)
	if err != nil {
		r.bad = badFormat
		return 0, 0, 0
	}
	if f > 1<<62 || f < -(1<<62) {
		r.bad = badField
		return 0, 0, 0
	}
	for width < i && (isDigit(r.text[width]) || width == 0 && r.text[0] == '-') {
		width++
	}
	if i > 0 && r.text[0] == '-' {
		width--
	}
	r.text = r.text[i:]
	whole = int64(f)
	return whole, f - float64(whole), width
}

// take gives the next character, 0 at the end.
func (r *isoReader) take() byte {
	if r.text == "" {
		return 0
	}
	c := r.text[0]
	r.text = r.text[1:]
	return c
}

func (r *isoReader) add(unit int, v int64, frac float64) {
	if r.bad != ok {
		return
	}
	if unit == uWeek || unit == uDay || unit == uMonth || unit == uYear {
		if v > 1<<31 || v < -(1<<31) {
			r.bad = badField
			return
		}
	}
	_, r.bad = r.s.amount(unit, v, frac)
}

// iso reads a whole duration.
func (s *span) iso(text string) fault {
	if len(text) < 2 || text[0] != 'P' {
		return badFormat
	}
	r := &isoReader{s: s, text: text[1:]}
	dates, fresh := true, true
	for r.text != "" && r.bad == ok {
		if r.text[0] == 'T' {
			r.take()
			dates, fresh = false, true
			continue
		}
		var done bool
		if dates {
			done = r.datePart(fresh, &dates)
			fresh = !dates
		} else {
			done = r.timePart(fresh)
			fresh = false
		}
		if done {
			break
		}
	}
	if r.bad == badInterval {
		return badField
	}
	return r.bad
}

// datePart reads one amount before the T; done means that the alternative form has read everything.
func (r *isoReader) datePart(fresh bool, dates *bool) (done bool) {
	v, frac, width := r.number()
	if r.bad != ok {
		return true
	}
	switch c := r.take(); c {
	case 'Y':
		r.add(uYear, v, frac)
	case 'M':
		r.add(uMonth, v, frac)
	case 'W':
		r.add(uWeek, v, frac)
	case 'D':
		r.add(uDay, v, frac)
	case 'T', 0, '-':
		if c != '-' && width == 8 && fresh {
			r.add(uYear, v/10000, 0)
			r.add(uMonth, v/100%100, 0)
			r.add(uDay, v%100, frac)
			*dates = false
			return c == 0
		}
		if !fresh {
			r.bad = badFormat
			return true
		}
		return r.extendedDate(c, v, frac, dates)
	default:
		r.bad = badFormat
	}
	return false
}

// extendedDate goes on after the year of P0001-02-03.
func (r *isoReader) extendedDate(c byte, v int64, frac float64, dates *bool) (done bool) {
	r.add(uYear, v, frac)
	for _, unit := range []int{uMonth, uDay} {
		switch c {
		case 0:
			return true
		case 'T':
			*dates = false
			return false
		case '-':
		default:
			r.bad = badFormat
			return true
		}
		v, frac, _ = r.number()
		r.add(unit, v, frac)
		c = r.take()
	}
	switch c {
	case 0:
		return true
	case 'T':
		*dates = false
		return false
	}
	r.bad = badFormat
	return true
}

// timePart reads one amount after the T.
func (r *isoReader) timePart(fresh bool) (done bool) {
	v, frac, width := r.number()
	if r.bad != ok {
		return true
	}
	switch c := r.take(); c {
	case 'H':
		r.add(uHour, v, frac)
	case 'M':
		r.add(uMinute, v, frac)
	case 'S':
		r.add(uSecond, v, frac)
	case 0, ':':
		if c == 0 && width == 6 && fresh {
			r.add(uHour, v/10000, 0)
			r.add(uMinute, v/100%100, 0)
			r.add(uSecond, v%100, frac)
			return true
		}
		if !fresh {
			r.bad = badFormat
			return true
		}
		r.add(uHour, v, frac)
		for _, unit := range []int{uMinute, uSecond} {
			if c == 0 {
				return true
			}
			if c != ':' {
				break
			}
			v, frac, _ = r.number()
			r.add(unit, v, frac)
			c = r.take()
		}
		if c != 0 {
			r.bad = badFormat
		}
		return true
	default:
		r.bad = badFormat
	}
	return false
}
