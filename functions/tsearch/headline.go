package tsearch

import (
	"context"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// marker reads the arguments of ts_headline, without the configuration n of them: what marks the query's words in a text, and the rest of
// the arguments.
func marker(c *call, a []val, n int) (mark func(string) string, rest []val, err error) {
	cfg, a, err := withConfig(c, a, n)
	if err != nil {
		return nil, nil, err
	}
	o := defaultHeadline
	if len(a) > 2 {
		if err := o.read(a[2].Str()); err != nil {
			return nil, nil, err
		}
	}
	return func(s string) string { return cfg.headline(s, typeio.TSQ(a[1]), o) }, a, nil
}

// headlines are ts_headline of text, with and without configuration and options.
func headlines() []def {
	var out []def
	for _, sig := range []string{"(text,tsquery)", "(text,tsquery,text)", "(regconfig,text,tsquery)", "(regconfig,text,tsquery,text)"} {
		n := 2 + strings.Count(sig, ",text)")
		out = append(out, def{Sig: "ts_headline" + sig, Eval: func(_ context.Context, c *call, a []val) (val, error) {
			mark, a, err := marker(c, a, n)
			if err != nil {
				return value.Null, err
			}
			return value.String(mark(a[0].Str())), nil
		}})
	}
	return out
}

// headlineOptions are ts_headline's.
type headlineOptions struct {
	start, stop, between       string
	most, least, short, pieces int
	all                        bool
}

var defaultHeadline = headlineOptions{start: "<b>", stop: "</b>", between: " ... ", most: 35, least: 15, short: 3}

// read reads a list of name=value.
func (o *headlineOptions) read(text string) error {
	for s := text; ; {
		s = strings.TrimLeft(s, " \t\r\n,")
		if s == "" {
			break
		}
		name, rest, ok := strings.Cut(s, "=")
		if !ok {
			return dberr.New(dberr.SyntaxError, "invalid parameter list format: \"%s\"", text)
		}
		var v string
		if rest = strings.TrimLeft(rest, " \t\r\n"); strings.HasPrefix(rest, `"`) {
			if v, rest, ok = strings.Cut(rest[1:], `"`); !ok {
				return dberr.New(dberr.SyntaxError, "invalid parameter list format: \"%s\"", text)
			}
		} else if i := strings.IndexAny(rest, ", \t\r\n"); i >= 0 {
			v, rest = rest[:i], rest[i:]
		} else {
			v, rest = rest, ""
		}
		if err := o.set(strings.TrimSpace(name), v); err != nil {
			return err
		}
		s = rest
	}
	if o.all {
		return nil
	}
	for _, c := range []struct {
		bad bool
		msg string
	}{
		{o.least >= o.most, "MinWords should be less than MaxWords"}, {o.least <= 0, "MinWords should be positive"},
		{o.short < 0, "ShortWord should be >= 0"}, {o.pieces < 0, "MaxFragments should be >= 0"},
	} {
		if c.bad {
			return dberr.New(dberr.InvalidParameterValue, "%s", c.msg)
		}
	}
	return nil
}

func (o *headlineOptions) set(name, v string) error {
	ints := map[string]*int{"maxwords": &o.most, "minwords": &o.least, "shortword": &o.short, "maxfragments": &o.pieces}
	strs := map[string]*string{"startsel": &o.start, "stopsel": &o.stop, "fragmentdelimiter": &o.between}
	key := strings.ToLower(name)
	switch {
	case ints[key] != nil:
		n, err := strconv.Atoi(v)
		if err != nil {
			return dberr.New(dberr.InvalidTextRepresentation, "invalid input syntax for type integer: \"%s\"", v)
		}
		*ints[key] = n
	case strs[key] != nil:
		*strs[key] = v
	case key == "highlightall":
		switch strings.ToLower(v) {
		case "1", "on", "true", "t", "y", "yes":
			o.all = true
		default:
			o.all = false
		}
	default:
		return dberr.New(dberr.InvalidParameterValue, "unrecognized headline parameter: \"%s\"", name)
	}
	return nil
}

// headWord is a token of a text with what the query wants of it.
type headWord struct {
	token
	at    int     // position of its lexeme, 0 for none
	nodes []*node // lexemes of the query that it is
}

// wanted tells whether the word is to be marked.
func (w *headWord) wanted() bool { return len(w.nodes) > 0 }

// isWord tells whether the token counts as a word.
func (w *headWord) isWord() bool {
	switch w.kind {
	case blank, tag, url, numHWord, asciiHWord, hword:
		return false
	}
	return true
}

func (w *headWord) badEnd(short int) bool {
	if w.wanted() {
		return false
	}
	switch w.kind {
	case sfloat, version, float, signedInt, unsignedInt:
		return true
	}
	return !w.isWord() || len(w.text) <= short
}

// headWords cuts a text.
func (c *config) headWords(text string, q *typeio.TSQuery) []headWord {
	var out []headWord
	var every []*node
	collect(q.Root, &every)
	pos := 0
	tokens(text, func(t token) {
		w := headWord{token: t}
		if s, known := c.lexeme(t); known {
			pos++
			if s != "" {
				w.at = pos
				for _, n := range every {
					if n.Text == s || n.Prefix && strings.HasPrefix(s, n.Text) {
						w.nodes = append(w.nodes, n)
					}
				}
			}
		}
		out = append(out, w)
	})
	return out
}

// collect lists the lexeme nodes of a query.
func collect(n *node, out *[]*node) {
	if n == nil {
		return
	}
	if n.Op == typeio.TSLexeme {
		*out = append(*out, n)
	}
	collect(n.Left, out)
	collect(n.Right, out)
}

// headline is ts_headline.
func (c *config) headline(text string, q *typeio.TSQuery, o headlineOptions) string {
	words := c.headWords(text, q)
	if o.all {
		return show(words, 0, len(words)-1, o)
	}
	h := &header{words: words, q: q, o: o}
	if o.pieces > 0 {
		return h.fragments()
	}
	begin, end := h.best()
	return show(words, begin, end, o)
}

// header looks for the part of a text that shows most of a query.
type header struct {
	words []headWord
	q     *typeio.TSQuery
	o     headlineOptions
}

// cover gives the next part from p on that satisfies the query: its first and last word.
func (h *header) cover(p, most int) (begin, end int, ok bool) {
	if h.q.Root == nil {
		return 0, 0, false
	}
	next := func(i int) int {
		for i < len(h.words) && len(h.words[i].nodes) == 0 {
			i++
		}
		return i
	}
	for p = next(p); p < len(h.words); p = next(p + 1) {
		limit := min(p+most-1, len(h.words)-1)
		for q := p; q <= limit; q = next(q + 1) {
			if matches(h.q.Root, h.within(p, q), false) {
				return p, q, true
			}
		}
	}
	return 0, 0, false
}

// within looks up lexemes among some words.
func (h *header) within(p, q int) places {
	return func(n *node) (bool, []int) {
		var at []int
		for i := p; i <= q; i++ {
			for _, m := range h.words[i].nodes {
				if m == n {
					at = append(at, h.words[i].at)
				}
			}
		}
		return len(at) > 0, at
	}
}

func (h *header) count(i int, words, wanted *int, by int) {
	if h.words[i].isWord() {
		*words += by
	}
	if h.words[i].wanted() {
		*wanted += by
	}
}

// best gives the first and last word of the best headline.
func (h *header) best() (begin, end int) {
	bestLen, bestCover := -1, false
	most := max(h.o.most*10, 100)
	for p, q, ok := h.cover(0, most); ok; p, q, ok = h.cover(p+1, most) {
		b, e, n := h.around(p, q)
		whole := b <= p && e >= q
		better := bestLen < 0 || whole && !bestCover || whole == bestCover && (n > bestLen ||
			n == bestLen && !h.words[e].badEnd(h.o.short) && h.words[end].badEnd(h.o.short))
		if better {
			begin, end, bestLen, bestCover = b, e, n, whole
		}
	}
	if bestLen < 0 {
		words, wanted := 0, 0
		for i := 0; i < len(h.words) && words < h.o.least; i++ {
			h.count(i, &words, &wanted, 1)
			end = i
		}
		begin = 0
	}
	return begin, end
}

// around widens or cuts a cover to a headline's size.
func (h *header) around(p, q int) (begin, end, wanted int) {
	o, words := h.o, 0
	begin, end = p, p
	i := p
	for ; i <= q && words < o.most; i++ {
		h.count(i, &words, &wanted, 1)
		end = i
	}
	if words < o.most {
		for i--; i < len(h.words) && words < o.most; i++ {
			if i > q {
				h.count(i, &words, &wanted, 1)
			}
			end = i
			if h.words[i].badEnd(o.short) {
				continue
			}
			if words >= o.least {
				break
			}
		}
		if words < o.least {
			for i = p - 1; i >= 0; i-- {
				h.count(i, &words, &wanted, 1)
				if words >= o.most {
					break
				}
				if h.words[i].badEnd(o.short) {
					continue
				}
				if words >= o.least {
					break
				}
			}
			begin = max(i, 0)
		}
		return begin, end, wanted
	}
	if i > q {
		i = q
	}
	for ; words > o.least && h.words[i].badEnd(o.short); i-- {
		h.count(i, &words, &wanted, -1)
		end = i - 1
	}
	return begin, end, wanted
}

// fragments shows several covers.
func (h *header) fragments() string {
	type piece struct{ begin, end int }
	var out []piece
	last := -1
	for p, q, ok := h.cover(0, max(h.o.most*10, 100)); ok && len(out) < h.o.pieces; p, q, ok = h.cover(max(p, last)+1, max(h.o.most*10, 100)) {
		if p <= last {
			continue
		}
		words, wanted := 0, 0
		end := p
		for i := p; i <= q && words < h.o.most; i++ {
			h.count(i, &words, &wanted, 1)
			end = i
		}
		begin := p
		for i := p - 1; i > last && words < (h.o.most+1)/2; i-- { // half of the room goes before it
			h.count(i, &words, &wanted, 1)
			begin = i
		}
		for i := end + 1; i < len(h.words) && words < h.o.most; i++ {
			h.count(i, &words, &wanted, 1)
			end = i
		}
		out = append(out, piece{begin, end})
		last = end
	}
	if len(out) == 0 {
		b, e := h.best()
		return show(h.words, b, e, h.o)
	}
	var b strings.Builder
	for i, p := range out {
		if i > 0 {
			b.WriteString(h.o.between)
		}
		b.WriteString(strings.TrimSpace(show(h.words, p.begin, p.end, h.o)))
	}
	return b.String()
}

// show writes words with their marks; tags become blanks unless all is shown, and the wholes of compounds are left to their parts.
func show(words []headWord, begin, end int, o headlineOptions) string {
	var b strings.Builder
	for i := begin; i <= end && i < len(words); i++ {
		w := &words[i]
		switch w.kind {
		case url, numHWord, asciiHWord, hword:
			continue
		case tag:
			if !o.all {
				b.WriteByte(' ')
				continue
			}
		}
		if w.wanted() {
			b.WriteString(o.start + w.text + o.stop)
		} else {
			b.WriteString(w.text)
		}
	}
	return b.String()
}
