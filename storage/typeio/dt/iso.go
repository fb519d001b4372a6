package dt

// isoTimestamp reads the form in which programs write timestamps, year-month-day, T or a space, hour:minute:second with up to six
// digits behind it, and nothing, Z or +00; zoned tells of these two. It takes no memory and a twentieth of the time of the full
// reader, to which it leaves (ok is false) all other forms, and whatever is out of range.
func isoTimestamp(s string) (us int64, zoned, ok bool) {
	if len(s) < 19 || s[4] != '-' || s[7] != '-' || s[10] != ' ' && s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return 0, false, false
	}
	var n [6]int
	for i, at := range [6]int{2, 5, 8, 11, 14, 17} {
		a, b := s[at]-'0', s[at+1]-'0'
		if a > 9 || b > 9 {
			return 0, false, false
		}
		n[i] = int(a)*10 + int(b)
	}
	c, d := s[0]-'0', s[1]-'0'
	year := (int(c)*10+int(d))*100 + n[0]
	if c > 9 || d > 9 || year == 0 || n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > 28 && n[2] > DaysIn(int64(year), n[1]) || n[3] > 23 || n[4] > 59 || n[5] > 59 {
		return 0, false, false
	}
	us = DaysOf(int64(year), n[1], n[2])*Day + int64(n[3]*3600+n[4]*60+n[5])*Second
	rest := s[19:]
	if len(rest) > 1 && rest[0] == '.' {
		unit := int64(Second / 10)
		for rest = rest[1:]; len(rest) > 0 && rest[0]-'0' <= 9; rest = rest[1:] {
			if unit == 0 {
				return 0, false, false
			}
			us += int64(rest[0]-'0') * unit
			unit /= 10
		}
		if unit == Second/10 {
			return 0, false, false
		}
	}
	switch rest {
	case "":
		return us, false, true
	case "Z", "+00":
		return us, true, true
	}
	return 0, false, false
}
