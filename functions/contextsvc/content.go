package contextsvc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// errBinary is the answer for a file that holds no text.
var errBinary = errors.New("binary file")

// errTooLarge is the answer for a file that has grown beyond the limit since it was listed.
var errTooLarge = errors.New("grew beyond the size limit while it was read")

// content is a file's bytes as they were read, and the state that they belong to.
type content struct {
	raw     []byte
	stamp   string
	settled bool
}

// readContent reads a file of a walk: a regular file still, of at most limit bytes.
func readContent(root *os.Root, rel string, limit int64, buf []byte) (c content, err error) {
	f, err := root.OpenFile(rel, openFlags, 0)
	if err != nil {
		return c, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return c, err
	}
	if !info.Mode().IsRegular() {
		return c, errors.New("not a regular file")
	}
	at := now()
	c.raw, err = readUpTo(f, limit+1, buf)
	if err == nil && int64(len(c.raw)) > limit {
		err = errTooLarge
	}
	c.stamp, c.settled = stampOf(info), settled(info, at)
	return c, err
}

// readUpTo reads at most n bytes into buf, which grows as needed.
func readUpTo(r io.Reader, n int64, buf []byte) ([]byte, error) {
	b := bytes.NewBuffer(buf[:0])
	_, err := b.ReadFrom(io.LimitReader(r, n))
	return b.Bytes(), err
}

// The encodings that a text may have had in its file.
const (
	encodingUTF8    = "utf-8"
	encodingUTF16LE = "utf-16le"
	encodingUTF16BE = "utf-16be"
	encodingLatin1  = "latin-1"
)

// decode gives a file's text in UTF-8 and the encoding that it had: what the byte order mark says, else UTF-8 when it is valid, else
// Latin-1. A file with NUL characters, or with bytes that are neither UTF-8 nor look like letters, is binary.
func decode(raw []byte) (text, encoding string, err error) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		text, encoding = fromUTF16(raw[2:], binary.LittleEndian), encodingUTF16LE
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		text, encoding = fromUTF16(raw[2:], binary.BigEndian), encodingUTF16BE
	case bytes.IndexByte(raw, 0) >= 0:
		return "", "", errBinary
	case utf8.Valid(raw):
		text, encoding = string(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))), encodingUTF8
	case controls(raw)*200 > len(raw):
		return "", "", errBinary
	default:
		text, encoding = fromLatin1(raw), encodingLatin1
	}
	if strings.IndexByte(text, 0) >= 0 {
		return "", "", errBinary
	}
	return text, encoding, nil
}

// controls counts the control characters that no text has.
func controls(raw []byte) int {
	n := 0
	for _, c := range raw {
		if c < 0x20 && (c < '\t' || c > '\r') && c != 0x1b || c == 0x7f {
			n++
		}
	}
	return n
}

// fromUTF16 decodes UTF-16; halves of pairs and an odd byte at the end become U+FFFD.
func fromUTF16(raw []byte, order binary.ByteOrder) string {
	var b strings.Builder
	b.Grow(len(raw))
	for len(raw) >= 2 {
		r := rune(order.Uint16(raw))
		raw = raw[2:]
		if utf16.IsSurrogate(r) {
			low := rune(utf8.RuneError)
			if len(raw) >= 2 {
				low = rune(order.Uint16(raw))
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				raw = raw[2:]
			}
		}
		b.WriteRune(r)
	}
	if len(raw) > 0 {
		b.WriteRune(utf8.RuneError)
	}
	return b.String()
}

func fromLatin1(raw []byte) string {
	var b strings.Builder
	b.Grow(len(raw) + len(raw)/8)
	for _, c := range raw {
		b.WriteRune(rune(c))
	}
	return b.String()
}
