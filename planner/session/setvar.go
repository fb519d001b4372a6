package session

import (
	"sort"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
)

// checkSetting finds a setting, tells whether it may be changed, and gives the canonical form of val. A custom setting is made.
func (s *Session) checkSetting(name, val string, startup bool) (int, string, error) {
	i, ok := s.vars.index(name)
	if !ok {
		i, err := s.vars.define(name)
		return i, val, err
	}
	if i >= len(settings) {
		return i, val, nil
	}
	st := &settings[i]
	if err := st.changeable(startup); err != nil {
		return 0, "", err
	}
	canon, err := st.canonical(val)
	if err != nil {
		return 0, "", err
	}
	canon = st.merge(canon, s.vars.vals[i])
	if st.inTxn != nil && !startup {
		if err := st.inTxn(s, s.vars.vals[i], canon); err != nil {
			return 0, "", err
		}
	}
	return i, canon, nil
}

// changeable tells whether a session may change the setting. Every session is a superuser's while roles have no rights.
func (st *setting) changeable(startup bool) error {
	switch st.ctx {
	case ctxInternal:
		return dberr.New(dberr.CantChangeRuntimeParam, `parameter "%s" cannot be changed`, st.name)
	case ctxPostmaster:
		return dberr.New(dberr.CantChangeRuntimeParam, `parameter "%s" cannot be changed without restarting the server`, st.name)
	case ctxSighup:
		return dberr.New(dberr.CantChangeRuntimeParam, `parameter "%s" cannot be changed now`, st.name)
	case ctxBackend:
		if !startup {
			return dberr.New(dberr.CantChangeRuntimeParam, `parameter "%s" cannot be set after connection start`, st.name)
		}
	}
	return nil
}

// Set changes a setting for the session, or for the transaction only. It implements functions.Settings.
func (s *Session) Set(name, val string, local bool) error {
	i, canon, err := s.checkSetting(name, val, false)
	if err != nil {
		return err
	}
	s.vars.put(i, canon, local || i < len(settings) && settings[i].inTxn != nil)
	return nil
}

// Get gives a setting's value as SHOW prints it. It implements functions.Settings.
func (s *Session) Get(name string) (string, bool) {
	i, ok := s.vars.index(name)
	if !ok {
		return "", false
	}
	return s.showVar(i), true
}

func (s *Session) showVar(i int) string {
	if i >= len(settings) {
		return s.vars.vals[i]
	}
	return settings[i].show(s.vars.vals[i])
}

// resetVar takes a setting back to its value at the start of the session.
func (s *Session) resetVar(name string) error {
	i, ok := s.vars.index(name)
	if !ok {
		return unknownSetting(name)
	}
	if i < len(settings) {
		if err := settings[i].changeable(false); err != nil {
			return err
		}
		if check := settings[i].inTxn; check != nil {
			return dberr.New(dberr.FeatureNotSupported, `parameter "%s" cannot be reset`, settings[i].name)
		}
	}
	s.vars.put(i, s.vars.reset[i], false)
	return nil
}

// resetAll takes back every setting that a session may change.
func (s *Session) resetAll() {
	for i := range s.vars.vals {
		if i < len(settings) && (settings[i].changeable(false) != nil || settings[i].inTxn != nil) {
			continue
		}
		if s.vars.vals[i] != s.vars.reset[i] {
			s.vars.put(i, s.vars.reset[i], false)
		}
	}
}

// setDefault is SET … TO DEFAULT.
func (s *Session) setDefault(name string, local bool) error {
	i, ok := s.vars.index(name)
	if !ok {
		return unknownSetting(name)
	}
	if i < len(settings) {
		if err := settings[i].changeable(false); err != nil {
			return err
		}
	}
	s.vars.put(i, s.vars.reset[i], local)
	return nil
}

// joinValues makes one text of the values of SET: a list of names is quoted so that it reads back.
func joinValues(name string, vals []string) (string, error) {
	i, ok := settingIndex[strings.ToLower(name)]
	list := ok && settings[i].list
	if !list {
		if len(vals) == 1 {
			return vals[0], nil
		}
		if ok && settings[i].name != "DateStyle" {
			return "", dberr.New(dberr.InvalidParameterValue, "SET %s takes only one argument", name)
		}
		return strings.Join(vals, ", "), nil
	}
	quoted := make([]string, len(vals))
	for k, v := range vals {
		quoted[k] = quoteName(v)
	}
	return strings.Join(quoted, ", "), nil
}

// quoteName writes an identifier as SQL wants it.
func quoteName(n string) string {
	plain := n != ""
	for i := 0; i < len(n); i++ {
		c := n[i]
		if c != '_' && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			plain = false
		}
	}
	if plain {
		return n
	}
	return `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
}

// Isolation, read-only and deferrable can be chosen only as PostgreSQL allows: the first two before the first query, and
// read-only may always be tightened.

func checkIsolation(s *Session, now, val string) error {
	if val == now {
		return nil
	}
	if s.tx.txn != nil {
		if len(s.tx.savepoints) > 0 {
			return dberr.New(dberr.ActiveSQLTransaction, "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction")
		}
		return dberr.New(dberr.ActiveSQLTransaction, "SET TRANSACTION ISOLATION LEVEL must be called before any query")
	}
	return nil
}

func checkReadOnly(s *Session, now, val string) error {
	if val == "off" && now == "on" && s.tx.txn != nil {
		return dberr.New(dberr.ActiveSQLTransaction, "transaction read-write mode must be set before any query")
	}
	return nil
}

func checkDeferrable(s *Session, _, _ string) error {
	if s.tx.txn != nil {
		return dberr.New(dberr.ActiveSQLTransaction, "SET TRANSACTION [NOT] DEFERRABLE must be called before any query")
	}
	return nil
}

// SettingRow is one row of pg_settings.
type SettingRow struct {
	Name, Value, Unit, Category, Descr, Context, Type, Source string
	Min, Max                                                  string
	Enum                                                      []string
	Boot, Reset                                               string
}

// SettingRows lists all settings in the order of their names.
func (s *Session) SettingRows() []SettingRow {
	var rows []SettingRow
	for i := range settings {
		st := &settings[i]
		if st.hidden {
			continue
		}
		r := SettingRow{
			Name: st.name, Value: s.vars.vals[i], Unit: st.unit, Category: st.group, Descr: st.descr, Context: contextNames[st.ctx],
			Type: kindNames[st.kind], Source: s.sourceOf(i), Boot: bootValues[i], Reset: s.vars.reset[i],
		}
		switch st.kind {
		case kindInt, kindReal:
			r.Min, r.Max = shortReal(st.min), shortReal(st.max)
			if st.kind == kindInt {
				r.Max = intText(st.max)
			}
		case kindEnum:
			r.Enum = strings.Split(st.enum, ",")
		}
		rows = append(rows, r)
	}
	for k, n := range s.vars.names {
		i := len(settings) + k
		rows = append(rows, SettingRow{Name: n, Value: s.vars.vals[i], Category: "Customized Options", Context: "user", Type: "string", Source: s.sourceOf(i), Reset: s.vars.reset[i]})
	}
	sort.Slice(rows, func(a, b int) bool { return strings.ToLower(rows[a].Name) < strings.ToLower(rows[b].Name) })
	return rows
}

func (s *Session) sourceOf(i int) string {
	boot := ""
	if i < len(settings) {
		boot = bootValues[i]
	}
	switch val := s.vars.vals[i]; {
	case val != s.vars.reset[i]:
		return "session"
	case i < len(s.srv.start) && val != s.srv.start[i]:
		return "client"
	case val != boot:
		return "configuration file"
	}
	return "default"
}
