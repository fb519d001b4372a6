package mcp

import (
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// shape is what becomes of a tool's rows.
type shape int

const (
	oneJSON  shape = iota // one row of one json value, which is the answer
	rowsJSON              // an object for each row, by column name
	values                // one json value for each row
	table                 // columns and rows of any statement
)

// tool is one tool: a statement and its arguments.
type tool struct {
	name, title, descr string
	scope              Scope
	params             []param
	sql                string   // $1 … are args
	args               []string // parameters in the order of the statement
	shape              shape
	list               string // member of the answer that holds the rows, or the one of oneJSON that can be continued
	outSchema          map[string]any

	writes     bool                           // its session may write
	additive   bool                           // of a writing tool: it destroys nothing
	idempotent bool                           // the same call again changes nothing more
	create     bool                           // it makes a missing store
	run        func(c *call) (*answer, error) // for tools whose statement depends on their arguments
}

func least(n int64) *int64 { return &n }

// Parameters that several tools share.
var (
	pPath       = param{name: "path", kind: aString, descr: "Directory of the store, such as app.omgdb.", codes: []string{"58P01"}}
	pCollection = param{name: "collection", kind: aString, required: true, descr: "Name of the collection or table.", codes: []string{"42P01", "42809", "42602"}}
	pField      = param{name: "field", kind: aString, required: true, descr: "Text field to search; several are separated by commas, nested ones written with dots.", codes: []string{"42703"}}
	pQuery      = param{name: "query", kind: aString, required: true, descr: "What to look for."}
	pFilter     = param{name: "filter", kind: anObject, descr: `MongoDB-style filter that documents must match, such as {"status":"published","year":{"$gte":2020}}.`}
	pK          = param{name: "k", kind: anInteger, def: "10", min: least(0), descr: "Most documents to return."}
	pCursor     = param{name: "cursor", kind: aString, descr: "The nextCursor of the answer that is to be continued; all other arguments as before."}
	pID         = param{name: "id", kind: aString, required: true, descr: "The document's _id as text: 24 hex digits of an ObjectId, a string, a number's digits."}
	pModel      = param{name: "embedder", kind: aString, descr: "Embedding model: hashing (shared words), static (meaning, built in), minilm (meaning, must be installed), http (an endpoint that the server is configured for).", codes: []string{"42704", "55000"}}
)

// tools are those that look and add, in the order in which they are listed; changeTools come behind them.
var tools = []tool{
	{
		name: "list_collections", title: "List collections", descr: "Lists the collections and tables of a store with the number of their documents. Begin here.",
		params: []param{pPath, pCursor}, sql: `SELECT json_build_object('collections', omgdb.inspect()->'collections')`, shape: oneJSON, list: "collections",
		outSchema: object("collections", array(object("name", str, "kind", str, "documents", integer))),
	},
	{
		name: "describe_collection", title: "Describe a collection",
		descr:  "Shows which fields the documents of a collection have, their types and an example, from up to 1000 documents.",
		params: []param{pPath, pCollection, pCursor}, args: []string{"collection"}, shape: rowsJSON, list: "fields",
		sql: `SELECT f.key AS field, jsonb_typeof(f.value) AS type, count(*) AS documents, left(min(f.value::text), 80) AS example
FROM omgdb.find($1, NULL, NULL, 0, 1000) d, jsonb_each(d.doc) f GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`,
		outSchema: object("fields", array(object("field", str, "type", str, "documents", integer, "example", str))),
	},
	{
		name: "context_pack", title: "Context for a task, with sources",
		descr: "Packs the texts that are most relevant to a query into a token budget, best first, each with the _id of its document as citation. " +
			"Use it to collect context before answering. truncated tells that something relevant did not fit.",
		params: []param{
			pPath, pCollection, pField, pQuery,
			{name: "budget", kind: anInteger, def: "1000", min: least(0), descr: "Token budget of the pack."},
			pFilter,
			{name: "mode", kind: aString, enum: []string{"semantic", "lexical", "hybrid"}, descr: "How texts are ranked: by meaning, by words, or by both (best for a question). Without it by shared words."},
			{name: "chunk", kind: aString, enum: []string{"document", "paragraphs", "sentences", "markdown", "code"},
				descr: "How texts are cut into pieces that are ranked by themselves; citations then say which piece. Default document: not at all."},
			{name: "packing", kind: aString, enum: []string{"prefix", "skip", "optimal"}, descr: "prefix stops at the first text that doesn't fit, skip goes on with smaller ones, optimal takes the best set."},
			{name: "tokenizer", kind: aString, descr: "How tokens are counted: approx (default), cl100k_base, o200k_base, p50k_base, r50k_base.", codes: []string{"42704"}},
			{name: "dedupe", kind: aBoolean, def: "false", descr: "Leave out texts that are the same but for case and blanks."},
			{name: "diversity", kind: aNumber, def: "0", descr: "From 0 (best first) to 1 (as different as possible)."},
			{name: "max_per_doc", kind: anInteger, min: least(1), descr: "Most pieces of one document."},
			{name: "neighbors", kind: anInteger, def: "0", min: least(0), descr: "Pieces on each side that come along with a chosen one."},
			pModel,
		},
		args:  []string{"collection", "field", "query", "budget", "filter", "packing", "tokenizer", "mode", "embedder", "dedupe", "diversity", "max_per_doc", "chunk", "neighbors"},
		shape: oneJSON,
		sql:   `SELECT omgdb.context_pack_json($1, $2, $3, $4, $5::json, $6, $7, $8, $9, $10, $11, $12, $13, 0, $14)`,
		outSchema: object("query", str, "budgetTokens", integer, "usedTokens", integer, "truncated", boolean,
			"chunks", array(object("id", anything, "score", number, "tokens", integer, "text", str)), "citations", array(anything)),
	},
	{
		name: "hybrid_search", title: "Search by words and meaning",
		descr: "Finds the documents that match a query best by words and by meaning together. The best choice for a question in words.",
		params: []param{
			pPath, pCollection, pField, pQuery, pK, pFilter,
			{name: "method", kind: aString, enum: []string{"auto", "rrf", "convex", "lexical_first"}, descr: "How both rankings become one."},
			pModel, pCursor,
		},
		args: []string{"collection", "field", "query", "k", "filter", "method", "embedder"}, shape: rowsJSON, list: "results",
		sql: `SELECT _id, score, lexical_rank, semantic_rank, omgdb.canonical_json(doc)::json AS doc
FROM omgdb.hybrid_search($1, $2, $3, $4, $5::json, $6, $7)`,
		outSchema: object("results", array(object("_id", str, "score", number, "lexical_rank", anything, "semantic_rank", anything, "doc", anything))),
	},
	{
		name: "text_search", title: "Search by words",
		descr: `Finds the documents that contain the words of a query, best first, with a snippet. +word and "a phrase" are required, -word is excluded, wor* is a prefix.`,
		params: []param{
			pPath, pCollection, pField, pQuery, pK, pFilter,
			{name: "language", kind: aString, descr: "Language of the texts in English, such as german; simple for none. Default english.", codes: []string{"42704"}},
			pCursor,
		},
		args: []string{"collection", "field", "query", "k", "filter", "language"}, shape: rowsJSON, list: "results",
		sql:       `SELECT _id, score, snippet, omgdb.canonical_json(doc)::json AS doc FROM omgdb.text_search($1, $2, $3, $4, $5::json, $6)`,
		outSchema: object("results", array(object("_id", str, "score", number, "snippet", str, "doc", anything))),
	},
	{
		name: "vsearch", title: "Search by similarity",
		descr:  "Finds the documents whose text is most similar to a query, by the cosine of their embeddings.",
		params: []param{pPath, pCollection, pField, pQuery, pK, pFilter, pModel, pCursor},
		args:   []string{"collection", "field", "query", "k", "filter", "embedder"}, shape: rowsJSON, list: "results",
		sql:       `SELECT _id, score, omgdb.canonical_json(doc)::json AS doc FROM omgdb.vsearch($1, $2, $3, $4, $5::json, $6)`,
		outSchema: object("results", array(object("_id", str, "score", number, "doc", anything))),
	},
	{
		name: "find", title: "Find documents", descr: "Returns the documents of a collection that match a MongoDB-style filter, in key order or sorted.",
		params: []param{
			pPath, pCollection, pFilter,
			{name: "sort", kind: anObject, descr: `Sort specification, such as {"year":-1}.`},
			{name: "skip", kind: anInteger, def: "0", min: least(0), descr: "Documents to skip."},
			{name: "limit", kind: anInteger, min: least(0), descr: "Most documents to return."},
			{name: "projection", kind: anObject, descr: `Fields to return, such as {"title":1}.`},
			pCursor,
		},
		args: []string{"collection", "filter", "sort", "skip", "limit", "projection"}, shape: values, list: "documents",
		sql:       `SELECT omgdb.canonical_json(doc) FROM omgdb.find($1, $2::json, $3::json, $4, $5, $6::json)`,
		outSchema: object("documents", array(anything)),
	},
	{
		name: "get", title: "Get a document", descr: "Returns one document by its _id.", params: []param{pPath, pCollection, pID}, run: runGet,
		outSchema: map[string]any{"type": "object"},
	},
	{
		name: "sql", title: "Query with SQL",
		descr: "Runs one SQL statement (PostgreSQL) that only reads. A collection is a table with the columns _id text and doc jsonb; use doc->>'field' for a text. " +
			"Search functions can be used in FROM, such as vsearch('docs', 'text', 'a question', 5).",
		params: []param{pPath, {name: "statement", kind: aString, required: true, descr: "The statement."}, pCursor}, shape: table, run: runSQL,
		outSchema: tableSchema,
	},
	{
		name: "inspect", title: "Inspect a store", descr: "Shows a store's collections with their counts, and the number of its newest commit.",
		params: []param{pPath}, sql: `SELECT omgdb.inspect()`, shape: oneJSON,
		outSchema: object("store", str, "lsn", integer, "collections", array(object("name", str, "kind", str, "documents", integer))),
	},
	{
		name: "context", title: "Search a folder of files",
		descr: "Indexes the text files of a directory (operation index, needs the write scope) and answers where something stands in them (operation query).",
		params: []param{
			{name: "directory", kind: aString, required: true, descr: "The directory, whose index is kept in it as .context.db.", codes: []string{"58P01", "58P02", "42809", "42P01"}},
			{name: "operation", kind: aString, required: true, enum: []string{"index", "query"}, descr: "index reads what has changed in the directory; query searches."},
			{name: "query", kind: aString, descr: "What to look for; required by the operation query."},
			{name: "mode", kind: aString, def: `"lexical"`, enum: []string{"lexical", "semantic", "hybrid", "fused"}, codes: []string{"55000"},
				descr: "lexical: every word and \"phrase\" occurs. semantic: the nearest 20 by meaning. hybrid: lexical, then the nearest others. fused: both ranked together, best for a question."},
			{name: "match", kind: aString, def: `"all"`, enum: []string{"all", "any"}, descr: "Whether every word must occur, or any ranks."},
			{name: "lines", kind: aBoolean, def: "false", descr: "Tell the line of each match."},
			{name: "limit", kind: anInteger, min: least(0), descr: "Most files to return."},
			{name: "embedder", kind: aString, descr: "Of the operation index: static, minilm or none.", codes: []string{"42704"}},
			pCursor,
		},
		run:       runContext,
		outSchema: object("message", str, "matches", optionalArray(object("path", str, "snippet", str)), "status", str),
	},
	{
		name: "insert", title: "Insert documents", descr: "Inserts documents into a collection, which is made when it is missing, and returns their _ids.",
		scope: Write, writes: true, additive: true, create: false,
		params: []param{pPath, pCollection, {name: "documents", kind: anArray, required: true, descr: "The documents, as JSON objects."}},
		args:   []string{"collection", "documents"}, shape: values, list: "ids",
		sql:       `SELECT omgdb.insert_document($1, d) FROM json_array_elements($2::json) d`,
		outSchema: object("ids", array(anything)),
	},
	{
		name: "vsync", title: "Store embeddings", descr: "Stores the embedding of each document's text, so that later searches by this model need not compute it.",
		scope: Write, writes: true, additive: true, idempotent: true, params: []param{pPath, pCollection, pField, pModel},
		args: []string{"collection", "field", "embedder"}, shape: oneJSON,
		sql:       `SELECT json_build_object('synced', synced, 'written', written, 'removed', removed) FROM omgdb.vsync($1, $2, $3)`,
		outSchema: object("synced", integer, "written", integer, "removed", integer),
	},
	{
		name: "execute", title: "Run any SQL statement", descr: "Runs one SQL statement with all rights: DDL and changes too.",
		scope: Admin, writes: true, params: []param{pPath, {name: "statement", kind: aString, required: true, descr: "The statement."}}, shape: table, run: runSQL,
		outSchema: tableSchema,
	},
}

// describe is the tool as clients see it. path is optional where the server has a store of its own.
func (t *tool) describe(hasStore bool, scope Scope) *sdk.Tool {
	props, required := map[string]any{}, []string{}
	for i := range t.params {
		p := &t.params[i]
		props[p.name] = p.schema()
		if p.required || p.name == pPath.name && !hasStore {
			required = append(required, p.name)
		}
	}
	writes := t.writes || t.name == "context" && scope >= Write
	a := &sdk.ToolAnnotations{Title: t.title, ReadOnlyHint: !writes, IdempotentHint: !t.writes || t.idempotent, OpenWorldHint: ptr(false)}
	if writes {
		a.DestructiveHint = ptr(t.writes && !t.additive)
	}
	return &sdk.Tool{
		Name: t.name, Title: t.title, Description: t.descr, Annotations: a, OutputSchema: t.outSchema,
		InputSchema: map[string]any{"type": "object", "properties": props, "required": required, "additionalProperties": false},
	}
}

// Pieces of output schemas.
var (
	str      = map[string]any{"type": "string"}
	integer  = map[string]any{"type": "integer"}
	number   = map[string]any{"type": "number"}
	boolean  = map[string]any{"type": "boolean"}
	anything = map[string]any{}
)

var tableSchema = object("columns", array(object("name", str, "type", str)), "rows", array(array(anything)), "command", str)

// optional marks a member that is not always there.
type optional struct{ schema map[string]any }

func optionalArray(of map[string]any) optional { return optional{array(of)} }

// object is the schema of an object with members given as name and schema in turn; further members are allowed.
func object(members ...any) map[string]any {
	props, required := map[string]any{}, []string{}
	for i := 0; i < len(members); i += 2 {
		name := members[i].(string)
		if o, ok := members[i+1].(optional); ok {
			props[name] = o.schema
			continue
		}
		props[name] = members[i+1]
		required = append(required, name)
	}
	return map[string]any{"type": "object", "properties": props, "required": required}
}

func array(of map[string]any) map[string]any { return map[string]any{"type": "array", "items": of} }
