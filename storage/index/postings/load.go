package postings

import (
	"context"

	"github.com/omgdb/omgdb/storage/index"
)

// loadBytes is about how much memory a load takes before it writes a segment.
var loadBytes = 48 << 20

// Load builds an index over rows that were there before it.
type Load struct {
	s     Store
	emit  emitter
	m     manifest
	build *Builder
	term  []byte
}

// NewLoad starts one; entries go to emit, which takes them over.
func NewLoad(s Store, emit func(key, value []byte) error) *Load {
	return &Load{s: s, emit: emit, build: newBuilder(s)}
}

// Add takes a document.
func (l *Load) Add(row index.Row, d *Doc) error {
	if err := CheckOrdinal(row.Ordinal); err != nil {
		return err
	}
	l.build.add(uint32(row.Ordinal), row.Key, d.Length)
	for i := range d.Terms {
		t := &d.Terms[i]
		l.term = appendGaps(l.term[:0], t.Positions)
		l.build.term([]byte(t.Text), len(t.Positions), l.term)
	}
	if l.build.bytes >= loadBytes {
		return l.segment()
	}
	return nil
}

func (l *Load) segment() error {
	info, err := l.build.write(l.m.next, l.emit)
	if err != nil {
		return err
	}
	l.m.next++
	l.m.segments = append(l.m.segments, info)
	l.build = newBuilder(l.s)
	return nil
}

// Finish writes what is left.
func (l *Load) Finish(context.Context) error {
	if len(l.build.lengths) > 0 {
		if err := l.segment(); err != nil {
			return err
		}
	}
	return l.emit(l.s.manifestKey(), l.m.encode())
}
