package main

import (
	"slices"
	"strings"
)

// kind is what the peer's answer makes of a statement: rows, an error, or a command.
type kind int

const (
	ofRows kind = iota
	ofErrors
	ofCommands
	kinds
)

var kindNames = [kinds]string{"rows", "errors", "commands"}

// verdict compares our answer with the peer's. why names the difference, "" when there is none.
func verdict(st step, peer, ours result) (k kind, why string) {
	plan := isExplain(st.sql)
	switch {
	case peer.code != "":
		k = ofErrors
	case !plan && slices.ContainsFunc(peer.sets, func(s set) bool { return len(s.columns) > 0 }):
		k = ofRows
	default:
		k = ofCommands
	}
	switch {
	case peer.code != ours.code && ours.code == "":
		return k, "no error " + peer.code
	case peer.code != ours.code:
		return k, "error " + ours.code + " for " + orOK(peer.code)
	case len(peer.sets) != len(ours.sets):
		return k, "results"
	}
	for i := range peer.sets {
		if why := sameSet(st.sql, peer.sets[i], ours.sets[i], plan); why != "" {
			return k, why
		}
	}
	return k, ""
}

func orOK(code string) string {
	if code == "" {
		return "success"
	}
	return code
}

// sameSet compares one result. Rows without an order may come in any; the text of a plan is each server's own.
func sameSet(sql string, peer, ours set, plan bool) string {
	switch {
	case !slices.Equal(peer.columns, ours.columns):
		return "columns"
	case plan:
		return ""
	case peer.tag != ours.tag:
		return "tag"
	case slices.Equal(peer.rows, ours.rows):
		return ""
	case !strings.Contains(strings.ToLower(sql), "order by") && slices.Equal(slices.Sorted(slices.Values(peer.rows)), slices.Sorted(slices.Values(ours.rows))):
		return ""
	}
	return "rows"
}

func isExplain(sql string) bool {
	return len(sql) > 7 && strings.EqualFold(sql[:7], "explain")
}
