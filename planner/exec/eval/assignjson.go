package eval

import (
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
)

var emptyDocument = []byte{5, 0, 0, 0, 0}

// assignJSON replaces what stands at keys[at:] inside v by with. Unlike jsonb_set it makes what is missing on the way: an array where
// the next key is an integer (filled up with nulls), else an object.
func assignJSON(v doc.Value, keys []string, at int, with doc.Value) (doc.Value, error) {
	if at == len(keys) {
		return with, nil
	}
	step := doc.Text(keys[at])
	switch {
	case v.Missing():
		v = doc.Value{Type: doc.TypeObject, Data: emptyDocument}
		if step.IsInt {
			v.Type = doc.TypeArray
		}
	case v.IsArray():
		if !step.IsInt {
			return v, dberr.New(dberr.InvalidTextRepresentation, "path element at position %d is not an integer: %q", at+1, keys[at])
		}
		if step.Index < 0 && -step.Index > v.Len() {
			return v, dberr.New(dberr.InvalidParameterValue, "path element at position %d is out of range: %d", at+1, step.Index)
		}
	case !v.IsObject():
		return v, dberr.New(dberr.InvalidParameterValue, "cannot replace existing key").
			WithDetail("The path assumes key is a composite object, but it is a scalar value.")
	}
	child, err := assignJSON(v.Step(step), keys, at+1, with)
	if err != nil {
		return v, err
	}
	if v.IsArray() {
		if v, err = padArray(v, step.Index); err != nil {
			return v, err
		}
	}
	return doc.SetPath(v, doc.Texts(keys[at]), child, true)
}

// maxGap bounds the nulls that one assignment may add.
const maxGap = 1 << 24

// padArray adds nulls so that the array has at least n elements.
func padArray(v doc.Value, n int) (doc.Value, error) {
	gap := n - v.Len()
	if gap <= 0 {
		return v, nil
	}
	if gap > maxGap {
		return v, dberr.New(dberr.ProgramLimitExceeded, "array subscript %d is too far beyond the end of the array", n)
	}
	var b doc.Builder
	b.BeginArray()
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			break
		}
		b.Append(x)
	}
	for range gap {
		b.Null()
	}
	b.End()
	return b.Value()
}
