package kvtest

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
)

// Mirror is a store over two others that does everything on both and answers with the first's answer, or with an
// error XX001 that tells where the second's differs. Closing it closes both.
func Mirror(a, b kv.Store) kv.Store { return &mirror{a: a, b: b} }

type mirror struct {
	pairing sync.RWMutex // an Apply, so that no snapshot falls between the two engines' commits
	a, b    kv.Store
}

func differ(what string, a, b any) error {
	return dberr.New(dberr.DataCorrupted, "the engines differ: %s: %v and %v", what, a, b)
}

// outcome compares two errors by their code.
func outcome(what string, a, b error) error {
	if dberr.Code(a) != dberr.Code(b) {
		return differ(what, a, b)
	}
	return a
}

func (m *mirror) Apply(ctx context.Context, group []kv.Batch) error {
	m.pairing.Lock()
	defer m.pairing.Unlock()
	return outcome("apply", m.a.Apply(ctx, group), m.b.Apply(ctx, group))
}

func (m *mirror) Close() error { return errors.Join(m.a.Close(), m.b.Close()) }

func (m *mirror) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	m.pairing.RLock()
	defer m.pairing.RUnlock()
	a, err := m.a.Snapshot(ctx)
	b, errB := m.b.Snapshot(ctx)
	s := &mirrorSnapshot{a, b}
	err = outcome("snapshot", err, errB)
	if err == nil && a.LSN() != b.LSN() {
		err = differ("LSN", a.LSN(), b.LSN())
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

type mirrorSnapshot struct{ a, b kv.Snapshot }

func (s *mirrorSnapshot) LSN() kv.LSN { return s.a.LSN() }

func (s *mirrorSnapshot) Close() {
	for _, snap := range []kv.Snapshot{s.a, s.b} {
		if snap != nil {
			snap.Close()
		}
	}
}

func (s *mirrorSnapshot) Get(ctx context.Context, key []byte) ([]byte, error) {
	a, errA := s.a.Get(ctx, key)
	b, errB := s.b.Get(ctx, key)
	if err := outcome("get", errA, errB); err != nil {
		return nil, err
	}
	if (a == nil) != (b == nil) || !bytes.Equal(a, b) {
		return nil, differ("value of "+string(key), a, b)
	}
	return a, nil
}

func (s *mirrorSnapshot) Scan(ctx context.Context, r kv.Range) kv.Iter {
	return &mirrorIter{a: s.a.Scan(ctx, r), b: s.b.Scan(ctx, r)}
}

type mirrorIter struct {
	a, b kv.Iter
	err  error // a difference
}

func (it *mirrorIter) Next() bool {
	if it.err != nil {
		return false
	}
	a, b := it.a.Next(), it.b.Next()
	switch {
	case a != b:
		it.err = differ("next", a, b)
	case !a:
		it.err = outcome("scan", it.a.Err(), it.b.Err())
	case !bytes.Equal(it.a.Key(), it.b.Key()):
		it.err = differ("key", it.a.Key(), it.b.Key())
	case !bytes.Equal(it.a.Value(), it.b.Value()):
		it.err = differ("value of "+string(it.a.Key()), it.a.Value(), it.b.Value())
	default:
		return true
	}
	return false
}

func (it *mirrorIter) Key() []byte   { return it.a.Key() }
func (it *mirrorIter) Value() []byte { return it.a.Value() }
func (it *mirrorIter) Err() error    { return it.err }

func (it *mirrorIter) Close() {
	it.a.Close()
	it.b.Close()
}
