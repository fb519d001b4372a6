// Package minilm runs the sentence model all-MiniLM-L6-v2 (Apache-2.0) on the CPU: word pieces, six encoder layers in C, mean pooling,
// length 1. It needs the model's two files (Files) and nothing else.
package minilm

// #cgo CFLAGS: -O3
// #cgo LDFLAGS: -lm
// #include <stdlib.h>
// #include "forward.h"
import "C"

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"github.com/omgdb/omgdb/functions/embed"
)

// ModelID names the vectors of this model at this length of text.
const ModelID = "all-MiniLM-L6-v2/fp32/max=256"

const (
	dim       = C.HIDDEN
	maxPieces = 256 // with [CLS] and [SEP]
)

// Model is the loaded model. It is safe for concurrent use and stays loaded until the process ends.
type Model struct {
	words    *embed.WordPiece
	cls, sep int32
	tensors  *tensors
	c        *C.model
	scratch  sync.Pool
}

// Open loads the model from the directory that holds Files.
func Open(dir string) (*Model, error) {
	vocab, err := os.ReadFile(filepath.Join(dir, VocabFile))
	if err != nil {
		return nil, err
	}
	t, err := openTensors(filepath.Join(dir, WeightsFile))
	if err != nil {
		return nil, err
	}
	m := &Model{words: embed.NewWordPiece(string(vocab)), tensors: t, c: (*C.model)(C.calloc(1, C.sizeof_model))}
	m.cls, _ = m.words.ID("[CLS]")
	m.sep, _ = m.words.ID("[SEP]")
	m.scratch.New = func() any { return newScratch() }
	if err := m.load(); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return m, nil
}

// load fills the C model: matrices of the layers are packed into memory of ours, all else points into the mapping.
func (m *Model) load() error {
	l := loader{t: m.tensors}
	e := "embeddings."
	m.c.words = l.floats(e+"word_embeddings.weight", 30522, dim)
	m.c.positions = l.floats(e+"position_embeddings.weight", 512, dim)
	m.c._type = l.floats(e+"token_type_embeddings.weight", 2, dim)
	m.c.gain, m.c.bias = l.floats(e+"LayerNorm.weight", dim), l.floats(e+"LayerNorm.bias", dim)
	for i := range m.c.layers {
		p := fmt.Sprintf("encoder.layer.%d.", i)
		m.c.layers[i] = C.layer{
			query:          l.dense(p+"attention.self.query", dim, dim),
			key:            l.dense(p+"attention.self.key", dim, dim),
			value:          l.dense(p+"attention.self.value", dim, dim),
			attention_out:  l.dense(p+"attention.output.dense", dim, dim),
			intermediate:   l.dense(p+"intermediate.dense", dim, C.INNER),
			output:         l.dense(p+"output.dense", C.INNER, dim),
			attention_gain: l.floats(p+"attention.output.LayerNorm.weight", dim),
			attention_bias: l.floats(p+"attention.output.LayerNorm.bias", dim),
			output_gain:    l.floats(p+"output.LayerNorm.weight", dim),
			output_bias:    l.floats(p+"output.LayerNorm.bias", dim),
		}
	}
	return l.err
}

// loader remembers the first error.
type loader struct {
	t   *tensors
	err error
}

func (l *loader) floats(name string, shape ...int) *C.float {
	b, err := l.t.floats(name, shape...)
	if err != nil {
		if l.err == nil {
			l.err = err
		}
		return nil
	}
	return (*C.float)(unsafe.Pointer(unsafe.SliceData(b)))
}

func (l *loader) dense(name string, in, out C.int) C.dense {
	w, b := l.floats(name+".weight", int(out), int(in)), l.floats(name+".bias", int(out))
	if l.err != nil {
		return C.dense{}
	}
	packed := (*C.float)(C.malloc(C.size_t(in) * C.size_t(out) * 4))
	C.pack(packed, w, in, out)
	return C.dense{weight: packed, bias: b, in: in, out: out}
}

// ModelID implements embed.Embedder.
func (m *Model) ModelID() string { return ModelID }

// Dim implements embed.Embedder.
func (m *Model) Dim() int { return dim }

// Embed implements embed.Embedder: texts are spread over the cores, each runs by itself, so its vector doesn't depend on the others.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, text := range texts {
		g.Go(func() error {
			if gctx.Err() != nil {
				return context.Cause(gctx)
			}
			out[i] = make([]float32, dim)
			m.embedInto(out[i], text)
			return nil
		})
	}
	return out, g.Wait()
}

// scratch is one goroutine's working memory.
type scratch struct {
	embed.Scratch
	ids    []int32
	floats []float32
}

func newScratch() *scratch {
	return &scratch{ids: make([]int32, 0, maxPieces), floats: make([]float32, int(C.scratch_floats(maxPieces)))}
}

func (m *Model) embedInto(dst []float32, text string) {
	s := m.scratch.Get().(*scratch)
	s.ids = append(s.ids[:0], m.cls)
	s.ids = m.words.Tokenize(s.ids, text, maxPieces-2, &s.Scratch)
	s.ids = append(s.ids, m.sep)
	C.forward(m.c, (*C.int32_t)(unsafe.SliceData(s.ids)), C.int(len(s.ids)), (*C.float)(unsafe.SliceData(s.floats)), (*C.float)(unsafe.SliceData(dst)))
	m.scratch.Put(s)
}
