package exec

import "github.com/omgdb/omgdb/functions"

// memory makes the account of an operator. What operators hold until the end, closed or not, is given back with the query's account.
func (b *builder) memory() memory { return memory{account: b.account} }

// memory is what one operator holds of the query's account.
type memory struct {
	account *functions.Account
	held    int64
}

// take adds n bytes; it fails when the query has used up its memory.
func (m *memory) take(n int64) error {
	if n == 0 {
		return nil
	}
	if err := m.account.Grow(n); err != nil {
		return err
	}
	m.held += n
	return nil
}

// free gives everything back.
func (m *memory) free() {
	if m.held != 0 {
		_ = m.account.Grow(-m.held) // giving back never fails
		m.held = 0
	}
}
