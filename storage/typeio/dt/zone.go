package dt

import (
	"bufio"
	_ "embed" // the tables of zone names
	"encoding/binary"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the binary brings its own zone rules
)

// unixMicros is the Unix time of PostgreSQL's epoch in microseconds.
const unixMicros = UnixDays * Day

// OffsetAt gives a zone's offset in seconds east of UTC, its abbreviation and whether it is daylight time, at a UTC timestamp.
func OffsetAt(loc *time.Location, utc int64) (offset int, abbrev string, dst bool) {
	if loc == time.UTC {
		return 0, "UTC", false
	}
	t := time.Unix(FloorDiv(utc, Second)+unixMicros/Second, 0).In(loc)
	abbrev, offset = t.Zone()
	return offset, abbrev, t.IsDST()
}

// ToLocal gives the zone's wall clock for a finite UTC timestamp.
func ToLocal(loc *time.Location, utc int64) int64 {
	off, _, _ := OffsetAt(loc, utc)
	return utc + int64(off)*Second
}

// LocalOffset gives the offset (seconds east) that a zone has at a wall-clock time. A time that a change of clocks skips counts
// by the offset before the change, one that it repeats by the offset after it (both are standard time in usual zones).
func LocalOffset(loc *time.Location, local int64) int {
	if loc == time.UTC {
		return 0
	}
	sec := FloorDiv(local, Second) + unixMicros/Second
	prev := time.Unix(sec-86400, 0).In(loc)
	_, before := prev.Zone()
	_, end := prev.ZoneBounds()
	if end.IsZero() {
		return before
	}
	boundary := end.Unix()
	_, after := end.In(loc).Zone()
	bt, at := sec-int64(before), sec-int64(after)
	switch {
	case bt < boundary && at < boundary:
		return before
	case bt > boundary && at >= boundary:
		return after
	case bt > at: // skipped
		return before
	}
	return after
}

// ToUTC gives the UTC timestamp of a zone's wall-clock time.
func ToUTC(loc *time.Location, local int64) int64 {
	return local - int64(LocalOffset(loc, local))*Second
}

//go:embed zones.txt
var zonesText string

//go:embed abbrevs.txt
var abbrevsText string

// Abbrev is a zone abbreviation: a fixed offset (seconds east), or, when Zone is set, that zone's meaning of it.
type Abbrev struct {
	Offset int
	DST    bool
	Zone   string
}

var tables = sync.OnceValue(func() *zoneTables {
	t := &zoneTables{names: map[string]string{}, abbrevs: map[string]Abbrev{}}
	for sc := bufio.NewScanner(strings.NewReader(zonesText)); sc.Scan(); {
		t.names[strings.ToLower(sc.Text())] = sc.Text()
	}
	for sc := bufio.NewScanner(strings.NewReader(abbrevsText)); sc.Scan(); {
		f := strings.Fields(sc.Text())
		if n, err := strconv.Atoi(f[1]); err == nil {
			t.abbrevs[f[0]] = Abbrev{Offset: n, DST: len(f) > 2}
		} else {
			t.abbrevs[f[0]] = Abbrev{Zone: f[1]}
		}
	}
	return t
})

type zoneTables struct {
	names   map[string]string // lower case → zone name
	abbrevs map[string]Abbrev // lower case
	loaded  sync.Map          // zone name → *time.Location
}

// ZoneNames lists the known zone names (unsorted).
func ZoneNames() []string {
	var out []string
	for _, n := range tables().names {
		out = append(out, n)
	}
	return out
}

// Abbrevs gives the table of abbreviations by lower-case name; it must not be changed.
func Abbrevs() map[string]Abbrev { return tables().abbrevs }

// LookupAbbrev finds an abbreviation, in lower case.
func LookupAbbrev(s string) (Abbrev, bool) {
	a, ok := tables().abbrevs[s]
	return a, ok
}

// Named finds a zone by its full name, in any case, or by a POSIX specification with a fixed offset (XYZ+3, <+03>-3).
func Named(name string) *time.Location {
	t := tables()
	canon, ok := t.names[strings.ToLower(name)]
	if !ok {
		return posixZone(name)
	}
	if canon == "UTC" {
		return time.UTC
	}
	if loc, ok := t.loaded.Load(canon); ok {
		return loc.(*time.Location)
	}
	loc, err := time.LoadLocation(canon)
	if err != nil {
		return nil
	}
	t.loaded.Store(canon, loc)
	return loc
}

// AbbrevOffset gives the offset (seconds east) that an abbreviation means at a wall-clock time.
func (a Abbrev) AbbrevOffset(abbrev string, local int64) int {
	if a.Zone == "" {
		return a.Offset
	}
	loc := Named(a.Zone)
	if loc == nil {
		return 0
	}
	off := LocalOffset(loc, local)
	return abbrevMeaning(loc, abbrev, local-int64(off)*Second, off)
}

// abbrevMeaning looks for the offset that the zone had under this abbreviation near a time; def when it never had it.
func abbrevMeaning(loc *time.Location, abbrev string, utc int64, def int) int {
	t := time.Unix(FloorDiv(utc, Second)+unixMicros/Second, 0).In(loc)
	for range 200 {
		name, off := t.Zone()
		if strings.EqualFold(name, abbrev) {
			return off
		}
		start, _ := t.ZoneBounds()
		if start.IsZero() {
			break
		}
		t = start.Add(-time.Second)
	}
	t = time.Unix(FloorDiv(utc, Second)+unixMicros/Second, 0).In(loc)
	for range 20 {
		_, end := t.ZoneBounds()
		if end.IsZero() {
			break
		}
		if name, off := end.Zone(); strings.EqualFold(name, abbrev) {
			return off
		}
		t = end
	}
	return def
}

// Fixed makes a zone of a constant offset in seconds east; name is what the setting shows, abbrev what times show.
func Fixed(name, abbrev string, offset int) *time.Location {
	// a zone file with one zone and no changes: time.FixedZone can't tell name and abbreviation apart
	b := append([]byte("TZif"), make([]byte, 16)...)
	for _, n := range []int{0, 0, 0, 0, 1, len(abbrev) + 1} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	b = binary.BigEndian.AppendUint32(b, uint32(int32(offset)))
	b = append(append(append(b, 0, 0), abbrev...), 0)
	loc, err := time.LoadLocationFromTZData(name, b)
	if err != nil {
		return time.FixedZone(name, offset)
	}
	return loc
}

// posixZone reads [NAME][+-]h[h][:mm[:ss]], offsets counting west as POSIX does.
func posixZone(s string) *time.Location {
	i := 0
	abbrev := ""
	if strings.HasPrefix(s, "<") {
		j := strings.IndexByte(s, '>')
		if j < 0 {
			return nil
		}
		abbrev, i = s[1:j], j+1
	} else {
		for i < len(s) && (s[i] >= 'A' && s[i] <= 'Z' || s[i] >= 'a' && s[i] <= 'z') {
			i++
		}
		abbrev = s[:i]
	}
	if i == len(s) {
		return nil
	}
	sign := -1
	rest := s[i:]
	if rest[0] == '+' || rest[0] == '-' {
		if rest[0] == '-' {
			sign = 1
		}
		rest = rest[1:]
	}
	parts := strings.Split(rest, ":")
	if len(parts) > 3 {
		return nil
	}
	secs := 0
	for i, unit := range []int{3600, 60, 1} {
		if i >= len(parts) {
			break
		}
		n, err := strconv.ParseUint(parts[i], 10, 16)
		if err != nil || i == 0 && n > 167 || i > 0 && n > 59 {
			return nil
		}
		secs += int(n) * unit
	}
	return Fixed(s, abbrev, sign*secs)
}
