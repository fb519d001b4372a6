package endpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
)

const key = "sk-secret-value"

// fake embeds a text as {its length, its first byte, 1}, with the answers in reverse order; fail may refuse the n-th request.
func fake(t *testing.T, fail func(n int64, w http.ResponseWriter) bool) (*httptest.Server, *atomic.Int64) {
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k := n.Add(1)
		if r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error": {"message": "no such key"}}`)
			return
		}
		if fail != nil && fail(k, w) {
			return
		}
		var q question
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.Model != "m" || q.Format != "float" || slices.Contains(q.Input, "") {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error": {"message": "what?"}}`)
			return
		}
		var parts []string
		for i, x := range slices.Backward(q.Input) {
			parts = append(parts, fmt.Sprintf(`{"object": "embedding", "index": %d, "embedding": [%d, %d, 1]}`, i, len(x), x[0]))
		}
		fmt.Fprintf(w, `{"object": "list", "data": [%s], "usage": {"total_tokens": 1}}`, strings.Join(parts, ","))
	}))
	t.Cleanup(s.Close)
	return s, &n
}

func TestEmbed(t *testing.T) {
	s, n := fake(t, nil)
	e, err := open(context.Background(), Config{URL: s.URL + "/v1", Model: "m", Key: key}, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if e.Dim() != 3 || e.ModelID() != "http/m/dim=3" {
		t.Errorf("%d %s", e.Dim(), e.ModelID())
	}
	var texts []string
	for i := range 250 {
		texts = append(texts, strings.Repeat("x", i+1))
	}
	texts[7], texts[8] = "", "a\xff" // U+FFFD has three bytes
	vs, err := e.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		want := []float32{float32(i + 1), 'x', 1}
		switch i {
		case 7:
			want = []float32{0, 0, 0}
		case 8:
			want = []float32{4, 'a', 1}
		}
		if !slices.Equal(v, want) {
			t.Errorf("text %d: %v, want %v", i, v, want)
		}
	}
	if n.Load() != 1+3 {
		t.Errorf("%d requests for 250 texts", n.Load()-1)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, url, key string
		status         int
		times          int64 // how many requests are refused
		code, says     string
		requests       int64
	}{
		{name: "busy for a while", status: 429, times: 3, requests: 4},
		{name: "down for a while", status: 503, times: 2, requests: 3},
		{name: "always down", status: 500, times: 99, code: dberr.CannotConnect, says: "500", requests: attempts},
		{name: "bad request", status: 400, times: 99, code: dberr.DataException, says: "too many tokens", requests: 1},
		{name: "wrong key", key: "sk-other", code: dberr.InvalidAuthorization, says: "no such key", requests: 1},
		{name: "nobody there", url: "http://127.0.0.1:1/v1", code: dberr.ConnectionFailure, says: "refused"},
		{name: "no URL", url: "ftp://x", code: dberr.InvalidParameterValue, says: "http://"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, n := fake(t, func(n int64, w http.ResponseWriter) bool {
				if n > c.times {
					return false
				}
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(c.status)
				fmt.Fprint(w, `{"error": {"message": "too many tokens"}}`)
				return true
			})
			conf := Config{URL: s.URL + "/v1/embeddings", Model: "m", Key: key}
			if c.url != "" {
				conf.URL = c.url
			}
			if c.key != "" {
				conf.Key = c.key
			}
			_, err := open(context.Background(), conf, time.Millisecond)
			if dberr.Code(err) != c.code && !(err == nil && c.code == "") {
				t.Fatalf("%v, want code %q", err, c.code)
			}
			if err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(fmt.Sprintf("%+v", err), conf.Key)) {
				t.Errorf("error %v", err)
			}
			if n.Load() != c.requests {
				t.Errorf("%d requests, want %d", n.Load(), c.requests)
			}
		})
	}
}

func TestCanceled(t *testing.T) {
	s, _ := fake(t, func(_ int64, w http.ResponseWriter) bool {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := open(ctx, Config{URL: s.URL + "/v1", Model: "m", Key: key}, time.Millisecond); err == nil || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

func TestNotConfigured(t *testing.T) {
	for _, v := range []string{envURL, envModel, envKey, envDim} {
		t.Setenv(v, "")
	}
	if _, err := OpenConfigured(); dberr.Code(err) != dberr.ObjectNotInPrerequisiteState {
		t.Error(err)
	}
	t.Setenv(envURL, "http://127.0.0.1:1")
	t.Setenv(envModel, "m")
	t.Setenv(envDim, "many")
	if _, err := OpenConfigured(); dberr.Code(err) != dberr.InvalidParameterValue {
		t.Error(err)
	}
}
