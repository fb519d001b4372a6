package slt

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Kind says what a record asks for.
type Kind int

const (
	StatementOK Kind = iota
	StatementError
	Query
	QueryError
	Halt
)

// SortMode is the order in which a query's values are compared.
type SortMode int

const (
	NoSort SortMode = iota
	RowSort
	ValueSort
)

var sortModes = map[string]SortMode{"nosort": NoSort, "rowsort": RowSort, "valuesort": ValueSort}

// Record is one parsed unit of a file. It is immutable after Parse.
type Record struct {
	Kind Kind
	Line int // of the record's `statement`, `query` or `halt` line, from 1
	Conn string
	// Skip and Only hold the engines of skipif and onlyif lines.
	Skip, Only []string

	SQL   string
	Count int64 // expected row count of `statement count`, else -1
	// Code and Text are the SQLSTATE and the part of the message that an error record wants; empty means any.
	Code, Text string

	Types        string
	Sort         SortMode
	Rows, Names  bool
	Label        string
	Expected     []string // expected lines, or one line of the form "N values hashing to MD5"
	Threshold    int      // the hash-threshold in force, 0 for none
	header, tail int      // line indices of the header and of the first line after the record's expected values
	results      int      // line index of the first expected line, 0 when the record has no ---- line
}

// File is a parsed file together with its lines, which a rewrite needs.
type File struct {
	Path    string
	Records []*Record
	lines   []string
}

// Applies says whether the record is for the engine: not skipped for it and not only for others.
func (r *Record) Applies(engine string) bool {
	for _, e := range r.Skip {
		if e == engine {
			return false
		}
	}
	for _, e := range r.Only {
		if e != engine {
			return false
		}
	}
	return true
}

// ParseFile reads a file, through gzip when its name ends in .gz.
func ParseFile(path string) (*File, error) {
	raw, err := ReadMaybeGzip(path)
	if err != nil {
		return nil, err
	}
	f, err := Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	f.Path = path
	return f, nil
}

// ReadMaybeGzip returns a file's content, decompressed when its name ends in .gz.
func ReadMaybeGzip(path string) ([]byte, error) {
	raw, err := os.ReadFile(path)
	if err != nil || filepath.Ext(path) != ".gz" {
		return raw, err
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, z.Close()
}

// Parse reads the records of a file. An error starts with the line number.
func Parse(text []byte) (*File, error) {
	p := parser{file: &File{}}
	scan := bufio.NewScanner(bytes.NewReader(text))
	scan.Buffer(nil, 64<<20)
	for scan.Scan() {
		p.file.lines = append(p.file.lines, scan.Text()) // without \r\n
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	for p.at < len(p.file.lines) {
		if err := p.next(); err != nil {
			return nil, fmt.Errorf("%d: %w", p.at+1, err)
		}
	}
	return p.file, nil
}

// parser walks the lines; cond collects the lines that qualify the next record.
type parser struct {
	file      *File
	at        int
	threshold int
	cond      Record
}

// next consumes one line, or one record with its body.
func (p *parser) next() error {
	words := fields(p.file.lines[p.at])
	if len(words) == 0 {
		p.at++
		return nil
	}
	switch words[0] {
	case "skipif", "onlyif", "connection":
		return p.condition(words)
	case "hash-threshold":
		n, err := argument(words, strconv.Atoi)
		if err != nil {
			return err
		}
		p.threshold = n
		p.at++
		return nil
	case "halt":
		p.add(&Record{Kind: Halt, tail: p.at + 1})
		p.at++
		return nil
	case "statement":
		return p.statement(words)
	case "query":
		return p.query(words)
	}
	return fmt.Errorf("unknown record type %q", words[0])
}

func (p *parser) condition(words []string) error {
	arg, err := argument(words, func(s string) (string, error) { return s, nil })
	if err != nil {
		return err
	}
	switch words[0] {
	case "skipif":
		p.cond.Skip = append(p.cond.Skip, arg)
	case "onlyif":
		p.cond.Only = append(p.cond.Only, arg)
	case "connection":
		p.cond.Conn = arg
	}
	p.at++
	return nil
}

// add completes a record that starts at the current line and forgets the conditions that it used up.
func (p *parser) add(r *Record) *Record {
	r.Line, r.header = p.at+1, p.at
	r.Skip, r.Only, r.Conn = p.cond.Skip, p.cond.Only, p.cond.Conn
	r.Threshold = p.threshold
	p.cond = Record{}
	p.file.Records = append(p.file.Records, r)
	return r
}

func (p *parser) statement(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("statement wants ok, error or count")
	}
	r := &Record{Count: -1}
	switch words[1] {
	case "ok":
		r.Kind = StatementOK
	case "error":
		r.Kind = StatementError
		r.Code, r.Text = errorWanted(p.file.lines[p.at])
	case "count":
		n, err := argument(words[1:], func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
		if err != nil {
			return err
		}
		r.Kind, r.Count = StatementOK, n
	default:
		return fmt.Errorf("statement %s: want ok, error or count", words[1])
	}
	p.add(r)
	p.at++
	r.SQL = p.body(false)
	r.tail = p.at
	return nil
}

func (p *parser) query(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("query wants column types")
	}
	r := &Record{Kind: Query, Count: -1, Types: words[1]}
	if words[1] == "error" {
		r.Kind, r.Types = QueryError, ""
		r.Code, r.Text = errorWanted(p.file.lines[p.at])
	} else if err := r.options(words[2:]); err != nil {
		return err
	}
	p.add(r)
	p.at++
	r.SQL = p.body(true)
	if p.at < len(p.file.lines) && p.file.lines[p.at] == "----" {
		p.at++
		r.results = p.at
		for p.at < len(p.file.lines) && p.file.lines[p.at] != "" {
			p.at++
		}
		r.Expected = p.file.lines[r.results:p.at]
	}
	r.tail = p.at
	return nil
}

// options reads the words after the types: a sort mode, `rows`, `names`, and at most one other word, the label.
func (r *Record) options(words []string) error {
	if bad := strings.Trim(r.Types, "IRTS"); bad != "" {
		return fmt.Errorf("column types %q: want letters of I, R, T, S", r.Types)
	}
	for _, w := range words {
		mode, isSort := sortModes[w]
		switch {
		case isSort:
			r.Sort = mode
		case w == "rows":
			r.Rows = true
		case w == "names":
			r.Names = true
		case r.Label == "":
			r.Label = w
		default:
			return fmt.Errorf("query option %q after label %q", w, r.Label)
		}
	}
	if r.Rows && r.Sort == ValueSort {
		return fmt.Errorf("rows and valuesort exclude each other")
	}
	return nil
}

// body consumes the SQL lines up to a blank line or, when a result may follow, up to ---- .
func (p *parser) body(query bool) string {
	start := p.at
	for p.at < len(p.file.lines) && p.file.lines[p.at] != "" && !(query && p.file.lines[p.at] == "----") {
		p.at++
	}
	return strings.Join(p.file.lines[start:p.at], "\n")
}

// fields splits a line of words; from # on it is a comment.
func fields(line string) []string {
	if i := strings.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	return strings.Fields(line)
}

// argument is a line's one argument, converted.
func argument[T any](words []string, conv func(string) (T, error)) (T, error) {
	var none T
	if len(words) != 2 {
		return none, fmt.Errorf("%s wants one argument", words[0])
	}
	v, err := conv(words[1])
	if err != nil {
		return none, fmt.Errorf("%s %s: %w", words[0], words[1], err)
	}
	return v, nil
}

// errorWanted takes SQLSTATE and message text from the words after `error`. What does not look like an SQLSTATE is
// the start of the text. The text may hold #, so the raw line is read.
func errorWanted(line string) (code, text string) {
	_, rest, _ := strings.Cut(line, "error")
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(rest, "#") {
		return "", ""
	}
	first, more, _ := strings.Cut(rest, " ")
	if isSQLState(first) {
		return first, strings.TrimSpace(more)
	}
	return "", rest
}

func isSQLState(s string) bool {
	if len(s) != 5 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}
