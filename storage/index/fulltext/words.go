package fulltext

import (
	"slices"
	"sync"
	"time"

	"github.com/omgdb/omgdb/storage/memo"
)

// Words keeps the words of texts in memory, so that texts without an index that are searched again and again are analysed once. It is safe
// for concurrent use. Nil keeps nothing.
type Words struct {
	budget *memo.Budget
	mu     sync.Mutex
	of     map[*Analyzer]*wordTexts
}

// wordBytes is how much a Words keeps.
const wordBytes = 64 << 20

// NewWords makes an empty one.
func NewWords() *Words {
	return &Words{budget: memo.NewBudget(wordBytes), of: map[*Analyzer]*wordTexts{}}
}

// Matcher is NewMatcher, with the texts' words from memory.
func (w *Words) Matcher(a *Analyzer, q Query) *Matcher {
	m := NewMatcher(a, q)
	if w == nil {
		return m
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.of[a]
	if t == nil || t.dict.full() && time.Since(t.since) > renewal {
		if t != nil {
			t.texts.Forget()
		}
		t = &wordTexts{budget: w.budget, texts: memo.New[[]uint32](w.budget), dict: newWordDict(), since: time.Now()}
		w.of[a] = t
	}
	m.known = t
	m.class = make([]int32, 0, 1024)
	m.lists = [][]slotOf{nil}
	return m
}

// wordTexts are the texts known to one analyzer: each as the numbers of its tokens' words, doubled, odd for a token that is another form of
// the place before it. The number 0 stands for a position without a token.
type wordTexts struct {
	budget *memo.Budget
	texts  *memo.Texts[[]uint32]
	dict   *wordDict
	since  time.Time
}

// word is a term with the word as it is written.
type word struct{ term, written string }

// wordDict numbers words from 1.
type wordDict struct {
	mu    sync.RWMutex
	ids   map[word]uint32
	words []word
}

// A dictionary takes no more than mostWords, and one that is full is begun anew after a while, for the words may be of texts that are gone.
const (
	mostWords = 1 << 18
	renewal   = 10 * time.Minute
)

func newWordDict() *wordDict { return &wordDict{ids: map[word]uint32{}, words: []word{{}}} }

func (d *wordDict) full() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return len(d.words) >= mostWords
}

// from gives the words from number n on.
func (d *wordDict) from(n int) []word {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.words[n:len(d.words):len(d.words)]
}

// number gives the number of a word, a new one if need be; 0 when there is no room.
func (d *wordDict) number(term, written []byte) uint32 {
	d.mu.RLock()
	id := d.ids[word{string(term), string(written)}]
	d.mu.RUnlock()
	if id != 0 {
		return id
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	w := word{string(term), string(written)}
	if w.term == w.written {
		w.written = w.term
	}
	if id = d.ids[w]; id == 0 && len(d.words) < mostWords {
		id = uint32(len(d.words))
		d.ids[w] = id
		d.words = append(d.words, w)
	}
	return id
}

// tokens gives the numbers of a text's tokens; false when they cannot be told.
func (t *wordTexts) tokens(a *Analyzer, text string, s *Scratch) ([]uint32, bool) {
	if toks, ok := t.texts.Get(text); ok {
		return toks, true
	}
	if t.budget.Full(int64(len(text))) {
		return nil, false
	}
	var toks []uint32
	var asWritten []byte
	at, ok := int32(-1), true
	a.Analyze(text, s, func(tok Token) bool {
		for ; at < tok.Pos-1; at++ {
			toks = append(toks, 0)
		}
		at = tok.Pos
		asWritten = written(asWritten[:0], text, tok, s)
		id := t.dict.number(tok.Term, asWritten)
		if id == 0 {
			ok = false
			return false
		}
		n := id << 1
		if tok.Other() {
			n |= 1
		}
		toks = append(toks, n)
		return true
	})
	if ok {
		toks = slices.Clip(toks)
		t.texts.Put(text, toks, int64(4*len(toks)))
	}
	return toks, ok
}

// classify learns for which of the query's slots the words stand that have come since.
func (m *Matcher) classify() {
	for _, w := range m.known.dict.from(len(m.class)) {
		class := int32(0)
		if all := m.slotsOf(w); len(all) > 0 {
			class = int32(len(m.lists))
			m.lists = append(m.lists, all)
		}
		m.class = append(m.class, class)
	}
}

func (m *Matcher) slotsOf(w word) (all []slotOf) {
	if w.term == "" {
		return nil
	}
	if slot, ok := m.terms[w.term]; ok {
		all = append(all, slotOf{slot, false})
	}
	if len(m.prefix.lens) == 0 {
		return all
	}
	begins := func(slot int32) { all = append(all, slotOf{slot, true}) }
	m.prefix.each([]byte(w.term), begins)
	m.prefix.each([]byte(w.written), begins)
	return all
}

// matchTokens finds the clauses in a text whose tokens are known.
func (m *Matcher) matchTokens(toks []uint32) (length int64) {
	pos := int32(-1)
	for _, n := range toks {
		if n&1 == 0 {
			pos++
			if n == 0 {
				continue
			}
			length++
		}
		id := n >> 1
		if int(id) >= len(m.class) {
			m.classify()
		}
		class := m.class[id]
		if class == 0 {
			continue
		}
		for _, x := range m.lists[class] {
			if x.prefix {
				m.hitOnce(x.slot, pos)
			} else {
				m.slots[x.slot] = append(m.slots[x.slot], pos)
			}
		}
	}
	return length
}
