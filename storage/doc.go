// Package storage is the store: databases of collections and typed tables, kept under one transaction type and one commit
// path above any key-value engine.
//
// A write's life: Txn.Insert, Update or Delete checks keys and uniqueness under row locks and puts the row and its index
// entries into the transaction's overlay (package overlay); nothing is shared yet. Txn.Commit turns the overlay into one sorted
// batch (commit.go): rows, index entries, the op-log's header and records with before images and digests, history entries,
// counters. The session's goroutine does all of that, digests included; it hands the finished batch to the committer
// (committer.go), one goroutine that numbers the commits, chains their headers, applies everything that waits as one durable
// group, and publishes the next head: the pair of snapshot and catalog that new statements read.
//
// A read's life: a statement reads at a Statement, which is a head (shared, counted by references) and the sequence number up to
// which it sees the transaction's own writes. A scan merges the snapshot with the overlay in key order, filters raw documents and
// fills typed columns in one pass over each (scan.go, project.go).
//
// Key space and row format are in package key and in rows.go; what is locked when, in locks.go.
package storage
