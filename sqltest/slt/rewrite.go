package slt

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// Rewritten is the file's text with the results that a run with Options.Rewrite gathered; everything else stays as it
// is. Records that failed for another reason than their values are untouched, so a wrong `ok` or SQLSTATE never
// turns right by itself.
func (f *File) Rewritten(out Outcome) []byte {
	var b bytes.Buffer
	at := 0
	copyTo := func(end int) {
		for ; at < end; at++ {
			b.WriteString(f.lines[at])
			b.WriteByte('\n')
		}
	}
	for _, rec := range f.Records {
		lines, ok := out.replaced[rec]
		if !ok {
			continue
		}
		copyTo(rec.results)
		for _, l := range lines {
			b.WriteString(l)
			b.WriteByte('\n')
		}
		at = rec.tail
	}
	copyTo(len(f.lines))
	return b.Bytes()
}

// WriteRewritten replaces the file on disk. Compressed files are data from elsewhere and are refused.
func (f *File) WriteRewritten(out Outcome) error {
	if filepath.Ext(f.Path) == ".gz" {
		return fmt.Errorf("%s: compressed files are not rewritten", f.Path)
	}
	return os.WriteFile(f.Path, f.Rewritten(out), 0o644)
}
