// Package pgfacts knows PostgreSQL 15's built-in functions, operators and casts as facts: OIDs, types, strictness,
// volatility, parameter names and defaults. Entries of package functions state what they compute; the rest comes from here.
package pgfacts

import (
	_ "embed" // the tables
	"strconv"
	"strings"
	"sync"
)

//go:generate go run ./gen -dir .

//go:embed procs.tsv
var procsText string

//go:embed internals.tsv
var internalsText string

//go:embed operators.tsv
var operatorsText string

//go:embed casts.tsv
var castsText string

// Proc is a row of pg_proc.
type Proc struct {
	OID        uint32
	Name       string
	Kind       byte // f function, a aggregate, w window function, p procedure
	RetSet     bool
	Strict     bool
	Volatility byte
	Variadic   bool
	Ret        uint32
	Args       []uint32
	Names      []string // of the input arguments, "" where they have none
	Defaults   []string // SQL text of the defaults of the last arguments
	OutNames   []string // output columns, when there are several or they are named
	OutTypes   []uint32
	Rows       float64
	AggKind    byte // n normal, o ordered-set, h hypothetical; 0 for other functions
	NumDirect  int
	Descr      string
}

// Operator is a row of pg_operator.
type Operator struct {
	OID                 uint32
	Name                string
	Left, Right, Ret    uint32 // Left 0: a prefix operator
	Proc                uint32
	Commutator, Negator string
}

// Cast is a row of pg_cast. Method is f (Proc computes it), b (same form) or i (through text).
type Cast struct {
	From, To uint32
	Proc     uint32
	Context  byte
	Method   byte
}

// Table is all facts, indexed.
type Table struct {
	Procs []Proc
	// Internals are the functions over values that SQL doesn't see (forms of types, handlers, estimates): catalogs name them.
	Internals []Proc
	Operators []Operator
	Casts     []Cast
	byOID     map[uint32]*Proc
	bySig     map[string]*Proc
	internals map[string][]*Proc
}

// Load parses the facts; the result is shared and must not be changed.
var Load = sync.OnceValue(load)

// ByOID finds a function, nil when there is none.
func (t *Table) ByOID(oid uint32) *Proc { return t.byOID[oid] }

// Find finds a function by name and argument types, nil when there is none.
func (t *Table) Find(name string, args []uint32) *Proc { return t.bySig[sig(name, args)] }

// InternalsNamed lists the internal functions of a name.
func (t *Table) InternalsNamed(name string) []*Proc { return t.internals[name] }

func sig(name string, args []uint32) string {
	b := append(make([]byte, 0, 48), name...)
	for _, a := range args {
		b = strconv.AppendUint(append(b, ' '), uint64(a), 10)
	}
	return string(b)
}

func load() *Table {
	t := &Table{}
	eachRow(procsText, func(f []string) { t.Procs = append(t.Procs, proc(f)) })
	eachRow(internalsText, func(f []string) {
		p := Proc{OID: oid(f[0]), Name: f[1], Kind: 'f', Strict: f[2] == "t", Volatility: f[3][0], Ret: oid(f[4]), Args: oids(f[5])}
		t.Internals = append(t.Internals, p)
	})
	eachRow(operatorsText, func(f []string) {
		t.Operators = append(t.Operators, Operator{OID: oid(f[0]), Name: f[1], Left: oid(f[2]), Right: oid(f[3]), Ret: oid(f[4]), Proc: oid(f[5]), Commutator: f[6], Negator: f[7]})
	})
	eachRow(castsText, func(f []string) {
		t.Casts = append(t.Casts, Cast{From: oid(f[0]), To: oid(f[1]), Proc: oid(f[2]), Context: f[3][0], Method: f[4][0]})
	})
	t.byOID = make(map[uint32]*Proc, len(t.Procs))
	t.bySig = make(map[string]*Proc, len(t.Procs))
	t.internals = make(map[string][]*Proc, len(t.Internals))
	for i := range t.Internals {
		p := &t.Internals[i]
		t.byOID[p.OID] = p
		t.internals[p.Name] = append(t.internals[p.Name], p)
	}
	for i := range t.Procs {
		p := &t.Procs[i]
		t.byOID[p.OID] = p
		t.bySig[sig(p.Name, p.Args)] = p
	}
	return t
}

func eachRow(text string, row func(f []string)) {
	f := make([]string, 0, 20)
	for text != "" {
		line := text
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = ""
		}
		f = f[:0]
		for {
			i := strings.IndexByte(line, '\t')
			if i < 0 {
				break
			}
			f = append(f, line[:i])
			line = line[i+1:]
		}
		row(append(f, line))
	}
}

func proc(f []string) Proc {
	p := Proc{OID: oid(f[0]), Name: f[1], Kind: f[2][0], RetSet: f[3] == "t", Strict: f[4] == "t", Volatility: f[5][0], Variadic: f[6] == "t", Ret: oid(f[7]),
		Args: oids(f[8]), Descr: f[16]}
	names, modes := split(f[9], ","), f[10]
	if modes == "" {
		p.Names = names
	} else {
		all := oids(f[11])
		for i := range len(modes) {
			name := ""
			if i < len(names) {
				name = names[i]
			}
			if modes[i] != 'o' && modes[i] != 't' {
				p.Names = append(p.Names, name)
			}
			if modes[i] == 'o' || modes[i] == 't' || modes[i] == 'b' {
				p.OutNames = append(p.OutNames, name)
				p.OutTypes = append(p.OutTypes, all[i])
			}
		}
	}
	for len(p.Names) < len(p.Args) {
		p.Names = append(p.Names, "")
	}
	p.Defaults = split(f[12], "|")
	p.Rows, _ = strconv.ParseFloat(f[13], 64)
	if f[14] != "" {
		p.AggKind = f[14][0]
	}
	p.NumDirect, _ = strconv.Atoi(f[15])
	return p
}

func split(s, sep string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, sep)
}

func oid(s string) uint32 {
	n, _ := strconv.ParseUint(s, 10, 32)
	return uint32(n)
}

func oids(s string) []uint32 {
	if s == "" {
		return nil
	}
	out := make([]uint32, 0, strings.Count(s, " ")+1)
	for w := range strings.SplitSeq(s, " ") {
		out = append(out, oid(w))
	}
	return out
}
