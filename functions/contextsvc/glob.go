package contextsvc

import (
	"strings"
	"unicode/utf8"
)

// pattern is one line of an ignore file, with the meaning that Git gives it.
type pattern struct {
	negated bool     // takes back what an earlier pattern ignored
	dirOnly bool     // matches directories only
	name    bool     // matches the last part of a path at any depth; otherwise the whole path below the ignore file's directory
	segs    []string // globs, one for each part of the path; "**" stands for any number of parts
	broken  bool     // can never match
}

// parsePattern reads a line without its end; ok is false for blank lines and comments.
func parsePattern(line string) (p pattern, ok bool) {
	line = trimBlanks(line)
	if line == "" || line[0] == '#' {
		return p, false
	}
	if line[0] == '!' {
		p.negated, line = true, line[1:]
	}
	if l, cut := strings.CutSuffix(line, "/"); cut {
		p.dirOnly, line = true, l
	}
	p.name = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	p.segs, p.broken = splitGlob(line)
	return p, true
}

// trimBlanks removes trailing spaces that no backslash protects.
func trimBlanks(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// splitGlob cuts a glob at the slashes that stand outside of brackets.
func splitGlob(glob string) (segs []string, broken bool) {
	start := 0
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '\\':
			i++
			broken = i == len(glob) // a backslash with nothing to protect
		case '[':
			if end := bracketEnd(glob, i); end > 0 {
				i = end - 1
			} else {
				return nil, true
			}
		case '/':
			segs, start = append(segs, anyDepth(glob[start:i])), i+1
		}
	}
	return append(segs, anyDepth(glob[start:])), broken
}

// anyDepth makes a part of two or more stars the one that stands for any number of parts.
func anyDepth(seg string) string {
	if len(seg) >= 2 && strings.Trim(seg, "*") == "" {
		return "**"
	}
	return seg
}

// bracketEnd is the index behind the bracket expression that starts at i, 0 when it is never closed.
func bracketEnd(glob string, i int) int {
	j := i + 1
	if j < len(glob) && (glob[j] == '!' || glob[j] == '^') {
		j++
	}
	for first := true; j < len(glob); first = false {
		switch {
		case glob[j] == ']' && !first:
			return j + 1
		case glob[j] == '\\':
			j++
		case strings.HasPrefix(glob[j:], "[:"):
			if end := strings.Index(glob[j+2:], ":]"); end >= 0 {
				j += end + 3
			}
		}
		j++
	}
	return 0
}

// match tells whether the pattern matches a path (relative to the ignore file's directory, parts given).
func (p *pattern) match(parts []string, dir bool) bool {
	switch {
	case p.broken || p.dirOnly && !dir:
		return false
	case p.name:
		return p.segs[0] == "**" || globMatch(p.segs[0], parts[len(parts)-1])
	}
	return matchParts(p.segs, parts)
}

// matchParts matches globs with the parts of a path. A "**" at the end needs something below it. As with the stars of a name, it is
// enough to try the last "**" again.
func matchParts(segs, parts []string) bool {
	s, p := 0, 0
	star, from := -1, 0
	for p < len(parts) {
		switch {
		case s < len(segs) && segs[s] == "**":
			if s == len(segs)-1 {
				return true
			}
			star, from = s, p
			s++
		case s < len(segs) && globMatch(segs[s], parts[p]):
			s, p = s+1, p+1
		case star >= 0:
			from++
			s, p = star+1, from
		default:
			return false
		}
	}
	return s == len(segs)
}

// globMatch matches one glob without slashes with a name, byte by byte as Git does. A star that fails is tried one byte further on, the
// last star first, which is enough and takes at most len(glob)×len(name) steps.
func globMatch(glob, name string) bool {
	g, n := 0, 0
	star, from := -1, 0
	for n < len(name) {
		if g < len(glob) && glob[g] == '*' {
			star, from = g, n
			g++
			continue
		}
		if next, ok := matchOne(glob, g, name[n]); ok {
			g, n = next, n+1
			continue
		}
		if star < 0 {
			return false
		}
		from++
		g, n = star+1, from
	}
	for g < len(glob) && glob[g] == '*' {
		g++
	}
	return g == len(glob)
}

// matchOne matches the glob's element at g with a byte, and gives the index of the next element.
func matchOne(glob string, g int, c byte) (next int, ok bool) {
	if g == len(glob) {
		return g, false
	}
	switch glob[g] {
	case '?':
		return g + 1, true
	case '[':
		end := bracketEnd(glob, g)
		return end, inBracket(glob[g+1:end-1], c)
	case '\\':
		return g + 2, glob[g+1] == c
	}
	return g + 1, glob[g] == c
}

// inBracket tells whether a byte belongs to the inside of a bracket expression.
func inBracket(set string, c byte) bool {
	negated := set != "" && (set[0] == '!' || set[0] == '^')
	if negated {
		set = set[1:]
	}
	found := false
	for i := 0; i < len(set); {
		if strings.HasPrefix(set[i:], "[:") {
			if end := strings.Index(set[i+2:], ":]"); end >= 0 {
				class, known := classes[set[i+2:i+2+end]]
				if !known {
					return false // the whole pattern is void
				}
				found = found || class(c)
				i += end + 4
				continue
			}
		}
		lo, after := bracketByte(set, i)
		hi := lo
		if after+1 < len(set) && set[after] == '-' {
			hi, after = bracketByte(set, after+1)
		}
		found = found || lo <= c && c <= hi
		i = after
	}
	return found != negated
}

// bracketByte reads one byte of a bracket expression, perhaps protected by a backslash.
func bracketByte(set string, i int) (c byte, after int) {
	if set[i] == '\\' && i+1 < len(set) {
		i++
	}
	return set[i], i + 1
}

func between(lo, hi byte) func(byte) bool { return func(c byte) bool { return lo <= c && c <= hi } }

func either(fs ...func(byte) bool) func(byte) bool {
	return func(c byte) bool {
		for _, f := range fs {
			if f(c) {
				return true
			}
		}
		return false
	}
}

// classes are the named classes of bracket expressions, for ASCII.
var classes = func() map[string]func(byte) bool {
	digit, small, capital := between('0', '9'), between('a', 'z'), between('A', 'Z')
	alpha := either(small, capital)
	alnum := either(alpha, digit)
	blank := func(c byte) bool { return c == ' ' || c == '\t' }
	graph := between('!', '~')
	return map[string]func(byte) bool{
		"alnum": alnum, "alpha": alpha, "blank": blank, "digit": digit, "graph": graph, "lower": small, "upper": capital,
		"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
		"print":  between(' ', '~'),
		"punct":  func(c byte) bool { return graph(c) && !alnum(c) },
		"space":  func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' },
		"xdigit": either(digit, between('a', 'f'), between('A', 'F')),
	}
}()

// validName tells whether a file's name can be stored as text.
func validName(name string) bool { return utf8.ValidString(name) && !strings.ContainsRune(name, 0) }
