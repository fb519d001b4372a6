package tochar

import (
	"github.com/omgdb/omgdb/storage/dberr"
)

// plan is what a number template says before any number is known.
type plan struct {
	items                                         []item
	pre, post, multi                              int // digits before and after the point, and after V
	zeroStart, zeroEnd                            int
	preLsign                                      int
	lsign                                         signPlace
	decimal, zero, blank, fill, hasLsign, bracket bool
	plus, minus, roman, isMulti, eeee             bool
}

// signPlace is where an S stands.
type signPlace uint8

const (
	signNone signPlace = iota
	signPre
	signPost
)

func badTemplate(msg string) *dberr.Error { return dberr.New(dberr.SyntaxError, "%s", msg) }

// planNumber reads a number template.
func planNumber(template string) (*plan, error) {
	p := &plan{items: parse(template, numberFields, false)}
	for _, it := range p.items {
		if it.kind != nField {
			continue
		}
		if err := p.add(it.field.id); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *plan) add(id string) error {
	if p.eeee && id != "EEEE" {
		return badTemplate(`"EEEE" must be the last pattern used`)
	}
	switch id {
	case "9":
		switch {
		case p.bracket:
			return badTemplate(`"9" must be ahead of "PR"`)
		case p.isMulti:
			p.multi++
		case p.decimal:
			p.post++
		default:
			p.pre++
		}
	case "0":
		if p.bracket {
			return badTemplate(`"0" must be ahead of "PR"`)
		}
		if !p.zero && !p.decimal {
			p.zero, p.zeroStart = true, p.pre+1
		}
		if p.decimal {
			p.post++
		} else {
			p.pre++
		}
		p.zeroEnd = p.pre + p.post
	case "B":
		if p.pre == 0 && p.post == 0 && !p.zero {
			p.blank = true
		}
	case "D", ".":
		if p.decimal {
			return badTemplate("multiple decimal points")
		}
		if p.isMulti {
			return badTemplate(`cannot use "V" and decimal point together`)
		}
		p.decimal = true
	case "FM":
		p.fill = true
	case "V":
		if p.decimal {
			return badTemplate(`cannot use "V" and decimal point together`)
		}
		p.isMulti = true
	case "RN":
		p.roman = true
	case "EEEE":
		if p.eeee {
			return badTemplate(`cannot use "EEEE" twice`)
		}
		if p.blank || p.fill || p.hasLsign || p.bracket || p.minus || p.plus || p.roman || p.isMulti {
			return badTemplate(`"EEEE" is incompatible with other formats`).
				WithDetail(`"EEEE" may only be used together with digit and decimal point patterns.`)
		}
		p.eeee = true
	default:
		return p.addSign(id)
	}
	return nil
}

func (p *plan) addSign(id string) error {
	switch id {
	case "S":
		if p.hasLsign {
			return badTemplate(`cannot use "S" twice`)
		}
		if p.plus || p.minus || p.bracket {
			return badTemplate(`cannot use "S" and "PL"/"MI"/"SG"/"PR" together`)
		}
		p.hasLsign = true
		if !p.decimal {
			p.lsign, p.preLsign = signPre, p.pre
		} else {
			p.lsign = signPost
		}
	case "MI":
		if p.hasLsign {
			return badTemplate(`cannot use "S" and "MI" together`)
		}
		p.minus = true
	case "PL":
		if p.hasLsign {
			return badTemplate(`cannot use "S" and "PL" together`)
		}
		p.plus = true
	case "SG":
		if p.hasLsign {
			return badTemplate(`cannot use "S" and "SG" together`)
		}
		p.minus, p.plus = true, true
	case "PR":
		if p.hasLsign || p.plus || p.minus {
			return badTemplate(`cannot use "PR" and "S"/"PL"/"MI"/"SG" together`)
		}
		p.bracket = true
	}
	return nil
}
