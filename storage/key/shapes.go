package key

import (
	"encoding/binary"
	"slices"

	"github.com/omgdb/omgdb/storage/kv"
)

// The shapes of keys, each behind its keyspace and object id. Numbers are big-endian.
//
//	keyspace  rest of the key                    value
//	Row       row key                            row header, BSON document
//	Ordinal   ordinal (8)                        row key
//	Ordered   components, row key (see below)    the index's own
//	History   row key, LSN (8, a stamp)          n (4): the op-log record of that LSN with the before image
//	Log       LSN (8, a stamp)                   commit header
//	Log       LSN (8, a stamp), n (4)            record of the commit's n-th operation
//
// A row key is an _id in BSON order, or the components of a typed key, or the ordinal (8) when the key is hidden. Entries of an
// index end with the row key, so that equal values stay apart; Reader and SkipBSON find where it begins.
// Catalog, Meta, FullText and Vector keys are shaped by the packages that own them.

// AppendRow appends the key of a row.
func AppendRow(dst []byte, id uint64, rowKey []byte) []byte {
	dst = slices.Grow(dst, kv.PrefixLen+len(rowKey))
	return append(AppendPrefix(dst, Row, id), rowKey...)
}

// AppendHiddenRowKey appends the row key of a row that has no other: its ordinal.
func AppendHiddenRowKey(dst []byte, ordinal uint64) []byte {
	return binary.BigEndian.AppendUint64(dst, ordinal)
}

// HiddenRowKey reads a hidden row key.
func HiddenRowKey(rowKey []byte) (ordinal uint64, err error) {
	if len(rowKey) != 8 {
		return 0, corrupt("ordinal", rowKey)
	}
	return binary.BigEndian.Uint64(rowKey), nil
}

// AppendOrdinal appends the key under which an ordinal's row key is found.
func AppendOrdinal(dst []byte, id, ordinal uint64) []byte {
	return binary.BigEndian.AppendUint64(AppendPrefix(dst, Ordinal, id), ordinal)
}

// OrdinalOf reads the ordinal of such a key.
func OrdinalOf(k []byte) (uint64, error) {
	if len(k) != kv.PrefixLen+8 {
		return 0, corrupt("ordinal", k)
	}
	return binary.BigEndian.Uint64(k[kv.PrefixLen:]), nil
}

// AppendHistory appends the key of a history entry. For a stamp, lsn is Unstamped.
func AppendHistory(dst []byte, id uint64, rowKey []byte, lsn kv.LSN) []byte {
	dst = append(AppendPrefix(dst, History, id), rowKey...)
	return binary.BigEndian.AppendUint64(dst, uint64(lsn))
}

// HistoryStamp is where a history key of this length has its stamp (kv.Op.KeyStamp).
func HistoryStamp(k []byte) int { return len(k) - kv.StampLen }

// SplitHistory takes a history key apart; the row key lies in k.
func SplitHistory(k []byte) (rowKey []byte, lsn kv.LSN, err error) {
	at := HistoryStamp(k)
	if at < kv.PrefixLen {
		return nil, 0, corrupt("history entry", k)
	}
	return k[kv.PrefixLen:at], kv.LSN(binary.BigEndian.Uint64(k[at:])), nil
}

// Unstamped is what a stamp reads as before Apply writes the commit's LSN there.
const Unstamped = ^kv.LSN(0)

// LogStamp is where op-log keys have their stamp (kv.Op.KeyStamp).
const LogStamp = kv.PrefixLen

// AppendLogHeader appends the key of a commit's header. It sorts before the commit's records.
func AppendLogHeader(dst []byte, lsn kv.LSN) []byte {
	return binary.BigEndian.AppendUint64(AppendPrefix(dst, Log, 0), uint64(lsn))
}

// AppendLogRecord appends the key of the record of a commit's n-th operation.
func AppendLogRecord(dst []byte, lsn kv.LSN, n uint32) []byte {
	return binary.BigEndian.AppendUint32(AppendLogHeader(dst, lsn), n)
}

// SplitLog takes an op-log key apart; header tells that it has no n.
func SplitLog(k []byte) (lsn kv.LSN, n uint32, header bool, err error) {
	const headerLen = LogStamp + kv.StampLen
	switch len(k) {
	case headerLen:
		return kv.LSN(binary.BigEndian.Uint64(k[LogStamp:])), 0, true, nil
	case headerLen + 4:
		return kv.LSN(binary.BigEndian.Uint64(k[LogStamp:])), binary.BigEndian.Uint32(k[headerLen:]), false, nil
	}
	return 0, 0, false, corrupt("op-log entry", k)
}

// A delta is what a commit tells an index that gathers its entries in the background (full text, vectors): deltaTag, LSN (8, a stamp),
// ordinal (8). So the deltas of an index lie in the order of commits, and none ever replaces another.
const deltaTag = 0x01

// DeltaStamp is where the keys of deltas have their stamp (kv.Op.KeyStamp).
const DeltaStamp = kv.PrefixLen + 1

const deltaLen = DeltaStamp + kv.StampLen + 8

// AppendDelta appends the key of a delta. Whoever writes one in a transaction gives Unstamped; the commit puts its LSN there.
func AppendDelta(dst []byte, s Space, id uint64, lsn kv.LSN, ordinal uint64) []byte {
	dst = append(AppendPrefix(dst, s, id), deltaTag)
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, uint64(lsn)), ordinal)
}

// IsDelta tells whether the key of a gathered index is a delta's: its other keys begin with other bytes.
func IsDelta(k []byte) bool { return len(k) == deltaLen && k[kv.PrefixLen] == deltaTag }

// SplitDelta takes the key of a delta apart.
func SplitDelta(k []byte) (lsn kv.LSN, ordinal uint64, err error) {
	if !IsDelta(k) {
		return 0, 0, corrupt("delta", k)
	}
	return kv.LSN(binary.BigEndian.Uint64(k[DeltaStamp:])), binary.BigEndian.Uint64(k[DeltaStamp+kv.StampLen:]), nil
}

// Deltas is the range of the deltas above an LSN, up to and with another; own ones are at Unstamped.
func Deltas(s Space, id uint64, above, upto kv.LSN) kv.Range {
	r := kv.Range{Start: AppendDelta(nil, s, id, above+1, 0), End: AppendDelta(nil, s, id, upto, ^uint64(0))}
	r.End = append(r.End, 0)
	return r
}
