package pgwire

import "context"

// sharedPort names the socket of a store that a process has open for its own use.
const sharedPort = 5433

// OpenShared is Open for a process that keeps the store for a while: it serves the store's unix socket too, so that other commands of
// this user are not locked out meanwhile.
func OpenShared(ctx context.Context, path string, o LocalOptions) (*Local, error) {
	socket, err := SocketPath(path, sharedPort)
	if err != nil {
		return nil, err
	}
	o.Storage.Socket = socket
	l, err := Open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	ln, err := ListenSocket(socket)
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	go func() { _ = l.Server.Serve(ln) }() // ends with the store
	return l, nil
}
