package session

import (
	"strconv"
	"strings"
	"time"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/dt"
)

// live are typed copies of the settings that are looked at often, kept in step by refresh.
type live struct {
	format        *typeio.Format // replaced, never changed, when a setting behind it changes; only Now is set in place, between statements
	searchPath    []string       // as set, "$user" unresolved
	stmtTimeout   time.Duration
	lockTimeout   time.Duration
	idleTimeout   time.Duration
	idleInTxn     time.Duration
	minSeverity   int // least severe notice to send
	workMem       int64
	queryMemory   int64
	planKey       string // values of the settings that plans depend on
	planKeyStale  bool
	pathStale     bool
	appName, plan string
}

// Indexes of settings that the session itself looks at.
var (
	varDateStyle     = settingNo("DateStyle")
	varIntervalStyle = settingNo("IntervalStyle")
	varTimeZone      = settingNo("TimeZone")
	varIsolation     = settingNo("transaction_isolation")
	varReadOnly      = settingNo("transaction_read_only")
	varDeferrable    = settingNo("transaction_deferrable")
	varDefIsolation  = settingNo("default_transaction_isolation")
	varDefReadOnly   = settingNo("default_transaction_read_only")
	varDefDeferrable = settingNo("default_transaction_deferrable")
	varScope         = settingNo("omgdb.scope")
	varAuthorization = settingNo("session_authorization")
	varSuperuser     = settingNo("is_superuser")
	varDataDirectory = settingNo("data_directory")
	varVersion       = settingNo("omgdb.version")
	varMaxMessage    = settingNo("omgdb.max_message_size")
	varPlanCache     = settingNo("omgdb.plan_cache_size")
	varMaxConns      = settingNo("max_connections")
	varAuthTimeout   = settingNo("authentication_timeout")
	varSearchPath    = settingNo("search_path")
)

// refreshers keep live in step: one entry for each setting that has a typed copy.
var refreshers = map[int]func(s *Session, val string){
	varDateStyle: func(s *Session, val string) {
		style, order, _ := strings.Cut(val, ", ")
		s.reformat(func(f *typeio.Format) {
			f.DateStyle = map[string]typeio.DateStyle{"ISO": typeio.StyleISO, "SQL": typeio.StyleSQL, "Postgres": typeio.StylePostgres, "German": typeio.StyleGerman}[style]
			f.DateOrder = map[string]typeio.DateOrder{"MDY": typeio.OrderMDY, "DMY": typeio.OrderDMY, "YMD": typeio.OrderYMD}[order]
		})
	},
	varIntervalStyle: func(s *Session, val string) {
		s.reformat(func(f *typeio.Format) {
			f.IntervalStyle = map[string]typeio.IntervalStyle{"postgres": typeio.IntervalPostgres, "postgres_verbose": typeio.IntervalVerbose,
				"sql_standard": typeio.IntervalSQL, "iso_8601": typeio.IntervalISO}[val]
		})
	},
	varTimeZone: func(s *Session, val string) {
		if loc := dt.Named(val); loc != nil {
			s.reformat(func(f *typeio.Format) { f.TimeZone = loc })
		}
	},
	settingNo("extra_float_digits"): func(s *Session, val string) {
		s.reformat(func(f *typeio.Format) { f.ExtraFloatDigits, _ = strconv.Atoi(val) })
	},
	settingNo("bytea_output"): func(s *Session, val string) {
		s.reformat(func(f *typeio.Format) {
			f.ByteaOutput = map[string]typeio.ByteaOutput{"hex": typeio.ByteaHex, "escape": typeio.ByteaEscape}[val]
		})
	},
	varSearchPath: func(s *Session, val string) {
		s.searchPath, _ = splitNames(val)
		s.pathStale = true
	},
	settingNo("statement_timeout"):                   func(s *Session, val string) { s.stmtTimeout = millis(val) },
	settingNo("lock_timeout"):                        func(s *Session, val string) { s.lockTimeout = millis(val) },
	settingNo("idle_session_timeout"):                func(s *Session, val string) { s.idleTimeout = millis(val) },
	settingNo("idle_in_transaction_session_timeout"): func(s *Session, val string) { s.idleInTxn = millis(val) },
	settingNo("work_mem"):                            func(s *Session, val string) { s.workMem = kilobytes(val) },
	settingNo("omgdb.query_memory"):                  func(s *Session, val string) { s.queryMemory = kilobytes(val) },
	settingNo("client_min_messages"):                 func(s *Session, val string) { s.minSeverity = severityRank(val) },
	settingNo("application_name"):                    func(s *Session, val string) { s.appName = val; s.act.setApplication(val) },
	settingNo("omgdb.agent_plan"):                    func(s *Session, val string) { s.plan = val },
}

// reportedVar tells by index whether a setting's changes are sent to the client.
var reportedVar = func() map[int]bool {
	m := map[int]bool{}
	for _, n := range reported {
		m[settingNo(n)] = true
	}
	return m
}()

// varChanged is called for each setting whose value has changed.
func (s *Session) varChanged(i int) {
	if f := refreshers[i]; f != nil {
		f(s, s.vars.vals[i])
	}
	if i < len(settings) && (settings[i].plan || i == varDateStyle || i == varIntervalStyle || i == varTimeZone) {
		s.planKeyStale = true
	}
	if reportedVar[i] {
		s.reportStale = true
	}
}

func (s *Session) reformat(change func(*typeio.Format)) {
	f := *s.format
	change(&f)
	s.format = &f
}

func millis(val string) time.Duration {
	n, _ := strconv.ParseInt(val, 10, 64)
	return time.Duration(n) * time.Millisecond
}

func kilobytes(val string) int64 {
	n, _ := strconv.ParseInt(val, 10, 64)
	return n << 10
}

// severityRank orders the severities of notices as client_min_messages does; INFO is always sent.
func severityRank(name string) int {
	for i, n := range strings.Split(levelNames, ",") {
		if strings.EqualFold(n, name) {
			return i
		}
	}
	if strings.EqualFold(name, "info") {
		return 1 << 10
	}
	return 0
}

// settingsKey is the part of a plan's key that the session's settings make: plans may differ with planner settings, and literals
// are read under the date and zone settings.
func (s *Session) settingsKey() string {
	if !s.planKeyStale {
		return s.planKey
	}
	var b strings.Builder
	for i := range settings {
		if (settings[i].plan || i == varDateStyle || i == varIntervalStyle || i == varTimeZone) && s.vars.vals[i] != bootValues[i] {
			b.WriteString(settings[i].name)
			b.WriteByte('=')
			b.WriteString(s.vars.vals[i])
			b.WriteByte(0)
		}
	}
	s.planKey, s.planKeyStale = b.String(), false
	return s.planKey
}

// noteModes keeps the modes of the transaction that is about to end, for AND CHAIN.
func (s *Session) noteModes() {
	v := s.vars.vals
	s.lastModes = [3]string{v[varIsolation], v[varReadOnly], v[varDeferrable]}
}

// resetTxnModes gives the next transaction the session's defaults.
func (s *Session) resetTxnModes() {
	v := s.vars.vals
	v[varIsolation], v[varReadOnly], v[varDeferrable] = v[varDefIsolation], v[varDefReadOnly], v[varDefDeferrable]
}

// txnOptions is what the current transaction asks of storage.
func (s *Session) txnOptions() storage.TxnOptions {
	v := s.vars.vals
	o := storage.TxnOptions{
		ReadOnly:   v[varReadOnly] == "on" || v[varScope] == "read",
		Deferrable: v[varDeferrable] == "on",
		Actor:      s.actor(), Database: s.db, Session: s.store, LockTimeout: s.lockTimeout,
	}
	switch v[varIsolation] {
	case "repeatable read":
		o.Isolation = storage.RepeatableRead
	case "serializable":
		o.Isolation = storage.Serializable
	}
	return o
}
