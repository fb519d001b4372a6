package mcp

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessionTimeout ends sessions of HTTP clients that went without a word.
const sessionTimeout = 30 * time.Minute

// Handler serves the protocol over HTTP to clients of this machine that know the token. Requests that a web page of another origin makes
// are refused.
func (s *Server) Handler(token string) http.Handler {
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.mcp }, &sdk.StreamableHTTPOptions{
		SessionTimeout: sessionTimeout, MaxRequestBodyBytes: maxArguments + 1<<20, Logger: s.opt.Logger, PropagateRequestCancellation: true,
	})
	return guard(token, h)
}

// guard checks where a request comes from and whether it has the token.
func guard(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !localHost(r.Host) || !localOrigin(r.Header["Origin"]) {
			http.Error(w, "this server answers requests of its own machine only", http.StatusForbidden)
			return
		}
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(given)))
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="omgdb"`)
			http.Error(w, "the request needs the header Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// localOrigin tells whether a request comes from no web page, or from one of this machine.
func localOrigin(origins []string) bool {
	switch len(origins) {
	case 0:
		return true
	case 1:
		u, err := url.Parse(origins[0])
		return err == nil && (u.Scheme == "http" || u.Scheme == "https") && localHost(u.Host)
	}
	return false
}

// localHost tells whether a host, with a port or without, is this machine by name or loopback address.
func localHost(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Listen opens a listener for Handler; only loopback addresses will do.
func Listen(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if !localHost(host) {
		return nil, fmt.Errorf("address %s: only addresses of this machine (127.0.0.1, ::1, localhost) are served", addr)
	}
	return net.Listen("tcp", addr)
}

// Serve serves the handler until ctx ends; requests that run are given a moment then.
func (s *Server) Serve(ctx context.Context, l net.Listener, token string) error {
	srv := &http.Server{Handler: s.Handler(token), ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := srv.Shutdown(stopping); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return srv.Close()
}
