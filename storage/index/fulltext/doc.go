// Package fulltext analyses, matches and scores text.
//
// A text becomes tokens (words of any script, in folded and stemmed form, with their positions and places in the text); a query becomes
// clauses over the same terms; a document that satisfies the clauses is scored by BM25 (Robertson and Zaragoza 2009). Stop words are
// indexed like all others and left out of a query unless nothing else remains of it.
package fulltext
