package bolt

import (
	"bytes"
	"errors"

	"go.etcd.io/bbolt"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
)

// A key lies in the bucket named by its first kv.PrefixLen bytes. bbolt has no empty keys, so the key inside the
// bucket begins one byte earlier, with the last byte of the name: it is the same for all keys of a bucket, and neither
// reading nor writing has to build another slice.
func bucketName(key []byte) []byte { return key[:kv.PrefixLen] }
func bucketKey(key []byte) []byte  { return key[kv.PrefixLen-1:] }

// How full bbolt leaves the pages that it splits: bytes behind the split of a bucket that grows at its end would never
// be used, those of one that grows everywhere are used by later inserts.
const (
	fillAscending = 0.95
	fillAnywhere  = 0.5
)

// writer puts operations into a bbolt transaction. They need not be sorted, but sorted ones are faster: the bucket is
// looked up when it changes. Keys and values must stay as they are until the commit.
type writer struct {
	tx      *bbolt.Tx
	name    []byte // of bucket
	bucket  *bbolt.Bucket
	last    []byte // the greatest key that the bucket had before
	puts    int
	beyond  int // puts behind last
	deletes bool
	emptied [][]byte // names of buckets with deletes
}

func (w *writer) put(key, value []byte) error {
	if !bytes.Equal(w.name, bucketName(key)) {
		w.enter(key)
	}
	if w.bucket == nil {
		b, err := w.tx.CreateBucketIfNotExists(w.name)
		if err != nil {
			return err
		}
		w.bucket = b
	}
	key = bucketKey(key)
	w.puts++
	if bytes.Compare(key, w.last) > 0 {
		w.beyond++
	}
	return w.bucket.Put(key, value)
}

func (w *writer) delete(key []byte) error {
	if !bytes.Equal(w.name, bucketName(key)) {
		w.enter(key)
	}
	if w.bucket == nil {
		return nil
	}
	w.deletes = true
	return w.bucket.Delete(bucketKey(key))
}

// enter goes to the bucket of key.
func (w *writer) enter(key []byte) {
	w.leave()
	w.name = bytes.Clone(bucketName(key))
	w.bucket = w.tx.Bucket(w.name)
	w.last, w.puts, w.beyond, w.deletes = w.last[:0], 0, 0, false
	if w.bucket != nil {
		k, _ := w.bucket.Cursor().Last()
		w.last = append(w.last, k...)
	}
}

func (w *writer) leave() {
	if w.bucket == nil {
		return
	}
	w.bucket.FillPercent = fillAnywhere
	if w.beyond > w.puts/2 {
		w.bucket.FillPercent = fillAscending
	}
	if w.deletes {
		w.emptied = append(w.emptied, w.name)
	}
}

// finish drops the buckets that have become empty; the commit is the caller's.
func (w *writer) finish() error {
	w.leave()
	for _, name := range w.emptied {
		b := w.tx.Bucket(name)
		if b == nil {
			continue
		}
		if k, _ := b.Cursor().First(); k != nil {
			continue
		}
		if err := w.tx.DeleteBucket(name); err != nil {
			return err
		}
	}
	return nil
}

// fileError gives a failed write to store.db its code.
func (s *Store) fileError(err error) error {
	var e *dberr.Error
	switch {
	case errors.As(err, &e):
		return err
	case isDiskFull(err), freeSpace(s.dir) < 1<<20: // bbolt hides the cause of a failed growth
		return diskFull(err, s.dir)
	}
	return dberr.Wrap(err, dberr.IOError, "cannot write to store %q: %v", s.dir, err)
}
