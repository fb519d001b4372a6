package bolt

import (
	"bytes"
	"errors"
	"syscall"

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
	at      *target
	targets map[string]*target
}

// target is a bucket that the transaction writes to.
type target struct {
	name   string
	bucket *bbolt.Bucket // nil while there is none
	// last is the greatest key that the bucket had before. It is looked for only then: bbolt's Last does not return from a
	// bucket whose pages the transaction has emptied.
	last    []byte
	puts    int
	beyond  int // puts behind last
	deletes bool
}

func (w *writer) put(key, value []byte) error {
	t := w.enter(key)
	if t.bucket == nil {
		b, err := w.tx.CreateBucketIfNotExists(bucketName(key))
		if err != nil {
			return err
		}
		t.bucket = b
	}
	key = bucketKey(key)
	t.puts++
	if bytes.Compare(key, t.last) > 0 {
		t.beyond++
	}
	return t.bucket.Put(key, value)
}

func (w *writer) delete(key []byte) error {
	t := w.enter(key)
	if t.bucket == nil {
		return nil
	}
	t.deletes = true
	return t.bucket.Delete(bucketKey(key))
}

// enter goes to the bucket of key.
func (w *writer) enter(key []byte) *target {
	if w.at != nil && w.at.name == string(bucketName(key)) {
		return w.at
	}
	t := w.targets[string(bucketName(key))]
	if t == nil {
		t = &target{name: string(bucketName(key)), bucket: w.tx.Bucket(bucketName(key))}
		if t.bucket != nil {
			k, _ := t.bucket.Cursor().Last()
			t.last = bytes.Clone(k)
		}
		w.targets[t.name] = t
	}
	w.at = t
	return t
}

// finish drops the buckets that have become empty, and tells bbolt how to fill the pages of the others; the commit is the caller's.
func (w *writer) finish() error {
	for _, t := range w.targets {
		if t.bucket == nil {
			continue
		}
		if t.deletes {
			if k, _ := t.bucket.Cursor().First(); k == nil {
				if err := w.tx.DeleteBucket([]byte(t.name)); err != nil {
					return err
				}
				continue
			}
		}
		t.bucket.FillPercent = fillAnywhere
		if t.beyond > t.puts/2 {
			t.bucket.FillPercent = fillAscending
		}
	}
	return nil
}

// fileError gives a failed write to store.db its code.
func (s *Store) fileError(err error) error {
	var e *dberr.Error
	var errno syscall.Errno
	switch {
	case errors.As(err, &e):
		return err
	case isDiskFull(err), !errors.As(err, &errno) && roomToGrow(s.path()) <= 2*maxAlloc: // bbolt hides the cause of a failed growth
		return diskFull(err, s.dir)
	}
	return dberr.Wrap(err, dberr.IOError, "cannot write to store %q: %v", s.dir, err)
}
