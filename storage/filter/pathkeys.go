package filter

import "github.com/omgdb/omgdb/storage/doc"

// PathKeys gives the entries of a document in a path index: the values that the dotted path leads to by MongoDB's rules, an
// array at its end giving one entry for each element. An empty array gives undefined, and a path that leads nowhere (also
// for one element of an array on the way) gives null. Entries may repeat.
type PathKeys struct{ path mongoPath }

// NewPathKeys prepares a path.
func NewPathKeys(path string) *PathKeys { return &PathKeys{newMongoPath(path)} }

// Append appends the document's entries, at least one.
func (k *PathKeys) Append(dst []doc.Value, d doc.Doc) []doc.Value {
	return appendKeys(dst, d.Value(), k.path)
}

func appendKeys(dst []doc.Value, v doc.Value, p mongoPath) []doc.Value {
	if v.Class() == doc.ClassArray {
		v = v.Plain()
		if len(p) == 0 {
			return appendElements(dst, v)
		}
		return appendInArray(dst, v, p)
	}
	switch {
	case len(p) == 0 && !v.Missing():
		return append(dst, v)
	case v.Type != doc.TypeObject:
		return append(dst, doc.Null())
	}
	return appendKeys(dst, p[0].find.Find(v.Data), p[1:])
}

func appendElements(dst []doc.Value, v doc.Value) []doc.Value {
	n := len(dst)
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			break
		}
		dst = append(dst, x)
	}
	if len(dst) == n {
		return append(dst, doc.Value{Type: doc.TypeUndefined})
	}
	return dst
}

// appendInArray goes on into every element, and by position into the one that the path names.
func appendInArray(dst []doc.Value, v doc.Value, p mongoPath) []doc.Value {
	n := len(dst)
	e := v.Elements()
	for i := 0; ; i++ {
		_, x, ok := e.Next()
		if !ok {
			break
		}
		if x.Type == doc.TypeObject {
			dst = appendKeys(dst, x, p)
		} else {
			dst = append(dst, doc.Null())
		}
		if p[0].index == i {
			dst = appendPosition(dst, x, p[1:])
		}
	}
	if len(dst) == n {
		return append(dst, doc.Null())
	}
	return dst
}

// appendPosition takes x as the element named by position: at the end of the path it is an entry as it stands, and what its
// elements are, for tests that look at the elements of just this array.
func appendPosition(dst []doc.Value, x doc.Value, p mongoPath) []doc.Value {
	if len(p) == 0 {
		dst = append(dst, x)
	}
	return appendKeys(dst, x, p)
}
