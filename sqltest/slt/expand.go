package slt

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var suffixes = []string{".test", ".slt", ".test.gz", ".slt.gz"}

// Expand replaces each directory by the test files below it, in path order; files stay as they are.
func Expand(args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			out = append(out, arg)
			continue
		}
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && isTestFile(path) {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no test files given")
	}
	return out, nil
}

func isTestFile(path string) bool {
	for _, s := range suffixes {
		if strings.HasSuffix(path, s) {
			return true
		}
	}
	return false
}
