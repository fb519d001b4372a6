package bolt

import (
	"bytes"
	"sync"

	"go.etcd.io/bbolt"

	"github.com/omgdb/omgdb/storage/kv"
)

// view is a bbolt read transaction that any number of states share: bytes that their snapshots hand out point into its pages.
type view struct {
	tx   *bbolt.Tx
	db   *bbolt.DB // of tx
	path string
	refs int // of states; guarded by Store.mu

	mu      sync.RWMutex
	buckets map[[kv.PrefixLen]byte]*bucket
}

// bucket keeps what a look-up needs; for a bucket that does not exist b is nil.
type bucket struct {
	b       *bbolt.Bucket
	cursors sync.Pool // of *bbolt.Cursor
}

// newView begins a view of the newest content of store.db, without a reference.
func (s *Store) newView() (*view, error) {
	return s.viewOf(s.db)
}

// viewOf begins a view of a file that is, or becomes, store.db. endView ends it.
func (s *Store) viewOf(db *bbolt.DB) (*view, error) {
	tx, err := db.Begin(false)
	if err != nil {
		return nil, openError(err, s.dir)
	}
	s.mu.Lock()
	s.views[db]++
	s.mu.Unlock()
	return &view{tx: tx, db: db, path: s.path(), buckets: map[[kv.PrefixLen]byte]*bucket{}}, nil
}

func (v *view) bucket(name []byte) *bucket {
	id := [kv.PrefixLen]byte(name)
	v.mu.RLock()
	b := v.buckets[id]
	v.mu.RUnlock()
	if b != nil {
		return b
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if b := v.buckets[id]; b != nil {
		return b
	}
	b = &bucket{b: v.tx.Bucket(name)}
	b.cursors.New = func() any { return b.b.Cursor() }
	v.buckets[id] = b
	return b
}

// get is Snapshot.Get over this view alone.
func (v *view) get(key []byte) (value []byte, err error) {
	if len(key) < kv.PrefixLen {
		return nil, nil
	}
	defer recoverDamage(&err, v.path)
	b := v.bucket(bucketName(key))
	if b.b == nil {
		return nil, nil
	}
	c := b.cursors.Get().(*bbolt.Cursor)
	k, value := c.Seek(bucketKey(key))
	b.cursors.Put(c)
	if k == nil || !bytes.Equal(k, bucketKey(key)) {
		return nil, nil
	}
	if value == nil {
		value = []byte{}
	}
	return value, nil
}
