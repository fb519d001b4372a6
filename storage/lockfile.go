package storage

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Holder is what the LOCK file tells of the process that has the store. The engine's own file lock decides who has it; LOCK only
// helps to find that process, and may be left over from one that died.
type Holder struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
	Socket  string `json:"socket,omitempty"` // where it serves clients
}

const lockName = "LOCK"

// ReadHolder reads the LOCK file of the store at path.
func ReadHolder(path string) (Holder, error) {
	var h Holder
	b, err := os.ReadFile(filepath.Join(path, lockName))
	if err != nil {
		return h, err
	}
	return h, json.Unmarshal(b, &h)
}

// writeHolder replaces the LOCK file as a whole, so that readers never see half of it.
func writeHolder(path string, h Holder) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(path, lockName+".new-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(b, '\n'))
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), filepath.Join(path, lockName))
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// heldError says who has the store.
func heldError(path string, cause error) error {
	e := dberr.Wrap(fmt.Errorf("%w: %w", ErrHeld, cause), dberr.ObjectInUse, "store %q is held by another process", path).
		WithHint("Connect to that process, or stop it first.")
	if h, err := ReadHolder(path); err == nil {
		e.Message = fmt.Sprintf("store %q is held by process %d (%s)", path, h.PID, h.Command)
	}
	return e
}
