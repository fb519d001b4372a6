package session

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/dt"
)

// Checks of settings that have a grammar of their own.

// checkDateStyle reads a list of style and order words; what is not named keeps PostgreSQL's default for the style.
func checkDateStyle(s *setting, val string) (string, error) {
	style, order := "", ""
	for _, w := range strings.Split(val, ",") {
		w = strings.Trim(strings.TrimSpace(w), `"'`)
		switch strings.ToLower(w) {
		case "iso":
			style = "ISO"
		case "sql":
			style = "SQL"
		case "postgres":
			style = "Postgres"
		case "german":
			style = "German"
			if order == "" {
				order = "DMY"
			}
		case "mdy", "us", "noneuro", "noneuropean":
			order = "MDY"
		case "dmy", "euro", "european":
			order = "DMY"
		case "ymd":
			order = "YMD"
		case "default":
			style, order = "ISO", "MDY"
		default:
			return "", s.invalid(val).WithDetail(`Unrecognized key word: "%s".`, w)
		}
	}
	if style == "" && order == "" {
		return "", s.invalid(val)
	}
	// A half that is not named is filled in from the current value by merge.
	return style + ", " + order, nil
}

// merge completes a value that names only a part of the setting: DateStyle's style or order.
func (s *setting) merge(val, current string) string {
	if s.name != "DateStyle" {
		return val
	}
	style, order, _ := strings.Cut(val, ", ")
	oldStyle, oldOrder, _ := strings.Cut(current, ", ")
	if style == "" {
		style = oldStyle
	}
	if order == "" {
		order = oldOrder
	}
	return style + ", " + order
}

func checkTimeZone(s *setting, val string) (string, error) {
	val = strings.TrimSpace(val)
	if hours, err := strconv.ParseFloat(val, 64); err == nil && math.Abs(hours) < 168 {
		return zoneOfOffset(int(math.Round(hours * 3600))), nil
	}
	if offset, ok := strings.CutPrefix(val, "INTERVAL '"); ok {
		secs, err := clockOffset(strings.TrimSuffix(offset, "'"))
		if err != nil {
			return "", s.invalid(val)
		}
		return zoneOfOffset(secs), nil
	}
	loc := dt.Named(val)
	if loc == nil {
		return "", s.invalid(val)
	}
	if strings.EqualFold(loc.String(), val) {
		return loc.String(), nil
	}
	return val, nil // a POSIX specification stays as written
}

// clockOffset reads [+-]hours[:minutes] as seconds.
func clockOffset(text string) (int, error) {
	sign := 1
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		sign, text = -1, rest
	}
	h, m, _ := strings.Cut(strings.TrimPrefix(text, "+"), ":")
	if m == "" {
		m = "0"
	}
	hours, err := strconv.Atoi(h)
	if err != nil {
		return 0, err
	}
	minutes, err := strconv.Atoi(m)
	return sign * (hours*3600 + minutes*60), err
}

// zoneOfOffset names a fixed offset in seconds east of UTC as a POSIX zone, which counts west.
func zoneOfOffset(secs int) string {
	hms := func(s int, negative bool) string {
		sign := '+'
		if negative {
			sign = '-'
		}
		if s < 0 {
			s = -s
		}
		out := fmt.Sprintf("%c%02d", sign, s/3600)
		if s%3600 != 0 {
			out += fmt.Sprintf(":%02d", s/60%60)
		}
		if s%60 != 0 {
			out += fmt.Sprintf(":%02d", s%60)
		}
		return out
	}
	return "<" + hms(secs, secs < 0) + ">" + hms(-secs, secs >= 0)
}

// encodings maps the accepted spellings of client_encoding, stripped of everything but letters and digits.
var encodings = map[string]string{"utf8": "UTF8", "unicode": "UTF8", "sqlascii": "SQL_ASCII"}

func checkEncoding(s *setting, val string) (string, error) {
	key := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 32
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, val)
	if name, ok := encodings[key]; ok {
		return name, nil
	}
	return "", s.invalid(val).WithHint("The only client encoding is UTF8.")
}

// checkSearchPath makes sure that the list can be read; the text stays as given.
func checkSearchPath(s *setting, val string) (string, error) {
	if _, ok := splitNames(val); !ok {
		return "", s.invalid(val).WithDetail("List syntax is invalid.")
	}
	return val, nil
}

// splitNames reads a comma-separated list of identifiers: unquoted ones are folded to lower case.
func splitNames(list string) (names []string, ok bool) {
	rest := strings.TrimSpace(list)
	if rest == "" {
		return nil, true
	}
	for {
		var name string
		if strings.HasPrefix(rest, `"`) {
			var b strings.Builder
			rest = rest[1:]
			for {
				i := strings.IndexByte(rest, '"')
				if i < 0 {
					return nil, false
				}
				b.WriteString(rest[:i])
				rest = rest[i+1:]
				if !strings.HasPrefix(rest, `"`) {
					break
				}
				b.WriteByte('"')
				rest = rest[1:]
			}
			name = b.String()
		} else {
			end := strings.IndexAny(rest, ", \t\r\n")
			if end < 0 {
				end = len(rest)
			}
			name, rest = strings.ToLower(rest[:end]), rest[end:]
			if name == "" {
				return nil, false
			}
		}
		names = append(names, name)
		rest = strings.TrimSpace(rest)
		if rest == "" {
			return names, true
		}
		if rest[0] != ',' {
			return nil, false
		}
		rest = strings.TrimSpace(rest[1:])
	}
}

// checkPrintable replaces what could confuse a terminal, as PostgreSQL does for application_name.
func checkPrintable(_ *setting, val string) (string, error) {
	if len(val) > 63 {
		val = strings.ToValidUTF8(val[:63], "")
	}
	return strings.Map(func(r rune) rune {
		if r < 32 || r > 126 {
			return '?'
		}
		return r
	}, val), nil
}

func checkOnlyOn(s *setting, val string) (string, error) {
	if val != "on" {
		return "", dberr.New(dberr.FeatureNotSupported, `parameter "%s" can only be on`, s.name).
			WithHint(`Write strings with backslash escapes as E'…'.`)
	}
	return val, nil
}
