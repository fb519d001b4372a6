package parse

import (
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
)

// The limits. The C parser's stack use was measured: with a thread stack of 2 MiB (a quarter of the usual one) chains of operators
// overflow it above 5,000 terms, nested subqueries above 1,000; maxDepth stays well below half of that. Long flat lists (IN, VALUES,
// AND, OR) use no depth.
const (
	maxText   = 256 << 20
	maxTokens = 8 << 20
	maxDepth  = 2000
	// What a level adds to the depth: an operator of a chain 1, a parenthesis, bracket or CASE more, a subquery again as much.
	bracketDepth  = 3
	subqueryDepth = 1
)

// separators end an operand: what follows them is no deeper for what came before.
var separators = wordSet(`and or select from where group having order by limit offset window values set on using when then else as
	returning default check with filter over partition rows range groups do conflict into fetch for`)

// chainWords make a tree deeper by one as operators do.
var chainWords = wordSet(`not is isnull notnull in like ilike similar between collate at overlaps operator`)

// setWords chain queries and joins: they deepen the query that they stand in, beside its expressions.
var setWords = wordSet(`union intersect except join`)

func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// level is an open parenthesis, bracket or CASE (or the statement itself): an upper bound of how deep a tree its text makes.
type level struct {
	isCase  bool
	weight  int
	ops     int // operators since the last separator
	operand int // deepest operand since then
	deepest int // deepest finished operand
	chained int // set operations and joins
}

func (l *level) separate() {
	l.deepest = max(l.deepest, l.ops+l.operand)
	l.ops, l.operand = 0, 0
}

func (l *level) depth() int {
	return l.weight + l.chained + max(l.deepest, l.ops+l.operand)
}

// checkLimits bounds the size of the tree that sql makes.
func checkLimits(sql string) error {
	if len(sql) > maxText {
		return tooComplex("the statement text is longer than %d MiB", maxText>>20)
	}
	if len(sql) <= maxDepth/bracketDepth {
		return nil // too short to be deep
	}
	d := depthMeter{levels: []level{{}}}
	sc := scanner{s: sql}
	for tokens := 0; ; tokens++ {
		kind, text := sc.next()
		if kind == tokEnd {
			break
		}
		if tokens > maxTokens {
			return tooComplex("the statement has more than %d tokens", maxTokens)
		}
		d.token(kind, text)
		if d.open > maxDepth || d.top().depth() > maxDepth {
			return tooComplex("the statement is nested too deeply").At(sc.pos - len(text))
		}
	}
	for len(d.levels) > 1 {
		d.pop()
	}
	if d.top().depth() > maxDepth {
		return tooComplex("the statement is nested too deeply")
	}
	return nil
}

func tooComplex(detail string, args ...any) *dberr.Error {
	return dberr.New(dberr.StatementTooComplex, "stack depth limit exceeded").WithDetail(detail, args...).
		WithHint("Write long chains as lists (IN, VALUES, arrays, string_agg) or split the statement.")
}

// depthMeter follows the nesting of a text.
type depthMeter struct {
	levels []level
	open   int // sum of the weights of the open levels
}

func (d *depthMeter) top() *level { return &d.levels[len(d.levels)-1] }

func (d *depthMeter) push(isCase bool) {
	d.levels = append(d.levels, level{isCase: isCase, weight: bracketDepth})
	d.open += bracketDepth
}

// pop closes the innermost level: it becomes an operand of the one around it.
func (d *depthMeter) pop() {
	if len(d.levels) == 1 {
		return
	}
	inner := *d.top()
	d.levels = d.levels[:len(d.levels)-1]
	d.open -= inner.weight
	d.top().operand = max(d.top().operand, inner.depth())
}

func (d *depthMeter) token(kind tokenKind, text string) {
	switch kind {
	case tokOp:
		d.top().ops++
	case tokWord:
		d.word(text)
	case tokPunct:
		switch text {
		case "(", "[":
			d.push(false)
		case ")", "]":
			for len(d.levels) > 1 && d.top().isCase {
				d.pop()
			}
			d.pop()
		case ",":
			d.top().separate()
		case ";":
			d.top().separate()
			d.top().chained = 0
		}
	}
}

func (d *depthMeter) word(text string) {
	if len(text) > 9 {
		return // longer than every word that matters
	}
	w := strings.ToLower(text)
	switch {
	case w == "case":
		d.push(true)
	case w == "end":
		if d.top().isCase {
			d.pop()
		}
	case chainWords[w]:
		d.top().ops++
	case setWords[w]:
		d.top().separate()
		d.top().chained++
	case separators[w]:
		d.top().separate()
		if w == "select" && len(d.levels) > 1 && d.top().weight == bracketDepth {
			d.top().weight += subqueryDepth
			d.open += subqueryDepth
		}
	}
}
