package session

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// copySignature begins the binary format.
const copySignature = "PGCOPY\n\xff\r\n\x00"

// binaryRows reads the binary format of COPY.
type binaryRows struct {
	src    *bufio.Reader
	cols   int
	opened bool
	num    int
	fields [][]byte
}

func newBinaryRows(r io.Reader, cols int) *binaryRows {
	return &binaryRows{src: bufio.NewReaderSize(r, copyChunk), cols: cols}
}

func (b *binaryRows) line() int   { return b.num }
func (b *binaryRows) raw() []byte { return nil }

// open reads the header.
func (b *binaryRows) open() error {
	head := make([]byte, len(copySignature)+8)
	if err := b.full(head[:len(copySignature)]); err != nil || string(head[:len(copySignature)]) != copySignature {
		if err != nil && !isShort(err) {
			return err
		}
		return badCopy("COPY file signature not recognized")
	}
	if err := b.full(head[len(copySignature):]); err != nil {
		return short(err, "invalid COPY file header (missing flags)")
	}
	flags := binary.BigEndian.Uint32(head[len(copySignature):])
	if flags&(1<<16) != 0 {
		return badCopy("invalid COPY file header (WITH OIDS)")
	}
	if flags>>16 != 0 {
		return badCopy("unrecognized critical flags in COPY file header")
	}
	ext := int32(binary.BigEndian.Uint32(head[len(copySignature)+4:]))
	if ext < 0 {
		return badCopy("invalid COPY file header (missing length)")
	}
	if _, err := b.src.Discard(int(ext)); err != nil {
		return short(err, "invalid COPY file header (wrong length)")
	}
	return nil
}

// next implements rowSource.
func (b *binaryRows) next() ([][]byte, error) {
	b.num++
	if !b.opened {
		if err := b.open(); err != nil {
			return nil, err
		}
		b.opened = true
	}
	var word [4]byte
	if err := b.full(word[:2]); err != nil {
		if err == io.EOF { // old writers leave the trailer out
			return nil, io.EOF
		}
		return nil, short(err, "unexpected EOF in COPY data")
	}
	n := int(int16(binary.BigEndian.Uint16(word[:])))
	if n == -1 {
		if _, err := b.src.ReadByte(); err == nil {
			return nil, badCopy("received copy data after EOF marker")
		} else if err != io.EOF {
			return nil, err
		}
		return nil, io.EOF
	}
	if n != b.cols {
		return nil, badCopy("row field count is %d, expected %d", n, b.cols)
	}
	b.fields = b.fields[:0]
	for range n {
		f, err := b.field()
		if err != nil {
			return nil, err
		}
		b.fields = append(b.fields, f)
	}
	return b.fields, nil
}

func (b *binaryRows) field() ([]byte, error) {
	var word [4]byte
	if err := b.full(word[:]); err != nil {
		return nil, short(err, "unexpected EOF in COPY data")
	}
	n := int(int32(binary.BigEndian.Uint32(word[:])))
	switch {
	case n == -1:
		return nil, nil
	case n < 0:
		return nil, badCopy("invalid field size")
	}
	// Grown as bytes arrive: a length alone takes no memory.
	out := make([]byte, 0, min(n, copyChunk))
	for len(out) < n {
		if len(out) == cap(out) {
			out = append(make([]byte, 0, min(n, 2*cap(out))), out...)
		}
		k, err := b.src.Read(out[len(out):min(n, cap(out))])
		out = out[:len(out)+k]
		if err != nil && len(out) < n {
			return nil, short(err, "unexpected EOF in COPY data")
		}
	}
	return out, nil
}

func (b *binaryRows) full(p []byte) error {
	_, err := io.ReadFull(b.src, p)
	return err
}

func isShort(err error) bool { return err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) }

// short turns the end of data in a wrong place into an error of the format.
func short(err error, message string) error {
	if isShort(err) {
		return badCopy("%s", message)
	}
	return err
}
