package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/bolt/vfs"
)

// A run file holds one large batch, sorted and stamped, so that it passes neither through the log nor through memory. It is
// synced before the log record names it, is read in place while it waits to be put into store.db, and is deleted then.
//
//	blocks: operations as in a log record, about blockLen bytes of them
//	index:  for each block: offset, length, checksum (4), length of its first key, first key
//	footer: offset of the index (8), its length (8), its checksum (4), magic (4); little-endian
const (
	blockLen  = 16 << 10
	footerLen = 24
	runMagic  = "run1"
	runSuffix = ".run"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func runName(number uint64) string { return fmt.Sprintf("%016x%s", number, runSuffix) }

func runNumber(name string) (uint64, bool) {
	hex, ok := strings.CutSuffix(name, runSuffix)
	n, err := strconv.ParseUint(hex, 16, 64)
	return n, ok && err == nil && name == runName(n)
}

// run is a run file open for reading. It is never changed, so all may read it.
type run struct {
	number uint64
	file   vfs.File
	data   []byte // the mapped file
	blocks []block
	refs   int // of states; guarded by Store.mu
	recent atomic.Pointer[openBlock]
	last   atomic.Int64 // the block of the last look-up
	stored bool         // all of it is in store.db, so the file goes with the last reference; guarded by Store.mu
}

type block struct {
	first    []byte
	from, to int
	sum      uint32
	checked  atomic.Bool
}

// runWriter writes a run file, one buffer of a few blocks at a time.
type runWriter struct {
	file  vfs.File
	at    int64  // of buf in the file
	buf   []byte // not yet written
	begin int    // of the current block in buf
	first []byte // of the current block
	index []byte
}

// writeRun writes b to a run file and makes it durable, name included. After an error there is no file.
func writeRun(fs vfs.FS, number uint64, b kv.Batch) (err error) {
	f, err := fs.Create(runName(number))
	if err != nil {
		return err
	}
	w := runWriter{file: f, buf: make([]byte, 0, 64*blockLen)}
	if err = kv.Walk(b, func(op *kv.Op) error { return w.add(op, b.LSN()) }); err == nil {
		err = w.finish()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = fs.SyncDir()
	}
	if err != nil {
		fs.Remove(runName(number)) // what stays behind is removed at the next Open
	}
	return err
}

func (w *runWriter) add(op *kv.Op, lsn kv.LSN) error {
	if len(w.buf) == w.begin { // a new block
		w.first = op.AppendKey(w.first[:0], lsn)
	}
	w.buf = appendOp(w.buf, op, lsn)
	if len(w.buf)-w.begin < blockLen {
		return nil
	}
	return w.endBlock()
}

func (w *runWriter) endBlock() error {
	block := w.buf[w.begin:]
	if len(block) == 0 {
		return nil
	}
	w.index = binary.AppendUvarint(w.index, uint64(w.at)+uint64(w.begin))
	w.index = binary.AppendUvarint(w.index, uint64(len(block)))
	w.index = binary.LittleEndian.AppendUint32(w.index, crc32.Checksum(block, castagnoli))
	w.index = binary.AppendUvarint(w.index, uint64(len(w.first)))
	w.index = append(w.index, w.first...)
	w.begin = len(w.buf)
	if len(w.buf) < 32*blockLen {
		return nil
	}
	return w.flush()
}

func (w *runWriter) flush() error {
	_, err := w.file.WriteAt(w.buf, w.at)
	w.at += int64(len(w.buf))
	w.buf, w.begin = w.buf[:0], 0
	return err
}

func (w *runWriter) finish() error {
	if err := w.endBlock(); err != nil {
		return err
	}
	at := uint64(w.at) + uint64(len(w.buf))
	w.buf = append(w.buf, w.index...)
	w.buf = binary.LittleEndian.AppendUint64(w.buf, at)
	w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(len(w.index)))
	w.buf = binary.LittleEndian.AppendUint32(w.buf, crc32.Checksum(w.index, castagnoli))
	w.buf = append(w.buf, runMagic...)
	if err := w.flush(); err != nil {
		return err
	}
	return w.file.Sync()
}

// openRun opens a run file; want is its length, 0 for unknown.
func openRun(fs vfs.FS, number uint64, want uint64) (_ *run, err error) {
	f, err := fs.Open(runName(number))
	if err != nil {
		return nil, err
	}
	r := &run{number: number, file: f}
	if r.data, err = f.Map(); err == nil && (want != 0 && uint64(len(r.data)) != want || !r.readIndex()) {
		err = r.damaged("its index")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

func (r *run) damaged(what string) error {
	return dberr.New(dberr.DataCorrupted, "run file %s is damaged: %s is not whole", runName(r.number), what).
		WithHint("Restore the store from a backup.")
}

func (r *run) readIndex() bool {
	d := r.data
	if len(d) < footerLen || string(d[len(d)-4:]) != runMagic {
		return false
	}
	footer := d[len(d)-footerLen:]
	at, n := binary.LittleEndian.Uint64(footer), binary.LittleEndian.Uint64(footer[8:])
	if at > uint64(len(d)) || n != uint64(len(d))-footerLen-at {
		return false
	}
	index := recordReader{b: d[at : at+n]}
	if crc32.Checksum(index.b, castagnoli) != binary.LittleEndian.Uint32(footer[16:]) {
		return false
	}
	end := uint64(0)
	for len(index.b) > 0 {
		from, n := index.uvarint(), index.uvarint()
		sum := index.take(4)
		first := index.take(index.uvarint())
		if index.bad || from != end || n == 0 || n > at-from {
			return false
		}
		end = from + n
		r.blocks = append(r.blocks, block{first: first, from: int(from), to: int(end), sum: binary.LittleEndian.Uint32(sum)})
	}
	return end == at
}

// load gives the operations of a block, checked.
func (r *run) load(i int) (recordReader, error) {
	b := &r.blocks[i]
	data := r.data[b.from:b.to:b.to]
	if !b.checked.Load() {
		if crc32.Checksum(data, castagnoli) != b.sum {
			return recordReader{}, r.damaged(fmt.Sprintf("the block at offset %d", b.from))
		}
		b.checked.Store(true)
	}
	return recordReader{b: data}, nil
}

// blockOf gives the block that key would be in; -1 when it is below all.
func (r *run) blockOf(key []byte) int {
	return sort.Search(len(r.blocks), func(i int) bool { return bytes.Compare(r.blocks[i].first, key) > 0 }) - 1
}

// openBlock is a block's operations, found once for many look-ups.
type openBlock struct {
	block int
	ops   []runOp
}

// open gives the operations of a block when look-ups go through it: when the one before was in it too.
func (r *run) open(i int) *openBlock {
	if o := r.recent.Load(); o != nil && o.block == i {
		return o
	}
	if r.last.Swap(int64(i)) != int64(i) {
		return nil
	}
	ops, err := r.load(i)
	if err != nil {
		return nil
	}
	o := &openBlock{block: i}
	for len(ops.b) > 0 && !ops.bad {
		k, v := ops.op()
		o.ops = append(o.ops, runOp{k, v})
	}
	if ops.bad {
		return nil
	}
	r.recent.Store(o)
	return o
}

// get gives the value of key, nil for a deleted one, and whether the run says anything about the key.
func (r *run) get(key []byte) (value []byte, ok bool, err error) {
	i := r.blockOf(key)
	if i < 0 {
		return nil, false, nil
	}
	if o := r.open(i); o != nil {
		n, found := slices.BinarySearchFunc(o.ops, key, func(op runOp, k []byte) int { return bytes.Compare(op.key, k) })
		if !found {
			return nil, false, nil
		}
		return o.ops[n].value, true, nil
	}
	ops, err := r.load(i)
	if err != nil {
		return nil, false, err
	}
	for len(ops.b) > 0 {
		k, v := ops.op()
		if c := bytes.Compare(k, key); ops.bad || c >= 0 {
			return v, c == 0 && !ops.bad, nil
		}
	}
	return nil, false, nil
}
