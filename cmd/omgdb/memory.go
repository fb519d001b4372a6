package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// Bounds of the memory that garbage may take. By itself the runtime lets the heap grow to twice of what is live: a small
// heap would be looked through many times a second, and a large transaction's buffers would look twice their size.
const (
	heapFloor   = 192 << 20 // up to here garbage is let be: a command that is soon done collects none
	heapRoom    = 1.3       // beyond, it may be this much of what is live
	heapPercent = 400       // the runtime's own measure, which thus seldom is the one that counts
)

// heapLow is heapFloor of a command that may work for minutes, beside what its user does.
const heapLow = 96 << 20

// floorOfHeap is heapFloor or heapLow.
var floorOfHeap atomic.Int64

// boundGarbage sets the runtime's memory limit anew after each collection, by what was live then. Who has set GOMEMLIMIT or GOGC
// has decided otherwise.
func boundGarbage() {
	if os.Getenv("GOMEMLIMIT") != "" || os.Getenv("GOGC") != "" {
		return
	}
	floorOfHeap.CompareAndSwap(0, heapFloor)
	debug.SetGCPercent(heapPercent)
	limit := int64(0)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	afterEachCollection(func() {
		metrics.Read(live)
		floor := floorOfHeap.Load()
		want := max(floor, int64(float64(live[0].Value.Uint64())*heapRoom)+floor/6)
		if d := want - limit; d > want/16 || d < -want/16 {
			limit = want
			debug.SetMemoryLimit(limit)
		}
	})
}

// keepHeapLow has less garbage let be from now on.
func keepHeapLow() {
	floorOfHeap.Store(heapLow)
	runtime.GC()
}

// afterEachCollection calls f once after each garbage collection: a cleanup runs when its object, which nothing holds, is collected.
func afterEachCollection(f func()) {
	type sentinel struct{ _ [16]byte }
	var arm func(struct{})
	arm = func(struct{}) {
		f()
		runtime.AddCleanup(&sentinel{}, arm, struct{}{})
	}
	arm(struct{}{})
}
