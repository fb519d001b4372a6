package contextsvc

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// The size of files from which they are left out: by default, and at most.
const (
	defaultMaxFile = 4 << 20
	largestFile    = 7 << 20 // twice as long in UTF-8, it still fits into a document
)

// noEmbedder is the name that stands for an index without vectors.
const noEmbedder = "none"

// defaultEmbedder is that of a directory's first index; later runs keep what they find.
const defaultEmbedder = "static"

// indexer is one run of context_index.
type indexer struct {
	env      *functions.Env
	place    place
	root     *os.Root
	maxFile  int64
	known    map[string]*state
	embedder *chunkEmbedder // nil: no vectors
	embName  string
	model    string
	warning  string
	out      *writer

	progress progress

	mu    sync.Mutex
	done  counts
	skips []skip
}

// counts say what a run did. Files are all that the index now holds.
type counts struct{ files, added, changed, removed, unchanged int64 }

func evalIndex(ctx context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	if a[0].IsNull() {
		return value.Null, nil
	}
	x, err := newIndexer(ctx, c.Env, a)
	if err != nil {
		return value.Null, err
	}
	defer x.root.Close()
	runs.Store(x.place.dir, &x.progress)
	defer runs.Delete(x.place.dir)
	if err := x.run(ctx); err != nil {
		return value.Null, err
	}
	return x.answer(a[3].Bool())
}

func newIndexer(ctx context.Context, env *functions.Env, a []value.Value) (*indexer, error) {
	x := &indexer{env: env, maxFile: defaultMaxFile}
	if !a[2].IsNull() {
		x.maxFile = a[2].Int()
	}
	if x.maxFile < 1 || x.maxFile > largestFile {
		return nil, dberr.New(dberr.InvalidParameterValue, "max_file_size must be between 1 and %d bytes", largestFile)
	}
	if err := mayIndex(env.Txn); err != nil {
		return nil, err
	}
	if err := x.checkEmbedder(a[1]); err != nil { // before anything is made
		return nil, err
	}
	var err error
	if x.place, err = placeOf(a[0].Str(), env.DB.Path()); err != nil {
		return nil, err
	}
	if err := checkDirectory(x.place.dir); err != nil {
		return nil, err
	}
	// One run at a time: the next one waits here and then finds little to do.
	if _, err := env.Txn.AdvisoryLock(ctx, indexLock, false, storage.Wait); err != nil {
		return nil, err
	}
	if err := env.Txn.BeginStatement(ctx); err != nil {
		return nil, err
	}
	if x.out, err = newWriter(ctx, env); err != nil {
		return nil, err
	}
	if x.known, err = states(ctx, env, x.out.files, x.place); err != nil {
		return nil, err
	}
	if err := x.chooseEmbedder(a[1]); err != nil {
		return nil, err
	}
	if x.root, err = os.OpenRoot(x.place.dir); err != nil {
		return nil, dberr.Wrap(err, dberr.IOError, "cannot open directory %q: %s", x.place.dir, reasonOf(err))
	}
	return x, nil
}

// indexLock is the advisory lock that a run holds; its key is "context" in ASCII.
var indexLock = storage.AdvisoryKey{Key: 0x636f6e74657874}

// mayIndex refuses a run where its own commits would be wrong.
func mayIndex(t *storage.Txn) error {
	if t.ReadOnly() {
		return dberr.New(dberr.ReadOnlySQLTransaction, "cannot execute context_index() in a read-only transaction")
	}
	if t.Writes() {
		return dberr.New(dberr.ActiveSQLTransaction, "context_index() cannot run in a transaction that has written something").
			WithHint("It commits by itself, in small pieces. Run it outside of a transaction block.")
	}
	return nil
}

// checkEmbedder refuses the name of an embedder that nobody knows.
func (x *indexer) checkEmbedder(arg value.Value) error {
	if arg.IsNull() || arg.Str() == noEmbedder {
		return nil
	}
	if _, err := x.env.Embedders.Get(arg.Str()); dberr.Code(err) == dberr.UndefinedObject {
		return err
	}
	return nil
}

// chooseEmbedder finds the embedder that was asked for, or else the one that the index already has. When that one is not installed, the
// words are indexed all the same.
func (x *indexer) chooseEmbedder(arg value.Value) error {
	x.embName = defaultEmbedder
	if !arg.IsNull() {
		x.embName = arg.Str()
	} else {
		for _, s := range x.known {
			if s.embedder != "" {
				x.embName = s.embedder
				break
			}
		}
	}
	if x.embName == noEmbedder {
		x.embName = ""
		return nil
	}
	e, err := x.env.Embedders.Get(x.embName)
	switch {
	case err != nil:
		x.warning = fmt.Sprintf("The embedding model %q is not available (%v); only words are indexed. "+
			"Re-run 'index' once the model is there to add embeddings.", x.embName, err)
		x.embName = ""
	default:
		x.embedder, x.model = newChunkEmbedder(e), modelOf(e)
	}
	return nil
}

// queued is how many files may wait between two stages of a run, for each goroutine: it bounds the memory.
const queued = 4

// ahead is how many files the walk may be ahead of the readers, so that a run soon knows how much there is to do.
const ahead = 1 << 16

// run walks the directory, reads and embeds on all cores, and writes what comes out of that.
func (x *indexer) run(ctx context.Context) error {
	workers := runtime.GOMAXPROCS(0)
	found := make(chan file, ahead)
	ready := make(chan *change, queued*workers)
	g, gctx := errgroup.WithContext(ctx)
	seen := make(map[string]bool, len(x.known))
	g.Go(func() error {
		defer close(found)
		return x.walk(gctx, found, seen)
	})
	var readers sync.WaitGroup
	for range workers {
		readers.Add(1)
		g.Go(func() error {
			defer readers.Done()
			return x.read(gctx, found, ready)
		})
	}
	go func() {
		readers.Wait()
		close(ready)
	}()
	g.Go(func() error { return x.write(gctx, ready) })
	if err := g.Wait(); err != nil {
		x.out.rollback()
		return err
	}
	return x.removeGone(ctx, seen)
}

// walk hands on the files that are not as they were. Those in seen are indexed, or are going to be.
func (x *indexer) walk(ctx context.Context, found chan<- file, seen map[string]bool) error {
	w := walker{root: x.root, maxSize: x.maxFile, skip: x.skip}
	w.file = func(f file) error {
		key := x.place.key(f.rel)
		x.mu.Lock()
		seen[key] = true
		fresh := x.known[key].fresh(f.stamp, x.model)
		if fresh {
			x.done.unchanged++
		}
		x.mu.Unlock()
		if fresh {
			return nil
		}
		x.progress.found.Add(1)
		select {
		case found <- f:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	err := w.walk(ctx)
	x.progress.walked.Store(true)
	if err != nil && ctx.Err() == nil {
		return dberr.Wrap(err, dberr.IOError, "cannot read directory %q: %s", x.place.dir, reasonOf(err))
	}
	return err
}

func (x *indexer) skip(s skip) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.skips = append(x.skips, s)
}

// change is what a run has to write for one file; gone ones cannot be read any more.
type change struct {
	key    string
	old    *state // nil: the file is new
	now    state
	gone   bool
	same   bool // the content and its chunks are as before, only the file's state is not
	doc    []byte
	chunks [][]byte
}

func (c *change) size() int {
	n := len(c.doc)
	for _, d := range c.chunks {
		n += len(d)
	}
	return n
}

// read makes changes of files.
func (x *indexer) read(ctx context.Context, found <-chan file, ready chan<- *change) error {
	var buf []byte
	for f := range found {
		c, raw, err := x.change(ctx, f, buf)
		if err != nil {
			return err
		}
		buf = raw
		x.progress.done.Add(1)
		if c == nil {
			continue
		}
		select {
		case ready <- c:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// change reads a file and makes its documents; nil when nothing is to be written. It gives back the buffer that it read into.
func (x *indexer) change(ctx context.Context, f file, buf []byte) (*change, []byte, error) {
	key := x.place.key(f.rel)
	old := x.known[key]
	in, err := readContent(x.root, f.rel, x.maxFile, buf)
	var text, encoding string
	if err == nil {
		text, encoding, err = decode(in.raw)
	}
	if err != nil {
		x.skip(skip{f.rel, reasonOf(err)})
		if old == nil {
			return nil, in.raw, nil
		}
		return &change{key: key, old: old, gone: true}, in.raw, nil
	}
	c := &change{key: key, old: old}
	c.now = state{hash: hashOf(in.raw), stamp: in.stamp, settled: in.settled, embedder: x.embName, model: x.model}
	if c.same = old != nil && old.hash == c.now.hash && old.model == x.model; c.same {
		if !in.settled || old.settled && old.stamp == in.stamp {
			x.mu.Lock()
			x.done.unchanged++
			x.mu.Unlock()
			return nil, in.raw, nil
		}
		c.now.chunks = old.chunks
	} else if x.embedder != nil {
		if c.chunks, err = x.embedder.chunks(ctx, key, f.rel, text); err != nil {
			return nil, in.raw, err
		}
		c.now.chunks = int64(len(c.chunks))
	}
	d, err := fileDoc(key, &c.now, encoding, text)
	c.doc = d
	return c, in.raw, err
}

// write writes changes as they come.
func (x *indexer) write(ctx context.Context, ready <-chan *change) error {
	for c := range ready {
		if err := x.out.put(ctx, c); err != nil {
			return err
		}
		switch {
		case c.gone:
			x.done.removed++
		case c.same:
			x.mu.Lock()
			x.done.unchanged++
			x.mu.Unlock()
		case c.old == nil:
			x.done.added++
		default:
			x.done.changed++
		}
	}
	return ctx.Err()
}

// removeGone takes out what the walk has not seen, and commits the rest.
func (x *indexer) removeGone(ctx context.Context, seen map[string]bool) error {
	for key, s := range x.known {
		if seen[key] {
			continue
		}
		if err := x.out.put(ctx, &change{key: key, old: s, gone: true}); err != nil {
			x.out.rollback()
			return err
		}
		x.done.removed++
	}
	x.done.files = x.done.unchanged + x.done.added + x.done.changed
	if err := x.out.commit(ctx); err != nil {
		return err
	}
	dims := 0
	if x.embedder != nil {
		dims = x.embedder.Dim()
	}
	return x.out.settle(ctx, dims)
}
