// Package tochar writes and reads dates and numbers by templates: to_char, to_date, to_timestamp, to_number (manual, section 9.8).
package tochar

import (
	"strings"
	"unicode/utf8"
)

// nodeKind tells what an item of a template is.
type nodeKind uint8

const (
	nField nodeKind = iota
	nChar           // literal text
	nSeparator
	nSpace
)

// item is one item of a template.
type item struct {
	kind  nodeKind
	field *field
	text  string // of literals: one character
	fill  bool   // FM
	local bool   // TM: words in the locale's form, which have no padding
	th    byte   // 't' or 'T' suffix, 0 none
}

// field is a template pattern.
type field struct {
	name  string
	id    string // the same for all spellings of one pattern: upper case
	digit bool   // it reads and writes digits
	conv  byte   // date convention: g Gregorian, i ISO week, 0 either
}

// style is the case that a word pattern is written in.
type style uint8

const (
	upper style = iota
	title
	lower
)

func (f *field) style() style {
	switch {
	case f.name[0] >= 'a':
		return lower
	case len(f.name) > 1 && f.name[1] >= 'a':
		return title
	}
	return upper
}

// dateFields are the patterns of dates; a pattern that starts like another stands before it.
var dateFields = fields(`A.D. A.M. AD AM B.C. BC CC# DAY DDD#g DD#g DY Day Dy D#g FF1# FF2# FF3# FF4# FF5# FF6# FX HH24# HH12# HH#
IDDD#i ID#i IW#i IYYY#i IYY#i IY#i I#i J# MI# MM#g MONTHg MONg MS# Monthg Mong OF P.M. PM Q# RMg SSSSS# SSSS# SS# TZH TZM# TZ US#
WW#g W#g Y,YYY#g YYYY#g YYY#g YY#g Y#g a.d. a.m. ad am b.c. bc cc# day ddd#g dd#g dy d#g ff1# ff2# ff3# ff4# ff5# ff6# fx
hh24# hh12# hh# iddd#i id#i iw#i iyyy#i iyy#i iy#i i#i j# mi# mm#g monthg mong ms# of p.m. pm q# rmg sssss# ssss# ss# tzh tzm# tz us#
ww#g w#g y,yyy#g yyyy#g yyy#g yy#g y#g`)

// numberFields are the patterns of numbers.
var numberFields = fields(`, . 0 9 B C D EEEE FM G L MI PL PR RN SG SP S TH V b c d eeee fm g l mi pl pr rn sg sp s th v`)

// fields reads a list of patterns: # marks digits, a last g or i the convention of names in upper or title case.
func fields(list string) map[byte][]*field {
	m := map[byte][]*field{}
	for w := range strings.FieldsSeq(list) {
		f := &field{}
		if name, conv, ok := strings.Cut(w, "#"); ok {
			f.digit, w = true, name
			if conv != "" {
				f.conv = conv[0]
			}
		} else if len(w) > 2 && w[len(w)-1] == 'g' {
			f.conv, w = 'g', w[:len(w)-1]
		}
		f.name, f.id = w, strings.ToUpper(w)
		if f.id == "SSSSS" {
			f.id = "SSSS"
		}
		m[w[0]] = append(m[w[0]], f)
	}
	return m
}

// parse reads a template. Only templates of dates have prefixes and suffixes.
func parse(s string, table map[byte][]*field, dates bool) []item {
	var out []item
	for s != "" {
		var it item
		if dates {
			s = prefix(s, &it)
		}
		if f := find(s, table); f != nil {
			it.kind, it.field = nField, f
			s = s[len(f.name):]
			if dates {
				s = suffix(s, &it)
			}
			out = append(out, it)
			continue
		}
		if s == "" {
			break
		}
		if s[0] == '"' {
			out, s = quoted(out, s[1:])
			continue
		}
		if s[0] == '\\' && len(s) > 1 && s[1] == '"' {
			s = s[1:]
		}
		_, n := utf8.DecodeRuneInString(s)
		out = append(out, item{kind: literalKind(s[:n], dates), text: s[:n]})
		s = s[n:]
	}
	return out
}

func find(s string, table map[byte][]*field) *field {
	if s == "" {
		return nil
	}
	for _, f := range table[s[0]] {
		if strings.HasPrefix(s, f.name) {
			return f
		}
	}
	return nil
}

func prefix(s string, it *item) string {
	switch {
	case strings.HasPrefix(s, "FM"), strings.HasPrefix(s, "fm"):
		it.fill = true
	case strings.HasPrefix(s, "TM"), strings.HasPrefix(s, "tm"):
		it.local = true
	default:
		return s
	}
	return s[2:]
}

func suffix(s string, it *item) string {
	switch {
	case strings.HasPrefix(s, "TH"):
		it.th = 'T'
	case strings.HasPrefix(s, "th"):
		it.th = 't'
	case strings.HasPrefix(s, "SP"):
	default:
		return s
	}
	return s[2:]
}

// quoted reads the rest of a quoted text; a backslash takes the next character.
func quoted(out []item, s string) ([]item, string) {
	for s != "" {
		if s[0] == '"' {
			return out, s[1:]
		}
		if s[0] == '\\' && len(s) > 1 {
			s = s[1:]
		}
		_, n := utf8.DecodeRuneInString(s)
		out = append(out, item{kind: nChar, text: s[:n]})
		s = s[n:]
	}
	return out, s
}

func literalKind(c string, dates bool) nodeKind {
	switch {
	case dates && separator(c):
		return nSeparator
	case isSpace(c[0]):
		return nSpace
	}
	return nChar
}

// separator tells whether s starts with a printable ASCII character that is no letter and no digit.
func separator(s string) bool {
	c := s[0]
	return c > ' ' && c < 0x7f && !(c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9')
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// ordinal gives the suffix of a number's text: st, nd, rd or th.
func ordinal(digits string, kind byte) string {
	n := len(digits)
	out := "th"
	if n > 0 && !(n > 1 && digits[n-2] == '1') {
		switch digits[n-1] {
		case '1':
			out = "st"
		case '2':
			out = "nd"
		case '3':
			out = "rd"
		}
	}
	if kind == 'T' {
		return strings.ToUpper(out)
	}
	return out
}
