package typeio

import (
	"regexp"

	"github.com/omgdb/omgdb/storage/value"
)

// xmlDeclaration is what may stand at the beginning of an XML document.
var xmlDeclaration = regexp.MustCompile(`^<\?xml\s+version\s*=\s*(?:"([^"]*)"|'([^']*)')(?:\s+encoding\s*=\s*(?:"[^"]*"|'[^']*'))?(?:\s+standalone\s*=\s*["'](yes|no)["'])?\s*\?>`)

// xmlOut leaves out what goes without saying: the encoding, which is the client's, and a declaration of version 1.0 alone with the line
// break behind it.
func xmlOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	s := v.Str()
	said := false
	if m := xmlDeclaration.FindStringSubmatch(s); m != nil {
		s = s[len(m[0]):]
		if version, alone := m[1]+m[2], m[3]; version != "1.0" || alone != "" {
			said = true
			dst = append(append(append(dst, `<?xml version="`...), version...), '"')
			if alone != "" {
				dst = append(append(append(dst, ` standalone="`...), alone...), '"')
			}
			dst = append(dst, `?>`...)
		}
	}
	if !said && s != "" && s[0] == '\n' {
		s = s[1:]
	}
	return append(dst, s...)
}
