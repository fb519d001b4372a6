package functions

// SequenceState is what one session remembers of sequences, for currval and lastval.
type SequenceState struct {
	current map[uint32]int64
	last    uint32 // the sequence that nextval was called for last, 0 for none
}

// Note remembers the value that nextval gave.
func (s *SequenceState) Note(oid uint32, v int64) {
	s.Set(oid, v)
	s.last = oid
}

// Set makes v what currval gives.
func (s *SequenceState) Set(oid uint32, v int64) {
	if s.current == nil {
		s.current = map[uint32]int64{}
	}
	s.current[oid] = v
}

// Current is what currval gives; false before the first nextval.
func (s *SequenceState) Current(oid uint32) (int64, bool) {
	v, ok := s.current[oid]
	return v, ok
}

// Last is the sequence that lastval is about, and what it gives; false before the first nextval.
func (s *SequenceState) Last() (oid uint32, v int64, ok bool) {
	v, ok = s.current[s.last]
	return s.last, v, ok && s.last != 0
}

// Forget is DISCARD SEQUENCES.
func (s *SequenceState) Forget() { *s = SequenceState{} }
