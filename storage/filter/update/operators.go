package update

import (
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
)

// operators are the update operators: each checks its operand and gives the action.
var operators = map[string]func(c *change, operand doc.Value) (action, error){
	"$set":         set,
	"$setOnInsert": set,
	"$unset":       unset,
	"$inc":         calculate,
	"$mul":         calculate,
	"$min":         extreme,
	"$max":         extreme,
	"$rename":      nil, // two paths: see Update.rename
	"$currentDate": currentDate,
	"$push":        push,
	"$addToSet":    addToSet,
	"$pull":        pull,
	"$pullAll":     pullAll,
	"$pop":         pop,
}

func set(_ *change, operand doc.Value) (action, error) {
	return func(*change, doc.Value, *run) (doc.Value, error) { return operand, nil }, nil
}

func unset(c *change, _ doc.Value) (action, error) {
	c.removes = true
	return func(*change, doc.Value, *run) (doc.Value, error) { return doc.Value{}, nil }, nil
}

// calculate is $inc and $mul. A missing field counts as 0.
func calculate(c *change, operand doc.Value) (action, error) {
	if !operand.IsNumber() {
		return nil, c.invalid("needs a number, found %s", operand.Kind())
	}
	op := "$add"
	if c.op == "$mul" {
		op = "$multiply"
	}
	return func(c *change, old doc.Value, _ *run) (doc.Value, error) {
		if old.Missing() {
			if c.op == "$inc" {
				return operand, nil
			}
			old = doc.NumberFromInt64(0)
		}
		if !old.IsNumber() {
			return old, c.invalid("needs a number in the document, found %s", old.Kind())
		}
		out, err := filter.Arithmetic(op, old, operand)
		if err == nil && out.Type == doc.TypeDouble && old.Type != doc.TypeDouble && operand.Type != doc.TypeDouble {
			return old, dberr.New(dberr.NumericValueOutOfRange, "%s at \"%s\" is out of the range of 64-bit integers", c.op, c.path)
		}
		return out, err
	}, nil
}

// extreme is $min and $max, in BSON order.
func extreme(c *change, operand doc.Value) (action, error) {
	want := 1
	if c.op == "$max" {
		want = -1
	}
	return func(_ *change, old doc.Value, _ *run) (doc.Value, error) {
		if old.Missing() || doc.CompareBSON(old, operand) == want {
			return operand, nil
		}
		return old, nil
	}, nil
}

func currentDate(c *change, operand doc.Value) (action, error) {
	timestamp := false
	if b, isBool := operand.Bool(); !isBool || !b {
		kind := operand.Step(doc.Key("$type"))
		switch {
		case operand.Type == doc.TypeObject && operand.Len() == 1 && kind.Text() == "timestamp":
			timestamp = true
		case operand.Type == doc.TypeObject && operand.Len() == 1 && kind.Text() == "date":
		default:
			return nil, c.invalid(`needs true or {"$type": "date"} or {"$type": "timestamp"}`)
		}
	}
	return func(_ *change, _ doc.Value, r *run) (doc.Value, error) {
		if timestamp {
			return doc.Timestamp(uint32(r.now.Unix()), 1), nil
		}
		return doc.Date(r.now.UnixMilli()), nil
	}, nil
}

// rename makes two changes: the old place goes, the new one gets its value. Neither path may go through an array.
func (u *Update) rename(c change, operand doc.Value) error {
	if operand.Type != doc.TypeString {
		return c.invalid("needs the new path as a string, found %s", operand.Kind())
	}
	to, err := parsePath("$rename", operand.Text())
	if err != nil {
		return err
	}
	if comparePaths(c.path, to) == 0 {
		return c.invalid("has the same path twice")
	}
	from := c.path
	c.removes, c.noArrays = true, true
	c.apply = func(*change, doc.Value, *run) (doc.Value, error) { return doc.Value{}, nil }
	u.changes = append(u.changes, c, change{op: c.op, path: to, noArrays: true,
		apply: func(_ *change, old doc.Value, r *run) (doc.Value, error) {
			if v := r.before.Walk(doc.Keys(from...)); !v.Missing() {
				return v, nil
			}
			return old, nil
		}})
	return nil
}
