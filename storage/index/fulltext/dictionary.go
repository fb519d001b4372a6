package fulltext

import (
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Dictionary gives words of one language their lexemes, without the folding of an Analyzer: a Snowball stemmer behind a list of stop
// words, as PostgreSQL's configurations have them.
type Dictionary struct {
	stem stemmer
	stop map[string]bool
}

// NewDictionary gives the dictionary of a language by its English name, or "simple".
func NewDictionary(language string) (*Dictionary, error) {
	l, ok := languages[strings.ToLower(language)]
	if !ok || l.code {
		return nil, dberr.New(dberr.UndefinedObject, "text search configuration \"%s\" does not exist", language)
	}
	return &Dictionary{l.stem, l.stopSet()}, nil
}

// Lexeme gives the lexeme of a word in lower case, and whether it is a stop word.
func (d *Dictionary) Lexeme(word string) (lexeme string, stop bool) {
	return d.stem(word), d.stop[word]
}
