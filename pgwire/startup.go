package pgwire

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/omgdb/omgdb/storage/dberr"
)

// The codes that stand where a start-up packet has its protocol version.
const (
	codeCancel = 1234<<16 | 5678
	codeSSL    = 1234<<16 | 5679
	codeGSS    = 1234<<16 | 5680

	version30   = 3 << 16
	maxStartup  = 10000 // bytes behind the length word
	maxCancel   = 256   // bytes of a cancel key
	maxNameSize = 63
)

// hello is what a client said of itself before the session began.
type hello struct {
	user, database string
	options        string
	replication    string
	settings       [][2]string // in the order given
}

// errDone ends a connection that has been served completely (a cancel request) or never said anything.
var errDone = errors.New("pgwire: nothing more to do")

// handshake reads packets until the start-up message: encryption requests are answered with N, a cancel request is carried out and
// ends the connection. A *dberr.Error is to be told to the client, any other error ends the connection without a word.
func (c *conn) handshake() (*hello, error) {
	if err := c.direct(); err != nil {
		return nil, err
	}
	_, encrypted := c.nc.(*tls.Conn)
	sslAsked, gssAsked := encrypted, false
	for {
		packet, err := c.startupPacket()
		if err != nil {
			return nil, err
		}
		code := binary.BigEndian.Uint32(packet)
		switch {
		case code == codeCancel:
			c.cancelRequest(packet[4:])
			return nil, errDone
		case code == codeSSL && !sslAsked:
			sslAsked = true
		case code == codeGSS && !gssAsked:
			gssAsked = true
		case code>>16 != 3:
			return nil, fatal(dberr.FeatureNotSupported, "unsupported frontend protocol %d.%d: server supports 3.0 to 3.0", code>>16, code&0xffff)
		default:
			return c.startupMessage(code, packet[4:])
		}
		encrypt := code == codeSSL && c.srv.tls != nil
		c.out.buf = append(c.out.buf, map[bool]byte{true: 'S', false: 'N'}[encrypt])
		if err := c.out.flush(); err != nil {
			return nil, err
		}
		if encrypt {
			if err := c.encrypt(false); err != nil {
				return nil, err
			}
			gssAsked = true
		}
	}
}

// firstTLS is the first byte of a client that begins with TLS at once.
const firstTLS = 0x16

// direct begins TLS without a request, if that is what the client does.
func (c *conn) direct() error {
	if c.srv.tls == nil {
		return nil
	}
	b, err := c.in.peek()
	if err == io.EOF {
		return errDone
	}
	if err != nil || b != firstTLS {
		return err
	}
	return c.encrypt(true)
}

// startupPacket reads one packet of the start-up phase: a length word and what it counts.
func (c *conn) startupPacket() ([]byte, error) {
	head, err := c.in.take(4)
	if err == io.EOF {
		return nil, errDone // a port probe: connected and gone
	}
	if err != nil {
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(head)) - 4
	if size < 4 || size > maxStartup {
		return nil, errFrame
	}
	return c.in.take(int(size))
}

// cancelRequest hands the key to the session server. The client gets no answer, whatever the key is worth.
func (c *conn) cancelRequest(key []byte) {
	if len(key) < 8 || len(key) > 4+maxCancel {
		return
	}
	c.srv.sessions.Cancel(int32(binary.BigEndian.Uint32(key)), key[4:])
}

// startupMessage takes the parameters of a start-up message apart. Minor versions and protocol options beyond 3.0 are negotiated
// down at once.
func (c *conn) startupMessage(version uint32, rest []byte) (*hello, error) {
	h, unknown := &hello{}, []string{}
	for len(rest) > 0 && rest[0] != 0 {
		name, after, ok := bytes.Cut(rest, []byte{0})
		val, after, ok2 := bytes.Cut(after, []byte{0})
		if !ok || !ok2 {
			rest = nil
			break
		}
		if err := errors.Join(asError(checkUTF8(name)), asError(checkUTF8(val))); err != nil {
			return nil, fatal(dberr.ProtocolViolation, "invalid startup packet layout: text is not UTF-8")
		}
		if n := string(name); strings.HasPrefix(n, "_pq_.") {
			unknown = append(unknown, n)
		} else {
			h.set(n, string(val))
		}
		rest = after
	}
	if len(rest) != 1 {
		return nil, fatal(dberr.ProtocolViolation, "invalid startup packet layout: expected terminator as last byte")
	}
	if version != version30 || len(unknown) > 0 {
		c.out.put(&pgproto3.NegotiateProtocolVersion{NewestMinorProtocol: version30, UnrecognizedOptions: unknown})
	}
	return h, h.complete()
}

func asError(e *dberr.Error) error {
	if e == nil {
		return nil
	}
	return e
}

func (h *hello) set(name, val string) {
	switch name {
	case "user":
		h.user = clip(val)
	case "database":
		h.database = clip(val)
	case "options":
		h.options = val
	case "replication":
		h.replication = val
	default:
		h.settings = append(h.settings, [2]string{name, val})
	}
}

// complete checks what every session needs and unfolds `options` into settings; those come first, as in PostgreSQL, so that a
// parameter of its own wins.
func (h *hello) complete() error {
	if h.user == "" {
		return fatal(dberr.InvalidAuthorization, "no PostgreSQL user name specified in startup packet")
	}
	if h.database == "" {
		h.database = h.user
	}
	switch h.replication {
	case "", "false", "off", "no", "0":
	default:
		return fatal(dberr.FeatureNotSupported, "replication connections are not supported").
			WithHint("Read the change history through omgdb.oplog() on an ordinary connection.")
	}
	opts, err := parseOptions(h.options)
	if err != nil {
		return err
	}
	h.settings = append(opts, h.settings...)
	return nil
}

// parseOptions reads the command-line form of settings: -c name=value, -cname=value and --name=value, blanks and backslashes
// escaped by a backslash.
func parseOptions(s string) ([][2]string, error) {
	var out [][2]string
	words := splitOptions(s)
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "-c" && i+1 < len(words):
			i++
			w = words[i]
		case strings.HasPrefix(w, "--"):
			w = w[2:]
		case strings.HasPrefix(w, "-c") && len(w) > 2:
			w = w[2:]
		default:
			return nil, fatal(dberr.SyntaxError, "invalid command-line argument for server process: %s", w)
		}
		name, val, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return nil, fatal(dberr.SyntaxError, "-c %s requires a value", w)
		}
		out = append(out, [2]string{strings.ReplaceAll(name, "-", "_"), val})
	}
	return out, nil
}

func splitOptions(s string) []string {
	var words []string
	var word []byte
	in := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			word, in = append(word, s[i]), true
		case c == ' ' || c >= '\t' && c <= '\r':
			if in {
				words, word, in = append(words, string(word)), word[:0], false
			}
		default:
			word, in = append(word, c), true
		}
	}
	if in {
		words = append(words, string(word))
	}
	return words
}

// clip cuts a name to the longest that the catalog keeps, at a character's border.
func clip(name string) string {
	if len(name) <= maxNameSize {
		return name
	}
	return strings.ToValidUTF8(name[:maxNameSize], "")
}

// fatal makes an error that ends the connection.
func fatal(code, format string, args ...any) *dberr.Error {
	e := dberr.New(code, format, args...)
	e.Severity = "FATAL"
	return e
}
