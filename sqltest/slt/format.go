package slt

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Result is what a server answered to one statement, in PostgreSQL's text form.
type Result struct {
	Names []string
	OIDs  []uint32
	// Rows holds nil for NULL. The bytes belong to the Result.
	Rows [][][]byte
	// Affected is the row count of the command tag.
	Affected int64
}

const boolOID = 16

// checkShape says whether the result has as many columns as the record has types.
func (r *Record) checkShape(res *Result) error {
	if len(res.Names) != len(r.Types) {
		return fmt.Errorf("got %d columns, want %d", len(res.Names), len(r.Types))
	}
	return nil
}

// printRows turns a result into printed rows by the record's types, in the record's order for nosort and rowsort.
func (r *Record) printRows(res *Result) [][]string {
	rows := make([][]string, len(res.Rows))
	for i, row := range res.Rows {
		rows[i] = make([]string, len(row))
		for j, v := range row {
			rows[i][j] = printValue(r.Types[j], res.OIDs[j], v)
		}
	}
	if r.Sort == RowSort {
		slices.SortStableFunc(rows, slices.Compare[[]string])
	}
	return rows
}

// lines is the result as the file holds it, before hashing: names first where asked for, then values or rows.
func (r *Record) lines(res *Result) []string {
	var out []string
	rows := r.printRows(res)
	if r.Rows {
		if r.Names {
			out = append(out, strings.Join(res.Names, " | "))
		}
		for _, row := range rows {
			out = append(out, strings.Join(row, " | "))
		}
		return out
	}
	if r.Names {
		out = append(out, res.Names...)
	}
	values := slices.Concat(rows...)
	if r.Sort == ValueSort {
		slices.Sort(values)
	}
	return append(out, values...)
}

// hashLine is the short form of a long result: the count of its lines and the MD5 over each line and a line feed.
func hashLine(lines []string) string {
	h := md5.New()
	for _, l := range lines {
		h.Write([]byte(l))
		h.Write([]byte{'\n'})
	}
	return fmt.Sprintf("%d values hashing to %s", len(lines), hex.EncodeToString(h.Sum(nil)))
}

// isHashed says whether the expected lines are the short form.
func isHashed(expected []string) bool {
	return len(expected) == 1 && strings.Contains(expected[0], " values hashing to ")
}

// printValue prints a value as a column of the given type letter. text is nil for NULL.
func printValue(letter byte, oid uint32, text []byte) string {
	if text == nil {
		return "NULL"
	}
	switch letter {
	case 'I':
		return printInteger(oid, string(text))
	case 'R':
		return printReal(oid, string(text))
	case 'S':
		return escapeLine(string(text))
	}
	return printable(text)
}

// printInteger truncates towards zero, as the C original's %d of a value read as an integer does: true is 1, text is
// its leading digits, else 0. Numbers that have no integer (NaN, Infinity) stay as they are.
func printInteger(oid uint32, s string) string {
	if oid == boolOID {
		return boolDigit(s)
	}
	if strings.ContainsAny(s, "eE") {
		if f, _, err := big.ParseFloat(s, 10, 2000, big.ToZero); err == nil {
			n, _ := f.Int(nil)
			return n.String()
		}
	}
	switch s {
	case "NaN", "Infinity", "-Infinity":
		return s
	}
	digits := leadingInteger(s)
	if digits == "" || digits == "-" {
		return "0"
	}
	if n, ok := new(big.Int).SetString(digits, 10); ok {
		return n.String() // -0 and leading zeros go
	}
	return "0"
}

// leadingInteger is the longest prefix of the form [+-]digits, without the plus.
func leadingInteger(s string) string {
	s = strings.TrimPrefix(strings.TrimLeft(s, " "), "+")
	end := 0
	if strings.HasPrefix(s, "-") {
		end = 1
	}
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	return s[:end]
}

func printReal(oid uint32, s string) string {
	if oid == boolOID {
		s = boolDigit(s)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return printable([]byte(s))
	}
	return strconv.FormatFloat(f, 'f', 3, 64)
}

func boolDigit(s string) string {
	if s == "t" {
		return "1"
	}
	return "0"
}

// printable is the T form: one @ for each byte outside printable ASCII.
func printable(text []byte) string {
	if len(text) == 0 {
		return "(empty)"
	}
	out := make([]byte, len(text))
	for i, c := range text {
		if c < ' ' || c > '~' {
			c = '@'
		}
		out[i] = c
	}
	return string(out)
}

var lineEscaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)

// escapeLine is the S form: the server's own text kept on one line.
func escapeLine(s string) string {
	if s == "" {
		return "(empty)"
	}
	return lineEscaper.Replace(s)
}
