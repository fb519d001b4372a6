package extension

import (
	"context"
	"crypto/md5"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"

	//lint:ignore SA1019 bcrypt is made of it
	"golang.org/x/crypto/blowfish"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// Passwords are hashed as crypt(3) does: the salt names the method, and is the beginning of the result, which can stand as the salt itself.

// saltMethods are the methods that gen_salt knows: how many rounds each takes, 0 being its own choice, and what makes a salt.
var saltMethods = map[string]struct {
	least, most, normal int64
	make                func(rounds int64) string
}{
	"bf": {4, 31, 6, func(rounds int64) string {
		b := make([]byte, saltBytes)
		rand.Read(b)
		return fmt.Sprintf("$2a$%02d$%s", rounds, bcryptText.EncodeToString(b))
	}},
	"md5": {1000, 1000, 1000, func(int64) string {
		b := make([]byte, 6)
		rand.Read(b)
		return md5Prefix + string(md5Text(md5Text(nil, b[0], b[1], b[2], 4), b[3], b[4], b[5], 4))
	}},
}

func genSalt(a []val) (val, error) {
	name, rounds := strings.ToLower(a[0].Str()), int64(0)
	if len(a) > 1 {
		rounds = a[1].Int()
	}
	m, ok := saltMethods[name]
	switch {
	case name == "des" || name == "xdes":
		return value.Null, noDES()
	case !ok:
		return value.Null, dberr.New(dberr.InvalidParameterValue, "gen_salt: Unknown salt algorithm").WithHint("Use bf or md5.")
	case rounds == 0:
		rounds = m.normal
	case rounds < m.least || rounds > m.most:
		return value.Null, dberr.New(dberr.InvalidParameterValue, "gen_salt: Incorrect number of rounds").
			WithDetail("%s takes %d to %d rounds.", name, m.least, m.most)
	}
	return value.String(m.make(rounds)), nil
}

func noDES() error {
	return dberr.New(dberr.FeatureNotSupported, "crypt with des and xdes is not supported").WithHint("Use gen_salt('bf').")
}

func invalidSalt() error { return dberr.New(dberr.InvalidParameterValue, "invalid salt") }

// crypt hashes a password with the method that the salt names.
func crypt(ctx context.Context, password, salt string) (string, error) {
	switch {
	case strings.HasPrefix(salt, "$2a$"), strings.HasPrefix(salt, "$2x$"):
		return bcrypt(ctx, password, salt)
	case strings.HasPrefix(salt, md5Prefix):
		return md5Crypt(password, salt[len(md5Prefix):]), nil
	case len(salt) < 2:
		return "", invalidSalt()
	}
	return "", noDES()
}

const saltBytes = 16 // of bcrypt

// bcryptText is bcrypt's own base 64.
var bcryptText = base64.NewEncoding("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789").WithPadding(base64.NoPadding)

// bcrypt hashes with a salt of the form $2a$cost$ and 22 characters; more characters may follow. Its time doubles with each cost, up to hours,
// so it ends with the context.
func bcrypt(ctx context.Context, password, salt string) (string, error) {
	const head, text = len("$2a$06$"), 22
	if len(salt) < head+text || salt[head-1] != '$' {
		return "", invalidSalt()
	}
	cost := int(salt[4]-'0')*10 + int(salt[5]-'0')
	if salt[4] < '0' || salt[4] > '3' || salt[5] < '0' || salt[5] > '9' || cost < 4 || cost > 31 {
		return "", invalidSalt()
	}
	seed, err := bcryptText.DecodeString(salt[head : head+text])
	if err != nil {
		return "", invalidSalt()
	}
	key := bcryptKey(password, salt[2] == 'x')
	c, err := blowfish.NewSaltedCipher(key, seed)
	if err != nil {
		return "", dberr.Wrap(err, dberr.InternalError, "crypt")
	}
	for i := range uint64(1) << cost {
		if i%64 == 0 && ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		blowfish.ExpandKey(key, c)
		blowfish.ExpandKey(seed, c)
	}
	sum := []byte("OrpheanBeholderScryDoubt")
	for b := sum; len(b) > 0; b = b[blowfish.BlockSize:] {
		for range 64 {
			c.Encrypt(b, b)
		}
	}
	return salt[:head] + bcryptText.EncodeToString(seed) + bcryptText.EncodeToString(sum[:len(sum)-1]), nil
}

// bcryptKey repeats a password and the zero after it until Blowfish's key is full; what is beyond doesn't count. Method 2x extends the sign of
// bytes, a mistake of old implementations whose hashes are still around.
func bcryptKey(password string, signs bool) []byte {
	key := make([]byte, 0, 72)
	password += "\x00"
	at := 0
	for len(key) < cap(key) {
		word := uint32(0)
		for range 4 {
			b := uint32(password[at])
			if signs {
				b = uint32(int8(password[at]))
			}
			word = word<<8 | b
			at = (at + 1) % len(password)
		}
		key = binary.BigEndian.AppendUint32(key, word)
	}
	return key
}

const md5Prefix = "$1$"

// md5Text appends n characters for three bytes, the lowest bits first.
func md5Text(dst []byte, low, middle, high byte, n int) []byte {
	const digits = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	v := uint32(low) | uint32(middle)<<8 | uint32(high)<<16
	for range n {
		dst = append(dst, digits[v&63])
		v >>= 6
	}
	return dst
}

// md5Crypt hashes with a salt of up to 8 characters that ends at a $.
func md5Crypt(password, salt string) string {
	salt, _, _ = strings.Cut(salt, "$")
	salt = salt[:min(len(salt), 8)]
	inner := md5.Sum([]byte(password + salt + password))
	first := []byte(password + md5Prefix + salt)
	for n := len(password); n > 0; n -= len(inner) {
		first = append(first, inner[:min(n, len(inner))]...)
	}
	for n := len(password); n > 0; n >>= 1 {
		if n&1 != 0 {
			first = append(first, 0)
		} else {
			first = append(first, password[0])
		}
	}
	sum := md5.Sum(first)
	for i := range 1000 {
		sum = md5Round(sum, i, password, salt)
	}
	out := []byte(md5Prefix + salt + "$")
	for i := range 5 {
		last := 12 + i
		if i == 4 {
			last = 5
		}
		out = md5Text(out, sum[last], sum[6+i], sum[i], 4)
	}
	return string(md5Text(out, sum[11], 0, 0, 2))
}

// md5Round mixes password and salt in, in an order that differs from round to round.
func md5Round(sum [md5.Size]byte, i int, password, salt string) [md5.Size]byte {
	odd := i&1 != 0
	var b []byte
	if odd {
		b = append(b, password...)
	} else {
		b = append(b, sum[:]...)
	}
	if i%3 != 0 {
		b = append(b, salt...)
	}
	if i%7 != 0 {
		b = append(b, password...)
	}
	if odd {
		b = append(b, sum[:]...)
	} else {
		b = append(b, password...)
	}
	return md5.Sum(b)
}
