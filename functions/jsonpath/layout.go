package jsonpath

import (
	"slices"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio/num"
)

// The ids that keyvalue() gives tell objects apart: PostgreSQL makes them of the place that an object has in the binary form of the value
// that it came from. They are the same here, so the sizes of that form are computed; its elements stand in 4-byte steps.

// base is a value that objects' ids count from: the document (0), the variables (1), or an object that keyvalue() made (2 and on).
type base struct {
	of     doc.Value
	id     int
	places map[*byte]int // of the containers inside, made when first needed
}

// objectID gives an object's id.
func (r *run) objectID(v doc.Value) int64 {
	const perBase = 10000000000
	if r.base.places == nil {
		r.base.places = map[*byte]int{}
		if container(r.base.of) {
			place(r.base.places, r.base.of, 0)
		}
	}
	return int64(r.base.id)*perBase + int64(r.base.places[&v.Data[0]])
}

type member struct {
	key []byte
	val doc.Value
}

// members lists an object's members in jsonb's order.
func members(v doc.Value) []member {
	var out []member
	for it := v.Elements(); ; {
		k, child, ok := it.Next()
		if !ok {
			break
		}
		out = append(out, member{k, child.Plain()})
	}
	slices.SortFunc(out, func(a, b member) int { return doc.CompareKeys(a.key, b.key) })
	return out
}

// place notes where the containers of v lie when v begins at an offset, and gives where v ends.
func place(places map[*byte]int, v doc.Value, at int) int {
	places[&v.Data[0]] = at
	var vals []doc.Value
	const header, entry = 4, 4
	end := at + header
	if v.IsObject() {
		ms := members(v)
		end += 2 * entry * len(ms)
		for _, m := range ms { // all keys stand before all values
			end += len(m.key)
			vals = append(vals, m.val)
		}
	} else {
		vals = children(v)
		end += entry * len(vals)
	}
	for _, x := range vals {
		switch {
		case container(x):
			end = place(places, x, aligned(end))
		case x.IsNumber():
			end = aligned(end) + numericSize(numeric(x))
		case x.Type != doc.TypeBool && !x.IsNull():
			s, _ := x.StringBytes()
			end += len(s)
		}
	}
	return end
}

func aligned(n int) int { return (n + 3) &^ 3 }

// numericSize is the size of a numeric in PostgreSQL: headers and digits of base 10000 without zeros at the ends.
func numericSize(d *num.Dec) int {
	if !num.Finite(d) {
		return 6
	}
	digits := d.Coeff.String()
	scale := num.Scale(d)
	for len(digits) <= scale {
		digits = "0" + digits
	}
	whole, frac := digits[:len(digits)-scale], digits[len(digits)-scale:]
	for len(whole)%4 != 0 {
		whole = "0" + whole
	}
	for len(frac)%4 != 0 {
		frac += "0"
	}
	all := whole + frac
	weight := len(whole)/4 - 1
	for len(all) > 0 && all[:4] == "0000" {
		all = all[4:]
		weight--
	}
	for len(all) > 0 && all[len(all)-4:] == "0000" {
		all = all[:len(all)-4]
	}
	header := 6 // length word and the short form's header
	if scale > 63 || len(all) > 0 && (weight < -64 || weight > 63) {
		header = 8
	}
	return header + len(all)/2
}
