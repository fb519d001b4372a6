package embed

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/omgdb/omgdb/storage/index/vector"
)

// Static is a model of static word-piece vectors distilled from all-MiniLM-L6-v2 (see staticgen): a text's vector is the sum of its
// pieces' vectors, scaled to length 1. It knows related words without a network at run time and needs no set-up.
type Static struct {
	model   string
	dim     int
	words   *WordPiece
	scales  []float32
	rows    []int8 // row-major, len(scales) × dim
	scratch sync.Pool
}

//go:embed static/vectors.ose
var staticVectors string

//go:embed static/vocab.txt
var staticVocabulary string

// staticModel names the built-in vectors; the version changes with the file.
const staticModel = "static-minilm-v1"

// OpenStatic gives the built-in static model; it is read on the first call.
var OpenStatic = sync.OnceValues(func() (*Static, error) {
	return newStatic(staticModel, staticVectors, staticVocabulary)
})

// newStatic reads a vector file ('OSE1', uint32 rows, uint32 dim, float32 scales, int8 rows; little-endian) and its vocabulary.
func newStatic(model, file, vocabulary string) (*Static, error) {
	if len(file) < 12 || file[:4] != "OSE1" {
		return nil, fmt.Errorf("static vectors: not a vector file")
	}
	head := []byte(file[4:12])
	n, dim := int(binary.LittleEndian.Uint32(head)), int(binary.LittleEndian.Uint32(head[4:]))
	if len(file) != 12+4*n+n*dim {
		return nil, fmt.Errorf("static vectors: %d bytes are not %d rows of %d", len(file), n, dim)
	}
	s := &Static{model: fmt.Sprintf("%s/dim=%d", model, dim), dim: dim, words: NewWordPiece(vocabulary), scales: make([]float32, n)}
	if len(s.words.start) != n {
		return nil, fmt.Errorf("static vectors: %d rows for a vocabulary of %d", n, len(s.words.start))
	}
	for i := range s.scales {
		s.scales[i] = math.Float32frombits(binary.LittleEndian.Uint32([]byte(file[12+4*i : 16+4*i])))
	}
	s.rows = int8s(file[12+4*n:])
	s.scratch.New = func() any { return new(staticScratch) }
	return s, nil
}

type staticScratch struct {
	Scratch
	ids []int32
}

// ModelID implements Embedder.
func (s *Static) ModelID() string { return s.model }

// Dim implements Embedder.
func (s *Static) Dim() int { return s.dim }

// Embed implements Embedder; large calls are spread over the cores.
func (s *Static) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	mem := make([]float32, len(texts)*s.dim)
	const step = 64
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for lo := 0; lo < len(texts); lo += step {
		g.Go(func() error {
			for i := lo; i < min(lo+step, len(texts)); i++ {
				out[i] = mem[i*s.dim : (i+1)*s.dim : (i+1)*s.dim]
				s.EmbedInto(out[i], texts[i])
			}
			return context.Cause(gctx)
		})
	}
	return out, g.Wait()
}

// EmbedInto writes the vector of text into dst, which has Dim elements.
func (s *Static) EmbedInto(dst []float32, text string) {
	clear(dst)
	sc := s.scratch.Get().(*staticScratch)
	sc.ids = s.words.Tokenize(sc.ids[:0], text, 0, &sc.Scratch)
	for _, id := range sc.ids {
		vector.AddScaled(dst, s.rows[int(id)*s.dim:(int(id)+1)*s.dim], s.scales[id])
	}
	s.scratch.Put(sc)
	vector.Normalize(dst)
}
