package tsearch

import (
	"strings"
	"sync"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/index/fulltext"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// config is a text search configuration: a parser's tokens go to the stemmer of a language or are only lowered.
type config struct{ dict *fulltext.Dictionary }

var configs sync.Map // by OID

// configOf finds a configuration by OID.
func configOf(oid int64) (*config, error) {
	if c, ok := configs.Load(oid); ok {
		return c.(*config), nil
	}
	name, ok := typeio.TSConfigName(uint32(oid))
	if !ok {
		return nil, dberr.New(dberr.UndefinedObject, "text search configuration with OID %d does not exist", oid)
	}
	d, err := fulltext.NewDictionary(name)
	if err != nil {
		return nil, err
	}
	c := &config{d}
	configs.Store(oid, c)
	return c, nil
}

// currentOID is the configuration of the session.
func currentOID(c *functions.Call) (int64, error) {
	name := "english"
	if c != nil && c.Env != nil && c.Env.Settings != nil {
		if s, ok := c.Env.Settings.Get("default_text_search_config"); ok {
			name = s
		}
	}
	oid, ok := typeio.TSConfigOID(name)
	if !ok {
		return 0, dberr.New(dberr.UndefinedObject, "text search configuration \"%s\" does not exist", name)
	}
	return int64(oid), nil
}

// withConfig splits an optional configuration off a call's arguments.
func withConfig(c *functions.Call, a []value.Value, n int) (*config, []value.Value, error) {
	if len(a) == n {
		oid, err := currentOID(c)
		if err != nil {
			return nil, nil, err
		}
		cfg, err := configOf(oid)
		return cfg, a, err
	}
	cfg, err := configOf(a[0].Int())
	return cfg, a[1:], err
}

// lexeme gives the lexeme of a token. known is false for tokens that no dictionary takes, such as blanks; a stop word is known and has no
// lexeme.
func (c *config) lexeme(t token) (lexeme string, known bool) {
	switch t.kind {
	case blank, tag, protocol, entity:
		return "", false
	case asciiWord, word, hwordPart, hwordASCIIPart, asciiHWord, hword:
		s, stop := c.dict.Lexeme(strings.ToLower(t.text))
		if stop {
			return "", true
		}
		return s, true
	}
	return strings.ToLower(t.text), true
}

// placed is a lexeme of a text and its position from 1.
type placed struct {
	lexeme string
	pos    int
}

// words parses a text. pos is the position of the word before, and the result's second the last one.
func (c *config) words(text string, pos int) ([]placed, int) {
	var out []placed
	tokens(text, func(t token) {
		s, known := c.lexeme(t)
		if !known {
			return
		}
		pos++
		if s != "" && len(s) < 1<<11 {
			out = append(out, placed{s, pos})
		}
	})
	return out, pos
}

// vector makes a tsvector of texts, one behind the other with a gap of a position as between the values of a document.
func (c *config) vector(texts ...string) (value.Value, error) {
	var list []typeio.Lexeme
	pos, gap := 0, false
	for _, t := range texts {
		var found []placed
		if gap {
			pos++ // a text that gave lexemes is apart from the next
		}
		found, pos = c.words(t, pos)
		gap = len(found) > 0
		for _, p := range found {
			list = append(list, typeio.Lexeme{Text: p.lexeme, Places: []typeio.TSPlace{typeio.NewTSPlace(p.pos, 0)}})
		}
	}
	v, err := typeio.NewTSVector(list)
	if err != nil {
		return value.Null, err
	}
	return typeio.BoxTSV(v), nil
}
