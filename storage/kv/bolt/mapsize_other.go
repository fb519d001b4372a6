//go:build !(unix && (amd64 || arm64 || ppc64le || riscv64 || s390x || loong64))

package bolt

// mapSize is the least size of the map, in bytes: small because here the map takes disk (Windows) or scarce addresses.
const mapSize int64 = 1 << 28
