package pgwire

import (
	"encoding/binary"
	"io"
	"testing"
	"time"
)

// startup is a start-up message with the parameters given.
func startup(params ...string) []byte {
	b := []byte{0, 0, 0, 0, 0, 3, 0, 0}
	for _, p := range params {
		b = append(append(b, p...), 0)
	}
	b = append(b, 0)
	binary.BigEndian.PutUint32(b, uint32(len(b)))
	return b
}

// FuzzStartup: whatever a client says first, the connection answers and ends when the client does.
func FuzzStartup(f *testing.F) {
	l := openTest(f)
	f.Add(startup("user", "postgres", "database", "omgdb"))
	f.Add(startup("user", "postgres", "options", "-c work_mem=1MB"))
	f.Add([]byte{0, 0, 0, 8, 4, 210, 22, 47})
	f.Add([]byte{0, 0, 0, 16, 4, 210, 22, 46, 0, 0, 0, 1, 1, 2, 3, 4})
	f.Add([]byte{0, 0, 0, 9, 0, 3, 0, 2, 0})
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) { converse(t, l, in) })
}

// FuzzMessages: whatever a client sends in a session, the connection answers and ends when the client does.
func FuzzMessages(f *testing.F) {
	l := openTest(f)
	hello := startup("user", "postgres", "database", "omgdb")
	seeds := [][]byte{
		message('Q', []byte("SELECT 1\x00")),
		message('Q', []byte("BEGIN; SELECT 1; ROLLBACK\x00")),
		message('P', []byte("s\x00SELECT $1\x00\x00\x01\x00\x00\x00\x17")),
		message('B', []byte("\x00s\x00\x00\x01\x00\x01\x00\x01\x00\x00\x00\x04\x00\x00\x00\x07\x00\x00")),
		message('D', []byte("Ss\x00")), message('E', []byte("\x00\x00\x00\x00\x00")), message('C', []byte("Ss\x00")),
		message('H', nil), message('S', nil), message('F', []byte{0, 0, 0, 1}), message('d', []byte("1\tx\n")), message('c', nil),
		message('f', []byte("no\x00")), message('X', nil), message('~', []byte("?")),
	}
	all := []byte{}
	for _, s := range seeds {
		f.Add(s)
		all = append(all, s...)
	}
	f.Add(all)
	f.Fuzz(func(t *testing.T, in []byte) { converse(t, l, append(hello[:len(hello):len(hello)], in...)) })
}

// converse sends bytes, says nothing more, and reads until the server has ended the connection.
func converse(t *testing.T, l *Local, in []byte) {
	client := l.Pipe().(*pipeEnd)
	_ = client.SetDeadline(time.Now().Add(10 * time.Second))
	go func() {
		_, _ = client.Write(in)
		client.out.close() // as a client that has shut its sending side down
	}()
	if _, err := io.Copy(io.Discard, client); err != nil {
		t.Fatalf("the server neither answers nor ends: %v", err)
	}
	_ = client.Close()
}
