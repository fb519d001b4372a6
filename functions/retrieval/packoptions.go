package retrieval

import (
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// packArgs are the parameters that all functions of context packs take. The defaults of the options make the plain pack: candidates
// ranked by the default embedder, whole texts, tokens estimated, cut at the first text that would overflow.
var packArgs = []functions.Param{
	pCollection, pField, pQuery, pBudget, pFilter,
	{Name: "packing", Type: value.Text, Default: "NULL"},
	{Name: "tokenizer", Type: value.Text, Default: "NULL"},
	{Name: "mode", Type: value.Text, Default: "NULL"},
	pEmbedder,
	{Name: "dedupe", Type: value.Boolean, Default: "false"},
	{Name: "diversity", Type: value.Float8, Default: "0"},
	{Name: "max_per_doc", Type: value.Int4, Default: "NULL"},
	{Name: "chunk", Type: value.Text, Default: "NULL"},
	{Name: "overlap", Type: value.Int4, Default: "0"},
	{Name: "neighbors", Type: value.Int4, Default: "0"},
}

// Places of the options among packArgs.
const (
	argPacking = iota + 5
	argTokenizer
	argMode
	argEmbedder
	argDedupe
	argDiversity
	argMaxPerDoc
	argChunk
	argOverlap
	argNeighbors
)

// packing is a way to fill the budget.
type packing int

const (
	packPrefix  packing = iota // best first, up to the first that would overflow
	packSkip                   // best first, leaving out those that would overflow
	packOptimal                // the set with the highest sum of scores
)

var packings = map[string]packing{"prefix": packPrefix, "skip": packSkip, "optimal": packOptimal}

// packMode is how candidates are ranked.
type packMode int

const (
	modeSemantic packMode = iota
	modeLexical
	modeHybrid
)

var packModes = map[string]packMode{"semantic": modeSemantic, "lexical": modeLexical, "hybrid": modeHybrid}

// packOptions are the options of a pack.
type packOptions struct {
	packing   packing
	tokens    tokenizer
	mode      packMode
	model     string // name of the embedder
	embedder  embed.Embedder
	dedupe    bool
	diversity float64 // 0: by score alone; towards 1, what is unlike the chosen counts more
	maxPerDoc int     // 0: any number
	split     splitter
	overlap   int // pieces that a chunk begins with again
	neighbors int // pieces around a chosen one that come along
}

// keyword finds the value of an option among its names; NULL is def.
func keyword[T any](param string, v value.Value, values map[string]T, def T) (T, error) {
	if v.IsNull() {
		return def, nil
	}
	x, ok := values[strings.ToLower(text(v))]
	if !ok {
		return def, dberr.New(dberr.InvalidParameterValue, "unknown %s %q", param, text(v)).WithHint("Use one of: %s.", joinKeys(values))
	}
	return x, nil
}

func newPackOptions(env *functions.Env, a []value.Value) (o packOptions, err error) {
	if o.packing, err = keyword("packing", a[argPacking], packings, packPrefix); err != nil {
		return o, err
	}
	if o.mode, err = keyword("mode", a[argMode], packModes, modeSemantic); err != nil {
		return o, err
	}
	name := approxTokenizer
	if !a[argTokenizer].IsNull() {
		name = text(a[argTokenizer])
	}
	if o.tokens, err = tokenizerNamed(name); err != nil {
		return o, err
	}
	o.model = embed.Default
	switch {
	case !a[argEmbedder].IsNull():
		o.model = text(a[argEmbedder])
	case !a[argMode].IsNull():
		o.model = "static"
	}
	if o.embedder, err = env.Embedders.Get(o.model); err != nil {
		return o, err
	}
	o.dedupe = a[argDedupe].Bool()
	if o.diversity = a[argDiversity].Float(); !(o.diversity >= 0 && o.diversity <= 1) {
		return o, dberr.New(dberr.InvalidParameterValue, "diversity must be between 0 and 1")
	}
	return o, o.chunking(a)
}

// chunking reads the options of texts that are cut.
func (o *packOptions) chunking(a []value.Value) (err error) {
	if o.maxPerDoc, err = count("max_per_doc", a[argMaxPerDoc], 0); err != nil {
		return err
	}
	if o.maxPerDoc == 0 && !a[argMaxPerDoc].IsNull() {
		return dberr.New(dberr.InvalidParameterValue, "max_per_doc must be at least 1")
	}
	if !a[argChunk].IsNull() {
		if o.split, err = splitterNamed(text(a[argChunk])); err != nil {
			return err
		}
	}
	if o.overlap, err = count("overlap", a[argOverlap], 0); err != nil {
		return err
	}
	if o.neighbors, err = count("neighbors", a[argNeighbors], 0); err != nil {
		return err
	}
	if o.neighbors > 0 && o.packing == packOptimal {
		return dberr.New(dberr.InvalidParameterValue, "neighbors cannot be combined with packing 'optimal'").
			WithDetail("What a chunk costs then depends on the chunks chosen before it.").WithHint("Use packing 'skip'.")
	}
	if o.neighbors > 0 && o.overlap > 0 {
		return dberr.New(dberr.InvalidParameterValue, "neighbors cannot be combined with overlap: both bring what stands before a chunk")
	}
	return nil
}

// pieces cuts a text by the options; nil for texts that stay whole.
func (o *packOptions) pieces(t string) []textSpan {
	if o.split == nil {
		return nil
	}
	return withOverlap(o.split(t), o.overlap)
}
