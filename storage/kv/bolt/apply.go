package bolt

import (
	"context"
	"errors"
	"syscall"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/bolt/wal"
	"github.com/omgdb/omgdb/storage/kv/ordmap"
)

// Apply implements kv.Store.
func (s *Store) Apply(_ context.Context, group []kv.Batch) error {
	s.applying.Lock()
	defer s.applying.Unlock()
	if s.shut.Load() {
		return kv.Closed()
	}
	lsn, err := kv.CheckLSNs(s.last, group)
	if err != nil || len(group) == 0 {
		return err
	}
	rec, runs, err := s.encode(group)
	if err == nil {
		err = s.makeRoom(int64(len(rec.buf)))
	}
	if err == nil {
		err = s.log.Append(rec.buf)
	}
	if err != nil {
		s.dropRuns(runs)
		return s.writeError(err)
	}
	s.last = lsn
	return s.show(rec, runs)
}

// encode builds the group's log record, and writes its large batches to run files.
func (s *Store) encode(group []kv.Batch) (record, map[uint64]*run, error) {
	var size int64
	for _, b := range group {
		size += min(b.Size()+b.Size()/8, s.tune.runBytes) + 64
	}
	rec := record{buf: make([]byte, wal.HeaderLen, wal.HeaderLen+min(size, s.tune.layerBytes))}
	runs := map[uint64]*run{}
	for _, b := range group {
		limit := min(s.tune.runBytes, s.tune.layerBytes-int64(len(rec.buf)))
		ok, err := rec.inline(b, limit)
		if err == nil && !ok {
			var r *run
			if r, err = s.makeRun(b); err == nil {
				runs[r.number] = r
				rec.run(b.LSN(), r)
			}
		}
		if err != nil {
			return rec, runs, err
		}
	}
	return rec, runs, nil
}

func (s *Store) makeRun(b kv.Batch) (*run, error) {
	number := s.nextRun
	s.nextRun++
	if err := writeRun(s.fs, number, b); err != nil {
		return nil, err
	}
	r, err := openRun(s.fs, number, 0)
	if err != nil {
		s.fs.Remove(runName(number))
	}
	return r, err
}

// removeRun deletes a run file that is not needed. If it stays, the next Open removes it.
func (s *Store) removeRun(r *run) { s.fs.Remove(runName(r.number)) }

// dropRuns closes the run files of a group that failed, and deletes them unless the group may yet be found in the log.
func (s *Store) dropRuns(runs map[uint64]*run) {
	for _, r := range runs {
		r.file.Close()
		if s.log.Broken() == nil {
			s.removeRun(r)
		}
	}
}

// makeRoom waits until the checkpointer is not too far behind for a record of n bytes, and goes on in a new log segment when
// this one is full: then the map is full too, and absorb will freeze it.
func (s *Store) makeRoom(n int64) error {
	full := s.log.Size() > 0 && s.log.Size()+n > s.tune.layerBytes
	if err := s.waitForCheckpoint(full); err != nil || !full {
		return err
	}
	if err := s.log.Rotate(); err != nil {
		return err
	}
	s.mu.Lock()
	s.segment = s.log.Segment()
	s.mu.Unlock()
	return nil
}

// waitForCheckpoint waits while too many layers are frozen; before another segment is begun, also while any older one
// is still needed, so that Open never has to replay more than two.
func (s *Store) waitForCheckpoint(rotate bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		frozen := s.now.layers[:len(s.now.layers)-1]
		behind := len(frozen) > s.tune.maxFrozen
		if rotate {
			for _, l := range frozen {
				behind = behind || l.segment < s.segment
			}
		}
		if !behind {
			return nil
		}
		if s.stuck != nil {
			s.wakeUp()
			return s.stuck
		}
		if !s.tune.manual {
			s.change.Wait()
			continue
		}
		s.mu.Unlock()
		s.checkpoint()
		s.mu.Lock()
	}
}

// show publishes the batches of a record that is in the log.
func (s *Store) show(rec record, runs map[uint64]*run) error {
	take := func(number, _ uint64) (*run, error) { return runs[number], nil }
	layers, err := s.absorb(s.active, s.log.Segment(), rec.buf[wal.HeaderLen:], 0, take)
	if err != nil {
		return err
	}
	s.replaceActive(layers)
	return nil
}

// replaceActive publishes layers in the place of the active one: the same, further filled, or frozen and with others on it.
func (s *Store) replaceActive(layers []layer) {
	n := len(layers) - 1
	s.active = layers[n]
	layers[n].rows = s.active.rows.Copy()
	s.publish(func(now state) state {
		frozen := now.layers[:len(now.layers)-1]
		now.layers = append(append(make([]layer, 0, len(frozen)+len(layers)), frozen...), layers...)
		now.lsn = s.last
		return now
	})
	if n > 0 {
		s.wakeUp()
	}
}

// freeze makes the active layer one for the checkpointer, if it has anything.
func (s *Store) freeze() {
	if s.active.bytes > 0 {
		s.replaceActive([]layer{s.active, {rows: new(ordmap.Map)}})
	}
}

// absorb puts the batches of a log record, those above the LSN after, into the layer and further ones as needed, and gives
// them all; the last one is the active layer.
func (s *Store) absorb(active layer, segment uint64, payload []byte, after kv.LSN, find func(number, length uint64) (*run, error)) ([]layer, error) {
	layers := []layer{active}
	push := func(l layer) { layers = append(layers, l) }
	top := func() *layer { return &layers[len(layers)-1] }
	if top().bytes > 0 && top().segment != segment {
		push(layer{rows: new(ordmap.Map)})
	}
	for r := (recordReader{b: payload}); len(r.b) > 0; {
		begin := len(r.b)
		lsn, kind := r.batch()
		switch kind {
		case inlineBatch:
			rows := top().rows
			r.ops(func(key, value []byte) {
				if lsn > after {
					rows.Set(key, value)
				}
			})
			if lsn > after {
				top().add(lsn, segment, int64(begin-len(r.b)))
			}
		case runBatch:
			number, length := r.uvarint(), r.uvarint()
			if lsn <= after || r.bad {
				break
			}
			run, err := find(number, length)
			if err != nil {
				return layers, err
			}
			if top().bytes == 0 {
				layers = layers[:len(layers)-1]
			}
			push(layer{run: run, lsn: lsn, segment: segment, bytes: int64(len(run.data))})
			push(layer{rows: new(ordmap.Map)})
		default:
			r.bad = true
		}
		if r.bad {
			return layers, dberr.New(dberr.DataCorrupted, "a log record of store %q makes no sense, though its checksum is right", s.dir)
		}
	}
	return layers, nil
}

// add notes that a batch went into a map layer.
func (l *layer) add(lsn kv.LSN, segment uint64, bytes int64) {
	if l.bytes == 0 {
		l.segment = segment
	}
	l.lsn = lsn
	l.bytes += bytes
}

// writeError gives a failure of writing the log or a run file its code; other errors come from the batches and stay as they are.
func (s *Store) writeError(err error) error {
	var e *dberr.Error
	var errno syscall.Errno
	switch {
	case errors.As(err, &e):
		return err
	case s.log.Broken() != nil:
		return dberr.Wrap(err, dberr.IOError, "cannot sync the log of store %q: %v", s.dir, s.log.Broken()).
			WithDetail("Whether the commit at that moment is durable shows when the store is opened again; until then nothing is written.").
			WithHint("Restart the server; check the disk first.")
	case isDiskFull(err):
		return diskFull(err, s.dir)
	case errors.As(err, &errno):
		return dberr.Wrap(err, dberr.IOError, "cannot write the log of store %q: %v", s.dir, err)
	}
	return err
}
