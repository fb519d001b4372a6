package pgwire

import (
	"context"
	"errors"
	"os"

	"github.com/omgdb/omgdb/functions/builtin"
	"github.com/omgdb/omgdb/planner/session"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/dberr"
)

// Restore is storage.Restore for stores with everything that sessions make, and checks the whole store that it made: one that doesn't
// hold is removed again.
func Restore(ctx context.Context, backup, path string, m storage.Moment) (storage.BackupReport, error) {
	registry, err := newRegistry()
	if err != nil {
		return storage.BackupReport{}, err
	}
	expressions := session.NewIndexExpressions(registry)
	r, err := storage.Restore(ctx, backup, path, m, storage.Options{Expressions: expressions, Indexes: indexKinds(expressions, builtin.Embedders())}, expressions.Attach)
	if err != nil {
		return r, err
	}
	return r, verifyRestored(ctx, path)
}

func verifyRestored(ctx context.Context, path string) error {
	l, err := Open(ctx, path, LocalOptions{})
	if err != nil {
		return err
	}
	report, err := l.DB.Verify(ctx)
	if err = errors.Join(err, l.Close()); err != nil || report.Problem == "" {
		return err
	}
	return errors.Join(dberr.New(dberr.DataCorrupted, "the restored store does not verify: %s", report.Problem).
		WithHint("Verify the backup (omgdb verify); another one may be sound."), os.RemoveAll(path))
}
