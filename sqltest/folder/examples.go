package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// examplesFile is the description of the context service that users have in their hands. Its examples are pairs of a call and its output.
const examplesFile = "sqltest/testdata/folder/context_service.txt"

// example is a call of the tool context with the output that the description shows.
type example struct {
	call map[string]any
	want string
}

// examples reads the pairs: objects of JSON that begin and end at the margin; one without an output takes the one of the next.
func examples() ([]example, error) {
	text, err := os.ReadFile(examplesFile)
	if err != nil {
		return nil, err
	}
	var out []example
	var calls []map[string]any
	for _, object := range regexp.MustCompile(`(?ms)^\{\n.*?^\}$`).FindAllString(string(text), -1) {
		object = strings.ReplaceAll(object, "[ ... ]", `["..."]`)
		var m map[string]any
		if err := json.Unmarshal([]byte(object), &m); err != nil {
			return nil, fmt.Errorf("%w in %s", err, object)
		}
		if m["operation"] != nil {
			calls = append(calls, m)
			continue
		}
		for _, c := range calls {
			out = append(out, example{c, object})
		}
		calls = nil
	}
	if len(out) != 4 || len(calls) != 0 {
		return nil, fmt.Errorf("%d examples in %s, want 4", len(out), examplesFile)
	}
	return out, nil
}

// projects are folders that the examples' numbers hold for, by the text asked for: files and the embedder of their index.
var projects = map[string]struct {
	files    map[string]string
	more     int // files about nothing
	embedder string
}{
	"":                   {files: project, more: 37},
	"JWT authentication": {files: project, more: 37},
	"how does the app verify user identity": {files: map[string]string{
		"src/auth.ts": project["src/auth.ts"], "docs/cake.md": project["docs/cake.md"], "docs/pool.md": project["docs/pool.md"],
	}},
	"database connection": {files: project, more: 37, embedder: "none"},
}

var project = map[string]string{
	"src/auth.ts": "export function authenticate(user: string, password: string): boolean {\n  const hash = bcrypt.hashSync(password, salt);\n" +
		"  return users.check(user, hash);\n}\n" + strings.Repeat("// the rest of it\n", 20) + "\nverify(token, secret); // JWT authentication middleware\n" + strings.Repeat("next();\n", 40),
	"src/routes.ts": "use(guard); // JWT authentication for all routes\n",
	"docs/api.md":   "# API\n\nEvery call needs JWT authentication.\n\nThe database connection is pooled.\n",
	"docs/pool.md":  "One database connection for each worker.\n",
	"docs/cake.md":  "A recipe for chocolate cake.\n",
}

// runExamples gives each example to the shell and to the tool, whose answers must have the description's form word for word: the message,
// the members and their order, and with semantic mode the snippet.
func (w *world) runExamples(ctx context.Context) (checks int, err error) {
	list, err := examples()
	if err != nil {
		return 0, err
	}
	for i, e := range list {
		query, _ := e.call["query"].(string)
		setting, ok := projects[query]
		if !ok {
			return checks, fmt.Errorf("no project for %q", query)
		}
		p := &play{world: w, dir: filepath.Join(w.dir, fmt.Sprint("example", i))}
		if err := os.Mkdir(p.dir, 0o755); err != nil {
			return checks, err
		}
		for name, text := range setting.files {
			if err := (&step{Text: text}).write(p.path(name), ""); err != nil {
				return checks, err
			}
		}
		for n := range setting.more {
			if err := (&step{Text: "Nothing of interest.\n"}).write(p.path(fmt.Sprintf("more/%02d.txt", n)), ""); err != nil {
				return checks, err
			}
		}
		if query != "" {
			args := []string{"index", p.dir}
			if setting.embedder != "" {
				args = append(args, "--embedder", setting.embedder)
			}
			if o, err := p.run(ctx, "", args...); err != nil || o.code != 0 {
				return checks, fmt.Errorf("%w: %s", errors.Join(err, errors.New("index failed")), o.stderr)
			}
		}
		for _, door := range []func(context.Context, map[string]any) (string, error){p.shell, p.tool} {
			got, err := door(ctx, e.call)
			if err == nil {
				err = alike(e.want, got, p.dir)
			}
			if err != nil {
				return checks, fmt.Errorf("example %v: %w", e.call, err)
			}
			checks++
		}
	}
	return checks, nil
}

// shell makes a call by the commands.
func (p *play) shell(ctx context.Context, call map[string]any) (string, error) {
	args := []string{call["operation"].(string), p.dir}
	if q, ok := call["query"]; ok {
		args = append(args, q.(string))
	}
	if mode, ok := call["mode"]; ok {
		args = append(args, "--mode", mode.(string))
	}
	o, err := p.run(ctx, "", args...)
	if err != nil || o.code != 0 {
		return "", fmt.Errorf("%w: %s", errors.Join(err, errors.New("the command failed")), o.stderr)
	}
	return o.stdout, nil
}

// tool makes a call by the Model Context Protocol.
func (p *play) tool(ctx context.Context, call map[string]any) (string, error) {
	cmd, err := p.command(ctx, "", "mcp", "--scope", "write")
	if err != nil {
		return "", err
	}
	s, err := sdk.NewClient(&sdk.Implementation{Name: "examples", Version: "1"}, nil).Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return "", err
	}
	defer s.Close()
	args := map[string]any{}
	for name, v := range call {
		args[name] = v
	}
	args["directory"] = p.dir
	res, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "context", Arguments: args})
	if err != nil {
		return "", err
	}
	if len(res.Content) == 0 {
		return "", errors.New("no content")
	}
	text, ok := res.Content[0].(*sdk.TextContent)
	if !ok || res.IsError {
		return "", fmt.Errorf("the tool says %+v", res.Content[0])
	}
	return text.Text, nil
}

// shown is what the description shows of an output.
type shown struct {
	Message, Status, Warning string
	Matches                  []json.RawMessage
}

// alike compares an answer with an example's output.
func alike(want, got, dir string) error {
	want = strings.ReplaceAll(want, "/path/to/project", dir)
	var w, g shown
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		return fmt.Errorf("%w in %s", err, got)
	}
	if w.Message != g.Message || w.Status != g.Status || w.Warning != g.Warning || keys(want) != keys(got) {
		return fmt.Errorf("got %s, want %s", got, want)
	}
	if len(w.Matches) == 0 || string(w.Matches[0]) == `"..."` {
		return nil
	}
	var wm shownMatch
	if err := json.Unmarshal(w.Matches[0], &wm); err != nil {
		return err
	}
	for _, m := range g.Matches {
		var gm shownMatch
		if err := json.Unmarshal(m, &gm); err != nil {
			return err
		}
		said := strings.TrimSuffix(wm.Snippet, "...") // lexical snippets go on as far as they like
		switch {
		case wm.Path != gm.Path:
		case keys(string(w.Matches[0])) != keys(string(m)), wm.Distance != nil && wm.Snippet != gm.Snippet, !strings.Contains(gm.Snippet, said):
			return fmt.Errorf("match %s, want %s", m, w.Matches[0])
		default:
			return nil
		}
	}
	return fmt.Errorf("%s is not among the matches of %s", wm.Path, got)
}

type shownMatch struct {
	Path, Snippet string
	Distance      *float64
}

// keys are the members of an object in their order.
func keys(object string) string {
	d := json.NewDecoder(strings.NewReader(object))
	var out []string
	if _, err := d.Token(); err != nil {
		return err.Error()
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err.Error()
		}
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return err.Error()
		}
		out = append(out, fmt.Sprint(name))
	}
	return strings.Join(out, " ")
}
