package contextsvc

import (
	"encoding/json"

	"github.com/omgdb/omgdb/storage/doc"
)

// Report says what a run of context_index did, for clients that called it with report.
type Report struct {
	Files     int64     `json:"files"` // in the index now
	Added     int64     `json:"added"`
	Changed   int64     `json:"changed"`
	Removed   int64     `json:"removed"`
	Unchanged int64     `json:"unchanged"`
	Skipped   []Skipped `json:"skipped"`
}

// Skipped is a file or directory that was not indexed. What ignore files leave out is not counted.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// SplitReport takes an answer of context_index apart into what its users rely on and the report.
func SplitReport(answer []byte) (plain []byte, r Report, err error) {
	v, err := doc.ParseExtJSON(answer)
	if err != nil {
		return nil, r, err
	}
	if member := v.Doc().Lookup("report"); !member.Missing() {
		err = json.Unmarshal(member.AppendCanonical(nil), &r)
	}
	return doc.WithoutMember(v, "report").AppendCanonical(nil), r, err
}
