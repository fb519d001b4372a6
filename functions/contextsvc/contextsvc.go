// Package contextsvc keeps an index of a directory's text files in a store and answers where something stands in them.
//
// context_index walks the directory (walk.go) past what the ignore files say (ignore.go, glob.go), reads what has changed since the last
// run (content.go), cuts it into chunks (chunk.go), embeds these, and writes it in small commits of its own (write.go): documents of the
// collection `files` hold the texts, those of `chunks` the vectors (record.go). An interrupted run is completed by the next one, and
// queries see what is there.
//
// context_query looks for words in the texts (lexical.go), for meaning in the vectors (semantic.go), or for both (query.go), and answers
// in the JSON that its users rely on (answer.go).
package contextsvc

import (
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/value"
)

// Entries lists the functions of this package.
func Entries() functions.Entries {
	return functions.Entries{Scalars: []*functions.Scalar{&contextIndex, &contextQuery, &contextProgress}}
}

// The collections, in schema public.
const (
	schemaName = "public"
	filesName  = "files"
	chunksName = "chunks"
)

// now is the clock by which files' changes are judged; tests replace it.
var now = time.Now

var pDirectory = functions.Param{Name: "directory", Type: value.Text}

var contextIndex = functions.Scalar{
	OID: 8130, Name: "context_index",
	Params: []functions.Param{
		pDirectory,
		{Name: "embedder", Type: value.Text, Default: "NULL"},
		{Name: "max_file_size", Type: value.Int8, Default: "NULL"},
		{Name: "report", Type: value.Boolean, Default: "false"},
	},
	Ret: value.JSON, Volatility: functions.Volatile,
	Eval: evalIndex,
	Descr: "indexes the text files of a directory of the server's machine, reading only what has changed since the last time; " +
		"with report, the answer also counts what was done and lists what was skipped",
}

var contextQuery = functions.Scalar{
	OID: 8131, Name: "context_query",
	Params: []functions.Param{
		pDirectory,
		{Name: "query", Type: value.Text},
		{Name: "mode", Type: value.Text, Default: "'lexical'"},
		{Name: "match", Type: value.Text, Default: "'all'"},
		{Name: "lines", Type: value.Boolean, Default: "false"},
		{Name: "limit", Type: value.Int4, Default: "NULL"},
	},
	Ret: value.JSON, Volatility: functions.Stable,
	Eval:  evalQuery,
	Descr: "the indexed files of a directory that match a query: by words (lexical), by meaning (semantic), or by both (hybrid, fused)",
}
