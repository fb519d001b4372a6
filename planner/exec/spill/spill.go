// Package spill keeps rows in temporary files: runs of a sort, partitions of a hash join or aggregate. A file has no name by the time
// it is written, so that nothing of it outlives the process; it is freed by Close.
package spill

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"os"

	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// File is rows of given column types, written once from the front and then read, also several times. One goroutine uses it.
type File struct {
	types []*value.Type
	f     *os.File
	w     *bufio.Writer
	buf   []byte
	Rows  int64
	// kept holds the values that have no bytes (anonymous records): the file has their place in it.
	kept []any
}

// Create makes an empty file in dir ("": the system's place for temporary files).
func Create(dir string, types []*value.Type) (*File, error) {
	f, err := os.CreateTemp(dir, "omgdb-spill-*")
	if err != nil {
		return nil, ioError(err, "create a temporary file")
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, ioError(err, "hide a temporary file")
	}
	return &File{types: types, f: f, w: bufio.NewWriterSize(f, 1<<16)}, nil
}

func ioError(err error, what string) error {
	code := dberr.IOError
	if isFull(err) {
		code = dberr.DiskFull
	}
	return dberr.Wrap(err, code, "could not %s: %v", what, err)
}

// Write adds the rows at the positions sel of cols (nil: all n).
func (s *File) Write(cols []*value.Column, sel []int32, n int) error {
	if sel != nil {
		n = len(sel)
	}
	for from := 0; from < n; from += batch.Size {
		to := min(n, from+batch.Size)
		s.buf = binary.LittleEndian.AppendUint32(s.buf[:0], 0)
		s.buf = binary.AppendUvarint(s.buf, uint64(to-from))
		for i, c := range cols {
			var err error
			if s.buf, err = s.appendColumn(s.buf, s.types[i], c, sel, from, to); err != nil {
				return err
			}
		}
		binary.LittleEndian.PutUint32(s.buf, uint32(len(s.buf)-4))
		if _, err := s.w.Write(s.buf); err != nil {
			return ioError(err, "write to a temporary file")
		}
	}
	s.Rows += int64(n)
	return nil
}

// appendColumn writes for each row a byte that tells whether it is NULL, then its value.
func (s *File) appendColumn(dst []byte, t *value.Type, c *value.Column, sel []int32, from, to int) ([]byte, error) {
	for k := from; k < to; k++ {
		i := k
		if sel != nil {
			i = int(sel[k])
		}
		if c.IsNull(i) {
			dst = append(dst, 0)
			continue
		}
		dst = append(dst, 1)
		switch t.Kind {
		case value.KindBool:
			dst = append(dst, 0)
			if c.Bools[i] {
				dst[len(dst)-1] = 1
			}
		case value.KindInt:
			dst = binary.AppendVarint(dst, c.Ints[i])
		case value.KindFloat:
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(c.Flts[i]))
		case value.KindString:
			dst = append(binary.AppendUvarint(dst, uint64(len(c.Strs[i]))), c.Strs[i]...)
		default:
			var err error
			if dst, err = s.appendBox(dst, t, c.Boxes[i]); err != nil {
				return dst, err
			}
		}
	}
	return dst, nil
}

// stored tells whether boxed values of the type have a stored form that reads back.
func stored(t *value.Type) bool {
	t = typeio.Base(t)
	return t.Class != value.Pseudo && (t.Elem == nil || stored(t.Elem))
}

func (s *File) appendBox(dst []byte, t *value.Type, x any) ([]byte, error) {
	if !stored(t) {
		s.kept = append(s.kept, x)
		return binary.AppendUvarint(dst, uint64(len(s.kept)-1)), nil
	}
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0) // type, length
	typ, dst, err := typeio.ToBSON(dst, t, value.Box(x))
	if err != nil {
		return dst, err
	}
	dst[at] = typ
	binary.LittleEndian.PutUint32(dst[at+1:], uint32(len(dst)-at-5))
	return dst, nil
}

// Read starts reading from the front.
func (s *File) Read() (*Reader, error) {
	if err := s.w.Flush(); err != nil {
		return nil, ioError(err, "write to a temporary file")
	}
	r := &Reader{s: s, r: bufio.NewReaderSize(io.NewSectionReader(s.f, 0, math.MaxInt64), 1<<16), out: batch.Batch{Cols: make([]*value.Column, len(s.types))}}
	for i, t := range s.types {
		r.out.Cols[i] = value.NewColumn(t, batch.Size)
	}
	return r, nil
}

// Close frees the file. It may be called more than once.
func (s *File) Close() error {
	if s.f == nil {
		return nil
	}
	f := s.f
	s.f, s.kept = nil, nil
	return f.Close()
}

// Reader reads a file's rows in the order in which they were written.
type Reader struct {
	s   *File
	r   *bufio.Reader
	out batch.Batch
}

// Next gives the next rows, nil at the end. A batch is valid until the next call; its strings stay valid.
func (r *Reader) Next() (*batch.Batch, error) {
	var head [4]byte
	if _, err := io.ReadFull(r.r, head[:]); err == io.EOF {
		return nil, nil
	} else if err != nil {
		return nil, ioError(err, "read a temporary file")
	}
	buf := make([]byte, binary.LittleEndian.Uint32(head[:])) // strings of the batch point into it
	if _, err := io.ReadFull(r.r, buf); err != nil {
		return nil, ioError(err, "read a temporary file")
	}
	n, k := binary.Uvarint(buf)
	buf = buf[k:]
	for i, c := range r.out.Cols {
		c.Reset()
		var err error
		if buf, err = r.column(c, r.s.types[i], buf, int(n)); err != nil {
			return nil, err
		}
	}
	r.out.Len, r.out.Sel = int(n), nil
	return &r.out, nil
}

func (r *Reader) column(c *value.Column, t *value.Type, buf []byte, n int) ([]byte, error) {
	for range n {
		null := buf[0] == 0
		buf = buf[1:]
		if null {
			c.AppendNull()
			continue
		}
		switch t.Kind {
		case value.KindBool:
			c.Append(value.Bool(buf[0] == 1))
			buf = buf[1:]
		case value.KindInt:
			x, k := binary.Varint(buf)
			c.Append(value.Int(x))
			buf = buf[k:]
		case value.KindFloat:
			c.Append(value.Float(math.Float64frombits(binary.LittleEndian.Uint64(buf))))
			buf = buf[8:]
		case value.KindString:
			size, k := binary.Uvarint(buf)
			c.Append(value.Bytes(buf[k : k+int(size) : k+int(size)]))
			buf = buf[k+int(size):]
		default:
			v, rest, err := r.box(t, buf)
			if err != nil {
				return nil, err
			}
			c.Append(v)
			buf = rest
		}
	}
	return buf, nil
}

func (r *Reader) box(t *value.Type, buf []byte) (value.Value, []byte, error) {
	if !stored(t) {
		at, k := binary.Uvarint(buf)
		return value.Box(r.s.kept[at]), buf[k:], nil
	}
	size := int(binary.LittleEndian.Uint32(buf[1:]))
	v, err := typeio.FromBSON(t, buf[0], buf[5:5+size:5+size])
	return v, buf[5+size:], err
}
