package mcp

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/omgdb/omgdb/pgwire"
)

// bearer adds the token to a client's requests.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// connectHTTP connects a client that has the token s3cret.
func connectHTTP(t *testing.T, url string) *sdk.ClientSession {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: url, HTTPClient: &http.Client{Transport: bearer{"s3cret"}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A client with the token is served over HTTP; others, and pages of other origins, are not.
func TestHTTP(t *testing.T) {
	w := newWorld(t, Read)
	web := httptest.NewServer(w.server.Handler("s3cret"))
	defer web.Close()
	c := connectHTTP(t, web.URL)
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "get", Arguments: map[string]any{"path": "app.omgdb", "collection": "docs", "id": "b"}})
	if err != nil || r.IsError {
		t.Fatalf("%+v, %v", r, err)
	}
	if got, want := r.Content[0].(*sdk.TextContent).Text, `{"_id":"b","text":"chocolate cake recipe","status":"draft"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for _, c := range []struct {
		name, auth, origin, host string
		want                     int
	}{
		{"good", "Bearer s3cret", "", "", 200},
		{"scheme in another case", "bearer s3cret", "", "", 200},
		{"page of this machine", "Bearer s3cret", "http://localhost:3000", "", 200},
		{"page of another machine", "Bearer s3cret", "https://evil.example", "", 403},
		{"page that looks like this machine", "Bearer s3cret", "http://localhost.evil.example", "", 403},
		{"page without an origin", "Bearer s3cret", "null", "", 403},
		{"name that leads here", "Bearer s3cret", "", "evil.example", 403},
		{"no token", "", "", "", 401},
		{"wrong token", "Bearer s3cre", "", "", 401},
		{"longer token", "Bearer s3cretx", "", "", 401},
		{"other scheme", "Basic s3cret", "", "", 401},
	} {
		req, err := http.NewRequest(http.MethodPost, web.URL, strings.NewReader(hello))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		for name, val := range map[string]string{"Authorization": c.auth, "Origin": c.origin} {
			if val != "" {
				req.Header.Set(name, val)
			}
		}
		if c.host != "" {
			req.Host = c.host
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", c.name, res.StatusCode, c.want)
		}
	}
	for _, addr := range []string{"0.0.0.0:0", "192.168.1.1:0", "example.com:0", ":0", "nonsense"} {
		if l, err := Listen(addr); err == nil {
			_ = l.Close()
			t.Errorf("it listens on %s", addr)
		}
	}
}

// A store is let go when no call has used it for a while, and others reach it meanwhile; one that another process serves is reached too.
func TestStoresAreShared(t *testing.T) {
	w := newWorld(t, Write)
	w.server.stores.keep = 50 * time.Millisecond
	path := filepath.Join(w.root, "app.omgdb")
	count := func() int {
		w.server.stores.mu.Lock()
		defer w.server.stores.mu.Unlock()
		return len(w.server.stores.open)
	}
	if got, failed := w.call("list_collections", `{"path":"app.omgdb"}`); failed {
		t.Fatal(got)
	}
	// While the server has it, another connection goes through its socket.
	conn, done, err := pgwire.DialWith(t.Context(), path, pgwire.DialOptions{Application: "other"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `SELECT omgdb.insert_document('docs', '{"_id":"d"}')`); err != nil {
		t.Error(err)
	}
	_ = done()
	for until := time.Now().Add(10 * time.Second); count() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the store is never let go")
		}
	}
	// Now somebody else has it.
	holder, err := pgwire.OpenShared(t.Context(), path, pgwire.LocalOptions{Logger: w.server.opt.Logger})
	if err != nil {
		t.Fatal(err)
	}
	if got, failed := w.call("get", `{"path":"app.omgdb","collection":"docs","id":"d"}`); failed {
		t.Error(got)
	}
	if n := count(); n != 0 {
		t.Errorf("%d stores are open though another has it", n)
	}
	if err := holder.Close(); err != nil {
		t.Error(err)
	}
	if got, failed := w.call("get", `{"path":"app.omgdb","collection":"docs","id":"d"}`); failed {
		t.Error(got)
	}
}

// More stores than may be open at a time take turns.
func TestManyStores(t *testing.T) {
	w := newWorld(t, Write)
	for i := range maxStores + 3 {
		fill(t, filepath.Join(w.root, fmt.Sprintf("s%d.omgdb", i)))
		if got, failed := w.call("list_collections", fmt.Sprintf(`{"path":"s%d.omgdb"}`, i)); failed {
			t.Errorf("store %d: %s", i, got)
		}
	}
	w.server.stores.mu.Lock()
	defer w.server.stores.mu.Unlock()
	if n := len(w.server.stores.open); n > maxStores {
		t.Errorf("%d stores are open", n)
	}
}

// The store of the command line needs no path, and may lie outside of the root.
func TestOwnStore(t *testing.T) {
	w := newWorld(t, Read)
	if err := w.server.Close(); err != nil {
		t.Fatal(err)
	}
	own := connectTo(t, w.root, Read, func(o *Options) { o.Store = filepath.Join(filepath.Dir(w.root), "data-secret", "x.omgdb") })
	if got, failed := own.call("list_collections", `{}`); failed {
		t.Error(got)
	}
	if got, failed := own.call("list_collections", `{"path":"../data-secret/x.omgdb"}`); !failed {
		t.Errorf("the path is open to all: %s", got)
	}
}

// Calls of all kinds of nonsense, many at once, over a pipe and over HTTP, leave the server alive and the store sound.
func TestHostileCalls(t *testing.T) {
	w := newWorld(t, Admin)
	web := httptest.NewServer(w.server.Handler("s3cret"))
	defer web.Close()
	clients := []*sdk.ClientSession{w.client, connectHTTP(t, web.URL)}
	defer clients[1].Close()
	values := []string{
		`null`, `true`, `-1`, `0`, `1e400`, `2147483648`, `""`, `"\u0000"`, `"app.omgdb"`, `"docs"`, `"text"`, `"../../etc/passwd"`, `"'; DROP TABLE docs; --"`, `[]`, `{}`,
		`{"$where":"1"}`, `{"a":{"$regex":"(a+)+$"}}`, `"` + strings.Repeat("x", 100000) + `"`, `[` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `]`,
		strings.Repeat(`{"a":`, 250) + `1` + strings.Repeat(`}`, 250), `"SELECT generate_series(1, 100000)"`, `"SELECT ((((("`, `"index"`, `"query"`, `"src"`, `[{"_id":{"a":[1]}}]`,
		`"\ud800"`, `"` + strings.Repeat("😀", 5000) + `"`, `"."`, `"/"`,
	}
	var list []*tool
	for i := range tools {
		list = append(list, &tools[i])
	}
	const workers, calls = 8, 125
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(worker), 1))
			for range calls {
				tl := list[rnd.IntN(len(list))]
				args := map[string]json.RawMessage{}
				for _, p := range tl.params {
					switch {
					case p.name == "path" && rnd.IntN(4) > 0:
						args[p.name] = json.RawMessage(`"app.omgdb"`)
					case p.name == "collection" && rnd.IntN(2) > 0:
						args[p.name] = json.RawMessage(`"docs"`)
					case rnd.IntN(4) > 0:
						args[p.name] = json.RawMessage(values[rnd.IntN(len(values))])
					}
				}
				if tl.name == "execute" {
					args["statement"] = json.RawMessage(`"SELECT * FROM docs"`)
				}
				raw, err := json.Marshal(args)
				if err != nil {
					continue // not JSON at all: the client's library would not send it
				}
				client := clients[worker%len(clients)]
				if _, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: tl.name, Arguments: json.RawMessage(raw)}); err != nil && t.Context().Err() != nil {
					t.Errorf("%s: %v", tl.name, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got, failed := w.call("get", `{"path":"app.omgdb","collection":"docs","id":"b"}`); failed || got != `{"_id":"b","text":"chocolate cake recipe","status":"draft"}` {
		t.Errorf("a document has suffered: %s", got)
	}
	if got, failed := w.call("sql", `{"path":"app.omgdb","statement":"SELECT omgdb.verify()->>'ok'"}`); failed || !strings.Contains(got, `[["true"]]`) {
		t.Errorf("the store has suffered: %s", got)
	}
	if _, err := os.Stat("/etc/.context.db"); err == nil {
		t.Error("an index was made outside of the root")
	}
}
