package tsearch

import "strings"

// tagLen is the length of the tag or comment at the beginning, 0 for none.
func tagLen(s string) int {
	if strings.HasPrefix(s, "<!--") {
		if end := strings.Index(s, "-->"); end >= 0 {
			return end + 3
		}
		return 0
	}
	i := 1
	if i < len(s) && (s[i] == '/' || s[i] == '!' || s[i] == '?') {
		i++
	}
	if i >= len(s) || !asciiLetter(s[i]) {
		return 0
	}
	quote := byte(0)
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			return 0
		case c == '>':
			return i + 1
		}
	}
	return 0
}

func asciiLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func asciiAlnum(c byte) bool { return asciiLetter(c) || digit(c) }

// entityLen is the length of &name; or &#123; at the beginning.
func entityLen(s string) int {
	i := 1
	hash := i < len(s) && s[i] == '#'
	if hash {
		i++
	}
	from := i
	for i < len(s) && asciiAlnum(s[i]) {
		i++
	}
	if i == from || i >= len(s) || s[i] != ';' || hash && !allDigits(s[from:i]) && s[from]|0x20 != 'x' || !hash && !asciiLetter(s[from]) {
		return 0
	}
	return i + 1
}

// pathLen is the length of a file name that begins with / or ~/ or ./ at the beginning.
func pathLen(s string) int {
	i := strings.IndexByte(s, '/')
	if i < 0 || strings.Trim(s[:i], "~.") != "" || i > 2 {
		return 0
	}
	n := i + 1
	for n < len(s) && (asciiAlnum(s[n]) || strings.IndexByte("/_.-~", s[n]) >= 0) {
		n++
	}
	n = trimPath(s, n)
	if n <= i+1 || !strings.ContainsFunc(s[i+1:n], func(r rune) bool { return r < 128 && asciiAlnum(byte(r)) }) {
		return 0
	}
	return n
}

// trimPath leaves off what ends a sentence rather than a path.
func trimPath(s string, n int) int {
	for n > 0 && strings.IndexByte(".-~", s[n-1]) >= 0 {
		n--
	}
	return n
}

// hostLen is the length of a host name: labels with dots between, the last of letters; 0 when there is no dot.
func hostLen(s string) int {
	n, dots, last := 0, 0, 0
	for n < len(s) {
		from := n
		for n < len(s) && (asciiAlnum(s[n]) || s[n] == '-' || s[n] == '_') {
			n++
		}
		for n > from && (s[n-1] == '-' || s[n-1] == '_') {
			n--
		}
		if n == from {
			break
		}
		last = n
		if dots++; n+1 < len(s) && s[n] == '.' && asciiAlnum(s[n+1]) {
			n++
			continue
		}
		break
	}
	if dots < 2 || wordAt(s, last) {
		return 0
	}
	tld := s[strings.LastIndexByte(s[:last], '.')+1 : last]
	if len(tld) < 2 || strings.ContainsFunc(tld, func(r rune) bool { return !asciiLetter(byte(r)) }) {
		return 0
	}
	if last < len(s) && s[last] == ':' { // a port
		p := last + 1
		for p < len(s) && digit(s[p]) {
			p++
		}
		if p > last+1 {
			return p
		}
	}
	return last
}

// pathBehind is the length of a URL's path at the beginning, 0 for none.
func pathBehind(s string) int {
	if s == "" || s[0] != '/' {
		return 0
	}
	n := 1
	for n < len(s) && s[n] > ' ' && s[n] < 127 && strings.IndexByte("\"<>\\^`{|}", s[n]) < 0 {
		n++
	}
	return n
}

// web emits a URL with its protocol.
func (s *scanner) web(rest string) bool {
	n := 0
	for n < len(rest) && asciiLetter(rest[n]) {
		n++
	}
	if n == 0 || !strings.HasPrefix(rest[n:], "://") || n+3 >= len(rest) || !asciiAlnum(rest[n+3]) {
		return false
	}
	s.take(protocol, n+3)
	rest = rest[n+3:]
	if h := hostLen(rest); h > 0 {
		s.siteOf(rest, h)
		return true
	}
	return true // what follows is read on its own
}

// site emits a host, with its path.
func (s *scanner) site(rest string) bool {
	h := hostLen(rest)
	if h == 0 {
		return false
	}
	if p := pathBehind(rest[h:]); p == 0 && digit(rest[0]) && allDigits(strings.ReplaceAll(rest[:h], ".", "")) {
		return false
	}
	s.siteOf(rest, h)
	return true
}

func (s *scanner) siteOf(rest string, h int) {
	if p := pathBehind(rest[h:]); p > 1 {
		s.take(url, h+p, token{host, rest[:h]}, token{urlPath, rest[h : h+p]})
		return
	}
	s.take(host, h)
}

// mail emits an email address.
func (s *scanner) mail(rest string) bool {
	n := 0
	for n < len(rest) && (asciiAlnum(rest[n]) || strings.IndexByte("._-+", rest[n]) >= 0) {
		n++
	}
	if n == 0 || n >= len(rest) || rest[n] != '@' {
		return false
	}
	h := hostLen(rest[n+1:])
	if h == 0 {
		return false
	}
	s.take(email, n+1+h)
	return true
}

// path emits a relative file name: words with slashes between.
func (s *scanner) path(rest string) bool {
	n, slash := 0, false
	for n < len(rest) && (asciiAlnum(rest[n]) || strings.IndexByte("_.-", rest[n]) >= 0 || rest[n] == '/' && n+1 < len(rest) && asciiAlnum(rest[n+1])) {
		slash = slash || rest[n] == '/'
		n++
	}
	n = trimPath(rest, n)
	if dot := strings.LastIndexByte(rest[:n], '.'); !slash {
		// a name with an extension
		if dot <= 0 || dot == n-1 || !asciiLetter(rest[0]) || wordAt(rest, n) {
			return false
		}
	}
	if wordAt(rest, n) {
		return false
	}
	s.take(file, n)
	return true
}
