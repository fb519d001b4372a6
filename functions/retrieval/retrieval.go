// Package retrieval holds what OMGDB is for: ranking documents by the meaning and words of a text field, packing them into a token
// budget with citations, keeping embeddings with their provenance, and the document functions that stand beside them.
//
// A call resolves its collection and fields into a corpus, ranks the corpus by scanning only the fields it needs, and fetches whole
// documents for the winners alone.
package retrieval

import "github.com/omgdb/omgdb/functions"

// Entries lists the functions of this package.
func Entries() functions.Entries {
	return functions.Entries{
		Tables: []*functions.Table{&vsearch, &textSearch, &hybridSearch, &contextPack, &contextChunks, &contextExplain, &vsync, &vstale, &find, &distinctValues},
		Scalars: []*functions.Scalar{
			&contextPackJSON, &insertDocument, &countDocuments, &docMatches, &inferView, &canonicalJSON, &embedText, &approxTokens, &countTokens, &inspect, &verify,
		},
	}
}
