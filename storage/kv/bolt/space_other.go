//go:build !unix

package bolt

// roomToGrow is by how many bytes the file can still grow; here a guess of plenty.
func roomToGrow(string) uint64 { return 1 << 62 }
