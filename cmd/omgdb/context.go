package main

import "github.com/spf13/cobra"

func contextCmd() *cobra.Command {
	var budget, maxPerDoc, neighbors, overlap int
	var filter, packing, tokenizer, mode, embedder, chunk string
	var dedupe bool
	var diversity float64
	cmd := &cobra.Command{
		Use:   "context PATH COLLECTION FIELD QUERY",
		Short: "Pack the most relevant texts into a token budget, with citations",
		Long:  "Prints a context pack as one line of canonical JSON.",
		Args:  cobra.ExactArgs(4),
		RunE: func(cmd *cobra.Command, a []string) error {
			var most any
			if cmd.Flags().Changed("max-per-doc") {
				most = maxPerDoc
			}
			return printColumn(cmd, a[0],
				`SELECT omgdb.context_pack_json($1, $2, $3, $4, $5::json, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)::text`,
				a[1], a[2], a[3], budget, optional(filter), optional(packing), optional(tokenizer), optional(mode), optional(embedder),
				dedupe, diversity, most, optional(chunk), overlap, neighbors)
		},
	}
	f := cmd.Flags()
	f.IntVar(&budget, "budget", 1000, "approximate token budget")
	f.StringVar(&filter, "filter", "", "Mongo-style filter (JSON) that documents must match")
	f.StringVar(&mode, "mode", "", "semantic, lexical or hybrid (default: semantic with the hashing embedder)")
	f.StringVar(&embedder, "embedder", "", "embedder (default hashing, with --mode static)")
	f.StringVar(&packing, "packing", "", "prefix, skip or optimal: how the budget is filled (default prefix)")
	f.StringVar(&tokenizer, "tokenizer", "", "approx, cl100k_base, o200k_base, p50k_base or r50k_base: how tokens are counted (default approx)")
	f.StringVar(&chunk, "chunk", "", "document, paragraphs, sentences, markdown or code: how texts are cut (default document)")
	f.IntVar(&overlap, "overlap", 0, "pieces that each piece of a text begins with again")
	f.IntVar(&neighbors, "neighbors", 0, "pieces on each side that come along with a chosen one")
	f.IntVar(&maxPerDoc, "max-per-doc", 0, "most pieces of one document (default any number)")
	f.BoolVar(&dedupe, "dedupe", false, "leave out texts that are the same but for case and blanks")
	f.Float64Var(&diversity, "diversity", 0, "from 0 (best first) to 1 (as different as possible)")
	return cmd
}
