package embed

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/storage/memo"
)

// Remembered is an embedder that keeps the vectors of texts in memory, so that what is searched again and again is embedded once. The
// vectors that it gives are shared and must not be changed. It is safe for concurrent use.
type Remembered struct {
	Embedder
	texts *memo.Texts[[]float32]
}

// rememberBytes is how much the embedders of a Set remember together.
const rememberBytes = 96 << 20

func newRemembered(e Embedder, b *memo.Budget) *Remembered {
	return &Remembered{Embedder: e, texts: memo.New[[]float32](b)}
}

// Known appends for each text the vector that is remembered, nil for none, and counts the texts without.
func (r *Remembered) Known(dst [][]float32, texts []string) (vecs [][]float32, missing int) {
	for _, t := range texts {
		vec, ok := r.texts.Get(t)
		if !ok {
			missing++
		}
		dst = append(dst, vec)
	}
	return dst, missing
}

// Embed implements Embedder.
func (r *Remembered) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vecs, missing := r.Known(make([][]float32, 0, len(texts)), texts)
	if missing == 0 {
		return vecs, nil
	}
	rest, at := make([]string, 0, missing), make([]int, 0, missing)
	for i, v := range vecs {
		if v == nil {
			rest, at = append(rest, texts[i]), append(at, i)
		}
	}
	fresh, err := r.Embedder.Embed(ctx, rest)
	if err != nil {
		return nil, err
	}
	for i, v := range fresh {
		vecs[at[i]] = v
		r.Keep(rest[i], v)
	}
	return vecs, nil
}

// Keep remembers a copy of the vector that the embedder gives a text, if there is room.
func (r *Remembered) Keep(text string, vec []float32) {
	r.texts.Put(text, slices.Clone(vec), int64(4*len(vec)))
}
