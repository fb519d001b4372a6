package contextsvc

import (
	"context"
	"math"
	"os"
	"path/filepath"
)

// Folders lists the directories whose files an index of dir would hold, dir first: those in which a change matters.
func Folders(ctx context.Context, dir string) ([]string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var out []string
	w := walker{root: root, maxSize: math.MaxInt64, file: func(file) error { return nil }, skip: func(skip) {}}
	w.folder = func(rel string) { out = append(out, filepath.Join(dir, filepath.FromSlash(rel))) }
	return out, w.walk(ctx)
}
