package contextsvc

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
)

// state is what is known of an indexed file without its text. A document of `files` is the state and the text:
//
//	{_id, hash, stamp, settled, encoding, embedder, model, chunks, text}
type state struct {
	hash     string // of the file's bytes
	stamp    string
	settled  bool   // an equal stamp means equal content
	embedder string // what the chunks were embedded with, "" when they were not
	model    string
	chunks   int64 // documents in `chunks`
}

// fresh tells whether the file is as it was indexed, without a look into it.
func (s *state) fresh(stamp string, model string) bool {
	return s != nil && s.settled && stamp != "" && s.stamp == stamp && s.model == model
}

// stateCols are the columns that readState wants.
var stateCols = []storage.ScanCol{
	{Kind: storage.ColID}, textCol("hash"), textCol("stamp"), jsonCol("settled"), textCol("embedder"), textCol("model"), jsonCol("chunks"),
}

func textCol(name string) storage.ScanCol {
	return storage.ScanCol{Kind: storage.ColPathText, Path: doc.Keys(name)}
}

func jsonCol(name string) storage.ScanCol {
	return storage.ScanCol{Kind: storage.ColPathJSON, Path: doc.Keys(name)}
}

// states reads what is known of the files below a place, by key. Documents that are not of this package are left out.
func states(ctx context.Context, env *functions.Env, files *catalog.Relation, p place) (map[string]*state, error) {
	out := map[string]*state{}
	it, err := env.Txn.Scan(ctx, &storage.ScanSpec{Rel: files, Cols: stateCols})
	if err != nil {
		return nil, err
	}
	defer it.Close()
	const stateBytes = 400
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return out, err
		}
		if err := env.Memory.Grow(int64(b.Rows()) * stateBytes); err != nil {
			return nil, err
		}
		for i := range b.Rows() {
			row := b.Row(i)
			key := b.Cols[0].Strs[row]
			if _, ok := p.rel(key); !ok || b.Cols[1].IsNull(row) || b.Cols[2].IsNull(row) {
				continue
			}
			s := &state{hash: strings.Clone(b.Cols[1].Strs[row]), stamp: strings.Clone(b.Cols[2].Strs[row])}
			if !b.Cols[3].IsNull(row) {
				s.settled, _ = doc.Decode([]byte(b.Cols[3].Strs[row])).Bool()
			}
			if !b.Cols[4].IsNull(row) {
				s.embedder = strings.Clone(b.Cols[4].Strs[row])
			}
			if !b.Cols[5].IsNull(row) {
				s.model = strings.Clone(b.Cols[5].Strs[row])
			}
			if !b.Cols[6].IsNull(row) {
				s.chunks, _ = doc.Decode([]byte(b.Cols[6].Strs[row])).Int64()
			}
			out[strings.Clone(key)] = s
		}
	}
}

// fileDoc makes the document of a file. The text comes last, so that whoever reads the rest doesn't touch it.
func fileDoc(key string, s *state, encoding, text string) (doc.Doc, error) {
	var b doc.Builder
	b.BeginObject()
	for _, f := range []struct{ name, val string }{{"_id", key}, {"hash", s.hash}, {"stamp", s.stamp}} {
		b.Key(f.name)
		b.String(f.val)
	}
	b.Key("settled")
	b.Bool(s.settled)
	for _, f := range []struct{ name, val string }{{"encoding", encoding}, {"embedder", s.embedder}, {"model", s.model}} {
		if f.val != "" {
			b.Key(f.name)
			b.String(f.val)
		}
	}
	b.Key("chunks")
	b.Int(s.chunks)
	b.Key("text")
	b.String(text)
	b.End()
	v, err := b.Value()
	return v.Doc(), err
}

// chunkDoc makes the document of a chunk: {_id, file, model, start, end, vector}, its place in bytes of the file's text.
func chunkDoc(key string, n int, model string, c chunkRange, vec []float32) (doc.Doc, error) {
	packed := make([]byte, 0, 4*len(vec))
	for _, x := range vec {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(x))
	}
	var b doc.Builder
	b.BeginObject()
	b.Key("_id")
	b.String(chunkKey(key, n))
	b.Key("file")
	b.String(key)
	b.Key("model")
	b.String(model)
	b.Key("start")
	b.Int(int64(c.start))
	b.Key("end")
	b.Int(int64(c.end))
	b.Key("vector")
	b.Append(doc.Binary(doc.SubtypeVector, packed))
	b.End()
	v, err := b.Value()
	return v.Doc(), err
}

func chunkKey(key string, n int) string { return key + "#" + strconv.Itoa(n) }

// hashOf identifies a file's content.
func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}
