package storage

import (
	"encoding/binary"

	"github.com/omgdb/omgdb/storage/kv"
)

// sweptID reads the storage id in a key of the sweeper's list.
func sweptID(k []byte) (uint64, error) {
	if len(k) != kv.PrefixLen+8 {
		return 0, wrong("the list of dropped storage has a damaged key %x", k)
	}
	return binary.BigEndian.Uint64(k[kv.PrefixLen:]), nil
}
