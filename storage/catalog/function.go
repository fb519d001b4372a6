package catalog

import (
	"fmt"
	"strings"

	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/value"
)

// Function is a function or procedure that a user wrote, in SQL or PL/pgSQL. Its types are named by their OIDs: they may be row types of tables, which
// change.
type Function struct {
	ID     ID
	Schema ID
	Name   string
	Owner  ID
	Kind   byte // f function, p procedure, a aggregate
	// Language is "plpgsql", or "" for SQL.
	Language string
	Args     []FunctionArg
	Ret      uint32 // OID of the result's type; that of record when it has several columns
	SetOf    bool
	// Body is the text of its statements. Of a body that was written as BEGIN ATOMIC or RETURN, Standard is true.
	Body       string
	Standard   bool
	Volatility byte // i, s, v
	Strict     bool
	Secdef     bool
	Leakproof  bool
	Parallel   byte // s, r, u
	Cost, Rows int64
	Comment    string
	ACL        []string
	Version    uint64
	Published  kv.LSN
	// Agg is what an aggregate is made of.
	Agg *AggregateParts
}

// AggregateParts are the functions of an aggregate and the type of its state, by their OIDs. Final is 0 when the state is the result.
type AggregateParts struct {
	Trans, Final, State uint32
	Init                string // the first state as text, if HasInit
	HasInit             bool
	Extra               bool // Final takes the aggregate's arguments, too
}

func describeAggregate(p *AggregateParts, c *coder) {
	integer(c, "trans", &p.Trans)
	integer(c, "final", &p.Final)
	integer(c, "state", &p.State)
	c.str("init", &p.Init)
	c.boolean("hasInit", &p.HasInit)
	c.boolean("extra", &p.Extra)
}

// FunctionArg is a parameter or a column of the result.
type FunctionArg struct {
	Name    string
	Type    uint32
	Mode    byte // i in, o out, b inout, v variadic, t column of RETURNS TABLE
	Default string
}

// In tells whether a call gives the argument.
func (a *FunctionArg) In() bool { return a.Mode == 'i' || a.Mode == 'b' || a.Mode == 'v' }

// Out tells whether the argument is a column of the result.
func (a *FunctionArg) Out() bool { return a.Mode == 'o' || a.Mode == 'b' || a.Mode == 't' }

// Word is what statements call it.
func (f *Function) Word() string {
	switch f.Kind {
	case 'p':
		return "procedure"
	case 'a':
		return "aggregate"
	}
	return "function"
}

// LanguageName is what CREATE FUNCTION calls the language.
func (f *Function) LanguageName() string {
	switch {
	case f.Kind == 'a':
		return "internal"
	case f.Language == "":
		return "sql"
	}
	return f.Language
}

// Class implements Descriptor.
func (*Function) Class() Class { return FunctionClass }

// OID implements Descriptor.
func (f *Function) OID() ID { return f.ID }

// Home implements Descriptor.
func (f *Function) Home() ID { return f.Schema }

// Label implements Descriptor: functions of a name differ by the types of what is given to them.
func (f *Function) Label() string {
	var b strings.Builder
	b.WriteString(functionPrefix(f.Name))
	for i := range f.Args {
		if f.Args[i].In() {
			fmt.Fprintf(&b, "%d,", f.Args[i].Type)
		}
	}
	return b.String()
}

// functionPrefix begins the labels of the functions of a name.
func functionPrefix(name string) string { return name + "\x00" }

func describeFunction(f *Function, c *coder) {
	integer(c, "id", &f.ID)
	integer(c, "schema", &f.Schema)
	c.str("name", &f.Name)
	integer(c, "owner", &f.Owner)
	integer(c, "kind", &f.Kind)
	c.str("language", &f.Language)
	list(c, "args", &f.Args, func(a *FunctionArg, c *coder) {
		c.str("name", &a.Name)
		integer(c, "type", &a.Type)
		a.Type = value.Renumbered(a.Type)
		integer(c, "mode", &a.Mode)
		c.str("default", &a.Default)
	})
	integer(c, "ret", &f.Ret)
	f.Ret = value.Renumbered(f.Ret)
	c.boolean("setOf", &f.SetOf)
	c.str("body", &f.Body)
	c.boolean("standard", &f.Standard)
	integer(c, "volatility", &f.Volatility)
	c.boolean("strict", &f.Strict)
	c.boolean("secdef", &f.Secdef)
	c.boolean("leakproof", &f.Leakproof)
	integer(c, "parallel", &f.Parallel)
	integer(c, "cost", &f.Cost)
	integer(c, "rows", &f.Rows)
	c.str("comment", &f.Comment)
	c.strs("acl", &f.ACL)
	optional(c, "aggregate", &f.Agg, describeAggregate)
}

// FunctionsNamed lists the functions of a name in a schema.
func (v *View) FunctionsNamed(schema ID, name string) []*Function {
	var out []*Function
	prefix := nameKey(FunctionClass, schema, functionPrefix(name))
	v.base.names.Ascend(prefix, func(k string, o objKey) bool {
		if !strings.HasPrefix(k, prefix) {
			return false
		}
		if f, _ := v.Get(FunctionClass, ID(uint32(o))).(*Function); f != nil && f.Schema == schema && f.Name == name {
			out = append(out, f)
		}
		return true
	})
	if v.own == nil {
		return out
	}
	v.own.names.Ascend(prefix, func(k string, o objKey) bool {
		if !strings.HasPrefix(k, prefix) {
			return false
		}
		if f, _ := v.Get(FunctionClass, ID(uint32(o))).(*Function); o != 0 && f != nil && v.base.Get(FunctionClass, f.ID) == nil {
			out = append(out, f)
		}
		return true
	})
	return out
}

// Function finds a user's function, nil when there is none.
func (v *View) Function(id ID) *Function { return get[Function](v, FunctionClass, id) }

// Functions lists the functions of a schema (0: of every schema) in id order.
func (v *View) Functions(schema ID) []*Function {
	return find(v, FunctionClass, func(f *Function) bool { return schema == 0 || f.Schema == schema })
}
