package session

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/xdg-go/scram"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// Passwords are kept as SCRAM-SHA-256 verifiers in PostgreSQL's form: SCRAM-SHA-256$iterations:salt$stored key:server key.

const (
	verifierPrefix = "SCRAM-SHA-256$"
	iterations     = 4096
	saltBytes      = 16
)

// verifierOf makes the verifier of a password; what is a verifier already stays as it is.
func verifierOf(password string) (string, error) {
	if _, ok := parseVerifier(password); ok {
		return password, nil
	}
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	client, err := scram.SHA256.NewClientUnprepped("", password, "")
	if err == nil {
		if prepared, perr := scram.SHA256.NewClient("", password, ""); perr == nil {
			client = prepared
		}
	}
	if err != nil {
		return "", dberr.Wrap(err, dberr.InvalidParameterValue, "cannot use this password: %v", err)
	}
	c, err := client.GetStoredCredentialsWithError(scram.KeyFactors{Salt: string(salt), Iters: iterations})
	if err != nil {
		return "", dberr.Wrap(err, dberr.InvalidParameterValue, "cannot use this password: %v", err)
	}
	b := base64.StdEncoding.EncodeToString
	return verifierPrefix + strconv.Itoa(iterations) + ":" + b(salt) + "$" + b(c.StoredKey) + ":" + b(c.ServerKey), nil
}

func parseVerifier(s string) (c scram.StoredCredentials, ok bool) {
	rest, ok := strings.CutPrefix(s, verifierPrefix)
	params, keys, ok2 := strings.Cut(rest, "$")
	iters, salt, ok3 := strings.Cut(params, ":")
	stored, server, ok4 := strings.Cut(keys, ":")
	if !ok || !ok2 || !ok3 || !ok4 {
		return c, false
	}
	n, err := strconv.Atoi(iters)
	s1, err1 := base64.StdEncoding.DecodeString(salt)
	s2, err2 := base64.StdEncoding.DecodeString(stored)
	s3, err3 := base64.StdEncoding.DecodeString(server)
	if err != nil || err1 != nil || err2 != nil || err3 != nil || n < 1 || len(s2) != sha256.Size || len(s3) != sha256.Size {
		return c, false
	}
	c.Iters, c.Salt, c.StoredKey, c.ServerKey = n, string(s1), s2, s3
	return c, true
}

// Secured tells whether a role has a password: from then on everybody has to show one.
func (srv *Server) Secured() bool {
	v, err := srv.db.Catalog(0)
	if err != nil {
		return true
	}
	for _, r := range v.Roles() {
		if r.Verifier != "" {
			return true
		}
	}
	return false
}

// Credentials gives what a client's proof is checked against. For a role that doesn't exist, cannot log in or has no password it makes up
// credentials that nothing fits, with a salt that stays the same: nobody learns which names exist.
func (srv *Server) Credentials(user string) (scram.StoredCredentials, error) {
	if v, err := srv.db.Catalog(0); err == nil {
		if r := v.Role(user); r != nil && (r.Valid == 0 || r.Valid > pgMicros(srv.clock())) {
			if c, ok := parseVerifier(r.Verifier); ok {
				return c, nil
			}
		}
	}
	mac := hmac.New(sha256.New, srv.secret[:])
	mac.Write([]byte(user))
	sum := mac.Sum(nil)
	return scram.StoredCredentials{
		KeyFactors: scram.KeyFactors{Salt: string(sum[:saltBytes]), Iters: iterations}, StoredKey: make([]byte, sha256.Size), ServerKey: sum,
	}, nil
}

// loginRole finds the role that a session runs as: the superuser while no role has a password.
func (srv *Server) loginRole(user string, trusted bool) (*catalog.Role, error) {
	v, err := srv.db.Catalog(0)
	if err != nil {
		return nil, err
	}
	r := v.Role(user)
	if !srv.Secured() || trusted && r == nil {
		if r == nil {
			r = v.RoleByID(catalog.SuperRole)
		}
		return r, nil
	}
	switch {
	case r == nil:
		return nil, dberr.New(dberr.InvalidAuthorization, `role "%s" does not exist`, user)
	case !r.Login:
		return nil, dberr.New(dberr.InvalidAuthorization, `role "%s" is not permitted to log in`, user)
	}
	return r, nil
}

// mayConnect refuses a role that lacks CONNECT on the database; name is how the client called that.
func (srv *Server) mayConnect(role *catalog.Role, db catalog.ID, name string) error {
	v, err := srv.db.Catalog(0)
	if err != nil {
		return err
	}
	for _, d := range v.Databases() {
		if d.ID == db && !v.Allowed(role.ID, catalog.GuardDatabase, d.Owner, d.ACL, catalog.RightConnect) {
			return dberr.New(dberr.InsufficientPrivilege, `permission denied for database "%s"`, name).WithDetail("User does not have CONNECT privilege.")
		}
	}
	return nil
}

// parseValidUntil reads VALID UNTIL as microseconds since 2000.
func (s *Session) parseValidUntil(text string) (int64, error) {
	if strings.EqualFold(text, "infinity") {
		return 0, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05-07", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return pgMicros(t), nil
		}
	}
	return 0, dberr.New(dberr.InvalidDatetimeFormat, `invalid input syntax for type timestamp with time zone: "%s"`, text)
}
