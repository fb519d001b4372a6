package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
)

type question struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Format     string   `json:"encoding_format"`
	Dimensions int      `json:"dimensions,omitempty"`
}

type answer struct {
	Data []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// refusal is an answer that says no. again tells that the same request may succeed later, at the earliest after wait.
type refusal struct {
	err   error
	again bool
	wait  time.Duration
}

// request gets the vectors of a few texts, repeating it with growing pauses while the endpoint is busy or away.
func (e *Endpoint) request(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(question{e.conf.Model, texts, "float", e.conf.Dim})
	if err != nil {
		return nil, err
	}
	pause := e.pause
	for try := 1; ; try++ {
		vs, no := e.once(ctx, body, len(texts))
		if no == nil {
			return vs, nil
		}
		if !no.again || try == attempts || ctx.Err() != nil {
			return nil, no.err
		}
		select {
		case <-time.After(min(max(pause, no.wait), longestPause)):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		pause *= 2
	}
}

func (e *Endpoint) once(ctx context.Context, body []byte, n int) ([][]float32, *refusal) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, &refusal{err: err}
	}
	req.Header.Set("Content-Type", "application/json")
	if e.conf.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.conf.Key)
	}
	res, err := e.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, &refusal{err: context.Cause(ctx)}
		}
		return nil, &refusal{again: true, err: dberr.Wrap(err, dberr.ConnectionFailure, "the embedding endpoint cannot be reached: %v", cause(err))}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, answerLimit))
	if err != nil {
		return nil, &refusal{again: true, err: dberr.Wrap(err, dberr.ConnectionFailure, "the embedding endpoint broke off its answer: %v", cause(err))}
	}
	var a answer
	parseErr := json.Unmarshal(text, &a)
	if res.StatusCode != http.StatusOK {
		return nil, refused(res, &a)
	}
	if parseErr != nil || len(a.Data) != n {
		return nil, &refusal{err: dberr.New(dberr.DataException, "the embedding endpoint's answer does not have %d vectors", n).
			WithHint("Is %s the root of an interface like OpenAI's?", envURL)}
	}
	return inOrder(&a, n)
}

// inOrder puts the vectors in the order of the texts.
func inOrder(a *answer, n int) ([][]float32, *refusal) {
	out := make([][]float32, n)
	for i, d := range a.Data {
		if n == 1 {
			d.Index = i // some leave it out
		}
		if d.Index < 0 || d.Index >= n || out[d.Index] != nil {
			return nil, &refusal{err: dberr.New(dberr.DataException, "the embedding endpoint's answer has no vector for each text")}
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}

// refused reads an answer with another status than 200.
func refused(res *http.Response, a *answer) *refusal {
	said := ""
	if a.Error != nil && a.Error.Message != "" {
		said = ": " + a.Error.Message
	}
	r := &refusal{again: res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500}
	if s, err := strconv.Atoi(strings.TrimSpace(res.Header.Get("Retry-After"))); err == nil {
		r.wait = time.Duration(s) * time.Second
	}
	code := dberr.DataException
	switch {
	case r.again:
		code = dberr.CannotConnect
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden:
		code = dberr.InvalidAuthorization
	}
	err := dberr.New(code, "the embedding endpoint answered %s%s", res.Status, said)
	if code == dberr.InvalidAuthorization {
		err = err.WithHint("Set %s in the environment of the server.", envKey)
	}
	r.err = err
	return r
}

// cause is the innermost error: the outer ones repeat the URL, which may hold secrets.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
