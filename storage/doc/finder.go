package doc

import (
	"encoding/binary"
	"math/bits"
)

// KeyFinder finds one key in objects: a Lookup prepared for many of them. It is immutable.
type KeyFinder struct {
	word uint64 // the first 8 bytes, zero-padded
	key  string
}

// NewKeyFinder prepares the search for a key.
func NewKeyFinder(key string) KeyFinder { return KeyFinder{keyWord(key), key} }

// Key is the key searched for.
func (k *KeyFinder) Key() string { return k.key }

func keyWord(key string) uint64 {
	var w [8]byte
	copy(w[:], key)
	return binary.LittleEndian.Uint64(w[:])
}

// Find gives the value of the key in a raw object; missing when it is absent.
func (k *KeyFinder) Find(raw []byte) Value {
	for pos := 4; pos < len(raw); {
		t := raw[pos]
		if t == 0 {
			break
		}
		word, start := uint64(0), pos+1
		word, pos = nextKey(raw, start)
		if pos < 0 {
			break
		}
		end := valueEnd(t, raw, pos+1)
		if end < 0 {
			break
		}
		if word == k.word && pos-start == len(k.key) && (len(k.key) <= 8 || string(raw[start:pos]) == k.key) {
			return Value{t, raw[pos+1 : end : end]}
		}
		pos = end
	}
	return Value{}
}

// nextKey reads the key at start: its first 8 bytes, zero-padded, and the offset of the zero that ends it, or -1.
func nextKey(b []byte, start int) (word uint64, end int) {
	if start+8 > len(b) {
		return lastKey(b, start)
	}
	w := binary.LittleEndian.Uint64(b[start:])
	if z := zeroBytes(w); z != 0 {
		shift := uint(bits.TrailingZeros64(z)) &^ 7
		return w & (1<<shift - 1), start + int(shift>>3)
	}
	return w, keyEnd(b, start+8)
}

// lastKey is nextKey within 8 bytes of the end.
func lastKey(b []byte, start int) (word uint64, end int) {
	if end = keyEnd(b, start); end < 0 {
		return 0, -1
	}
	for i, c := range b[start:end] {
		word |= uint64(c) << (8 * i)
	}
	return word, end
}

// PathFinder follows one Path in many values: a Walk prepared. It is immutable.
type PathFinder struct {
	path Path
	keys []KeyFinder
}

// NewPathFinder prepares a path.
func NewPathFinder(p Path) PathFinder {
	f := PathFinder{path: p, keys: make([]KeyFinder, len(p))}
	for i, s := range p {
		f.keys[i] = NewKeyFinder(s.Key)
	}
	return f
}

// Path is the path followed.
func (f *PathFinder) Path() Path { return f.path }

// Find is Walk from the document's root.
func (f *PathFinder) Find(d Doc) Value {
	v := Value{TypeObject, d}
	for i := range f.path {
		if v.Type == TypeObject && f.path[i].Kind != StepIndex {
			v = f.keys[i].Find(v.Data)
		} else {
			v = v.Step(f.path[i])
		}
		if v.Type == TypeMissing {
			break
		}
	}
	return v
}
