package embed

import (
	"sort"
	"strings"
	"sync"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/memo"
)

// Set is the embedders that a server offers, by name; each is opened when it is first used. It is safe for concurrent use.
type Set struct {
	byName map[string]func() (Embedder, error)
}

// Opener opens an embedder of a Set.
type Opener struct {
	Name string
	Open func() (Embedder, error)
}

// NewSet makes the set of the embedders that need no set-up and of more. An opener that failed is tried again at the next use.
func NewSet(more ...Opener) *Set {
	s := &Set{byName: map[string]func() (Embedder, error){}}
	b := memo.NewBudget(rememberBytes)
	for _, o := range append([]Opener{
		{"hashing", func() (Embedder, error) { return NewHashing(DefaultHashingDim), nil }},
		{"static", func() (Embedder, error) { return OpenStatic() }},
	}, more...) {
		s.byName[o.Name] = once(func() (Embedder, error) {
			e, err := o.Open()
			if err != nil {
				return nil, err
			}
			return newRemembered(e, b), nil
		})
	}
	return s
}

// once remembers the first embedder that open gives, and no error.
func once(open func() (Embedder, error)) func() (Embedder, error) {
	var mu sync.Mutex
	var e Embedder
	return func() (Embedder, error) {
		mu.Lock()
		defer mu.Unlock()
		if e != nil {
			return e, nil
		}
		opened, err := open()
		if err == nil {
			e = opened
		}
		return opened, err
	}
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
// has none: models that run elsewhere want many texts at once. Nothing is remembered of these.
func Into(e Embedder) func(dst []float32, text string) {
	switch e := e.(type) {
	case *Remembered:
		return Into(e.Embedder)
	case *Hashing:
		return e.EmbedInto
	case *Static:
		return e.EmbedInto
	}
	return nil
}
