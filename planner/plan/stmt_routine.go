package plan

import (
	"strings"

	"github.com/omgdb/omgdb/storage/catalog"
)

// CreateFunction is CREATE FUNCTION and CREATE PROCEDURE; Fn lacks its id and schema.
type CreateFunction struct {
	Name      ObjName
	Fn        catalog.Function
	OrReplace bool
	Signature string // as messages show it: f(integer, text)
	Notice    string // a warning
}

// CommandTag implements Statement.
func (s *CreateFunction) CommandTag() string {
	return "CREATE " + strings.ToUpper(s.Fn.Word())
}

// AlterFunction is ALTER FUNCTION (PROCEDURE, ROUTINE): New is the function as it is to be, nil when nothing changes.
type AlterFunction struct {
	Word string
	New  *catalog.Function
}

// CommandTag implements Statement.
func (s *AlterFunction) CommandTag() string { return "ALTER " + s.Word }
