package tochar

import (
	"strings"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Parts tells which parts of a moment a template speaks of.
type Parts struct{ Date, Time, Zone bool }

// DateFromCharStrict reads a text by a template as SQL/JSON's datetime() does: separators and literal text must match, the whole text
// must be used, and what is read is what the template speaks of.
func DateFromCharStrict(text, template string) (Parsed, Parts, error) {
	items, err := parseStrict(template)
	if err != nil {
		return Parsed{}, Parts{}, err
	}
	r := &reading{in: text, s: text, items: items, vals: map[string]int{}, fixed: true}
	used := 0
	for ; used < len(items) && r.s != ""; used++ {
		if err := r.strictItem(used); err != nil {
			return Parsed{}, Parts{}, err
		}
	}
	if used < len(items) {
		return Parsed{}, Parts{}, badFormat("input string is too short for datetime format")
	}
	if strings.TrimLeft(r.s, " \t\n\v\f\r") != "" {
		return Parsed{}, Parts{}, badFormat("trailing characters remain in input string after datetime format")
	}
	p, err := r.finish()
	return p, partsOf(items), err
}

func (r *reading) strictItem(i int) error {
	it := &r.items[i]
	if it.kind == nField {
		return r.item(i)
	}
	rest, ok := strings.CutPrefix(r.s, it.text)
	if !ok && it.kind == nChar {
		return badFormat(`unmatched format character "%s"`, it.text)
	} else if !ok {
		return badFormat(`unmatched format separator "%s"`, it.text)
	}
	r.s = rest
	return nil
}

// parseStrict reads a template in which only a few separators stand for themselves.
func parseStrict(s string) ([]item, error) {
	var out []item
	for s != "" {
		if s[0] == '"' {
			out, s = quoted(out, s[1:])
			continue
		}
		var it item
		s = prefix(s, &it)
		if f := find(s, dateFields); f != nil {
			it.kind, it.field = nField, f
			s = suffix(s[len(f.name):], &it)
			out = append(out, it)
			continue
		}
		if s == "" {
			break
		}
		_, n := utf8.DecodeRuneInString(s)
		if strings.IndexByte("-./,':; ", s[0]) < 0 {
			return nil, dberr.New(dberr.InvalidDatetimeFormat, `invalid datetime format separator: "%s"`, s[:n])
		}
		out = append(out, item{kind: literalKind(s[:n], true), text: s[:n]})
		s = s[n:]
	}
	return out, nil
}

func partsOf(items []item) (p Parts) {
	for _, it := range items {
		if it.kind != nField {
			continue
		}
		switch it.field.id {
		case "FX":
		case "TZ", "OF", "TZH", "TZM":
			p.Zone = true
		case "AM", "PM", "A.M.", "P.M.", "HH", "HH12", "HH24", "MI", "SS", "SSSS", "MS", "US", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6":
			p.Time = true
		default:
			p.Date = true
		}
	}
	return p
}
