package bolt

import (
	"bytes"
	"fmt"
	"sort"

	"github.com/omgdb/omgdb/storage/kv"
)

// runIter walks a range of a run; it is a source.
type runIter struct {
	run   *run
	r     kv.Range
	begun bool
	done  bool
	err   error
	block int     // the current block
	ops   []runOp // its operations
	at    int     // the current one
}

type runOp struct{ key, value []byte }

func (r *run) scan(rng kv.Range) *runIter { return &runIter{run: r, r: rng} }

func (it *runIter) key() []byte   { return it.ops[it.at].key }
func (it *runIter) value() []byte { return it.ops[it.at].value }
func (it *runIter) fault() error  { return it.err }

func (it *runIter) next() bool {
	if it.done {
		return false
	}
	it.done = !it.step()
	return !it.done
}

func (it *runIter) step() bool {
	switch {
	case !it.begun:
		it.begun = true
		it.seek()
	case it.r.Reverse:
		it.at--
	default:
		it.at++
	}
	for it.at < 0 || it.at >= len(it.ops) {
		if !it.nextBlock() {
			return false
		}
	}
	if it.r.Reverse {
		return bytes.Compare(it.key(), it.r.Start) >= 0
	}
	return it.r.End == nil || bytes.Compare(it.key(), it.r.End) < 0
}

// seek goes to the first operation of the range, or in front of the block that it is in.
func (it *runIter) seek() {
	near := it.r.Start
	if it.r.Reverse {
		near = it.r.End
	}
	switch it.block = it.run.blockOf(near); {
	case it.r.Reverse && near == nil:
		it.block = len(it.run.blocks)
	case it.block < 0 && it.r.Reverse:
		it.block = 0 // in front of which there is nothing
	case it.block >= 0 && it.load():
		it.at = sort.Search(len(it.ops), func(i int) bool { return bytes.Compare(it.ops[i].key, near) >= 0 })
	}
	if it.r.Reverse {
		it.at--
	}
}

func (it *runIter) nextBlock() bool {
	if it.r.Reverse {
		it.block--
	} else {
		it.block++
	}
	if it.err != nil || it.block < 0 || it.block >= len(it.run.blocks) || !it.load() {
		return false
	}
	it.at = 0
	if it.r.Reverse {
		it.at = len(it.ops) - 1
	}
	return true
}

// load reads the current block.
func (it *runIter) load() bool {
	b, err := it.run.load(it.block)
	it.ops = it.ops[:0]
	for err == nil && len(b.b) > 0 {
		k, v := b.op()
		if b.bad {
			err = it.run.damaged(fmt.Sprintf("the block at offset %d", it.run.blocks[it.block].from))
		}
		it.ops = append(it.ops, runOp{k, v})
	}
	it.err = err
	return err == nil
}
