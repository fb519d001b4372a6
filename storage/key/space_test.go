package key_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

func TestShapes(t *testing.T) {
	const id = 0x0102030405060708
	prefix := "\x01\x02\x03\x04\x05\x06\x07\x08"
	for _, c := range []struct {
		name string
		got  []byte
		want string
	}{
		{"row", key.AppendRow(nil, id, []byte("k")), "d" + prefix + "k"},
		{"hidden row", key.AppendRow(nil, id, key.AppendHiddenRowKey(nil, 258)), "d" + prefix + "\x00\x00\x00\x00\x00\x00\x01\x02"},
		{"ordinal", key.AppendOrdinal(nil, id, 258), "o" + prefix + "\x00\x00\x00\x00\x00\x00\x01\x02"},
		{"history", key.AppendHistory(nil, id, []byte("k"), 9), "h" + prefix + "k\x00\x00\x00\x00\x00\x00\x00\x09"},
		{"header", key.AppendLogHeader(nil, 9), "l\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x09"},
		{"record", key.AppendLogRecord(nil, 9, 1), "l\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00\x01"},
	} {
		if string(c.got) != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
	k := key.AppendHistory(nil, id, []byte("row"), 77)
	if row, lsn, err := key.SplitHistory(k); string(row) != "row" || lsn != 77 || err != nil {
		t.Errorf("history: %q %d %v", row, lsn, err)
	}
	if key.HistoryStamp(k) != kv.PrefixLen+3 {
		t.Errorf("stamp at %d", key.HistoryStamp(k))
	}
	if lsn, n, header, err := key.SplitLog(key.AppendLogRecord(nil, 77, 5)); lsn != 77 || n != 5 || header || err != nil {
		t.Errorf("record: %d %d %v %v", lsn, n, header, err)
	}
	if lsn, _, header, err := key.SplitLog(key.AppendLogHeader(nil, 77)); lsn != 77 || !header || err != nil {
		t.Errorf("header: %d %v %v", lsn, header, err)
	}
	if o, err := key.OrdinalOf(key.AppendOrdinal(nil, id, math.MaxUint64)); o != math.MaxUint64 || err != nil {
		t.Errorf("ordinal: %d %v", o, err)
	}
	if o, err := key.HiddenRowKey(key.AppendHiddenRowKey(nil, 12)); o != 12 || err != nil {
		t.Errorf("hidden row key: %d %v", o, err)
	}
	if s, i, rest := key.Split(key.AppendRow(nil, id, []byte("k"))); s != key.Row || i != id || string(rest) != "k" {
		t.Errorf("split: %c %x %q", s, i, rest)
	}
	short := []byte("d12345678")
	_, _, errHistory := key.SplitHistory(short)
	_, _, _, errLog := key.SplitLog(short)
	_, errOrdinal := key.OrdinalOf(short)
	_, errHidden := key.HiddenRowKey(short)
	for _, err := range []error{errHistory, errLog, errOrdinal, errHidden} {
		if dberr.Code(err) != dberr.DataCorrupted {
			t.Errorf("a short key: %v", err)
		}
	}
}

func TestRanges(t *testing.T) {
	for _, c := range []struct {
		name       string
		got        kv.Range
		start, end string
	}{
		{"all", key.All(key.Row, 1), "d\x00\x00\x00\x00\x00\x00\x00\x01", "d\x00\x00\x00\x00\x00\x00\x00\x02"},
		{"last id", key.All(key.Row, math.MaxUint64), "d\xff\xff\xff\xff\xff\xff\xff\xff", "e"},
		{"between", key.Between(key.Row, 1, []byte("a"), []byte("b")), "d\x00\x00\x00\x00\x00\x00\x00\x01a", "d\x00\x00\x00\x00\x00\x00\x00\x01b"},
		{"empty end", key.Between(key.Row, 1, nil, []byte{}), "d\x00\x00\x00\x00\x00\x00\x00\x01", "d\x00\x00\x00\x00\x00\x00\x00\x01"},
	} {
		if string(c.got.Start) != c.start || string(c.got.End) != c.end {
			t.Errorf("%s: [%q, %q)", c.name, c.got.Start, c.got.End)
		}
	}
	if key.PrefixEnd([]byte("\xff\xff")) != nil || key.PrefixEnd(nil) != nil {
		t.Error("an end behind the last key")
	}
	rapid.Check(t, func(t *rapid.T) {
		prefix, k := rapid.SliceOf(rapid.SampledFrom([]byte{0, 1, 0xFE, 0xFF})).Draw(t, "prefix"), rapid.SliceOf(rapid.Byte()).Draw(t, "key")
		if rapid.Bool().Draw(t, "inside") {
			k = append(bytes.Clone(prefix), k...)
		}
		end := key.PrefixEnd(prefix)
		inside := bytes.Compare(k, prefix) >= 0 && (end == nil || bytes.Compare(k, end) < 0)
		if inside != bytes.HasPrefix(k, prefix) {
			t.Fatalf("%x in [%x, %x): %v", k, prefix, end, inside)
		}
	})
}

func TestRowKeyLimit(t *testing.T) {
	if err := key.CheckRowKey(make([]byte, key.MaxRowKey)); err != nil {
		t.Error(err)
	}
	err := key.CheckRowKey(make([]byte, key.MaxRowKey+1))
	if dberr.Code(err) != dberr.ProgramLimitExceeded || !strings.Contains(err.Error(), "8193") {
		t.Error(err)
	}
}
