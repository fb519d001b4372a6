package cases

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/sqltest/slt"
)

func TestReadShipped(t *testing.T) {
	all, err := Read(filepath.Join("..", "testdata", "cases", "sql_cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, c := range all {
		if ids[c.ID] {
			t.Errorf("id %s twice", c.ID)
		}
		ids[c.ID] = true
	}
	if len(all) != 170 {
		t.Errorf("%d cases, want 170", len(all))
	}
}

func TestCheck(t *testing.T) {
	one, empty := "1", ""
	rows := Case{Rows: [][]*string{{&one, nil}, {&empty, &one}}, Cols: []Column{{"a", 23}, {"b", 25}}}
	good := &slt.Result{Names: []string{"a", "b"}, OIDs: []uint32{23, 25}, Rows: [][][]byte{{[]byte("1"), nil}, {{}, []byte("1")}}}
	emptyForNull := &slt.Result{Names: good.Names, OIDs: good.OIDs, Rows: [][][]byte{{[]byte("1"), {}}, {{}, []byte("1")}}}
	otherType := &slt.Result{Names: good.Names, OIDs: []uint32{20, 25}, Rows: good.Rows}
	fails := Case{SQLState: "22012", Error: map[string]string{"message": "division by zero", "position": "8"}}
	pgErr := &pgconn.PgError{Code: "22012", Message: "division by zero", Position: 8}
	tests := []struct {
		name        string
		c           Case
		res         *slt.Result
		err         error
		pass, exact bool
	}{
		{"rows", rows, good, nil, true, true},
		{"empty is not NULL", rows, emptyForNull, nil, false, false},
		{"type OID", rows, otherType, nil, false, false},
		{"rows wanted, error got", rows, nil, pgErr, false, false},
		{"error", fails, nil, pgErr, true, true},
		{"error wanted, rows got", fails, good, nil, false, false},
		{"other code", fails, nil, &pgconn.PgError{Code: "22003"}, false, false},
		{"position missing", fails, nil, &pgconn.PgError{Code: "22012", Message: "division by zero"}, true, false},
		{"hint too many", fails, nil, &pgconn.PgError{Code: "22012", Message: "division by zero", Position: 8, Hint: "h"}, true, false},
		{"lost connection", fails, nil, errors.New("reset"), false, false},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			pass, exact := tc.c.check(tc.res, tc.err)
			if (pass == nil) != tc.pass || (pass == nil && exact == nil) != tc.exact {
				t.Errorf("pass %v, exact %v", pass, exact)
			}
		})
	}
}
