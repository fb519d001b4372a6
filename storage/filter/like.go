package filter

import (
	"bytes"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
)

// like is a prepared LIKE pattern: literal pieces between % signs.
type like struct {
	pieces [][]likeChar // between the % signs; the first is anchored at the start, the last at the end
	prefix []byte       // literal bytes that every match begins with
	only   bool         // the pattern is prefix%, nothing else
}

// likeChar is one byte to match, or any one character.
type likeChar struct {
	c   byte
	any bool
}

// newLike reads a pattern: % is any text, _ any character, \ makes the next character literal.
func newLike(pattern string) (*like, error) {
	l := &like{}
	var piece []likeChar
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '%':
			l.pieces = append(l.pieces, piece)
			piece = nil
		case '_':
			piece = append(piece, likeChar{any: true})
		case '\\':
			if i++; i >= len(pattern) {
				return nil, dberr.New(dberr.InvalidEscapeSequence, "LIKE pattern must not end with escape character")
			}
			piece = append(piece, likeChar{c: pattern[i]})
		default:
			piece = append(piece, likeChar{c: c})
		}
	}
	l.pieces = append(l.pieces, piece)
	for _, x := range l.pieces[0] {
		if x.any {
			break
		}
		l.prefix = append(l.prefix, x.c)
	}
	l.only = len(l.pieces) == 2 && len(l.pieces[1]) == 0 && len(l.prefix) == len(l.pieces[0])
	return l, nil
}

func (l *like) match(s []byte) bool {
	if !bytes.HasPrefix(s, l.prefix) {
		return false
	}
	if l.only {
		return true
	}
	n := matchPiece(s, l.pieces[0])
	if n < 0 {
		return false
	}
	s = s[n:]
	if len(l.pieces) == 1 {
		return len(s) == 0
	}
	last := len(l.pieces) - 1
	for _, p := range l.pieces[1:last] {
		if s = findPiece(s, p); s == nil {
			return false
		}
	}
	return endsWithPiece(s, l.pieces[last])
}

// matchPiece matches a piece at the start of s and gives its length, or -1.
func matchPiece(s []byte, p []likeChar) int {
	n := 0
	for _, x := range p {
		switch {
		case n >= len(s):
			return -1
		case x.any:
			_, size := utf8.DecodeRune(s[n:])
			n += size
		case s[n] != x.c:
			return -1
		default:
			n++
		}
	}
	return n
}

// findPiece gives what follows the first match of a piece in s, nil when there is none.
func findPiece(s []byte, p []likeChar) []byte {
	for {
		if n := matchPiece(s, p); n >= 0 {
			return s[n:len(s):len(s)]
		}
		if len(s) == 0 {
			return nil
		}
		_, size := utf8.DecodeRune(s)
		s = s[size:]
	}
}

// endsWithPiece matches the piece at the end of s.
func endsWithPiece(s []byte, p []likeChar) bool {
	for {
		if matchPiece(s, p) == len(s) {
			return true
		}
		if len(s) == 0 {
			return false
		}
		_, size := utf8.DecodeRune(s)
		s = s[size:]
	}
}
