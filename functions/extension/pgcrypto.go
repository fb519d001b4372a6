package extension

import (
	"context"
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"hash"
	"strings"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// crypto lists the functions of pgcrypto, but for gen_random_uuid, which PostgreSQL has itself.
func crypto() []fn {
	b, t := value.Bytea, value.Text
	out := []fn{
		{name: "digest", params: types(t, t), ret: b, eval: try(digest)},
		{name: "digest", params: types(b, t), ret: b, eval: try(digest)},
		{name: "hmac", params: types(t, t, t), ret: b, eval: try(mac)},
		{name: "hmac", params: types(b, b, t), ret: b, eval: try(mac)},
		{name: "gen_random_bytes", params: types(value.Int4), ret: b, volatile: true, eval: try(randomBytes)},
		{name: "gen_salt", params: types(t), ret: t, volatile: true, eval: try(genSalt)},
		{name: "gen_salt", params: types(t, value.Int4), ret: t, volatile: true, eval: try(genSalt)},
		{name: "crypt", params: types(t, t), ret: t, eval: func(ctx context.Context, _ *functions.Call, a []val) (val, error) {
			s, err := crypt(ctx, a[0].Str(), a[1].Str())
			return value.String(s), err
		}},
	}
	return append(out, refusedFuncs()...)
}

// refusedFuncs lists the functions of pgcrypto that OMGDB knows and does not have: a call says so.
func refusedFuncs() []fn {
	b, t := value.Bytea, value.Text
	var out []fn
	add := func(name string, ret *value.Type, signatures ...[]functions.Param) {
		for _, params := range signatures {
			out = append(out, fn{name: name, params: params, ret: ret, volatile: true, eval: try(func([]val) (val, error) {
				return value.Null, dberr.New(dberr.FeatureNotSupported, "function %s of extension \"pgcrypto\" is not supported", name).
					WithHint("Encrypt in the client; digest, hmac, crypt, gen_salt, gen_random_bytes and gen_random_uuid are built in.")
			})})
		}
	}
	add("encrypt", b, types(b, b, t))
	add("decrypt", b, types(b, b, t))
	add("encrypt_iv", b, types(b, b, b, t))
	add("decrypt_iv", b, types(b, b, b, t))
	add("armor", t, types(b), types(b, value.ArrayOf(t), value.ArrayOf(t)))
	add("dearmor", b, types(t))
	add("pgp_key_id", t, types(b))
	add("pgp_sym_encrypt", b, types(t, t), types(t, t, t))
	add("pgp_sym_encrypt_bytea", b, types(b, t), types(b, t, t))
	add("pgp_sym_decrypt", t, types(b, t), types(b, t, t))
	add("pgp_sym_decrypt_bytea", b, types(b, t), types(b, t, t))
	add("pgp_pub_encrypt", b, types(t, b), types(t, b, t))
	add("pgp_pub_encrypt_bytea", b, types(b, b), types(b, b, t))
	add("pgp_pub_decrypt", t, types(b, b), types(b, b, t), types(b, b, t, t))
	add("pgp_pub_decrypt_bytea", b, types(b, b), types(b, b, t), types(b, b, t, t))
	return out
}

// unkeyed adapts a constructor that fails only for keys that are too long.
func unkeyed(f func(key []byte) (hash.Hash, error)) func() hash.Hash {
	return func() hash.Hash {
		h, err := f(nil)
		if err != nil {
			panic(err)
		}
		return h
	}
}

// hashes are the algorithms by the names that OpenSSL knows them by.
var hashes = func() map[string]func() hash.Hash {
	m := map[string]func() hash.Hash{
		"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New,
		"sha512-224": sha512.New512_224, "sha512-256": sha512.New512_256,
		"sha3-224": func() hash.Hash { return sha3.New224() }, "sha3-256": func() hash.Hash { return sha3.New256() },
		"sha3-384": func() hash.Hash { return sha3.New384() }, "sha3-512": func() hash.Hash { return sha3.New512() },
		"blake2b512": unkeyed(blake2b.New512), "blake2s256": unkeyed(blake2s.New256),
	}
	for alias, name := range map[string]string{
		"sha-1": "sha1", "ssl3-sha1": "sha1", "ssl3-md5": "md5", "sha-224": "sha224", "sha2-224": "sha224", "sha-256": "sha256", "sha2-256": "sha256",
		"sha-384": "sha384", "sha2-384": "sha384", "sha-512": "sha512", "sha2-512": "sha512", "sha-512/224": "sha512-224", "sha2-512/224": "sha512-224",
		"sha-512/256": "sha512-256", "sha2-512/256": "sha512-256", "blake2b-512": "blake2b512", "blake2s-256": "blake2s256",
	} {
		m[alias] = m[name]
	}
	return m
}()

// hashNamed finds an algorithm, without regard to case.
func hashNamed(name string) (func() hash.Hash, error) {
	name = strings.ToLower(name)
	if h := hashes[name]; h != nil {
		return h, nil
	}
	return nil, dberr.New(dberr.InvalidParameterValue, "Cannot use \"%s\": No such hash algorithm", name)
}

func digest(a []val) (val, error) {
	method, err := hashNamed(a[1].Str())
	if err != nil {
		return value.Null, err
	}
	h := method()
	h.Write(a[0].Bytes())
	return value.Bytes(h.Sum(nil)), nil
}

func mac(a []val) (val, error) {
	method, err := hashNamed(a[2].Str())
	if err != nil {
		return value.Null, err
	}
	h := hmac.New(method, a[1].Bytes())
	h.Write(a[0].Bytes())
	return value.Bytes(h.Sum(nil)), nil
}

func randomBytes(a []val) (val, error) {
	n := a[0].Int()
	if n < 1 || n > 1024 {
		return value.Null, dberr.New(dberr.ExternalRoutineInvocation, "Length not in range").WithDetail("gen_random_bytes gives 1 to 1024 bytes.")
	}
	b := make([]byte, n)
	rand.Read(b)
	return value.Bytes(b), nil
}
