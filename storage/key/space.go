// Package key is the store's key space: every keyspace and key shape (space.go, shapes.go), and the encodings that make the
// order of bytes the order of values.
//
// There are two orders. BSON (bson.go) is MongoDB's order across types, for _id and path indexes. Order (typed.go) is
// PostgreSQL's order of one SQL type, for typed row keys and expression indexes. Numbers of all types share one
// encoding (number.go), text and bytes another (text.go).
//
// Every encoded value tells where it ends: none is a prefix of another. So components follow each other in a key without
// separators, whatever comes behind them: further components, a row key, an LSN. Functions named Append… write to the slice given
// and return it grown; they allocate nothing else.
package key

import (
	"encoding/binary"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
)

// Space is a keyspace: the first byte of every key. The object id that follows says whose keys they are.
type Space byte

// The keyspaces. The letters are stored. Keys and values of each are described in shapes.go.
const (
	Catalog  Space = 'c' // descriptors; id: 0
	Row      Space = 'd' // documents and rows; id: the relation's storage id
	FullText Space = 'f' // postings and their tail; id: the index's storage id
	History  Space = 'h' // where a row's before images are; id: the relation's storage id
	Ordered  Space = 'i' // entries of ordered and path indexes; id: the index's storage id
	Log      Space = 'l' // the op-log; id: 0
	Meta     Space = 'm' // the store's own settings and counters; id: 0
	Ordinal  Space = 'o' // row keys by ordinal, for an index that speaks of rows so; id: the index's storage id
	Vector   Space = 'v' // vector codes and partitions; id: the index's storage id
)

// AppendPrefix appends keyspace and object id, with which every key begins.
func AppendPrefix(dst []byte, s Space, id uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, byte(s)), id)
}

// Split takes a key apart.
func Split(k []byte) (s Space, id uint64, rest []byte) {
	return Space(k[0]), binary.BigEndian.Uint64(k[1:]), k[kv.PrefixLen:]
}

// All is the range of all keys of an object.
func All(s Space, id uint64) kv.Range { return Between(s, id, nil, nil) }

// Between is the range of an object's keys whose rest is in [start, end); a nil end means to the object's last key.
func Between(s Space, id uint64, start, end []byte) kv.Range {
	prefix := AppendPrefix(make([]byte, 0, kv.PrefixLen+len(start)), s, id)
	r := kv.Range{End: PrefixEnd(prefix)}
	if end != nil {
		r.End = append(prefix[:kv.PrefixLen:kv.PrefixLen], end...)
	}
	r.Start = append(prefix, start...)
	return r
}

// PrefixEnd is the least key behind all keys with the prefix; nil when there is none, as for a prefix of 0xFF alone. The
// result is a new slice.
func PrefixEnd(prefix []byte) []byte {
	for n := len(prefix); n > 0; n-- {
		if prefix[n-1] != 0xFF {
			end := append([]byte(nil), prefix[:n]...)
			end[n-1]++
			return end
		}
	}
	return nil
}

// MaxRowKey is the limit of a row key in bytes.
const MaxRowKey = 8 << 10

// CheckRowKey refuses a row key that is too long (54000).
func CheckRowKey(rowKey []byte) error {
	if len(rowKey) > MaxRowKey {
		return dberr.New(dberr.ProgramLimitExceeded, "row key of %d bytes exceeds the maximum of %d", len(rowKey), MaxRowKey).
			WithHint("Use a shorter _id or primary key, such as a hash of the value.")
	}
	return nil
}

func corrupt(what string, k []byte) error {
	return dberr.New(dberr.DataCorrupted, "invalid %s in key %x", what, k[:min(len(k), 64)])
}
