package doc

import "encoding/binary"

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
	for pos := 4; pos < len(raw) && raw[pos] != 0; {
		word, keyEnd, end := scanElement(raw, pos)
		if end < 0 {
			break
		}
		if word == k.word && keyEnd-pos-1 == len(k.key) && (len(k.key) <= 8 || string(raw[pos+1:keyEnd]) == k.key) {
			return Value{raw[pos], raw[keyEnd+1 : end : end]}
		}
		pos = end
	}
	return Value{}
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
