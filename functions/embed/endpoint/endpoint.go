// Package endpoint embeds texts through an HTTP endpoint with OpenAI's interface for embeddings (POST …/embeddings), as OpenAI itself,
// Ollama, llama.cpp, vLLM, LM Studio and text-embeddings-inference offer it.
package endpoint

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage/dberr"
)

// Name is the embedder's name in calls.
const Name = "http"

// The environment says where the endpoint is. The key comes from nowhere else, and appears in no message.
const (
	envURL   = "OMGDB_EMBED_URL"   // such as http://127.0.0.1:11434/v1; "/embeddings" is added when it is missing
	envModel = "OMGDB_EMBED_MODEL" // as the endpoint calls it
	envKey   = "OMGDB_EMBED_KEY"   // sent as a bearer token when set; OPENAI_API_KEY is taken when this is not set
	envDim   = "OMGDB_EMBED_DIM"   // asks for vectors of this length; without it the endpoint decides
)

// Config is where an endpoint is and what to ask it for.
type Config struct {
	URL   string
	Model string
	Key   string
	Dim   int // 0: the endpoint decides
}

// FromEnvironment reads the configuration; what is missing is 55000, what is wrong 22023.
func FromEnvironment() (Config, error) {
	c := Config{URL: os.Getenv(envURL), Model: os.Getenv(envModel), Key: os.Getenv(envKey)}
	if c.Key == "" {
		c.Key = os.Getenv("OPENAI_API_KEY")
	}
	if c.URL == "" || c.Model == "" {
		return c, dberr.New(dberr.ObjectNotInPrerequisiteState, "the embedder \"http\" is not configured").
			WithHint("Set %s (such as http://127.0.0.1:11434/v1) and %s, and %s if the endpoint wants a key, in the environment of the server.", envURL, envModel, envKey)
	}
	if dim := os.Getenv(envDim); dim != "" {
		n, err := strconv.Atoi(dim)
		if err != nil || n < 1 {
			return c, dberr.New(dberr.InvalidParameterValue, "%s is not a positive number: %q", envDim, dim)
		}
		c.Dim = n
	}
	return c, nil
}

// Limits of a request and of its repetition.
const (
	batchTexts   = 96
	batchBytes   = 256 << 10
	attempts     = 6
	firstPause   = 500 * time.Millisecond
	longestPause = 20 * time.Second
	timeout      = 60 * time.Second // of one request
	answerLimit  = 64 << 20         // bytes
)

// Endpoint is an embed.Embedder. It is safe for concurrent use.
type Endpoint struct {
	conf   Config
	url    string
	client *http.Client
	dim    int
	pause  time.Duration // before the first repetition
}

var _ embed.Embedder = (*Endpoint)(nil)

// OpenConfigured opens the endpoint that the environment names.
func OpenConfigured() (embed.Embedder, error) {
	c, err := FromEnvironment()
	if err != nil {
		return nil, err
	}
	return Open(context.Background(), c)
}

// Open asks the endpoint for one vector, to learn that it answers and how long its vectors are.
func Open(ctx context.Context, c Config) (*Endpoint, error) { return open(ctx, c, firstPause) }

func open(ctx context.Context, c Config, pause time.Duration) (*Endpoint, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, dberr.New(dberr.InvalidParameterValue, "the URL of the embedding endpoint must start with http:// or https://")
	}
	if !strings.HasSuffix(u.Path, "/embeddings") {
		u = u.JoinPath("embeddings")
	}
	e := &Endpoint{conf: c, url: u.String(), client: &http.Client{Timeout: timeout}, pause: pause}
	v, err := e.request(ctx, []string{"omgdb"})
	if err != nil {
		return nil, err
	}
	e.dim = len(v[0])
	if e.dim == 0 || c.Dim > 0 && c.Dim != e.dim {
		return nil, dberr.New(dberr.DataException, "the embedding endpoint gave a vector of %d elements", e.dim).
			WithHint("The model may not be able to shorten its vectors: unset %s.", envDim)
	}
	return e, nil
}

// ModelID names the model and the length of its vectors, not the place where it runs.
func (e *Endpoint) ModelID() string { return fmt.Sprintf("http/%s/dim=%d", e.conf.Model, e.dim) }

// Dim is the length of the vectors.
func (e *Endpoint) Dim() int { return e.dim }

// Embed sends the texts in batches, one after the other.
func (e *Endpoint) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n, size := 0, 0
		for n < len(texts) && n < batchTexts && (n == 0 || size+len(texts[n]) <= batchBytes) {
			size += len(texts[n])
			n++
		}
		vs, err := e.batch(ctx, texts[:n])
		if err != nil {
			return nil, err
		}
		out, texts = append(out, vs...), texts[n:]
	}
	return out, nil
}

// batch embeds texts of one request. Endpoints refuse empty ones, which have no meaning anyway: theirs is the zero vector.
func (e *Endpoint) batch(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var send []string
	var at []int
	for i, t := range texts {
		if t = strings.ToValidUTF8(t, "\uFFFD"); strings.TrimSpace(t) == "" {
			out[i] = make([]float32, e.dim)
			continue
		}
		send, at = append(send, t), append(at, i)
	}
	if len(send) == 0 {
		return out, nil
	}
	vs, err := e.request(ctx, send)
	if err != nil {
		return nil, err
	}
	for k, v := range vs {
		if len(v) != e.dim {
			return nil, dberr.New(dberr.DataException, "the embedding endpoint gave a vector of %d elements after ones of %d", len(v), e.dim)
		}
		out[at[k]] = v
	}
	return out, nil
}
