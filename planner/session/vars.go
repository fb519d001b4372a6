package session

import (
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
)

// vars are a session's configuration parameters: the values by index into the settings table, custom ones ("my.name") behind it.
// A change is undone when its transaction or savepoint is; a local one also when the transaction commits. Owned by the session's
// goroutine.
type vars struct {
	vals   []string       // what is in force
	reset  []string       // what RESET goes back to: the start-up values
	custom map[string]int // index of a custom setting by lower-case name
	names  []string       // names of the custom settings, from len(settings) on
	local  map[int]string // settings with a local value: the value to go back to at the end of the transaction
	undo   []undoVar
	// changed is told every index whose value has changed, for typed copies and reports.
	changed func(i int)
}

type undoVar struct {
	i        int
	val      string
	local    string
	hasLocal bool
}

func newVars(start []string) *vars {
	return &vars{vals: append([]string(nil), start...), reset: append([]string(nil), start...)}
}

// index finds a setting, table or custom, by name in any case.
func (v *vars) index(name string) (int, bool) {
	if i, ok := settingIndex[name]; ok {
		return i, true
	}
	key := strings.ToLower(name)
	if i, ok := settingIndex[key]; ok {
		return i, true
	}
	i, ok := v.custom[key]
	return i, ok
}

// define makes room for a custom setting; its name needs a prefix of its own.
func (v *vars) define(name string) (int, error) {
	prefix, rest, ok := strings.Cut(name, ".")
	if !ok {
		return 0, unknownSetting(name)
	}
	if strings.EqualFold(prefix, "omgdb") {
		return 0, dberr.New(dberr.UndefinedObject, `unrecognized configuration parameter "%s"`, name).
			WithHint(`Names that begin with "omgdb." are OMGDB's own; SHOW ALL lists them.`)
	}
	if !customName(prefix) || !customName(rest) {
		return 0, dberr.New(dberr.InvalidName, `invalid configuration parameter name "%s"`, name).
			WithDetail("Custom parameter names must be two or more simple identifiers separated by dots.")
	}
	if v.custom == nil {
		v.custom = map[string]int{}
	}
	i := len(v.vals)
	v.custom[strings.ToLower(name)] = i
	v.names = append(v.names, name)
	v.vals, v.reset = append(v.vals, ""), append(v.reset, "")
	return i, nil
}

func customName(s string) bool {
	for _, part := range strings.Split(s, ".") {
		if part == "" || part[0] >= '0' && part[0] <= '9' {
			return false
		}
		for _, r := range part {
			if r != '_' && r != '$' && (r < '0' || r > '9') && (r|32 < 'a' || r|32 > 'z') && r < 128 {
				return false
			}
		}
	}
	return true
}

func unknownSetting(name string) error {
	return dberr.New(dberr.UndefinedObject, `unrecognized configuration parameter "%s"`, name)
}

// put changes a value for the session, or for the transaction only.
func (v *vars) put(i int, val string, local bool) {
	old, has := v.local[i]
	v.undo = append(v.undo, undoVar{i: i, val: v.vals[i], local: old, hasLocal: has})
	switch {
	case local && !has:
		if v.local == nil {
			v.local = map[int]string{}
		}
		v.local[i] = v.vals[i]
	case !local && has:
		delete(v.local, i)
	}
	v.assign(i, val)
}

func (v *vars) assign(i int, val string) {
	if v.vals[i] != val {
		v.vals[i] = val
		v.changed(i)
	}
}

// depth is the position to which rollback goes back.
func (v *vars) depth() int { return len(v.undo) }

// rollback undoes the changes made since depth d.
func (v *vars) rollback(d int) {
	for n := len(v.undo) - 1; n >= d; n-- {
		u := v.undo[n]
		delete(v.local, u.i)
		if u.hasLocal {
			v.local[u.i] = u.local
		}
		v.assign(u.i, u.val)
	}
	v.undo = v.undo[:d]
}

// commit keeps the session's changes and takes back the local ones.
func (v *vars) commit() {
	if len(v.undo) == 0 {
		return
	}
	for i, val := range v.local {
		v.assign(i, val)
	}
	clear(v.local)
	v.undo = v.undo[:0]
}
