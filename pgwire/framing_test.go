package pgwire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage/dberr"
)

// message frames a body as a client does.
func message(typ byte, body []byte) []byte {
	b := append([]byte{typ}, 0, 0, 0, 0)
	binary.BigEndian.PutUint32(b[1:], uint32(len(body)+4))
	return append(b, body...)
}

// TestReaderCutsMessages: however the bytes are split into reads, and whatever deadlines pass between them, the messages come out.
func TestReaderCutsMessages(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		types := rapid.SliceOfN(rapid.SampledFrom([]byte("QPBdSHEX")), 1, 20).Draw(r, "types")
		var stream []byte
		var bodies [][]byte
		for i, typ := range types {
			most := 40
			if carriesData(typ) && i%5 == 0 {
				most = 3 * readBuffer
			}
			body := bytes.Repeat([]byte{byte(i)}, rapid.IntRange(0, most).Draw(r, "size"))
			bodies = append(bodies, body)
			stream = append(stream, message(typ, body)...)
		}
		in := newReader(&choppy{r: r, rest: stream}, 1<<20)
		for i, typ := range types {
			got, body, err := in.next()
			for errors.Is(err, os.ErrDeadlineExceeded) {
				got, body, err = in.next()
			}
			if err != nil || got != typ || !bytes.Equal(body, bodies[i]) {
				r.Fatalf("message %d: got %c with %d bytes, %v; want %c with %d", i, got, len(body), err, typ, len(bodies[i]))
			}
		}
		if _, _, err := in.next(); err != io.EOF {
			r.Fatalf("at the end: %v", err)
		}
	})
}

// choppy gives its bytes in pieces, with deadlines in between.
type choppy struct {
	r    *rapid.T
	rest []byte
	late bool
}

func (c *choppy) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	if c.late = !c.late && rapid.Bool().Draw(c.r, "late"); c.late {
		return 0, os.ErrDeadlineExceeded
	}
	n := copy(p, c.rest[:min(len(c.rest), rapid.IntRange(1, 5000).Draw(c.r, "piece"))])
	c.rest = c.rest[n:]
	return n, nil
}

// TestReaderGrowsAsBytesArrive: a length word alone never makes the reader allocate.
func TestReaderGrowsAsBytesArrive(t *testing.T) {
	head := []byte{'Q', 0x0f, 0xff, 0xff, 0xff}
	in := newReader(io.MultiReader(bytes.NewReader(head), bytes.NewReader(make([]byte, 100_000))), 1<<30)
	if _, _, err := in.next(); err != io.ErrUnexpectedEOF {
		t.Fatalf("got %v", err)
	}
	if len(in.buf) > 4*100_000 {
		t.Errorf("buffer has %d bytes for 100,000 that arrived", len(in.buf))
	}
}

func TestReaderShrinks(t *testing.T) {
	stream := append(message('Q', make([]byte, 1<<20)), message('S', nil)...)
	in := newReader(iotest.OneByteReader(bytes.NewReader(stream)), 1<<21)
	for range 2 {
		if _, _, err := in.next(); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := in.next(); err != io.EOF || len(in.buf) > keepBuffer {
		t.Errorf("buffer of %d bytes is kept, %v", len(in.buf), err)
	}
}

func TestReaderRefuses(t *testing.T) {
	for name, raw := range map[string]string{
		"length below 4":          "Q\x00\x00\x00\x03",
		"absurd length":           "Q\x7f\xff\xff\xff",
		"negative length":         "Q\xff\xff\xff\xff",
		"long sync":               "S\x00\x01\x00\x00",
		"long message of no type": "~\x00\x01\x00\x00",
	} {
		if _, _, err := newReader(bytes.NewReader([]byte(raw)), 1<<28).next(); err != errFrame {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestBody(t *testing.T) {
	b := body{rest: []byte("name\x00\x00\x02\xff\xff\xff\xffrest")}
	if s, n, i := b.text(), b.int16(), b.int32(); s != "name" || n != 2 || i != -1 || string(b.bytes(4)) != "rest" || b.end() != nil {
		t.Errorf("got %q %d %d, %v", s, n, i, b.end())
	}
	for name, f := range map[string]func(*body){
		"short int":      func(b *body) { b.int32() },
		"no end of text": func(b *body) { b.text() },
		"left over":      func(b *body) { b.byte() },
		"too many bytes": func(b *body) { b.bytes(10) },
		"negative":       func(b *body) { b.bytes(-2) },
	} {
		b := body{rest: []byte{1, 2}}
		f(&b)
		if err := b.end(); dberr.Code(err) != dberr.ProtocolViolation {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for in, want := range map[string]string{
		"a\xffb":    "0xff",
		"é\xc3(":    "0xc3 0x28",
		"\xe2\x82":  "0xe2 0x82",
		"x\x00y":    "0x00",
		"\xf0\x9f":  "0xf0 0x9f",
		"ok, it's ": "",
	} {
		err := checkUTF8([]byte(in))
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", in, err)
			}
			continue
		}
		if msg := `invalid byte sequence for encoding "UTF8": ` + want; err == nil || err.Message != msg || err.Code != dberr.CharacterNotInRepertoire {
			t.Errorf("%q: got %v, want %s", in, err, msg)
		}
	}
}

func TestOptions(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "",
		"-c a=b":                               "a=b;",
		" -c a=b  --x-y=z ":                    "a=b;x_y=z;",
		`-cwork_mem=1MB -c search_path=a\ b\\`: `work_mem=1MB;search_path=a b\;`,
		"-c":                                   "error",
		"-c x":                                 "error",
		"-d 5":                                 "error",
	} {
		got := ""
		list, err := parseOptions(in)
		for _, kv := range list {
			got += kv[0] + "=" + kv[1] + ";"
		}
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
