package bind

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// expr binds an expression at query level s.
func (b *binder) expr(s *scope, n *pg_query.Node) (plan.Expr, error) {
	if err := b.ctx.Err(); err != nil {
		return nil, err
	}
	e, err := b.dispatch(s, n)
	if err != nil {
		return nil, err
	}
	if _, ok := b.pos[e]; !ok {
		b.pos[e] = astPos(n)
	}
	return e, nil
}

func (b *binder) dispatch(s *scope, n *pg_query.Node) (plan.Expr, error) {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_AConst:
		return b.constant(x.AConst)
	case *pg_query.Node_ColumnRef:
		return b.columnRef(s, x.ColumnRef)
	case *pg_query.Node_ParamRef:
		return b.param(int(x.ParamRef.Number), loc(x.ParamRef.Location))
	case *pg_query.Node_AExpr:
		return b.aExpr(s, x.AExpr)
	case *pg_query.Node_BoolExpr:
		return b.boolExpr(s, x.BoolExpr)
	case *pg_query.Node_FuncCall:
		return b.funcCall(s, x.FuncCall)
	case *pg_query.Node_TypeCast:
		return b.typeCast(s, x.TypeCast)
	case *pg_query.Node_CaseExpr:
		return b.caseExpr(s, x.CaseExpr)
	case *pg_query.Node_SubLink:
		return b.subLink(s, x.SubLink)
	case *pg_query.Node_AArrayExpr:
		return b.arrayExpr(s, x.AArrayExpr, nil, -1)
	case *pg_query.Node_AIndirection:
		return b.indirection(s, x.AIndirection)
	case *pg_query.Node_NullTest:
		return b.nullTest(s, x.NullTest)
	case *pg_query.Node_BooleanTest:
		return b.boolTest(s, x.BooleanTest)
	case *pg_query.Node_CoalesceExpr:
		return b.coalesce(s, x.CoalesceExpr)
	case *pg_query.Node_MinMaxExpr:
		return b.minMax(s, x.MinMaxExpr)
	case *pg_query.Node_RowExpr:
		return b.rowExpr(s, x.RowExpr)
	case *pg_query.Node_SqlvalueFunction:
		return b.sqlValue(x.SqlvalueFunction)
	case *pg_query.Node_CollateClause:
		return b.collate(s, x.CollateClause)
	}
	return b.rareExpr(s, n)
}

// rareExpr binds what stands in few statements, and names what stands in the wrong place.
func (b *binder) rareExpr(s *scope, n *pg_query.Node) (plan.Expr, error) {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_GroupingFunc:
		return b.groupingFunc(s, x.GroupingFunc)
	case *pg_query.Node_NamedArgExpr:
		return nil, errAt(loc(x.NamedArgExpr.Location), dberr.SyntaxError, "named argument is not allowed here")
	case *pg_query.Node_SetToDefault:
		return nil, errAt(loc(x.SetToDefault.Location), dberr.SyntaxError, "DEFAULT is not allowed in this context")
	case *pg_query.Node_CurrentOfExpr:
		return b.currentOf(s, x.CurrentOfExpr)
	case *pg_query.Node_XmlExpr, *pg_query.Node_XmlSerialize:
		return nil, errAt(astPos(n), dberr.FeatureNotSupported, "unsupported XML feature").WithHint("Keep documents as jsonb.")
	case *pg_query.Node_List:
		return nil, errAt(astPos(n), dberr.SyntaxError, "a list is not allowed here")
	}
	return nil, errAt(astPos(n), dberr.FeatureNotSupported, "this expression is not supported")
}

// exprs binds a list.
func (b *binder) exprs(s *scope, list []*pg_query.Node) ([]plan.Expr, error) {
	out := make([]plan.Expr, 0, len(list))
	for _, n := range list {
		e, err := b.expr(s, n)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// constant binds a literal. A quoted one has type unknown until its place gives it one.
func (b *binder) constant(c *pg_query.A_Const) (plan.Expr, error) {
	pos := loc(c.Location)
	if c.Isnull {
		return b.at(nullConst(value.Unknown), pos), nil
	}
	switch v := c.Val.(type) {
	case *pg_query.A_Const_Ival:
		return b.at(intConst(value.Int4, int64(v.Ival.Ival)), pos), nil
	case *pg_query.A_Const_Boolval:
		return b.at(boolConst(v.Boolval.Boolval), pos), nil
	case *pg_query.A_Const_Sval:
		return b.at(&plan.Const{Typed: plan.Typed{T: value.Unknown, M: -1}, Val: value.String(v.Sval.Sval)}, pos), nil
	case *pg_query.A_Const_Bsval:
		bits, err := bitLiteral(v.Bsval.Bsval, pos)
		if err != nil {
			return nil, err
		}
		val, err := typeio.In(value.Bit, -1, bits, b.Format)
		if err != nil {
			return nil, dberr.AddPosition(err, pos)
		}
		return b.at(&plan.Const{Typed: plan.Typed{T: value.Bit, M: -1}, Val: val}, pos), nil
	case *pg_query.A_Const_Fval:
		return b.number(v.Fval.Fval, pos)
	}
	return nil, errAt(pos, dberr.InternalError, "unknown kind of constant")
}

// number binds a number that the grammar did not take as an int4: int8 when it is a whole number that fits, else numeric.
func (b *binder) number(text string, pos int) (plan.Expr, error) {
	text = strings.ReplaceAll(text, "_", "")
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		if i == math.MinInt32 { // its digits alone were too great a number for the grammar
			return b.at(intConst(value.Int4, i), pos), nil
		}
		return b.at(intConst(value.Int8, i), pos), nil
	}
	if digits := strings.ToLower(strings.TrimPrefix(text, "-")); strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0o") || strings.HasPrefix(digits, "0b") {
		n, ok := new(big.Int).SetString(text, 0)
		if !ok {
			return nil, errAt(pos, dberr.SyntaxError, "invalid number %s", text)
		}
		if n.IsInt64() {
			return b.at(intConst(value.Int8, n.Int64()), pos), nil
		}
		text = n.String()
	}
	v, err := typeio.In(value.Numeric, -1, text, b.Format)
	if err != nil {
		return nil, dberr.AddPosition(err, pos)
	}
	return b.at(&plan.Const{Typed: plan.Typed{T: value.Numeric, M: -1}, Val: v}, pos), nil
}

// bitLiteral turns b101 and x1F, as the grammar gives them, into binary digits.
func bitLiteral(s string, pos int) (string, error) {
	if s == "" {
		return "", nil
	}
	digits := s[1:]
	if s[0] != 'x' && s[0] != 'X' {
		for _, c := range digits {
			if c != '0' && c != '1' {
				return "", errAt(pos, dberr.InvalidTextRepresentation, "\"%c\" is not a valid binary digit", c)
			}
		}
		return digits, nil
	}
	var out strings.Builder
	for _, c := range digits {
		v, err := strconv.ParseUint(string(c), 16, 8)
		if err != nil {
			return "", errAt(pos, dberr.InvalidTextRepresentation, "\"%c\" is not a valid hexadecimal digit", c)
		}
		bits := strconv.FormatUint(v, 2)
		out.WriteString("0000"[len(bits):] + bits)
	}
	return out.String(), nil
}

// typeCast binds CAST(x AS t), x::t and t 'literal'.
func (b *binder) typeCast(s *scope, c *pg_query.TypeCast) (plan.Expr, error) {
	t, mod, err := b.typeName(c.TypeName)
	if err != nil {
		return nil, err
	}
	var arg plan.Expr
	if a := c.Arg.GetAArrayExpr(); a != nil && baseType(t).IsArray() && !fixedVector(baseType(t)) {
		arg, err = b.arrayExpr(s, a, baseType(t), mod)
		if err == nil {
			b.at(arg, loc(a.Location))
		}
	} else {
		arg, err = b.expr(s, c.Arg)
	}
	if err != nil {
		return nil, err
	}
	pos := loc(c.Location)
	if pos < 0 {
		pos = loc(c.TypeName.Location)
	}
	return b.cast(arg, t, mod, pos)
}

// cast is an explicit cast.
func (b *binder) cast(arg plan.Expr, t *value.Type, mod int32, pos int) (plan.Expr, error) {
	if t.Class == value.Pseudo && !same(arg.Type(), t) && !castablePseudo(t) {
		return nil, errAt(pos, dberr.CannotCoerce, "cannot cast type %s to %s", arg.Type().SQL, t.SQL)
	}
	out, ok, err := b.coerce(arg, t, mod, functions.Explicit, plan.CastStyle, pos)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errAt(pos, dberr.CannotCoerce, "cannot cast type %s to %s", arg.Type().SQL, t.SQL)
	}
	return out, nil
}

func castablePseudo(t *value.Type) bool {
	switch t.OID {
	case value.Unknown.OID, value.RecordType.OID, value.CString.OID, value.RecordArray.OID, value.Void.OID:
		return true
	}
	return false
}

// boolExpr binds AND, OR and NOT.
func (b *binder) boolExpr(s *scope, x *pg_query.BoolExpr) (plan.Expr, error) {
	name := map[pg_query.BoolExprType]string{pg_query.BoolExprType_AND_EXPR: "AND", pg_query.BoolExprType_OR_EXPR: "OR", pg_query.BoolExprType_NOT_EXPR: "NOT"}[x.Boolop]
	args := make([]plan.Expr, len(x.Args))
	for i, n := range x.Args {
		e, err := b.expr(s, n)
		if err != nil {
			return nil, err
		}
		if args[i], err = b.boolean(e, name); err != nil {
			return nil, err
		}
	}
	if name == "NOT" {
		return &plan.Not{Arg: args[0]}, nil
	}
	return &plan.BoolOp{Or: name == "OR", Args: args}, nil
}

func (b *binder) nullTest(s *scope, x *pg_query.NullTest) (plan.Expr, error) {
	arg, err := b.expr(s, x.Arg)
	if err != nil {
		return nil, err
	}
	return &plan.IsNull{Arg: arg, Not: x.Nulltesttype == pg_query.NullTestType_IS_NOT_NULL}, nil
}

// boolTests gives the name in messages, the value wanted and the negation of each IS [NOT] TRUE, FALSE, UNKNOWN.
var boolTests = map[pg_query.BoolTestType]struct {
	name string
	want byte
	not  bool
}{
	pg_query.BoolTestType_IS_TRUE: {"IS TRUE", 't', false}, pg_query.BoolTestType_IS_NOT_TRUE: {"IS NOT TRUE", 't', true},
	pg_query.BoolTestType_IS_FALSE: {"IS FALSE", 'f', false}, pg_query.BoolTestType_IS_NOT_FALSE: {"IS NOT FALSE", 'f', true},
	pg_query.BoolTestType_IS_UNKNOWN: {"IS UNKNOWN", 'u', false}, pg_query.BoolTestType_IS_NOT_UNKNOWN: {"IS NOT UNKNOWN", 'u', true},
}

func (b *binder) boolTest(s *scope, x *pg_query.BooleanTest) (plan.Expr, error) {
	arg, err := b.expr(s, x.Arg)
	if err != nil {
		return nil, err
	}
	k := boolTests[x.Booltesttype]
	if arg, err = b.boolean(arg, k.name); err != nil {
		return nil, err
	}
	return &plan.BoolTest{Arg: arg, Want: k.want, Not: k.not}, nil
}

func (b *binder) coalesce(s *scope, x *pg_query.CoalesceExpr) (plan.Expr, error) {
	args, err := b.exprs(s, x.Args)
	if err != nil {
		return nil, err
	}
	t, args, err := b.unify(args, "COALESCE")
	if err != nil {
		return nil, err
	}
	if err := b.refuseSets(args, "COALESCE"); err != nil {
		return nil, err
	}
	return &plan.Coalesce{Typed: plan.Typed{T: t, M: commonMod(args, t)}, Args: args}, nil
}

// refuseSets is the error for set-returning calls inside constructs that may not evaluate them.
func (b *binder) refuseSets(args []plan.Expr, construct string) error {
	for _, a := range args {
		if hasSet(a) {
			return errAt(b.posOf(a), dberr.FeatureNotSupported, "set-returning functions are not allowed in %s", construct).
				WithHint("You might be able to move the set-returning function into a LATERAL FROM item.")
		}
	}
	return nil
}

func (b *binder) minMax(s *scope, x *pg_query.MinMaxExpr) (plan.Expr, error) {
	name := "GREATEST"
	if x.Op == pg_query.MinMaxOp_IS_LEAST {
		name = "LEAST"
	}
	args, err := b.exprs(s, x.Args)
	if err != nil {
		return nil, err
	}
	t, args, err := b.unify(args, name)
	if err != nil {
		return nil, err
	}
	if b.ltOp(t) == nil {
		return nil, errAt(loc(x.Location), dberr.UndefinedFunction, "could not identify a comparison function for type %s", t.SQL)
	}
	return &plan.MinMax{Typed: plan.Typed{T: t, M: commonMod(args, t)}, Least: name == "LEAST", Args: args}, nil
}

// caseExpr binds both forms of CASE. In the simple form the argument becomes a column that the conditions compare.
func (b *binder) caseExpr(s *scope, x *pg_query.CaseExpr) (plan.Expr, error) {
	out := &plan.Case{}
	var arg plan.Col
	if x.Arg != nil {
		e, err := b.expr(s, x.Arg)
		if err != nil {
			return nil, err
		}
		if out.Arg, err = b.resolveUnknown(e); err != nil {
			return nil, err
		}
		arg = b.newCol("", out.Arg.Type(), out.Arg.Mod())
		arg.Coll = b.collationOf(out.Arg).name
		out.ArgCol = arg.ID
	}
	results := make([]plan.Expr, 1, len(x.Args)+1) // ELSE decides first
	for _, n := range x.Args {
		w := n.GetCaseWhen()
		cond, err := b.caseCond(s, w, out.Arg, arg)
		if err != nil {
			return nil, err
		}
		then, err := b.expr(s, w.Result)
		if err != nil {
			return nil, err
		}
		out.Whens = append(out.Whens, plan.When{Cond: cond, Then: then})
		results = append(results, then)
	}
	results[0] = nullConst(value.Unknown)
	if x.Defresult != nil {
		e, err := b.expr(s, x.Defresult)
		if err != nil {
			return nil, err
		}
		results[0] = e
	}
	t, results, err := b.unify(results, "CASE")
	if err != nil {
		return nil, err
	}
	if err := b.refuseSets(results, "CASE"); err != nil {
		return nil, err
	}
	out.Typed = plan.Typed{T: t, M: commonMod(results, t)}
	if x.Defresult != nil {
		out.Else = results[0]
	} else if len(results) > 1 {
		out.M = -1
	}
	for i := range out.Whens {
		out.Whens[i].Then = results[i+1]
	}
	return out, nil
}

// caseCond binds the condition of one WHEN.
func (b *binder) caseCond(s *scope, w *pg_query.CaseWhen, arg plan.Expr, col plan.Col) (plan.Expr, error) {
	cond, err := b.expr(s, w.Expr)
	if err != nil {
		return nil, err
	}
	if arg != nil {
		if cond, err = b.makeOp("=", b.ref(col, b.posOf(arg)), cond, loc(w.Location)); err != nil {
			return nil, err
		}
	}
	cond, err = b.boolean(cond, "CASE/WHEN")
	if err != nil {
		return nil, err
	}
	return cond, b.refuseSets([]plan.Expr{cond}, "CASE")
}

func (b *binder) collate(s *scope, x *pg_query.CollateClause) (plan.Expr, error) {
	arg, err := b.expr(s, x.Arg)
	if err != nil {
		return nil, err
	}
	if !collatable(arg.Type()) {
		return nil, errAt(loc(x.Location), dberr.DatatypeMismatch, "collations are not supported by type %s", arg.Type().SQL)
	}
	name, err := b.collationName(strs(x.Collname), loc(x.Location))
	if err != nil {
		return nil, err
	}
	return &plan.Collate{Arg: arg, Coll: name}, nil
}

// groupingFunc binds GROUPING(…); its arguments are looked up among the grouping expressions when these are known.
func (b *binder) groupingFunc(s *scope, x *pg_query.GroupingFunc) (plan.Expr, error) {
	pos := loc(x.Location)
	if len(x.Args) > 31 {
		return nil, errAt(pos, dberr.TooManyArguments, "GROUPING must have fewer than 32 arguments")
	}
	if r := clauseRules[s.clause]; !r.agg {
		return nil, errAt(pos, dberr.GroupingError, "grouping operations are not allowed in %s", r.name)
	}
	args, err := b.exprs(s, x.Args)
	if err != nil {
		return nil, err
	}
	level := s
	if l := b.deepest(s, args); l != nil {
		level = l
	}
	level.hasAgg = true
	return &groupingExpr{level: level, args: args, pos: pos}, nil
}
