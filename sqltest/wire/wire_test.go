package wire

import (
	"bytes"
	"encoding/binary"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgproto3"
)

func encodeLine(t *testing.T, line string) ([]byte, error) {
	t.Helper()
	calls, err := parseCalls(line)
	if err != nil {
		return nil, err
	}
	e := encoder{
		params:   [][2]string{{"user", "u"}, {"database", "db"}},
		secretOf: func(string) (secret, error) { return secret{0, 0, 0, 7, 1, 2, 3, 4}, nil },
	}
	var b []byte
	for _, c := range calls {
		if b, err = e.encode(b, c); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// pgproto3 is an independent reader of what the encoder writes.
func TestEncode(t *testing.T) {
	tests := []struct {
		line string
		want pgproto3.FrontendMessage
	}{
		{`Q("SELECT 'é'\n")`, &pgproto3.Query{String: "SELECT 'é'\n"}},
		{`P("s","SELECT $1",23,0)`, &pgproto3.Parse{Name: "s", Query: "SELECT $1", ParameterOIDs: []uint32{23, 0}}},
		{`B("p","s",("a",NULL,x"00 01"),pf(0,0,1),rf(1))`, &pgproto3.Bind{
			DestinationPortal: "p", PreparedStatement: "s", Parameters: [][]byte{[]byte("a"), nil, {0, 1}},
			ParameterFormatCodes: []int16{0, 0, 1}, ResultFormatCodes: []int16{1}}},
		{`D(S,"s")`, &pgproto3.Describe{ObjectType: 'S', Name: "s"}},
		{`C(P,"")`, &pgproto3.Close{ObjectType: 'P'}},
		{`E("p",5)`, &pgproto3.Execute{Portal: "p", MaxRows: 5}},
		{`H`, &pgproto3.Flush{}},
		{`S`, &pgproto3.Sync{}},
		{`X`, &pgproto3.Terminate{}},
		{`d("a\tb")`, &pgproto3.CopyData{Data: []byte("a\tb")}},
		{`c`, &pgproto3.CopyDone{}},
		{`f("why")`, &pgproto3.CopyFail{Message: "why"}},
		{`msg("Q","x\x00")`, &pgproto3.Query{String: "x"}},
		{`raw(x"53 00000004")`, &pgproto3.Sync{}},
	}
	for _, tc := range tests {
		b, err := encodeLine(t, tc.line)
		if err != nil {
			t.Errorf("%s: %v", tc.line, err)
			continue
		}
		got, err := pgproto3.NewBackend(bytes.NewReader(b), nil).Receive()
		if err != nil {
			t.Errorf("%s: %v", tc.line, err)
			continue
		}
		if d := cmp.Diff(tc.want, got, cmp.Comparer(func(a, b []uint32) bool { return len(a) == len(b) && (len(a) == 0 || cmp.Equal(a[0], b[0])) })); d != "" {
			t.Errorf("%s: %s", tc.line, d)
		}
	}
}

func TestEncodeStartup(t *testing.T) {
	tests := []struct {
		line string
		want pgproto3.FrontendMessage
	}{
		{`startup(196608,"user","me","application_name","")`, &pgproto3.StartupMessage{ProtocolVersion: 196608,
			Parameters: map[string]string{"user": "me", "database": "db", "application_name": ""}}},
		{`ssl`, &pgproto3.SSLRequest{}},
		{`gss`, &pgproto3.GSSEncRequest{}},
		{`cancelkey(main,1)`, &pgproto3.CancelRequest{ProcessID: 7, SecretKey: []byte{1, 2, 3, 5}}},
	}
	for _, tc := range tests {
		b, err := encodeLine(t, tc.line)
		if err != nil {
			t.Errorf("%s: %v", tc.line, err)
			continue
		}
		got, err := pgproto3.NewBackend(bytes.NewReader(b), nil).ReceiveStartupMessage()
		if err != nil {
			t.Errorf("%s: %v", tc.line, err)
			continue
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s: %s", tc.line, d)
		}
	}
}

func TestTrace(t *testing.T) {
	tests := []struct {
		msg  pgproto3.BackendMessage
		want string
	}{
		{&pgproto3.ParseComplete{}, "1"},
		{&pgproto3.ReadyForQuery{TxStatus: 'T'}, "Z[T]"},
		{&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")}, "C[SELECT 1]"},
		{&pgproto3.ParameterDescription{ParameterOIDs: []uint32{23, 99999}}, "t[23,user]"},
		{&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{
			{Name: []byte("a"), TableOID: 16400, TableAttributeNumber: 2, DataTypeOID: 23, DataTypeSize: 4, TypeModifier: -1, Format: 1},
			{Name: []byte("?column?"), DataTypeOID: 25, DataTypeSize: -1, TypeModifier: -1}}}, "T[a:23:4:-1:1 tab.2, ?column?:25:-1:-1:0]"},
		{&pgproto3.DataRow{Values: [][]byte{[]byte("x\""), nil, {}, {0, 255}}}, `D("x\"",NULL,"",x"00ff")`},
		{&pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: "42P01", Message: "no", Position: 15, File: "f.c", Line: 3, Routine: "r"}, `E[ERROR 42P01 M="no" P15]`},
		{&pgproto3.ErrorResponse{Severity: "ERROR", Code: "XX000", Message: "no"}, `E[ERROR V="missing" XX000 M="no"]`},
		{&pgproto3.NoticeResponse{Severity: "WARNING", SeverityUnlocalized: "WARNING", Code: "25001", Message: "m", Hint: "h"}, `N[WARNING 25001 M="m" H="h"]`},
		{&pgproto3.ParameterStatus{Name: "server_version", Value: "15.9 (x)"}, "S(server_version=15.*)"},
		{&pgproto3.BackendKeyData{ProcessID: 4711, SecretKey: []byte{1, 2, 3, 4}}, "K(4)"},
		{&pgproto3.AuthenticationOk{}, "R(0)"},
		{&pgproto3.AuthenticationSASL{AuthMechanisms: []string{"A", "B"}}, "R(10; A,B)"},
		{&pgproto3.CopyInResponse{OverallFormat: 0, ColumnFormatCodes: []uint16{0, 0}}, "G[0; 0,0]"},
		{&pgproto3.CopyData{Data: []byte("1\n")}, `d("1\n")`},
		{&pgproto3.NotificationResponse{PID: 1, Channel: "c", Payload: "p"}, `A("c","p")`},
	}
	for _, tc := range tests {
		b, err := tc.msg.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := (message{b[0], b[5:]}).trace(); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
		if b[0] == 'd' || b[0] == 'K' || len(b) < 6 {
			continue // nothing in these says how long they should be
		}
		if got := (message{b[0], b[5 : len(b)-1]}).trace(); !strings.HasPrefix(got, "malformed") {
			t.Errorf("%s cut short prints as %s", tc.want, got)
		}
	}
}

func FuzzTrace(f *testing.F) {
	f.Add(byte('T'), []byte{0, 1, 'a', 0})
	f.Add(byte('D'), []byte{0, 1, 0x7f, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, kind byte, body []byte) {
		if got := (message{kind, body}).trace(); got == "" {
			t.Error("a message printed as nothing")
		}
	})
}

// server plays canned replies: for every write of the client, the next reply.
func server(t *testing.T, replies ...[]byte) Target {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				buf := make([]byte, 4096)
				for _, r := range replies {
					if _, err := c.Read(buf); err != nil {
						return
					}
					c.Write(r)
				}
			}()
		}
	}()
	return Target{Network: "tcp", Address: l.Addr().String(), User: "u", Database: "d", Timeout: 2 * time.Second}
}

func encoded(t *testing.T, msgs ...pgproto3.BackendMessage) (b []byte) {
	t.Helper()
	for _, m := range msgs {
		var err error
		if b, err = m.Encode(b); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestRun(t *testing.T) {
	start := encoded(t, &pgproto3.AuthenticationOk{}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	fail := encoded(t, &pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: "42P01", Message: "no"}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	tests := []struct {
		name, transcript string
		pass, exact      bool
		err              string
	}{
		{"exact", "  E[ERROR 42P01 M=\"no\"]\n  Z[I]\n", true, true, ""},
		{"other text", "  E[ERROR 42P01 M=\"other\" P3]\n  Z[I]\n", true, false, ""},
		{"other code", "  E[ERROR 42703 M=\"no\"]\n  Z[I]\n", false, false, ""},
		{"a message less", "  Z[I]\n", false, false, ""},
		{"other status", "  E[ERROR 42P01 M=\"no\"]\n  Z[T]\n", false, false, ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			s, err := parseScript("open\n> Q(\"x\")\nread\n" + tc.transcript)
			if err != nil {
				t.Fatal(err)
			}
			out, err := server(t, start, fail).Run(s)
			if err != nil {
				t.Fatal(err)
			}
			if out.Pass != tc.pass || out.Exact != tc.exact {
				t.Errorf("pass %v, exact %v: %v", out.Pass, out.Exact, out.Problems)
			}
			want := "open\n> Q(\"x\")\nread\n  E[ERROR 42P01 M=\"no\"]\n  Z[I]\n"
			if got := string(s.rewritten(out.got)); got != want {
				t.Errorf("rewritten to %q", got)
			}
		})
	}
}

func TestRunEnds(t *testing.T) {
	start := encoded(t, &pgproto3.AuthenticationOk{}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	tests := []struct{ script, reply, want string }{
		{"read close", "", "close"},
		{"read end", "anything", "end"},
		{"read byte", "N", "byte N"},
		{"read", "garbage that is no message", "garbage"},
	}
	for _, tc := range tests {
		s, err := parseScript("open\n> S\n" + tc.script + "\n  " + tc.want + "\n")
		if err != nil {
			t.Fatal(err)
		}
		out, err := server(t, start, []byte(tc.reply)).Run(s)
		if err != nil || !out.Exact {
			t.Errorf("%s: %v, %v", tc.script, err, out.Problems)
		}
	}
}

// A server that never answers makes an error that says so, not a hang.
func TestRunTimeout(t *testing.T) {
	start := encoded(t, &pgproto3.AuthenticationOk{}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	target := server(t, start, nil, nil)
	target.Timeout = 50 * time.Millisecond
	s, err := parseScript("open\n> S\nread\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := target.Run(s); err == nil || !strings.Contains(err.Error(), "nothing more came within 50ms") {
		t.Errorf("got %v", err)
	}
}

func TestScriptErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"jump\n", `1: unknown command "jump"`},
		{"  Z[I]\n", "1: a transcript line must follow a read"},
		{"open\n  Z[I]\n", "2: a transcript line must follow a read"},
		{"read x y z\n", "1: read x: want a count"},
		{"read maybe\n", "1: read wants [count] and a message type, close, end, byte or quiet"},
		{"on\n", "1: on wants a connection's name"},
		{"> Q(\"x\"\n", "1: column 6: want , or )"},
		{"> Q(\"x)\n", "1: column 3: bad string"},
		{"> \"x\"\n", "1: column 4: want a message"},
	}
	for _, tc := range tests {
		if _, err := parseScript(tc.text); err == nil || err.Error() != tc.want {
			t.Errorf("%q: %v, want %s", tc.text, err, tc.want)
		}
	}
	for _, line := range []string{`Q()`, `Q("a","b")`, `Q(1)`, `B("p","s",3)`, `nosuch`, `D("s")`} {
		if _, err := encodeLine(t, line); err == nil {
			t.Errorf("%s was accepted", line)
		}
	}
}

// Every shipped script parses and has a transcript under every read.
func TestShippedScripts(t *testing.T) {
	paths, err := Expand([]string{"testdata"})
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < 38 {
		t.Errorf("%d scripts, want at least 38", len(paths))
	}
	for _, p := range paths {
		s, err := ReadScript(p)
		if err != nil {
			t.Error(err)
			continue
		}
		reads := 0
		for _, c := range s.commands {
			if c.verb == "read" {
				reads++
				if len(c.want) == 0 {
					t.Errorf("%s:%d: a read without a transcript", filepath.Base(p), c.line)
				}
			}
		}
		if reads == 0 {
			t.Errorf("%s: no read", p)
		}
	}
}

// The length word of every encoded message is right, also behind another message.
func TestEncodeFraming(t *testing.T) {
	b, err := encodeLine(t, `P("","SELECT 1") B("","") E("",0) S`)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []byte
	for len(b) > 0 {
		kinds = append(kinds, b[0])
		b = b[1+binary.BigEndian.Uint32(b[1:]):]
	}
	if string(kinds) != "PBES" {
		t.Errorf("messages %q", kinds)
	}
}
