// Package embed turns text into vectors. An Embedder names its model, version and shape in its ModelID, so that
// vectors of different models are never mixed.
package embed

import "context"

// Embedder is safe for concurrent use. Embed gives one vector of Dim() float32 for each text, in order; equal texts give
// equal vectors whatever else is in the call. It never fails on invalid UTF-8.
type Embedder interface {
	ModelID() string
	Dim() int
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}
