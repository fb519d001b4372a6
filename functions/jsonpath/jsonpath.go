// Package jsonpath evaluates SQL/JSON paths on documents (PostgreSQL manual, section 9.16.2) and holds the functions and operators that
// take one. A path's text is read into a tree by storage/typeio/jsonpath; compile adds what evaluation wants ready (patterns, literals);
// a run walks the tree over the BSON form of a document.
package jsonpath

import (
	"context"
	"errors"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/scalar/pgregex"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/jsonpath"
	"github.com/omgdb/omgdb/storage/value"
)

type (
	def  = functions.Def
	call = functions.Call
	val  = value.Value
)

// program is a path ready to run. It is immutable.
type program struct {
	text     string
	path     *jsonpath.Path
	patterns map[*jsonpath.Node]*pgregex.Regexp
	literals map[*jsonpath.Node]doc.Value
}

func compile(text string) (*program, error) {
	path, err := jsonpath.Parse(text)
	if err != nil {
		return nil, err
	}
	p := &program{text: text, path: path, patterns: map[*jsonpath.Node]*pgregex.Regexp{}, literals: map[*jsonpath.Node]doc.Value{}}
	return p, p.prepare(path.Expr)
}

func (p *program) prepare(n *jsonpath.Node) (err error) {
	for ; n != nil && err == nil; n = n.Next {
		switch n.Op {
		case jsonpath.Null:
			p.literals[n] = doc.Null()
		case jsonpath.Bool:
			p.literals[n] = doc.Bool(n.True)
		case jsonpath.String:
			p.literals[n] = doc.String(n.Text)
		case jsonpath.Number:
			p.literals[n], err = doc.NumberFromDecimal(n.Num)
		case jsonpath.LikeRegex:
			p.patterns[n], err = pgregex.Compile(n.Text, regexFlags(n.Regex))
		}
		err = errors.Join(err, p.prepareAll(n))
	}
	return err
}

func (p *program) prepareAll(n *jsonpath.Node) error {
	inner := []*jsonpath.Node{n.Left, n.Right}
	for _, s := range n.Subs {
		inner = append(inner, s.From, s.To)
	}
	for _, x := range inner {
		if err := p.prepare(x); err != nil {
			return err
		}
	}
	return nil
}

// regexFlags turns XQuery's flags into PostgreSQL's; q makes m and s meaningless.
func regexFlags(f jsonpath.RegexFlags) pgregex.Flags {
	return pgregex.Flags{Fold: f.Fold, Literal: f.Quote, LineDots: !f.DotAll && !f.Quote, LineEdges: f.Lines && !f.Quote}
}

// programOf gives the compiled path of a call, which keeps it from row to row.
func programOf(c *call, text string) (*program, error) {
	if p, ok := c.State.(*program); ok && p.text == text {
		return p, nil
	}
	p, err := compile(text)
	if err == nil {
		c.State = p
	}
	return p, err
}

// mode is what distinguishes the functions: whether errors are hidden, and whether the session's time zone may be used.
type mode struct{ silent, zones bool }

// start prepares the run of a call: document, path, and (for all but the operators) variables and the silent flag.
func start(c *call, a []val, m mode) (*run, error) {
	p, err := programOf(c, a[1].Str())
	if err != nil {
		return nil, err
	}
	r := &run{
		prog: p, root: item{Value: typeio.Doc(a[0]).Plain()}, vars: doc.EmptyObject, lax: !p.path.Strict, ignore: !p.path.Strict,
		throw: !m.silent, zones: m.zones, size: -1, lastID: 2, format: typeio.Default,
	}
	if c.Env != nil && c.Env.Format != nil {
		r.format = c.Env.Format
	}
	r.current = r.root
	r.base = base{of: r.root.Value}
	if len(a) > 2 {
		r.vars, r.throw = typeio.Doc(a[2]), !a[3].Bool()
		if !r.vars.IsObject() {
			return nil, dberr.New(dberr.InvalidParameterValue, `"vars" argument is not an object`).
				WithDetail(`Jsonpath parameters should be encoded as key-value pairs of "vars" object.`)
		}
	}
	return r, nil
}

// list gives all results; where errors are hidden those before the error.
func (r *run) list() ([]item, error) {
	var out []item
	_, err := r.walk(r.prog.path.Expr, r.root, &out)
	if errors.Is(err, errSoft) {
		err = nil
	}
	return out, err
}

func exists(r *run) (val, error) {
	var got []item
	list := &got
	if r.lax { // strict mode wants to know of errors behind the first result
		list = nil
	}
	found, err := r.walk(r.prog.path.Expr, r.root, list)
	switch {
	case errors.Is(err, errSoft):
		return value.Null, nil
	case err != nil:
		return value.Null, err
	}
	return value.Bool(found || len(got) > 0), nil
}

func match(r *run) (val, error) {
	got, err := r.list()
	if err != nil {
		return value.Null, err
	}
	if len(got) == 1 {
		if b, ok := got[0].Bool(); ok {
			return value.Bool(b), nil
		}
		if got[0].IsNull() {
			return value.Null, nil
		}
	}
	if !r.throw {
		return value.Null, nil
	}
	return value.Null, dberr.New(dberr.SingletonSQLJSONItemRequired, "single boolean result is expected")
}

func queryArray(r *run) (val, error) {
	got, err := r.list()
	if err != nil {
		return value.Null, err
	}
	vals := make([]doc.Value, len(got))
	for i, x := range got {
		vals[i] = x.Value
	}
	return typeio.JSONB(doc.Array(vals...)), nil
}

func queryFirst(r *run) (val, error) {
	got, err := r.list()
	if err != nil || len(got) == 0 {
		return value.Null, err
	}
	return typeio.JSONB(got[0].Value), nil
}

func scalar(sig string, m mode, f func(r *run) (val, error)) def {
	return def{Sig: sig, Eval: func(_ context.Context, c *call, a []val) (val, error) {
		r, err := start(c, a, m)
		if err != nil {
			return value.Null, err
		}
		return f(r)
	}}
}

// Scalars lists the families of scalar functions.
func Scalars() [][]def {
	out := []def{
		scalar("jsonb_path_exists_opr(jsonb,jsonpath)", mode{silent: true}, exists),
		scalar("jsonb_path_match_opr(jsonb,jsonpath)", mode{silent: true}, match),
	}
	for _, f := range []struct {
		name string
		eval func(r *run) (val, error)
	}{{"jsonb_path_exists", exists}, {"jsonb_path_match", match}, {"jsonb_path_query_array", queryArray}, {"jsonb_path_query_first", queryFirst}} {
		out = append(out, scalar(f.name+"(jsonb,jsonpath,jsonb,bool)", mode{}, f.eval), scalar(f.name+"_tz(jsonb,jsonpath,jsonb,bool)", mode{zones: true}, f.eval))
	}
	return [][]def{out}
}

// Tables lists the set-returning functions.
func Tables() []functions.TableDef {
	return []functions.TableDef{query("jsonb_path_query", mode{}), query("jsonb_path_query_tz", mode{zones: true})}
}

func query(name string, m mode) functions.TableDef {
	return functions.TableDef{Sig: name + "(jsonb,jsonpath,jsonb,bool)", Open: func(_ context.Context, c *call, a []val, out value.Schema) (batch.Iter, error) {
		r, err := start(c, a, m)
		if err != nil {
			return nil, err
		}
		got, err := r.list()
		if err != nil {
			return nil, err
		}
		cols := batch.Columns(out, len(got))
		for _, x := range got {
			cols[0].Append(typeio.JSONB(x.Value))
		}
		return batch.Of(out, cols...), nil
	}}
}
