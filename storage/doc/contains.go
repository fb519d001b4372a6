package doc

// Contains is `a @> b`. Objects contain by key, arrays by any element; a scalar b is contained in an array a only at
// the top level.
func Contains(a, b Value) bool {
	a, b = a.Plain(), b.Plain()
	if a.Type == TypeArray && b.Type != TypeArray && b.Type != TypeObject {
		return containsScalar(a, b)
	}
	return ContainsWithin(a, b)
}

// ContainsWithin is containment below the top level: kinds must agree.
func ContainsWithin(a, b Value) bool {
	if b.Type == TypeObject || b.needsPlain() {
		if a.needsPlain() {
			if a.Type == b.Type {
				return compareJSON(a, b) == 0
			}
			a = a.Plain()
		}
		b = b.Plain()
	}
	switch b.Type {
	case TypeObject:
		return a.Type == TypeObject && containsMembers(a, b)
	case TypeArray:
		return a.Plain().Type == TypeArray && containsElements(a.Plain(), b)
	}
	return equalScalar(a, b)
}

// equalScalar compares scalars of jsonb; b is one.
func equalScalar(a, b Value) bool {
	switch a.Type {
	case TypeObject, TypeArray:
		return false
	}
	return compareJSON(a, b) == 0
}

func containsMembers(a, b Value) bool {
	for e := b.Elements(); ; {
		k, want, ok := e.Next()
		if !ok {
			return true
		}
		have := Doc(a.Data).lookupBytes(k)
		if have.Missing() || !ContainsWithin(have, want) {
			return false
		}
	}
}

func containsElements(a, b Value) bool {
	for e := b.Elements(); ; {
		_, want, ok := e.Next()
		if !ok {
			return true
		}
		if want.Type == TypeObject || want.Type == TypeArray || want.needsPlain() {
			if !anyContains(a, want) {
				return false
			}
		} else if !containsScalar(a, want) {
			return false
		}
	}
}

func anyContains(a, want Value) bool {
	for e := a.Elements(); ; {
		_, elem, ok := e.Next()
		if !ok {
			return false
		}
		if ContainsWithin(elem, want) {
			return true
		}
	}
}

func containsScalar(a, want Value) bool {
	for e := a.Elements(); ; {
		_, elem, ok := e.Next()
		if !ok {
			return false
		}
		if equalScalar(elem, want) {
			return true
		}
	}
}

func (d Doc) lookupBytes(key []byte) Value {
	for e := d.Elements(); ; {
		k, v, ok := e.Next()
		if !ok {
			return Value{}
		}
		if string(k) == string(key) {
			return v
		}
	}
}

// Exists is `v ? key`: a key of an object, a string element of an array, or the string itself.
func Exists(v Value, key string) bool {
	v = v.Plain()
	switch v.Type {
	case TypeObject:
		return !Doc(v.Data).Lookup(key).Missing()
	case TypeArray:
		for e := v.Elements(); ; {
			_, elem, ok := e.Next()
			if !ok {
				return false
			}
			if isString(elem, key) {
				return true
			}
		}
	}
	return isString(v, key)
}

func isString(v Value, s string) bool {
	if v.Type != TypeString && !v.private(SubtypeText) {
		return false
	}
	b, _ := v.StringBytes()
	return string(b) == s
}

// ExistsAny is `v ?| keys`; false for no keys.
func ExistsAny(v Value, keys []string) bool {
	for _, k := range keys {
		if Exists(v, k) {
			return true
		}
	}
	return false
}

// ExistsAll is `v ?& keys`; true for no keys.
func ExistsAll(v Value, keys []string) bool {
	for _, k := range keys {
		if !Exists(v, k) {
			return false
		}
	}
	return true
}
