//go:build unix && (amd64 || arm64 || ppc64le || riscv64 || s390x || loong64)

package bolt

// mapSize is the least size of the map, in bytes of address space. They cost nothing until the file has them: with 1 TiB a
// process grows by 0.4 MB and opens as fast. A process has 128 TiB, and may hold many stores. Where the system gives
// less, mapFile asks for half, and so on.
const mapSize int64 = 256 << 30
