package pgwire

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"testing"
	"time"
)

func TestPipeCarriesBytes(t *testing.T) {
	a, b := newPipe()
	sent := make([]byte, 3*pipeBuffer+17)
	_, _ = rand.Read(sent)
	go func() {
		for rest := sent; len(rest) > 0; {
			n := min(len(rest), 10_007)
			if _, err := a.Write(rest[:n]); err != nil {
				t.Error(err)
				return
			}
			rest = rest[n:]
		}
		_ = a.Close()
	}()
	got, err := io.ReadAll(b)
	if err != nil || !bytes.Equal(got, sent) {
		t.Fatalf("%d of %d bytes, %v", len(got), len(sent), err)
	}
	if _, err := b.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("write to a closed pipe: %v", err)
	}
}

// TestPipeDeadlines: a deadline ends waits that have begun and those that begin later, until it is taken back.
func TestPipeDeadlines(t *testing.T) {
	a, b := newPipe()
	waits := make(chan error)
	read := func() { _, err := a.Read(make([]byte, 1)); waits <- err }
	go read()
	_ = a.SetReadDeadline(past)
	if err := <-waits; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("a wait that has begun: %v", err)
	}
	go read()
	if err := <-waits; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("a later wait: %v", err)
	}
	_ = a.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	go read()
	if err := <-waits; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("a deadline to come: %v", err)
	}
	_ = a.SetReadDeadline(time.Time{})
	go read()
	if _, err := b.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := <-waits; err != nil {
		t.Fatal(err)
	}
	_ = b.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
	if n, err := b.Write(make([]byte, 2*pipeBuffer)); n != pipeBuffer || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("a full pipe: wrote %d, %v", n, err)
	}
}
