package key

import "crypto/sha256"

// An indexed value may be long, an index key must not be: the encoding of a value over CutAt bytes is cut there and followed
// by cutHash bytes of a hash of the whole. Keys keep the order of values except among those that share the first CutAt
// bytes, and equal keys may, if ever, belong to different values: whoever meets a cut value rechecks the row.
//
// Nothing marks a cut value: no whole encoding is a prefix of another, so one that does not end within CutAt bytes is cut.
// The CutAt bytes begin with the component's first byte, its class or what tells NULL from a value.
const (
	CutAt   = 2 << 10
	cutHash = 16
)

// Cut cuts the component in dst[start:] if it is too long for an index; exact tells that it was not. Row keys are never cut.
func Cut(dst []byte, start int) (_ []byte, exact bool) {
	if len(dst)-start <= CutAt {
		return dst, true
	}
	sum := sha256.Sum256(dst[start:])
	return append(dst[:start+CutAt], sum[:cutHash]...), false
}

// CutBound cuts a bound of a range in the same way, but without the hash: as a lower bound it is below every value that the
// uncut one is below or equal to, and PrefixEnd of it is above. The scan must recheck rows when exact is false.
func CutBound(dst []byte, start int) (_ []byte, exact bool) {
	if len(dst)-start <= CutAt {
		return dst, true
	}
	return dst[:start+CutAt], false
}

// component gives the length of the encoding at the beginning of b, of which skip finds the end; cut tells that it was cut.
func component(b []byte, skip func([]byte) (int, bool)) (n int, cut, ok bool) {
	if n, ok := skip(b[:min(len(b), CutAt)]); ok {
		return n, false, true
	}
	return CutAt + cutHash, true, len(b) >= CutAt+cutHash
}
