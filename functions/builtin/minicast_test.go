package builtin

import (
	"context"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// cast converts as the planner would.
func (e *evaluator) cast(x typed, to *value.Type, mod int32, explicit bool) (typed, error) {
	v, err := e.castValue(x, to, mod, explicit)
	if err == nil && mod >= 0 && x.t.OID != value.Unknown.OID {
		v, err = typeio.ApplyMod(to, mod, v, explicit)
	}
	return typed{to, v}, err
}

func (e *evaluator) castValue(x typed, to *value.Type, mod int32, explicit bool) (value.Value, error) {
	if x.v.IsNull() || x.t.OID == to.OID {
		return x.v, nil
	}
	if x.t.OID == value.Unknown.OID {
		if explicit && mod >= 0 && (to.OID == value.Varchar.OID || to.OID == value.BPChar.OID || to.OID == value.Bit.OID || to.OID == value.VarBit.OID) {
			v, err := typeio.In(to, -1, x.v.Str(), e.env.Format)
			if err != nil {
				return v, err
			}
			return typeio.ApplyMod(to, mod, v, true)
		}
		return typeio.In(to, mod, x.v.Str(), e.env.Format)
	}
	if c := e.reg.Cast(x.t, to); c != nil {
		if c.Fn == nil {
			return x.v, nil
		}
		args := []value.Value{x.v, value.Int(int64(mod)), value.Bool(explicit)}
		return c.Fn.Eval(context.Background(), &functions.Call{Env: e.env, Args: []*value.Type{x.t, value.Int4, value.Boolean}, Ret: to}, args[:max(1, len(c.Fn.Params))])
	}
	if x.t.IsArray() && to.IsArray() {
		a := x.v.Box().(*value.Array)
		out := make([]value.Value, len(a.Elems))
		for i, el := range a.Elems {
			c, err := e.cast(typed{a.Elem, el}, to.Elem, mod, explicit)
			if err != nil {
				return c.v, err
			}
			out[i] = c.v
		}
		return value.Box(&value.Array{Elem: to.Elem, Dims: a.Dims, Elems: out}), nil
	}
	if to.Category == 'S' || x.t.Category == 'S' {
		return typeio.In(to, -1, typeio.Text(x.t, x.v, e.env.Format), e.env.Format)
	}
	return value.Null, dberr.New(dberr.CannotCoerce, "cannot cast type %s to %s", x.t.SQL, to.SQL)
}

// session is the environment that the tests' expressions run in.
type session struct {
	ev *evaluator
}

func newSession(reg *functions.Registry) *session {
	f := *typeio.Default
	at := time.Date(2024, 2, 29, 12, 34, 56, 789012000, time.UTC)
	f.Now = at
	env := &functions.Env{Format: &f, StatementTime: at, TxnTime: at, Clock: func() time.Time { return at }}
	return &session{ev: &evaluator{reg: reg, env: env}}
}

// apply handles a line SET name = 'value'.
func (s *session) apply(name, val string) error {
	return typeio.SetFormat(s.ev.env.Format, name, val)
}

func makeMod(name string, m []int32) int32 {
	switch name {
	case "numeric":
		s := int32(0)
		if len(m) > 1 {
			s = m[1]
		}
		return (m[0]<<16 | s&0x7ff) + 4
	case "varchar", "bpchar":
		return m[0] + 4
	case "interval":
		return 0x7fff<<16 | m[0]
	}
	return m[0]
}
