package scalar

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// charset is a character set with PostgreSQL's name; a nil codec passes bytes through (UTF8, SQL_ASCII).
type charset struct {
	name  string
	codec encoding.Encoding
}

// charsets maps folded names to character sets.
var charsets = func() map[string]charset {
	m := map[string]charset{}
	add := func(c encoding.Encoding, names ...string) {
		for _, n := range names {
			m[foldEncoding(n)] = charset{names[0], c}
		}
	}
	add(nil, "UTF8", "unicode")
	add(nil, "SQL_ASCII")
	add(charmap.ISO8859_1, "LATIN1", "ISO_8859_1")
	add(charmap.ISO8859_2, "LATIN2", "ISO_8859_2")
	add(charmap.ISO8859_3, "LATIN3", "ISO_8859_3")
	add(charmap.ISO8859_4, "LATIN4", "ISO_8859_4")
	add(charmap.ISO8859_9, "LATIN5", "ISO_8859_9")
	add(charmap.ISO8859_10, "LATIN6", "ISO_8859_10")
	add(charmap.ISO8859_13, "LATIN7", "ISO_8859_13")
	add(charmap.ISO8859_14, "LATIN8", "ISO_8859_14")
	add(charmap.ISO8859_15, "LATIN9", "ISO_8859_15")
	add(charmap.ISO8859_16, "LATIN10", "ISO_8859_16")
	add(charmap.ISO8859_5, "ISO_8859_5")
	add(charmap.ISO8859_6, "ISO_8859_6")
	add(charmap.ISO8859_7, "ISO_8859_7")
	add(charmap.ISO8859_8, "ISO_8859_8")
	add(charmap.CodePage866, "WIN866", "ALT", "windows866")
	add(charmap.Windows874, "WIN874", "windows874")
	add(charmap.Windows1250, "WIN1250", "windows1250")
	add(charmap.Windows1251, "WIN1251", "WIN", "windows1251")
	add(charmap.Windows1252, "WIN1252", "windows1252")
	add(charmap.Windows1253, "WIN1253", "windows1253")
	add(charmap.Windows1254, "WIN1254", "windows1254")
	add(charmap.Windows1255, "WIN1255", "windows1255")
	add(charmap.Windows1256, "WIN1256", "windows1256")
	add(charmap.Windows1257, "WIN1257", "windows1257")
	add(charmap.Windows1258, "WIN1258", "ABC", "TCVN", "TCVN5712", "VSCII", "windows1258")
	add(charmap.KOI8R, "KOI8R", "KOI8")
	add(charmap.KOI8U, "KOI8U")
	add(japanese.EUCJP, "EUC_JP")
	add(japanese.ShiftJIS, "SJIS", "mskanji", "shiftjis", "WIN932", "windows932")
	add(korean.EUCKR, "EUC_KR")
	add(korean.EUCKR, "UHC", "WIN949", "windows949")
	add(simplifiedchinese.GBK, "GBK", "WIN936", "windows936")
	add(simplifiedchinese.GBK, "EUC_CN")
	add(simplifiedchinese.GB18030, "GB18030")
	add(traditionalchinese.Big5, "BIG5", "WIN950", "windows950")
	return m
}()

// foldEncoding keeps letters and digits of a name, in lower case.
func foldEncoding(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 32
		}
		return -1
	}, s)
}

// charsetNamed finds a character set; what is the kind of name that the error calls it.
func charsetNamed(s, what string) (charset, error) {
	c, ok := charsets[foldEncoding(s)]
	if !ok {
		return c, dberr.New(dberr.InvalidParameterValue, `invalid %s name "%s"`, what, s)
	}
	return c, nil
}

// toUTF8 decodes bytes of a character set.
func (c charset) toUTF8(s string) (string, error) {
	if strings.IndexByte(s, 0) >= 0 {
		return "", dberr.New(dberr.CharacterNotInRepertoire, `invalid byte sequence for encoding "%s": 0x00`, c.name)
	}
	if c.codec == nil {
		v, err := typeio.In(value.Text, -1, s, nil)
		return v.Str(), err
	}
	out, err := c.codec.NewDecoder().String(s)
	if err != nil || strings.ContainsRune(out, utf8.RuneError) {
		return "", dberr.New(dberr.CharacterNotInRepertoire, `invalid byte sequence for encoding "%s": %s`, c.name, hexOf(s))
	}
	return out, nil
}

// fromUTF8 encodes a text.
func (c charset) fromUTF8(s string) (val, error) {
	if c.codec == nil {
		return text(s), nil
	}
	out, err := c.codec.NewEncoder().String(s)
	if err == nil {
		return text(out), nil
	}
	for i, r := range s {
		if _, err := c.codec.NewEncoder().String(string(r)); err != nil {
			return value.Null, dberr.New(dberr.UntranslatableCharacter, `character with byte sequence %s in encoding "UTF8" has no equivalent in encoding "%s"`,
				hexOf(s[i:i+utf8.RuneLen(r)]), c.name)
		}
	}
	return value.Null, dberr.Wrap(err, dberr.UntranslatableCharacter, `text has no equivalent in encoding "%s"`, c.name)
}

func hexOf(s string) string {
	var b []string
	for _, c := range []byte(s[:min(len(s), 4)]) {
		b = append(b, "0x"+hex.EncodeToString([]byte{c}))
	}
	return strings.Join(b, " ")
}

func convertFrom(a []val) (val, error) {
	c, err := charsetNamed(a[1].Str(), "source encoding")
	if err != nil {
		return value.Null, err
	}
	s, err := c.toUTF8(a[0].Str())
	return text(s), err
}

func convertTo(a []val) (val, error) {
	c, err := charsetNamed(a[1].Str(), "destination encoding")
	if err != nil {
		return value.Null, err
	}
	return c.fromUTF8(a[0].Str())
}

func convert(a []val) (val, error) {
	from, err := charsetNamed(a[1].Str(), "source encoding")
	if err != nil {
		return value.Null, err
	}
	to, err := charsetNamed(a[2].Str(), "destination encoding")
	if err != nil {
		return value.Null, err
	}
	s, err := from.toUTF8(a[0].Str())
	if err != nil {
		return value.Null, err
	}
	return to.fromUTF8(s)
}

func lengthIn(a []val) (val, error) {
	c, err := charsetNamed(a[1].Str(), "encoding")
	if err != nil {
		return value.Null, err
	}
	s, err := c.toUTF8(a[0].Str())
	return value.Int(int64(utf8.RuneCountInString(s))), err
}
