package pgwire

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"sync"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
)

// alpn is the application protocol that clients who begin with TLS at once must name.
const alpn = "postgresql"

// TLSFiles name the PEM files of a server's certificate and key and, for client certificates, of those who may have signed them.
type TLSFiles struct{ Cert, Key, ClientCA string }

// TLS gives each handshake the certificate as it stands in its files: changed files are read again, and while the new ones cannot be read
// the old certificate goes on.
type TLS struct {
	files TLSFiles

	mu     sync.Mutex
	read   time.Time // modification times of what was read last
	config *tls.Config
	cert   *x509.Certificate
}

// NewTLS reads the files once, so that mistakes show at the start.
func NewTLS(files TLSFiles) (*TLS, error) {
	t := &TLS{files: files}
	if err := t.load(); err != nil {
		return nil, err
	}
	return t, nil
}

// load reads the files if they have changed.
func (t *TLS) load() error {
	newest := time.Time{}
	for _, name := range []string{t.files.Cert, t.files.Key, t.files.ClientCA} {
		if name == "" {
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return dberr.Wrap(err, dberr.ConfigFileError, "cannot read the TLS file %q: %v", name, err)
		}
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.config != nil && newest.Equal(t.read) {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(t.files.Cert, t.files.Key)
	if err != nil {
		return dberr.Wrap(err, dberr.ConfigFileError, "cannot use the TLS certificate %q: %v", t.files.Cert, err)
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		return dberr.Wrap(err, dberr.ConfigFileError, "cannot use the TLS certificate %q: %v", t.files.Cert, err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{alpn}}
	if t.files.ClientCA != "" {
		pem, err := os.ReadFile(t.files.ClientCA)
		pool := x509.NewCertPool()
		if err != nil || !pool.AppendCertsFromPEM(pem) {
			return dberr.New(dberr.ConfigFileError, "the file %q has no certificates", t.files.ClientCA)
		}
		config.ClientCAs, config.ClientAuth = pool, tls.VerifyClientCertIfGiven
	}
	t.config, t.cert, t.read = config, leaf, newest
	return nil
}

// current gives the configuration for a handshake, and the certificate that the client will see.
func (t *TLS) current() (*tls.Config, *x509.Certificate) {
	_ = t.load() // what cannot be read leaves what is there
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.config, t.cert
}

// encrypt goes on with TLS on the connection. What the client had sent before the handshake was not protected and must not be believed.
func (c *conn) encrypt(direct bool) error {
	if !direct && c.in.buffered() > 0 {
		return fatal(dberr.ProtocolViolation, "received unencrypted data after SSL request").
			WithDetail("This could be either a client-software bug or evidence of an attempted man-in-the-middle attack.")
	}
	config, shown := c.srv.tls.current()
	t := tls.Server(c.in.rest(c.nc), config)
	if err := t.Handshake(); err != nil {
		return err
	}
	if direct && t.ConnectionState().NegotiatedProtocol != alpn {
		return errFrame
	}
	c.shown = shown
	c.nc, c.out.dst, c.in = t, t, newReader(t, c.srv.sessions.MaxMessage())
	return nil
}
