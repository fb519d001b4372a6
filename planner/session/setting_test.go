package session

import (
	"strings"
	"testing"

	"github.com/omgdb/omgdb/storage/dberr"

	"github.com/omgdb/omgdb/storage/catalog"
)

// shown are values as SET takes them and SHOW prints them, from PostgreSQL 15; an SQLSTATE stands for an error.
var shown = []struct{ name, set, show string }{
	{"statement_timeout", "5000", "5s"},
	{"statement_timeout", "1min", "1min"},
	{"statement_timeout", " 1500 ", "1500ms"},
	{"statement_timeout", "1.5s", "1500ms"},
	{"statement_timeout", "0", "0"},
	{"statement_timeout", "-1", "22023"},
	{"statement_timeout", "10 parsecs", "22023"},
	{"statement_timeout", "1MB", "22023"},
	{"work_mem", "64", "64kB"},
	{"work_mem", "2048kB", "2MB"},
	{"work_mem", "1GB", "1GB"},
	{"work_mem", "63", "22023"},
	{"work_mem", "many", "22023"},
	{"temp_buffers", "8MB", "8MB"},
	{"temp_buffers", "1024", "8MB"},
	{"extra_float_digits", "3", "3"},
	{"extra_float_digits", "0x2", "2"},
	{"extra_float_digits", "4", "22023"},
	{"cpu_tuple_cost", "0.5", "0.5"},
	{"row_security", "of", "off"},
	{"row_security", "1", "on"},
	{"row_security", "maybe", "22023"},
	{"bytea_output", "ESCAPE", "escape"},
	{"bytea_output", "octal", "22023"},
	{"synchronous_commit", "true", "on"},
	{"default_transaction_isolation", "Serializable", "serializable"},
	{"DateStyle", "german", "German, DMY"},
	{"DateStyle", "sql, dmy", "SQL, DMY"},
	{"DateStyle", "ymd", "ISO, YMD"},
	{"DateStyle", "klingon", "22023"},
	{"TimeZone", "europe/berlin", "Europe/Berlin"},
	{"TimeZone", "utc", "UTC"},
	{"TimeZone", "2", "<+02>-02"},
	{"TimeZone", "0", "<+00>-00"},
	{"TimeZone", "-7.5", "<-07:30>+07:30"},
	{"TimeZone", "Mars/Olympus", "22023"},
	{"client_encoding", "utf-8", "UTF8"},
	{"client_encoding", "latin1", "22023"},
	{"search_path", `a, "B c"`, `a, "B c"`},
	{"search_path", `a,,b`, "22023"},
	{"application_name", "caf\u00e9\x01", "caf??"},
	{"standard_conforming_strings", "off", "0A000"},
	{"port", "1", "55P02"},
	{"server_version", "16", "55P02"},
	{"omgdb.scope", "admin", "55P02"},
	{"omgdb.nothing", "1", "42704"},
	{"nothing", "1", "42704"},
	{"my.own", "Any Text", "Any Text"},
	{"my.9", "x", "42602"},
}

func testSession(t *testing.T) *Session {
	t.Helper()
	srv := &Server{clock: nowForTests, start: bootValues}
	return newSession(t.Context(), srv, SessionOptions{Wake: func() {}}, &catalog.Role{Name: superuser, Super: true})
}

func TestSetAndShow(t *testing.T) {
	for _, tt := range shown {
		s := testSession(t)
		err := s.Set(tt.name, tt.set, false)
		got, _ := s.Get(tt.name)
		if err != nil {
			got = dberr.Code(err)
		}
		if got != tt.show {
			t.Errorf("SET %s = %q shows %q (%v), want %q", tt.name, tt.set, got, err, tt.show)
		}
	}
}

// TestSettingsTable checks the table against itself.
func TestSettingsTable(t *testing.T) {
	for i := range settings {
		st := &settings[i]
		if st.descr == "" || st.group == "" || !strings.HasSuffix(st.descr, ".") {
			t.Errorf("%s: wants a group and a description that ends with a full stop", st.name)
		}
		if st.kind == kindEnum && st.enum == "" || st.unit != "" && unitScale[st.unit].family == 0 {
			t.Errorf("%s: bad enum or unit", st.name)
		}
		again, err := st.canonical(bootValues[i])
		if err != nil || again != bootValues[i] {
			t.Errorf("%s: canonical form %q reads back as %q, %v", st.name, bootValues[i], again, err)
		}
		if back, err := st.canonical(st.show(bootValues[i])); err != nil || back != bootValues[i] {
			t.Errorf("%s: shown form reads back as %q, %v", st.name, back, err)
		}
		if settingNo(st.name) != i {
			t.Errorf("%s is in the table twice", st.name)
		}
	}
	for _, n := range reported {
		if !settings[settingNo(n)].report {
			t.Errorf("%s is reported but not marked so", n)
		}
	}
}
