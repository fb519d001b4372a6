package storage

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
)

// Memory that a transaction may take before its writes, and then its batch, go to temporary files.
var (
	overlayMemory int64 = 64 << 20
	batchMemory   int64 = 16 << 20
)

// spillDir is where temporary files lie: in the store, whose disk must have room for the commit anyway.
func (db *DB) spillDir() string {
	if db.path != "" {
		return db.path
	}
	return os.TempDir()
}

// SpillDir is where temporary files of a statement lie.
func (t *Txn) SpillDir() string { return t.db.spillDir() }

// spillIfLarge moves the transaction's writes to a file when they take too much memory.
func (t *Txn) spillIfLarge() error {
	if t.writes.Bytes() < overlayMemory {
		return nil
	}
	return t.writes.Spill(t.db.spillDir())
}

// opList is a sorted list of operations that are added in order. Beyond its owner's memory it goes to a file without a name.
type opList struct {
	ops  []kv.Op // those not in the file, behind those that are
	file *os.File
	out  *bufio.Writer
	n    int // in the file
	room []byte
}

func (l *opList) add(op kv.Op) { l.ops = append(l.ops, op) }

// spill moves what is in memory to the file.
func (l *opList) spill(dir string) error {
	if len(l.ops) == 0 {
		return nil
	}
	if l.file == nil {
		f, err := os.CreateTemp(dir, "omgdb-spill-*")
		if err != nil {
			return spillError(err)
		}
		l.file, l.out = f, bufio.NewWriterSize(f, 1<<20)
		if err := os.Remove(f.Name()); err != nil {
			return spillError(err)
		}
	}
	for i := range l.ops {
		l.room = appendOp(l.room[:0], &l.ops[i])
		if _, err := l.out.Write(l.room); err != nil {
			return spillError(err)
		}
	}
	l.n += len(l.ops)
	clear(l.ops)
	l.ops = l.ops[:0]
	return nil
}

// done ends the adding; what the file has stays there.
func (l *opList) done() error {
	if l.file == nil {
		return nil
	}
	if err := l.out.Flush(); err != nil {
		return spillError(err)
	}
	l.out, l.room = nil, nil
	return nil
}

func (l *opList) close() {
	if l.file != nil {
		l.file.Close()
	}
}

func spillError(err error) error {
	return dberr.Disk(err, "cannot use the transaction's temporary file: %v", err).
		WithHint("Free space on the store's disk, or make the transaction smaller.")
}

func appendOp(dst []byte, op *kv.Op) []byte {
	flags := byte(0)
	if op.Delete {
		flags = 1
	}
	dst = append(dst, flags)
	for _, n := range []int{op.KeyStamp, op.ValueStamp} {
		dst = binary.AppendVarint(dst, int64(n))
	}
	for _, b := range [][]byte{op.Key, op.Value} {
		dst = binary.AppendUvarint(dst, uint64(len(b)))
		dst = append(dst, b...)
	}
	return dst
}

// opLists is a batch's operations: several lists, one behind the other.
type opLists []*opList

func (ls opLists) iter() kv.OpIter { return &listIter{lists: ls} }

func (ls opLists) len() int {
	n := 0
	for _, l := range ls {
		n += l.n + len(l.ops)
	}
	return n
}

func (ls opLists) close() {
	for _, l := range ls {
		l.close()
	}
}

// listIter is one pass over the lists.
type listIter struct {
	lists opLists
	room  []byte        // for what is read
	in    *bufio.Reader // over the file of the first list; nil when it was not begun
	left  int           // operations in it
	ops   []kv.Op       // of the first list, behind its file
}

// Next implements kv.OpIter.
func (i *listIter) Next() (kv.Op, bool, error) {
	for {
		switch {
		case i.left > 0:
			i.left--
			op, err := i.read()
			return op, err == nil, err
		case len(i.ops) > 0:
			op := i.ops[0]
			i.ops = i.ops[1:]
			return op, true, nil
		case len(i.lists) == 0:
			return kv.Op{}, false, nil
		}
		l := i.lists[0]
		i.lists = i.lists[1:]
		if i.left, i.ops = l.n, l.ops; l.n > 0 {
			i.in = bufio.NewReaderSize(io.NewSectionReader(l.file, 0, 1<<62), 1<<20)
		}
	}
}

// read reads an operation that this process wrote.
func (i *listIter) read() (op kv.Op, err error) {
	in := i.in
	flags, err := in.ReadByte()
	if err != nil {
		return op, spillError(err)
	}
	op.Delete = flags&1 != 0
	for _, n := range []*int{&op.KeyStamp, &op.ValueStamp} {
		x, err := binary.ReadVarint(in)
		if err != nil {
			return op, spillError(err)
		}
		*n = int(x)
	}
	for _, b := range []*[]byte{&op.Key, &op.Value} {
		n, err := binary.ReadUvarint(in)
		if err != nil {
			return op, spillError(err)
		}
		*b = i.bytes(int(n))
		if _, err := io.ReadFull(in, *b); err != nil {
			return op, spillError(err)
		}
	}
	return op, nil
}

// bytes gives room for n bytes; small pieces share a block, for an operation's bytes stay valid until the batch is dropped.
func (i *listIter) bytes(n int) []byte {
	if n > maxShared {
		return make([]byte, n)
	}
	if cap(i.room)-len(i.room) < n {
		i.room = make([]byte, 0, maxRoom)
	}
	at := len(i.room)
	i.room = i.room[:at+n]
	return i.room[at : at+n : at+n]
}
