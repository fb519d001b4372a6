// Package update is MongoDB's update language: an update is checked when it is parsed, and applied to raw documents. What it
// does not touch keeps its bytes, types and order.
//
//	{"$set": {"a.b": 1}, "$inc": {"n": 2}, "$push": {"tags": {"$each": ["x"], "$slice": -10}}}
//
// Paths are dotted. A part that is a number names an array's element, everything else an object's key; missing objects on the
// way are made, an array grows (with nulls between) up to maxGrowth elements. New fields come in the order of their paths.
package update

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
)

// Update is a parsed update: a list of changes in the order of their paths, or a whole new document. It is immutable.
type Update struct {
	changes     []change
	replacement doc.Doc // nil for operators
}

// change is one operator on one path.
type change struct {
	op       string
	path     path
	apply    action
	onInsert bool // $setOnInsert
	removes  bool // it has nothing to do where its path leads nowhere
	noArrays bool // its path must not go through arrays
}

// run is one application of an update.
type run struct {
	before doc.Doc // the document before all changes
	now    time.Time
}

// action computes the new value at a path. old is missing when there is none; a missing result removes the field. It returns
// old itself to change nothing.
type action func(c *change, old doc.Value, r *run) (doc.Value, error)

// path is a dotted path taken apart.
type path []string

func (p path) String() string { return strings.Join(p, ".") }

// invalid is the error of every mistake in an update.
func invalid(format string, args ...any) error {
	return dberr.New(dberr.InvalidParameterValue, "invalid update: %s", fmt.Sprintf(format, args...))
}

func (c *change) invalid(format string, args ...any) error {
	return invalid("%s at \"%s\" %s", c.op, c.path, fmt.Sprintf(format, args...))
}

// ParseJSON parses an update from Extended JSON text.
func ParseJSON(text []byte) (*Update, error) {
	v, err := doc.ParseExtJSON(text)
	if err != nil {
		return nil, err
	}
	if v.Type != doc.TypeObject {
		return nil, invalid("it must be an object, not %s", v.Kind())
	}
	return Parse(doc.Doc(v.Data))
}

// Parse checks an update. An object without operators is a replacement: everything but _id. Errors (22023) name operator and
// path. The update keeps values of d, which must not change afterwards.
func Parse(d doc.Doc) (*Update, error) {
	u := &Update{}
	operators, fields := 0, 0
	for e := d.Elements(); ; {
		k, v, ok := e.Next()
		if !ok {
			break
		}
		if len(k) == 0 || k[0] != '$' {
			fields++
			continue
		}
		operators++
		if err := u.operator(string(k), v); err != nil {
			return nil, err
		}
	}
	switch {
	case operators == 0:
		u.replacement = d
		return u, nil
	case fields > 0:
		return nil, invalid("operators and fields cannot stand side by side")
	}
	slices.SortStableFunc(u.changes, func(a, b change) int { return comparePaths(a.path, b.path) })
	return u, u.checkConflicts()
}

// operator parses {"$set": {path: operand, …}}.
func (u *Update) operator(name string, v doc.Value) error {
	parse, ok := operators[name]
	if !ok {
		return unknownOperator(name)
	}
	if v.Type != doc.TypeObject {
		return invalid("%s needs an object of paths and operands, found %s", name, v.Kind())
	}
	for e := v.Elements(); ; {
		k, operand, ok := e.Next()
		if !ok {
			return nil
		}
		p, err := parsePath(name, string(k))
		if err != nil {
			return err
		}
		c := change{op: name, path: p, onInsert: name == "$setOnInsert"}
		if name == "$rename" {
			if err := u.rename(c, operand); err != nil {
				return err
			}
			continue
		}
		if c.apply, err = parse(&c, operand); err != nil {
			return err
		}
		u.changes = append(u.changes, c)
	}
}

func unknownOperator(name string) error {
	known := make([]string, 0, len(operators))
	for k := range operators {
		known = append(known, k)
	}
	slices.Sort(known)
	return dberr.New(dberr.InvalidParameterValue, "invalid update: unknown operator %s", name).
		WithHint("Known operators are %s.", strings.Join(known, ", "))
}

func parsePath(op, text string) (path, error) {
	p := path(strings.Split(text, "."))
	for _, part := range p {
		switch {
		case part == "":
			return nil, invalid("%s at \"%s\": a path cannot have an empty part", op, text)
		case part == "$" || strings.HasPrefix(part, "$["):
			return nil, invalid("%s at \"%s\": positional operators are not supported; name the element by number", op, text)
		case part[0] == '$':
			return nil, invalid("%s at \"%s\": a path cannot have a part that begins with $", op, text)
		}
	}
	return p, nil
}

// comparePaths orders paths part by part, numbers by value.
func comparePaths(a, b path) int {
	for i := range min(len(a), len(b)) {
		x, errX := strconv.Atoi(a[i])
		y, errY := strconv.Atoi(b[i])
		if errX == nil && errY == nil && x != y {
			return x - y
		}
		if c := strings.Compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return len(a) - len(b)
}

// checkConflicts refuses two changes of one place, or of a place and something inside it. Paths are sorted, but a path and one
// inside it need not be neighbours ("a", "a-b", "a.b"), so each is looked up by its prefixes.
func (u *Update) checkConflicts() error {
	seen := map[string]bool{}
	for _, c := range u.changes {
		if seen[c.path.String()] {
			return c.invalid("conflicts with another change of \"%s\"", c.path)
		}
		seen[c.path.String()] = true
	}
	for _, c := range u.changes {
		for n := 1; n < len(c.path); n++ {
			if prefix := c.path[:n].String(); seen[prefix] {
				return c.invalid("conflicts with the change of \"%s\"", prefix)
			}
		}
	}
	return nil
}

// Apply gives the changed document, d itself when nothing changes. now is for $currentDate. Errors: 22023 for a value that an
// operator cannot work on, 22003 for a sum out of range, 54000 and 54001 for the limits of documents.
func (u *Update) Apply(d doc.Doc, now time.Time) (doc.Doc, error) { return u.run(d, now, false) }

func (u *Update) run(d doc.Doc, now time.Time, insert bool) (doc.Doc, error) {
	if u.replacement != nil {
		return u.replace(d)
	}
	v := d.Value()
	r := &run{d, now}
	for i := range u.changes {
		c := &u.changes[i]
		if c.onInsert && !insert {
			continue
		}
		out, err := c.at(v, 0, r)
		if err != nil {
			return nil, err
		}
		v = out
	}
	before, after := d.Lookup("_id"), doc.Doc(v.Data).Lookup("_id")
	if !(insert && before.Missing()) && doc.CompareBSON(before, after) != 0 {
		return nil, immutableID()
	}
	return check(doc.Doc(v.Data))
}

func immutableID() error {
	return dberr.New(dberr.InvalidParameterValue, "an update cannot change _id").
		WithHint("Delete the document and insert it under the new _id.")
}

func check(d doc.Doc) (doc.Doc, error) {
	if err := doc.CheckDocument(d); err != nil {
		return nil, err
	}
	return d, nil
}

// replace gives the replacement with the old document's _id.
func (u *Update) replace(d doc.Doc) (doc.Doc, error) {
	id, own := d.Lookup("_id"), u.replacement.Lookup("_id")
	switch {
	case id.Missing():
		return check(u.replacement)
	case !own.Missing():
		if doc.CompareBSON(id, own) != 0 {
			return nil, immutableID()
		}
		return check(u.replacement)
	}
	out, start := doc.BeginDocument(make([]byte, 0, len(u.replacement)+len(id.Data)+8))
	out = doc.AppendElement(out, "_id", id)
	for e := u.replacement.Elements(); ; {
		k, v, ok := e.Next()
		if !ok {
			return check(doc.EndDocument(out, start))
		}
		out = doc.AppendElement(out, string(k), v)
	}
}

// Upsert gives the document to insert when no document matched the filter: the filter's equalities, then the update. It has an
// _id only if filter or update give one.
func (u *Update) Upsert(e filter.Expr, now time.Time) (doc.Doc, error) {
	base := doc.EmptyObject
	for _, eq := range filter.Equalities(e) {
		p := path(strings.Split(eq.Path, "."))
		if u.replacement != nil && eq.Path != "_id" {
			continue
		}
		c := change{op: "upsert", path: p, apply: func(*change, doc.Value, *run) (doc.Value, error) { return eq.Value, nil }}
		out, err := c.at(base, 0, nil)
		if err != nil {
			return nil, err
		}
		base = out
	}
	d, err := u.run(doc.Doc(base.Data), now, true)
	if err != nil {
		return nil, err
	}
	return idFirst(d), nil
}

// idFirst moves _id to the front.
func idFirst(d doc.Doc) doc.Doc {
	id := d.Lookup("_id")
	if id.Missing() {
		return d
	}
	out, start := doc.BeginDocument(make([]byte, 0, len(d)))
	out = doc.AppendElement(out, "_id", id)
	for e := d.Elements(); ; {
		k, v, ok := e.Next()
		if !ok {
			return doc.EndDocument(out, start)
		}
		if string(k) != "_id" {
			out = doc.AppendElement(out, string(k), v)
		}
	}
}
