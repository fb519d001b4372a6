package dt

import (
	"testing"
	"time"
)

// What the short way reads, the full reader reads in the same way; and what is on the list must take the short way, or must not.
func TestISOTimestamp(t *testing.T) {
	in := Input{Loc: time.UTC}
	for text, plain := range map[string]bool{
		"2026-11-29T23:00:37Z": true, "2026-11-29 23:00:37+00": true, "2026-11-29 23:00:37": true, "0001-01-01T00:00:00Z": true,
		"9999-12-31 23:59:59.999999Z": true, "2024-02-29T00:00:00.5Z": true, "1999-06-30 12:34:56.000001": true, "1900-02-28 00:00:00Z": true,
		"2023-02-29T00:00:00Z": false, "1900-02-29 00:00:00": false, "2026-13-01 00:00:00": false, "2026-00-01 00:00:00": false,
		"2026-01-00 00:00:00": false, "2026-01-01 24:00:00": false, "2026-01-01 23:59:60": false, "2026-01-01 00:00:00.1234567": false,
		"2026-01-01 00:00:00.": false, "2026-01-01 00:00:00.Z": false, "2026-01-01 00:00:00+01": false, "2026-01-01 00:00:00 BC": false,
		"0000-01-01 00:00:00": false, "2026-1-01 00:00:00": false, "/026-01-01 00:00:00": false, "2026-01-01x00:00:00": false, "": false,
	} {
		us, _, got := isoTimestamp(text)
		if got != plain {
			t.Errorf("%q: the short way is %v", text, got)
		}
		if !got {
			continue
		}
		full, err := in.timestamp("timestamp", text, func(*decoder) (int, fault) { return 0, ok })
		if err != nil || full != us {
			t.Errorf("%q is %d, by the full reader %d (%v)", text, us, full, err)
		}
	}
}

func FuzzISOTimestamp(f *testing.F) {
	for _, s := range []string{"2026-11-29T23:00:37Z", "2024-02-29 00:00:00.25+00", "1999-12-31 23:59:59"} {
		f.Add(s)
	}
	in := Input{Loc: time.UTC}
	f.Fuzz(func(t *testing.T, text string) {
		us, _, plain := isoTimestamp(text)
		if !plain {
			return
		}
		if full, err := in.timestamp("timestamp", text, func(*decoder) (int, fault) { return 0, ok }); err != nil || full != us {
			t.Errorf("%q is %d, by the full reader %d (%v)", text, us, full, err)
		}
	})
}
