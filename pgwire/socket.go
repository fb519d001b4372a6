package pgwire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/omgdb/omgdb/storage/dberr"
)

// maxSocketPath is the longest path that a unix socket may have on all systems.
const maxSocketPath = 103

// SocketPath is where the server of a store listens: in the store's directory, or, when that path is too long for a socket, in a
// directory of the user's own that is named by the store's path.
func SocketPath(store string, port int) (string, error) {
	abs, err := filepath.Abs(store)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf(".s.PGSQL.%d", port)
	if p := filepath.Join(abs, name); len(p) <= maxSocketPath {
		return p, nil
	}
	base := os.Getenv("XDG_RUNTIME_DIR")
	if base == "" {
		base = os.TempDir()
	}
	sum := sha256.Sum256([]byte(abs))
	dir := filepath.Join(base, fmt.Sprintf("omgdb-%d-%s", os.Getuid(), hex.EncodeToString(sum[:6])))
	return filepath.Join(dir, name), nil
}

// ListenSocket listens on a unix socket that only the user may open. The caller holds the store, so a file in its place was left by a
// server that died.
func ListenSocket(path string) (net.Listener, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, dberr.Wrap(err, dberr.IOError, "cannot make the directory of the unix socket: %v", err)
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, dberr.Wrap(err, dberr.IOError, "cannot replace the unix socket %q: %v", path, err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, dberr.Wrap(err, dberr.IOError, "cannot listen on the unix socket %q: %v", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, dberr.Wrap(err, dberr.IOError, "cannot protect the unix socket %q: %v", path, err)
	}
	return l, nil
}

// peerUID is the user at the other end of a unix socket; ok is false for other connections.
func peerUID(nc net.Conn) (uid int, ok bool) {
	u, isUnix := nc.(*net.UnixConn)
	if !isUnix {
		return 0, false
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = raw.Control(func(fd uintptr) {
		if cred, cerr := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); cerr == nil {
			uid, ok = int(cred.Uid), true
		}
	})
	return uid, ok && err == nil
}

// trusted tells whether a connection may come in without a password: it comes from this process, from the store owner's user (or
// root) through the socket, or from this machine by TCP.
func trusted(nc net.Conn, insecure bool) bool {
	if _, isUnix := nc.(*net.UnixConn); isUnix {
		uid, ok := peerUID(nc)
		return ok && (uid == os.Getuid() || uid == 0)
	}
	tcp, isTCP := nc.RemoteAddr().(*net.TCPAddr)
	return !isTCP || insecure || tcp.IP.IsLoopback()
}
