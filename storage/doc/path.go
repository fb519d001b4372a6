package doc

import (
	"strconv"
	"strings"
)

// StepKind says what a step of a Path may enter.
type StepKind uint8

const (
	// StepKey is `-> 'key'`: an object's key, nothing else.
	StepKey StepKind = iota
	// StepIndex is `-> 3`: an array's element, counted from the end when negative. A scalar counts as an array of
	// itself, as in PostgreSQL.
	StepIndex
	// StepText is one element of `#> '{…}'`: a key for an object, an index for an array when it is an integer.
	StepText
)

// Step is one step of a Path; make it with Key, Index or Text.
type Step struct {
	Kind  StepKind
	Key   string // of StepKey and StepText
	Index int    // of StepIndex, and of StepText when IsInt
	IsInt bool   // a StepText that reads as an integer
}

// Key is the step of `-> 'name'`.
func Key(name string) Step { return Step{Kind: StepKey, Key: name} }

// Index is the step of `-> i`.
func Index(i int) Step { return Step{Kind: StepIndex, Index: i} }

// Text is a step of `#> '{…}'`.
func Text(s string) Step {
	i, ok := textIndex(s)
	return Step{Kind: StepText, Key: s, Index: i, IsInt: ok}
}

// textIndex reads an array index as PostgreSQL's path operators do: leading blanks, a sign, digits, 32 bits.
func textIndex(s string) (int, bool) {
	t := strings.TrimLeft(s, " \t\n\v\f\r")
	if t == "" || strings.ContainsRune(t, '_') {
		return 0, false
	}
	i, err := strconv.ParseInt(t, 10, 32)
	return int(i), err == nil
}

// Path leads from a value to one inside it by SQL's rules: it never looks inside arrays by itself. The empty path is
// the value itself.
type Path []Step

// Keys makes a path of object keys.
func Keys(names ...string) Path {
	p := make(Path, len(names))
	for i, n := range names {
		p[i] = Key(n)
	}
	return p
}

// String prints the path as the arrows of SQL: ->'a'->0, #>'{b}'.
func (p Path) String() string {
	var b strings.Builder
	for _, s := range p {
		switch s.Kind {
		case StepKey:
			b.WriteString("->'" + strings.ReplaceAll(s.Key, "'", "''") + "'")
		case StepIndex:
			b.WriteString("->" + strconv.Itoa(s.Index))
		case StepText:
			b.WriteString("#>" + strconv.Quote(s.Key))
		}
	}
	return b.String()
}

// Step takes one step into the value; missing when it leads nowhere.
func (v Value) Step(s Step) Value {
	switch v.Type {
	case TypeObject:
		if s.Kind == StepIndex {
			return Value{}
		}
		return Doc(v.Data).Lookup(s.Key)
	case TypeArray:
		if s.Kind == StepIndex || s.Kind == StepText && s.IsInt {
			return v.At(s.Index)
		}
		return Value{}
	}
	if plain := v.Plain(); plain.Type != v.Type { // a value that JSON lacks is entered as the object it is shown as
		return plain.Step(s)
	}
	if s.Kind == StepIndex && (s.Index == 0 || s.Index == -1) {
		return v
	}
	return Value{}
}

// At gives an array's element by position, from the end when negative; missing when there is none.
func (v Value) At(i int) Value {
	if v.Type != TypeArray {
		return Value{}
	}
	if i < 0 {
		if i += v.Len(); i < 0 {
			return Value{}
		}
	}
	for e := v.Elements(); ; i-- {
		_, elem, ok := e.Next()
		if !ok || i == 0 {
			return elem
		}
	}
}

// Walk follows the path; missing when it leads nowhere.
func (v Value) Walk(p Path) Value {
	for _, s := range p {
		if v = v.Step(s); v.Type == TypeMissing {
			break
		}
	}
	return v
}

// Walk follows the path from the document's root.
func (d Doc) Walk(p Path) Value { return Value{TypeObject, d}.Walk(p) }
