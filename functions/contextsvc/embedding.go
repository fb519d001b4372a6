package contextsvc

import (
	"context"

	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage/index/fulltext"
	"github.com/omgdb/omgdb/storage/index/vector"
)

// chunkEmbedder makes the vectors of chunks. A chunk stands for what it says and for where it stands: the vector of its text, moved a
// little towards that of its file's path. It is safe for concurrent use.
type chunkEmbedder struct {
	embed.Embedder
	into func(dst []float32, text string) // of models that add up the vectors of words; nil for others
}

func newChunkEmbedder(e embed.Embedder) *chunkEmbedder {
	return &chunkEmbedder{Embedder: e, into: embed.Into(e)}
}

// recipe is the version of what is done to a text before it is embedded, and with its vector; it is part of the stored model's name.
const recipe = "+words1"

// modelOf names the stored vectors of a model.
func modelOf(e embed.Embedder) string { return e.ModelID() + recipe }

// pathWeight is how far the path moves a chunk's vector, found on questions about source trees (sqltest/folder): at 0 their answers are
// further down, beyond 0.5 the file's name begins to hide what is in it.
const pathWeight = 0.3

// chunks makes the documents of a file's chunks.
func (e *chunkEmbedder) chunks(ctx context.Context, key, rel, text string) ([][]byte, error) {
	ranges := chunks(text)
	if len(ranges) == 0 {
		return nil, nil
	}
	vecs, err := e.vectors(ctx, rel, text, ranges)
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(ranges))
	for i, r := range ranges {
		if out[i], err = chunkDoc(key, i, modelOf(e), r, vecs[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// vectors gives the vectors of chunks, in order.
func (e *chunkEmbedder) vectors(ctx context.Context, rel, text string, ranges []chunkRange) ([][]float32, error) {
	var w wordList
	w.add(rel)
	path := w.String()
	texts := make([]string, 0, len(ranges)+1)
	for _, r := range ranges {
		if e.into == nil {
			texts = append(texts, rel+"\n"+text[r.start:r.end])
			continue
		}
		w.reset()
		w.add(rel)
		w.add(text[r.start:r.end])
		texts = append(texts, w.String())
	}
	vecs, err := e.embed(ctx, append(texts, path))
	if err != nil {
		return nil, err
	}
	where := vecs[len(ranges)]
	for _, v := range vecs[:len(ranges)] {
		for i, x := range where {
			v[i] += pathWeight * x
		}
		vector.Normalize(v)
	}
	return vecs, nil
}

func (e *chunkEmbedder) embed(ctx context.Context, texts []string) ([][]float32, error) {
	if e.into == nil {
		vecs, err := e.Embed(ctx, texts)
		for i, v := range vecs {
			vecs[i] = append([]float32(nil), v...) // those of the embedder may be remembered
		}
		return vecs, err
	}
	mem := make([]float32, len(texts)*e.Dim())
	vecs := make([][]float32, len(texts))
	for i, text := range texts {
		vecs[i] = mem[i*e.Dim() : (i+1)*e.Dim() : (i+1)*e.Dim()]
		e.into(vecs[i], text)
	}
	return vecs, ctx.Err()
}

// wordList collects the different words of texts, compound ones in their parts: a model that adds up words would otherwise hear little but
// the word that is said again and again, and does not know maxOpenConns.
type wordList struct {
	seen map[string]struct{}
	text []byte
}

func (w *wordList) reset() { clear(w.seen); w.text = w.text[:0] }

func (w *wordList) String() string { return string(w.text) }

func (w *wordList) add(text string) {
	if w.seen == nil {
		w.seen = map[string]struct{}{}
	}
	var lower []byte
	fulltext.NameParts(text, func(word string) {
		lower = appendLower(lower[:0], word)
		if _, ok := w.seen[string(lower)]; ok {
			return
		}
		w.seen[string(lower)] = struct{}{}
		w.text = append(append(w.text, lower...), ' ')
	})
}

// appendLower appends a word in the lower case of ASCII: what else models fold, they fold themselves.
func appendLower(dst []byte, word string) []byte {
	for i := range len(word) {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}
