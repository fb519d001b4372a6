package contextsvc

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

// progress is how far a run has come.
type progress struct {
	found  atomic.Int64 // files that have to be read
	done   atomic.Int64 // of these
	walked atomic.Bool  // found is all of them
}

// runs are those under way in this process, by directory: *progress.
var runs sync.Map

var contextProgress = functions.Scalar{
	OID: 8132, Name: "context_progress", Params: []functions.Param{pDirectory}, Ret: value.JSON, Volatility: functions.Volatile, Strict: true,
	Eval:  evalProgress,
	Descr: "how far a run of context_index over a directory has come: files found to be read, whether these are all, and files read; null when there is none",
}

func evalProgress(_ context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	at, err := placeOf(a[0].Str(), c.Env.DB.Path())
	if err != nil {
		return value.Null, err
	}
	run, ok := runs.Load(at.dir)
	if !ok {
		return value.Null, nil
	}
	p := run.(*progress)
	var b doc.Builder
	b.BeginObject()
	b.Key("found")
	b.Int(p.found.Load())
	b.Key("walked")
	b.Bool(p.walked.Load())
	b.Key("done")
	b.Int(p.done.Load())
	b.End()
	v, err := b.Value()
	return value.Bytes(v.AppendCanonical(nil)), err
}
