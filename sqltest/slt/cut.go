package slt

import (
	"bytes"
	"compress/gzip"
)

// Prefix is the file's text up to the end of the n-th record that applies to the engine, so that a run with
// Options.Max = n over the prefix and over the whole file are the same and line numbers stay.
func (f *File) Prefix(engine string, n int) []byte {
	end := len(f.lines)
	for _, r := range f.Records {
		if !r.Applies(engine) {
			continue
		}
		if r.Kind == Halt {
			end = r.tail
			break
		}
		if n--; n == 0 {
			end = r.tail
			break
		}
	}
	var b bytes.Buffer
	for _, line := range f.lines[:end] {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// Gzip compresses as well as gzip can, without name and time, so that equal text gives equal bytes.
func Gzip(text []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
