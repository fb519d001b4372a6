package pgwire

import (
	"crypto/tls"
	"net"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/xdg-go/scram"

	"github.com/omgdb/omgdb/storage/dberr"
)

// The mechanisms offered, the one that binds the exchange to the TLS channel first.
const (
	mechanism      = "SCRAM-SHA-256"
	mechanismBound = "SCRAM-SHA-256-PLUS"
)

// authenticate finds out whether the client may come in as the user that it named. owner tells that it comes from this process or from
// the store owner's account on this machine, who need no password. While no role has one, this machine needs none either; clients of
// other machines are then let in only when the server was told so. A client certificate that TLS has verified and that names the user
// stands for the password.
func (c *conn) authenticate(h *hello) (owner bool, err error) {
	local := trusted(c.nc, c.srv.insecure)
	if _, overTCP := c.nc.RemoteAddr().(*net.TCPAddr); !overTCP && local {
		return true, nil
	}
	if !c.srv.sessions.Secured() {
		if !local {
			return false, fatal(dberr.InvalidAuthorization, `no entry lets user "%s" connect from %s to database "%s"`, h.user, c.nc.RemoteAddr(), h.database)
		}
		return false, nil
	}
	if t, ok := c.nc.(*tls.Conn); ok {
		for _, chain := range t.ConnectionState().VerifiedChains {
			if len(chain) > 0 && chain[0].Subject.CommonName == h.user {
				return false, nil
			}
		}
	}
	return false, c.scram(h.user)
}

// scram runs the SASL exchange. It goes the same way for a wrong password and for a user that doesn't exist.
func (c *conn) scram(user string) error {
	mechanisms := []string{mechanism}
	binding, bound := c.channelBinding()
	if bound {
		mechanisms = []string{mechanismBound, mechanism}
	}
	c.out.put(&pgproto3.AuthenticationSASL{AuthMechanisms: mechanisms})
	msg, err := c.saslMessage()
	if err != nil {
		return err
	}
	var first pgproto3.SASLInitialResponse
	if err := first.Decode(msg); err != nil {
		return fatal(dberr.ProtocolViolation, "invalid SASL response")
	}
	server, err := scram.SHA256.NewServer(func(string) (scram.StoredCredentials, error) { return c.srv.sessions.Credentials(user) })
	if err != nil {
		return err
	}
	var talk *scram.ServerConversation
	switch {
	case first.AuthMechanism == mechanismBound && bound:
		talk = server.NewConversationWithChannelBindingRequired(binding)
	case first.AuthMechanism == mechanism && bound:
		talk = server.NewConversationWithChannelBinding(binding)
	case first.AuthMechanism == mechanism:
		talk = server.NewConversation()
	default:
		return fatal(dberr.ProtocolViolation, "client selected an invalid SASL authentication mechanism")
	}
	answer, err := talk.Step(string(first.Data))
	if err != nil {
		return fatal(dberr.ProtocolViolation, "malformed SCRAM message").WithDetail("%v", err)
	}
	c.out.put(&pgproto3.AuthenticationSASLContinue{Data: []byte(answer)})
	if msg, err = c.saslMessage(); err != nil {
		return err
	}
	answer, err = talk.Step(string(msg))
	if err != nil || !talk.Valid() {
		return fatal(dberr.InvalidPassword, `password authentication failed for user "%s"`, user)
	}
	c.out.put(&pgproto3.AuthenticationSASLFinal{Data: []byte(answer)})
	return nil
}

// saslMessage sends what is buffered and waits for the client's part of the exchange.
func (c *conn) saslMessage() ([]byte, error) {
	if err := c.out.flush(); err != nil {
		return nil, err
	}
	typ, msg, err := c.in.next()
	if err != nil {
		return nil, err
	}
	if typ != 'p' {
		return nil, fatal(dberr.ProtocolViolation, "expected SASL response, got message type %d", typ)
	}
	return msg, nil
}

// channelBinding gives what ties the exchange to this TLS connection: the hash of the server's certificate.
func (c *conn) channelBinding() (scram.ChannelBinding, bool) {
	t, ok := c.nc.(*tls.Conn)
	if !ok || c.shown == nil {
		return scram.ChannelBinding{}, false
	}
	state := t.ConnectionState()
	state.PeerCertificates = append(state.PeerCertificates[:0:0], c.shown) // the library reads the server's from there
	b, err := scram.NewTLSServerEndpointBinding(&state)
	return b, err == nil
}
