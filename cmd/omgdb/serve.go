package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/omgdb/omgdb/pgwire"
	"github.com/omgdb/omgdb/storage"
)

type serveFlags struct {
	listen   string
	create   bool
	insecure bool
	metrics  string
	tls      pgwire.TLSFiles
	drain    time.Duration
	settings []string
}

func serveCmd() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve PATH",
		Short: "Serve a store to PostgreSQL clients",
		Long: `Serves the store at PATH to PostgreSQL clients, over TCP and over a unix socket in the store's directory.
Prints one line with the URL when it is ready, then logs to standard error. SIGTERM lets transactions end, then the server.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error { return serve(cmd, a[0], &f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.listen, "listen", "127.0.0.1:5433", "address to listen on; port 0 takes a free one")
	fl.BoolVar(&f.create, "create", false, "make the store when there is none")
	fl.BoolVar(&f.insecure, "insecure", false, "let other machines in without passwords and encryption")
	fl.StringVar(&f.tls.Cert, "tls-cert", "", "PEM file of the server's certificate; with --tls-key turns TLS on")
	fl.StringVar(&f.tls.Key, "tls-key", "", "PEM file of the certificate's key")
	fl.StringVar(&f.tls.ClientCA, "tls-client-ca", "", "PEM file of authorities whose client certificates stand for passwords")
	fl.StringVar(&f.metrics, "metrics", "", "address to serve Prometheus /metrics and /healthz on")
	fl.DurationVar(&f.drain, "drain", 10*time.Second, "time that open transactions have to end after SIGTERM")
	fl.StringArrayVar(&f.settings, "set", nil, "start value of a setting, as name=value; may be given several times")
	return cmd
}

func serve(cmd *cobra.Command, path string, f *serveFlags) error {
	ignoreFileLimit()
	log := slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil))
	settings, err := parseSettings(f.settings)
	if err != nil {
		return err
	}
	tlsOf, err := serverTLS(f.tls)
	if err != nil {
		return err
	}
	tcp, err := listenTCP(f)
	if err != nil {
		return err
	}
	defer tcp.Close()
	addr := tcp.Addr().(*net.TCPAddr)
	socket, err := pgwire.SocketPath(path, addr.Port)
	if err != nil {
		return err
	}
	settings["port"], settings["listen_addresses"] = strconv.Itoa(addr.Port), addr.IP.String()
	settings["unix_socket_directories"] = socketDir(socket)
	local, err := pgwire.Open(cmd.Context(), path, pgwire.LocalOptions{
		Create: f.create, Settings: settings, Logger: log, Insecure: f.insecure, TLS: tlsOf,
		Storage: storage.Options{Command: strings.Join(append([]string{"omgdb"}, os.Args[1:]...), " "), Socket: socket, LockTimeout: time.Second},
	})
	if err != nil {
		return err
	}
	if err = mayListen(f, addr, local); err == nil {
		err = serveUntil(cmd, local, tcp, socket, f, log)
	}
	ctx, cancel := context.WithTimeout(context.Background(), f.drain)
	defer cancel()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM) // a second signal ends the wait
	defer stop()
	if cerr := local.Drain(ctx); err == nil {
		err = cerr
	}
	log.Info("stopped")
	return err
}

// serveUntil serves until the command is asked to stop or a listener fails.
func serveUntil(cmd *cobra.Command, local *pgwire.Local, tcp net.Listener, socket string, f *serveFlags, log *slog.Logger) error {
	unix, err := pgwire.ListenSocket(socket)
	if err != nil {
		return err
	}
	failed := make(chan error, 3)
	for _, l := range []net.Listener{tcp, unix} {
		go func() {
			if err := local.Server.Serve(l); err != nil {
				failed <- err
			}
		}()
	}
	if f.metrics != "" {
		stop, err := serveMetrics(f.metrics, local, failed)
		if err != nil {
			return err
		}
		defer stop()
	}
	if err := printReady(cmd, tcp.Addr().(*net.TCPAddr)); err != nil {
		return err
	}
	log.Info("ready", "address", tcp.Addr().String(), "socket", socket, "store", local.DB.Path())
	select {
	case <-cmd.Context().Done():
		log.Info("stopping", "sessions", local.Sessions.Sessions())
		return nil
	case err := <-failed:
		return err
	}
}

// printReady prints the one line that tells that clients may come, and how.
func printReady(cmd *cobra.Command, a *net.TCPAddr) error {
	host := a.IP.String()
	if a.IP.IsUnspecified() {
		host = "127.0.0.1"
		if a.IP.To4() == nil {
			host = "::1"
		}
	}
	port := strconv.Itoa(a.Port)
	u := url.URL{Scheme: "postgres", User: url.User("postgres"), Host: net.JoinHostPort(host, port), Path: "/omgdb", RawQuery: "sslmode=disable"}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "ready: %s (psql -h %s -p %s -U postgres omgdb)\n", &u, host, port)
	return err
}

// listenTCP opens the TCP listener.
func listenTCP(f *serveFlags) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(f.listen); err != nil {
		return nil, usageError{fmt.Errorf("--listen: %w", err)}
	}
	return net.Listen("tcp", f.listen)
}

// serverTLS reads the TLS files, nil when none are named.
func serverTLS(files pgwire.TLSFiles) (*pgwire.TLS, error) {
	switch {
	case files == pgwire.TLSFiles{}:
		return nil, nil
	case files.Cert == "" || files.Key == "":
		return nil, usageError{errors.New("--tls-cert and --tls-key go together")}
	}
	return pgwire.NewTLS(files)
}

// mayListen lets other machines in only when roles have passwords and connections are encrypted, or when the user says so.
func mayListen(f *serveFlags, addr *net.TCPAddr, local *pgwire.Local) error {
	if addr.IP.IsLoopback() || f.insecure || f.tls.Cert != "" && local.Sessions.Secured() {
		return nil
	}
	return usageError{fmt.Errorf("--listen %s would let other machines in without passwords and encryption; give a role a password "+
		"(omgdb user add), add --tls-cert and --tls-key, or add --insecure to say that you want that", f.listen)}
}

func parseSettings(list []string) (map[string]string, error) {
	m := map[string]string{}
	for _, kv := range list {
		name, val, ok := strings.Cut(kv, "=")
		if !ok {
			return nil, usageError{errors.New("--set wants name=value")}
		}
		m[name] = val
	}
	return m, nil
}

func socketDir(socket string) string { return socket[:strings.LastIndexByte(socket, '/')] }
