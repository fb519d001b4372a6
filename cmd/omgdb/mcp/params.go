package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is what a parameter takes.
type kind int

const (
	aString kind = iota
	anInteger
	aNumber
	aBoolean
	anObject // JSON of an object
	anArray  // JSON of an array
)

var kindNames = [...]string{aString: "string", anInteger: "integer", aNumber: "number", aBoolean: "boolean", anObject: "object", anArray: "array"}

// param is one parameter of a tool. Missing ones without a default become NULL, for which the SQL function has its own default.
type param struct {
	name     string
	kind     kind
	required bool
	def      string   // JSON of the default
	enum     []string // values of a string
	min      *int64
	descr    string
	codes    []string // SQLSTATEs that this argument is to blame for
}

// schema is the parameter's JSON schema.
func (p *param) schema() map[string]any {
	s := map[string]any{"type": kindNames[p.kind], "description": p.descr}
	if p.def != "" {
		s["default"] = json.RawMessage(p.def)
	}
	if p.enum != nil {
		s["enum"] = p.enum
	}
	if p.min != nil {
		s["minimum"] = *p.min
	}
	return s
}

// argError is a mistake in one argument.
type argError struct {
	name string
	err  error
}

func (e *argError) Error() string { return fmt.Sprintf("argument %q: %v", e.name, e.err) }
func (e *argError) Unwrap() error { return e.err }

func badArg(name, format string, a ...any) error { return &argError{name, fmt.Errorf(format, a...)} }

// arguments are the checked arguments of a call, as SQL reads them: nil is NULL.
type arguments map[string]*string

func (a arguments) text(name string) string {
	if v := a[name]; v != nil {
		return *v
	}
	return ""
}

// maxArguments bounds the size of a call's arguments in bytes.
const maxArguments = 16 << 20

// parseArguments checks the arguments of a call against the parameters. All that is wrong is an *argError.
func parseArguments(params []param, raw json.RawMessage) (arguments, error) {
	given := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(raw)) > 0 && string(bytes.TrimSpace(raw)) != "null" {
		if len(raw) > maxArguments {
			return nil, fmt.Errorf("the arguments have %d bytes, more than %d", len(raw), maxArguments)
		}
		if err := json.Unmarshal(raw, &given); err != nil {
			return nil, fmt.Errorf("the arguments must be a JSON object: %w", err)
		}
	}
	for name := range given {
		if !slices.ContainsFunc(params, func(p param) bool { return p.name == name }) {
			return nil, badArg(name, "unknown; the arguments are %s", names(params))
		}
	}
	out := arguments{}
	for i := range params {
		p := &params[i]
		v, err := p.read(given[p.name])
		if err != nil {
			return nil, &argError{p.name, err}
		}
		out[p.name] = v
	}
	return out, nil
}

func names(params []param) string {
	list := make([]string, len(params))
	for i := range params {
		list[i] = params[i].name
	}
	return strings.Join(list, ", ")
}

// read gives an argument's text for SQL.
func (p *param) read(raw json.RawMessage) (*string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		switch {
		case p.required:
			return nil, fmt.Errorf("required, a %s", kindNames[p.kind])
		case p.def == "":
			return nil, nil
		}
		raw = json.RawMessage(p.def)
	}
	switch p.kind {
	case aString:
		return p.readString(raw)
	case anInteger:
		return p.readInteger(raw)
	case aNumber:
		var x float64
		if json.Unmarshal(raw, &x) != nil {
			return nil, p.wrong(raw)
		}
		return ptr(strconv.FormatFloat(x, 'g', -1, 64)), nil
	case aBoolean:
		var x bool
		if json.Unmarshal(raw, &x) != nil {
			return nil, p.wrong(raw)
		}
		return ptr(strconv.FormatBool(x)), nil
	}
	return p.readJSON(raw)
}

func (p *param) readString(raw json.RawMessage) (*string, error) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil, p.wrong(raw)
	}
	if strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
		return nil, fmt.Errorf("a text cannot have NUL characters")
	}
	if p.enum != nil && !slices.Contains(p.enum, s) {
		return nil, fmt.Errorf("want one of %s, not %q", strings.Join(p.enum, ", "), clip(s))
	}
	return &s, nil
}

func (p *param) readInteger(raw json.RawMessage) (*string, error) {
	var n json.Number
	if raw[0] == '"' || json.Unmarshal(raw, &n) != nil {
		return nil, p.wrong(raw)
	}
	i, err := n.Int64()
	if err != nil {
		f, ferr := n.Float64()
		if ferr != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return nil, p.wrong(raw)
		}
		i = int64(f)
	}
	if p.min != nil && i < *p.min {
		return nil, fmt.Errorf("must not be less than %d", *p.min)
	}
	if i > math.MaxInt32 || i < math.MinInt32 {
		return nil, fmt.Errorf("%d is too large", i)
	}
	return ptr(strconv.FormatInt(i, 10)), nil
}

// readJSON takes the JSON itself, or a text that holds it, as models like to write it.
func (p *param) readJSON(raw json.RawMessage) (*string, error) {
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil || !json.Valid([]byte(s)) {
			return nil, p.wrong(raw)
		}
		raw = json.RawMessage(strings.TrimSpace(s))
	}
	if want := map[kind]byte{anObject: '{', anArray: '['}[p.kind]; raw[0] != want {
		return nil, p.wrong(raw)
	}
	return ptr(string(raw)), nil
}

func (p *param) wrong(raw json.RawMessage) error {
	return fmt.Errorf("want a JSON %s, not %s", kindNames[p.kind], clip(string(raw)))
}

// clip shortens a text for a message.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

func ptr[T any](v T) *T { return &v }
