package embed

import (
	"os"
	"path/filepath"

	"github.com/omgdb/omgdb/storage/dberr"
)

// ModelsDir is where models are installed for this user: $OMGDB_MODELS, else omgdb/models in the user's data directory.
func ModelsDir() (string, error) {
	if dir := os.Getenv("OMGDB_MODELS"); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "omgdb", "models"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "share", "omgdb", "models"), nil
}

// NotInstalled is the error of using a model before it is there.
func NotInstalled(model string) error {
	return dberr.New(dberr.ObjectNotInPrerequisiteState, "the embedding model %q is not installed", model).
		WithHint("Install it with: omgdb model install %s", model)
}
