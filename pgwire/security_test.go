package pgwire

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/kv/mem"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{}
	a.pem, _, a.key = a.issue(t, name, true)
	block, _ := pem.Decode(a.pem)
	var err error
	if a.cert, err = x509.ParseCertificate(block.Bytes); err != nil {
		t.Fatal(err)
	}
	return a
}

// issue makes a certificate of a name; the authority's own one signs itself.
func (a *authority) issue(t *testing.T, name string, ca bool) (cert, key []byte, private *ecdsa.PrivateKey) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	about := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: ca, BasicConstraintsValid: ca,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = about, private
	}
	der, err := x509.CreateCertificate(rand.Reader, about, parent, &private.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	pk, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: pk}), private
}

// guarded is a server over TCP with TLS, client certificates and roles that have passwords.
type guarded struct {
	addr       string
	ca         *authority
	cert, key  string // the server's files
	local      *Local
	clientPool *x509.CertPool
}

func openGuarded(t *testing.T) *guarded {
	t.Helper()
	dir := t.TempDir()
	g := &guarded{ca: newAuthority(t, "ca"), cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem"), clientPool: x509.NewCertPool()}
	g.clientPool.AppendCertsFromPEM(g.ca.pem)
	g.install(t, "localhost", time.Now())
	caFile := filepath.Join(dir, "ca.pem")
	write(t, caFile, g.ca.pem)
	files, err := NewTLS(TLSFiles{Cert: g.cert, Key: g.key, ClientCA: caFile})
	if err != nil {
		t.Fatal(err)
	}
	g.local, err = Open(context.Background(), "", LocalOptions{
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Storage: storage.Options{Engine: mem.New()}, TLS: files,
		Settings: map[string]string{"authentication_timeout": "1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g.addr = l.Addr().String()
	go func() { _ = g.local.Server.Serve(l) }()
	t.Cleanup(func() { _ = g.local.Close() })
	owner := connectTest(t, g.local)
	for _, sql := range []string{"CREATE ROLE alice LOGIN PASSWORD 'right'", "CREATE ROLE bare LOGIN", "CREATE ROLE group_ PASSWORD 'right'", "CREATE ROLE late LOGIN PASSWORD 'right' VALID UNTIL '2001-01-01'",
		"CREATE ROLE few LOGIN PASSWORD 'right' CONNECTION LIMIT 1", "CREATE ROLE ünï LOGIN PASSWORD 'ß pässword'", "CREATE DATABASE closed", "REVOKE CONNECT ON DATABASE closed FROM public"} {
		if _, err := owner.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// install puts a new certificate of the server in its files, with a modification time.
func (g *guarded) install(t *testing.T, name string, at time.Time) {
	t.Helper()
	cert, key, _ := g.ca.issue(t, name, false)
	write(t, g.cert, cert)
	write(t, g.key, key)
	for _, f := range []string{g.cert, g.key} {
		if err := os.Chtimes(f, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// connect opens a connection with pgx; certificate, when not "", is the name that the client's certificate bears.
func (g *guarded) connect(t *testing.T, options, certificate string) (*pgx.Conn, error) {
	t.Helper()
	host, port, _ := net.SplitHostPort(g.addr)
	config, err := pgx.ParseConfig(fmt.Sprintf("host=%s port=%s database=omgdb sslmode=require %s", host, port, options))
	if err != nil {
		t.Fatal(err)
	}
	if config.TLSConfig != nil {
		config.TLSConfig.InsecureSkipVerify, config.TLSConfig.ServerName, config.TLSConfig.RootCAs = false, "localhost", g.clientPool
		config.TLSConfig.VerifyPeerCertificate = nil
		if certificate != "" {
			signer := g.ca
			if name, ok := strings.CutPrefix(certificate, "foreign "); ok {
				signer, certificate = newAuthority(t, "other"), name
			}
			cert, key, _ := signer.issue(t, certificate, false)
			pair, err := tls.X509KeyPair(cert, key)
			if err != nil {
				t.Fatal(err)
			}
			// The server says whose signatures it takes; a certificate of another authority is sent all the same.
			config.TLSConfig.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
		}
	}
	config.Fallbacks = nil
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	c, err := pgx.ConnectConfig(ctx, config)
	if err == nil {
		t.Cleanup(func() { _ = c.Close(context.Background()) })
	}
	return c, err
}

// Who comes in, and what those are told who don't. The texts are PostgreSQL's.
func TestWhoComesIn(t *testing.T) {
	g := openGuarded(t)
	const wrong = `FATAL 28P01 password authentication failed for user "%s"`
	for _, c := range []struct{ name, options, certificate, want string }{
		{"password", "user=alice password=right", "", "alice"},
		{"password without TLS", "user=alice password=right sslmode=disable", "", "alice"},
		{"channel binding", "user=alice password=right channel_binding=require", "", "alice"},
		{"channel binding, TLS at once", "user=alice password=right channel_binding=require sslnegotiation=direct", "", "alice"},
		{"no channel binding", "user=alice password=right channel_binding=disable", "", "alice"},
		{"password that is prepared", "user='ünï' password='ß pässword'", "", "ünï"},
		{"wrong password", "user=alice password=wrong", "", fmt.Sprintf(wrong, "alice")},
		{"wrong password, bound", "user=alice password=wrong channel_binding=require", "", fmt.Sprintf(wrong, "alice")},
		{"no such role", "user=nobody password=right", "", fmt.Sprintf(wrong, "nobody")},
		{"role without password", "user=bare password=right", "", fmt.Sprintf(wrong, "bare")},
		{"password that is over", "user=late password=right", "", fmt.Sprintf(wrong, "late")},
		{"role that may not log in", "user=group_ password=right", "", `FATAL 28000 role "group_" is not permitted to log in`},
		{"no such database", "user=alice password=right database=none", "", `FATAL 3D000 database "none" does not exist`},
		{"database that is closed", "user=alice password=right database=closed", "", `FATAL 42501 permission denied for database "closed"`},
		{"bad setting", "user=alice password=right statement_timeout=x", "", `FATAL 22023 invalid value for parameter "statement_timeout": "x"`},
		{"certificate", "user=alice", "alice", "alice"},
		{"certificate of a role without password", "user=bare", "bare", "bare"},
		{"certificate of another", "user=alice password=wrong", "bare", fmt.Sprintf(wrong, "alice")},
		{"certificate of another and the password", "user=alice password=right", "bare", "alice"},
		{"certificate of a role that may not log in", "user=group_", "group_", `FATAL 28000 role "group_" is not permitted to log in`},
		{"certificate that nobody here has signed", "user=alice password=right", "foreign alice", "TLS refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := g.connect(t, c.options, c.certificate)
			want(t, c.name, said(t, conn, err), c.want)
		})
	}
}

// said is the user that a connection runs as, or the error.
func said(t *testing.T, c *pgx.Conn, err error) string {
	t.Helper()
	var pgErr *pgconn.PgError
	switch {
	case errors.As(err, &pgErr):
		return pgErr.Severity + " " + pgErr.Code + " " + pgErr.Message
	case err != nil && strings.Contains(err.Error(), "tls:"):
		return "TLS refused"
	case err != nil:
		return err.Error()
	}
	var user string
	if err := c.QueryRow(t.Context(), "SELECT current_user").Scan(&user); err != nil {
		return "TLS refused" // TLS 1.3 tells the client only after it has gone on
	}
	return user
}

func TestConnectionLimitOfRole(t *testing.T) {
	g := openGuarded(t)
	first, err := g.connect(t, "user=few password=right", "")
	want(t, "the first", said(t, first, err), "few")
	second, err := g.connect(t, "user=few password=right", "")
	want(t, "the second", said(t, second, err), `FATAL 53300 too many connections for role "few"`)
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); ; {
		third, err := g.connect(t, "user=few password=right", "")
		if got := said(t, third, err); got == "few" || time.Now().After(deadline) {
			want(t, "after the first has gone", got, "few")
			return
		}
	}
}

// A password that changes holds from the next connection on; cancel requests come through TLS.
func TestPasswordAndCancel(t *testing.T) {
	g := openGuarded(t)
	c, err := g.connect(t, "user=alice password=right", "")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := c.Exec(context.Background(), "SELECT pg_sleep(60)")
		done <- err
	}()
	watcher := connectTest(t, g.local)
	for state := ""; state != "active"; {
		_ = watcher.QueryRow(t.Context(), "SELECT state FROM pg_stat_activity WHERE pid = $1 AND query LIKE '%pg_sleep%'", c.PgConn().PID()).Scan(&state)
	}
	if err := c.PgConn().CancelRequest(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, "cancelled", codeOf(<-done), "57014")
	if _, err := c.Exec(t.Context(), "ALTER ROLE alice PASSWORD 'new'"); err != nil {
		t.Fatal(err)
	}
	_, err = g.connect(t, "user=alice password=right", "")
	want(t, "the old password", codeOf(err), "28P01")
	again, err := g.connect(t, "user=alice password=new", "")
	want(t, "the new password", said(t, again, err), "alice")
}

// New files are taken at the next handshake, sessions go on; files that cannot be read leave the certificate that was there.
func TestCertificateReload(t *testing.T) {
	g := openGuarded(t)
	seen := func() string {
		t.Helper()
		c, err := g.connect(t, "user=alice password=right channel_binding=require", "")
		if err != nil {
			t.Fatal(err)
		}
		return c.PgConn().Conn().(*tls.Conn).ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	old, err := g.connect(t, "user=alice password=right", "")
	if err != nil {
		t.Fatal(err)
	}
	want(t, "at first", seen(), "localhost")
	g.install(t, "renewed", time.Now().Add(time.Minute))
	want(t, "renewed", seen(), "renewed")
	write(t, g.cert, []byte("no certificate"))
	if err := os.Chtimes(g.cert, time.Now(), time.Now().Add(2*time.Minute)); err != nil {
		t.Fatal(err)
	}
	want(t, "with a broken file", seen(), "renewed")
	want(t, "the session from before", said(t, old, nil), "alice")
}

// What is said before a session begins, message by message.
func TestBeforeTheSession(t *testing.T) {
	g := openGuarded(t)
	ssl := binary.BigEndian.AppendUint32([]byte{0, 0, 0, 8}, codeSSL)
	gss := binary.BigEndian.AppendUint32([]byte{0, 0, 0, 8}, codeGSS)
	hello := func(version uint32, params map[string]string) []byte {
		b, err := (&pgproto3.StartupMessage{ProtocolVersion: version, Parameters: params}).Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	alice := hello(version30, map[string]string{"user": "alice"})
	sasl := func(mechanism, data string) []byte {
		b, _ := (&pgproto3.SASLInitialResponse{AuthMechanism: mechanism, Data: []byte(data)}).Encode(nil)
		return b
	}
	const asked = "R(10 SCRAM-SHA-256)"
	for _, c := range []struct {
		name string
		send [][]byte
		want string
	}{
		{"password asked for", [][]byte{alice}, asked},
		{"GSS refused, then the start", [][]byte{gss, alice}, "N " + asked},
		{"GSS refused, TLS taken", [][]byte{gss, ssl}, "N S"},
		{"TLS twice", [][]byte{ssl, ssl}, "S end"},
		{"bytes behind the request for TLS", [][]byte{append(append([]byte{}, ssl...), alice...)}, "S E(FATAL 08P01 received unencrypted data after SSL request) end"},
		{"a clear password instead", [][]byte{alice, append([]byte{'p', 0, 0, 0, 10}, "right\x00"...)}, asked + " E(FATAL 08P01 invalid SASL response) end"},
		{"a query instead", [][]byte{alice, append([]byte{'Q', 0, 0, 0, 13}, "SELECT 1\x00"...)}, asked + " E(FATAL 08P01 expected SASL response, got message type 81) end"},
		{"another mechanism", [][]byte{alice, sasl("PLAIN", "x")}, asked + " E(FATAL 08P01 client selected an invalid SASL authentication mechanism) end"},
		{"binding without TLS", [][]byte{alice, sasl(mechanismBound, "p=tls-server-end-point,,n=,r=abc")}, asked + " E(FATAL 08P01 client selected an invalid SASL authentication mechanism) end"},
		{"no SCRAM", [][]byte{alice, sasl(mechanism, "hello")}, asked + " E(FATAL 08P01 malformed SCRAM message) end"},
		{"a newer minor version", [][]byte{hello(3<<16|2, map[string]string{"user": "alice"})}, "v(196608) " + asked},
		{"options of the protocol", [][]byte{hello(version30, map[string]string{"user": "alice", "_pq_.some": "1"})}, "v(196608 _pq_.some) " + asked},
		{"another major version", [][]byte{hello(4<<16, map[string]string{"user": "alice"})}, "E(FATAL 0A000 unsupported frontend protocol 4.0: server supports 3.0 to 3.0) end"},
		{"nobody", [][]byte{hello(version30, map[string]string{"database": "omgdb"})}, "E(FATAL 28000 no PostgreSQL user name specified in startup packet) end"},
		{"silence", nil, "end"},
		{"silence in the middle", [][]byte{alice, {'p', 0}}, asked + " end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			nc, err := net.Dial("tcp", g.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			want(t, c.name, dialogue(nc, c.send, c.want), c.want)
		})
	}
}

// dialogue sends each part once the answers to the one before have come, as many as want has, and writes down the answers.
func dialogue(nc net.Conn, send [][]byte, want string) string {
	_ = nc.SetDeadline(time.Now().Add(10 * time.Second))
	f := pgproto3.NewFrontend(nc, nc)
	var said []string
	answer := func(part []byte) string {
		if code := binary.BigEndian.Uint32(append(append([]byte{}, part...), make([]byte, 8)...)[4:]); code == codeSSL || code == codeGSS {
			b := make([]byte, 1)
			if _, err := io.ReadFull(nc, b); err != nil || b[0] != 'N' && b[0] != 'S' {
				return "end"
			}
			return string(b)
		}
		m, err := f.Receive()
		if err != nil {
			return "end"
		}
		switch m := m.(type) {
		case *pgproto3.AuthenticationSASL:
			return "R(10 " + strings.Join(m.AuthMechanisms, " ") + ")"
		case *pgproto3.NegotiateProtocolVersion:
			return strings.TrimSuffix(fmt.Sprintf("v(%d %s", m.NewestMinorProtocol, strings.Join(m.UnrecognizedOptions, " ")), " ") + ")"
		case *pgproto3.ErrorResponse:
			return "E(" + m.Severity + " " + m.Code + " " + m.Message + ")"
		}
		return fmt.Sprintf("%T", m)
	}
	count := 0 // of answers that are wanted
	for depth, i := 0, 0; i <= len(want); i++ {
		switch {
		case i == len(want) || want[i] == ' ' && depth == 0:
			count++
		case want[i] == '(':
			depth++
		case want[i] == ')':
			depth--
		}
	}
	for i, part := range send {
		if _, err := nc.Write(part); err != nil {
			return strings.Join(append(said, "end"), " ")
		}
		if i < len(send)-1 {
			if said = append(said, answer(part)); strings.HasPrefix(said[len(said)-1], "v") {
				said = append(said, answer(nil))
			}
		} else if got := answer(part); got != "end" {
			said = append(said, got)
		}
	}
	for len(said) < count {
		said = append(said, answer(nil))
	}
	return strings.Join(said, " ")
}

// The salt that a name gets which has no password is the same each time, and differs from name to name: it tells nothing.
func TestSaltOfNobody(t *testing.T) {
	g := openGuarded(t)
	salt := func(user string) string {
		nc, err := net.Dial("tcp", g.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		f := pgproto3.NewFrontend(nc, nc)
		f.Send(&pgproto3.StartupMessage{ProtocolVersion: version30, Parameters: map[string]string{"user": user}})
		f.Send(&pgproto3.SASLInitialResponse{AuthMechanism: mechanism, Data: []byte("n,,n=,r=abcdefgh")})
		if err := f.Flush(); err != nil {
			t.Fatal(err)
		}
		for {
			m, err := f.Receive()
			if err != nil {
				t.Fatal(err)
			}
			if m, ok := m.(*pgproto3.AuthenticationSASLContinue); ok {
				_, rest, _ := strings.Cut(string(m.Data), ",")
				return rest // s=salt,i=iterations
			}
		}
	}
	for _, user := range []string{"nobody", "bare", "late", "alice"} {
		if a, b := salt(user), salt(user); a != b || !strings.HasPrefix(a, "s=") || !strings.HasSuffix(a, ",i=4096") {
			t.Errorf("%s: %q, then %q", user, a, b)
		}
	}
	if salt("nobody") == salt("somebody") {
		t.Error("all unknown names have one salt")
	}
}
