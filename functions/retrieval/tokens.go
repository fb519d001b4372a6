package retrieval

import (
	"context"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// tokenizer counts the tokens of a text.
type tokenizer func(text string) (int, error)

// approxTokenizer is the name of the estimate that needs no vocabulary.
const approxTokenizer = "approx"

// tokenizers are the ways of counting by name. The exact ones build their vocabulary at the first use.
var tokenizers = map[string]tokenizer{
	approxTokenizer: func(text string) (int, error) { return ApproxTokens(text), nil },
	"cl100k_base":   exact(codec.NewCl100kBase),
	"o200k_base":    exact(codec.NewO200kBase),
	"p50k_base":     exact(codec.NewP50kBase),
	"r50k_base":     exact(codec.NewR50kBase),
}

func exact(open func() *codec.Codec) tokenizer {
	opened := sync.OnceValue(open)
	return func(text string) (int, error) {
		c, total := opened(), 0
		for len(text) > 0 {
			n := countable(text)
			count, err := c.Count(text[:n])
			if err != nil {
				return 0, dberr.Wrap(err, dberr.InternalError, "cannot count tokens: %v", err)
			}
			total, text = total+count, text[n:]
		}
		return total, nil
	}
}

// longestRun is how many bytes without a blank are counted as one. The tokenizer's time grows with the square of such a run, which no
// text in words has; a longer one is counted in pieces.
const longestRun = 16 << 10

// countable gives the length of the first part of a text that may be counted as a whole.
func countable(text string) int {
	run := 0
	for i := range len(text) {
		if c := text[i]; c == ' ' || c == '\n' {
			run = i + 1
		}
		if i-run >= longestRun && utf8.RuneStart(text[i]) {
			return i
		}
	}
	return len(text)
}

// tokenizerNamed finds a tokenizer; an unknown one is 42704.
func tokenizerNamed(name string) (tokenizer, error) {
	t, ok := tokenizers[strings.ToLower(name)]
	if !ok {
		return nil, dberr.New(dberr.UndefinedObject, "tokenizer %q does not exist", name).
			WithHint("Known tokenizers: %s.", joinKeys(tokenizers))
	}
	return t, nil
}

// ApproxTokens estimates the tokens of a text as a quarter of its code points, rounded up.
func ApproxTokens(s string) int { return (utf8.RuneCountInString(s) + 3) / 4 }

var countTokens = functions.Scalar{
	OID: 8117, Name: "count_tokens",
	Params: []functions.Param{{Name: "text", Type: value.Text}, {Name: "encoding", Type: value.Text}},
	Ret:    value.Int4, Strict: true, Volatility: functions.Immutable,
	Eval: func(_ context.Context, _ *functions.Call, a []value.Value) (value.Value, error) {
		t, err := tokenizerNamed(text(a[1]))
		if err != nil {
			return value.Null, err
		}
		n, err := t(text(a[0]))
		return value.Int(int64(n)), err
	},
	Descr: "the tokens that a text has in an encoding: approx, cl100k_base, o200k_base, p50k_base or r50k_base",
}
