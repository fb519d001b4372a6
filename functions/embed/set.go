package embed

import (
	"sort"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Set is the embedders that a server offers, by name. It is immutable once made.
type Set struct {
	byName map[string]func() (Embedder, error)
}

// NewSet makes the set of the built-in embedders.
func NewSet() *Set {
	hashing := NewHashing(DefaultHashingDim)
	return &Set{byName: map[string]func() (Embedder, error){
		"hashing": func() (Embedder, error) { return hashing, nil },
		"static":  func() (Embedder, error) { return OpenStatic() },
	}}
}

// Default is the embedder of calls that name none.
const Default = "hashing"

// Get gives the embedder called name, or Default for ""; an unknown one is 42704.
func (s *Set) Get(name string) (Embedder, error) {
	if name == "" {
		name = Default
	}
	open, ok := s.byName[strings.ToLower(name)]
	if !ok {
		return nil, dberr.New(dberr.UndefinedObject, "embedder %q does not exist", name).
			WithHint("Known embedders: %s.", strings.Join(s.Names(), ", "))
	}
	return open()
}

// Names lists the embedders in alphabetical order.
func (s *Set) Names() []string {
	names := make([]string, 0, len(s.byName))
	for n := range s.byName {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Into gives the embedder's way to write a text's vector into memory of the caller's (Dim elements) without a call's overhead, nil when it
// has none: models that run elsewhere want many texts at once.
func Into(e Embedder) func(dst []float32, text string) {
	switch e := e.(type) {
	case *Hashing:
		return e.EmbedInto
	case *Static:
		return e.EmbedInto
	}
	return nil
}
