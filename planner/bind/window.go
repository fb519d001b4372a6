package bind

import (
	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// window is a window definition: named in the WINDOW clause, or made for one OVER.
type window struct {
	name      string
	def       *pg_query.WindowDef
	partition []plan.Expr
	order     []plan.SortKey
	frame     plan.Frame
	hasFrame  bool
	bound     bool
	binding   bool
}

// The bits of WindowDef.FrameOptions.
const (
	frameNonDefault = 1 << iota
	frameRange
	frameRows
	frameGroups
	frameBetween
	frameStartUnboundedPreceding
	frameEndUnboundedPreceding
	frameStartUnboundedFollowing
	frameEndUnboundedFollowing
	frameStartCurrentRow
	frameEndCurrentRow
	frameStartOffsetPreceding
	frameEndOffsetPreceding
	frameStartOffsetFollowing
	frameEndOffsetFollowing
	frameExcludeCurrentRow
	frameExcludeGroup
	frameExcludeTies
)

// namedWindows takes in the WINDOW clause; its windows are bound when they are first used, and at the end.
func namedWindows(s *scope, list []*pg_query.Node) {
	for _, n := range list {
		d := n.GetWindowDef()
		s.windows = append(s.windows, &window{name: d.Name, def: d})
	}
}

// checkWindows binds the named windows that nobody used and refuses names that are taken twice.
func (b *binder) checkWindows(s *scope) error {
	for i, w := range s.windows {
		for _, o := range s.windows[:i] {
			if o.name == w.name {
				return errAt(loc(w.def.Location), dberr.WindowingError, "window \"%s\" is already defined", w.name)
			}
		}
		if err := b.bindWindow(s, w); err != nil {
			return err
		}
	}
	return nil
}

// windowNamed finds a window of the WINDOW clause and binds it. Another window of the clause, by, sees those before it.
func (b *binder) windowNamed(s *scope, name string, by *window, pos int) (*window, error) {
	for _, w := range s.windows {
		if w == by {
			break
		}
		if w.name == name && !w.binding {
			return w, b.bindWindow(s, w)
		}
	}
	return nil, errAt(pos, dberr.UndefinedObject, "window \"%s\" does not exist", name)
}

// bindWindow binds a definition: what it takes over from another window, then its own clauses.
func (b *binder) bindWindow(s *scope, w *window) error {
	if w.bound {
		return nil
	}
	w.binding = true
	defer func() { w.binding = false }()
	d, pos := w.def, loc(w.def.Location)
	var from *window
	if d.Refname != "" {
		var err error
		if from, err = b.windowNamed(s, d.Refname, w, pos); err != nil {
			return err
		}
	}
	err := s.in(inPartition, func() error {
		for _, n := range d.PartitionClause {
			e, err := b.expr(s, n)
			if err != nil {
				return err
			}
			if e, err = b.resolveUnknown(e); err != nil {
				return err
			}
			if err := b.needsEquality(e); err != nil {
				return err
			}
			w.partition = append(w.partition, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = s.in(inWindowOrder, func() error {
		for _, n := range d.OrderClause {
			sb := n.GetSortBy()
			e, err := b.expr(s, sb.Node)
			if err != nil {
				return err
			}
			k, err := b.sortKey(e, sb)
			if err != nil {
				return err
			}
			w.order = append(w.order, k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if from != nil {
		if err := inherit(w, from, pos); err != nil {
			return err
		}
	}
	w.hasFrame = d.FrameOptions&frameNonDefault != 0
	w.bound = true
	return b.bindFrame(s, w)
}

// inherit takes over another window's clauses (manual 4.2.8).
func inherit(w, from *window, pos int) error {
	if len(w.partition) > 0 {
		return errAt(pos, dberr.WindowingError, "cannot override PARTITION BY clause of window \"%s\"", from.name)
	}
	if len(w.order) > 0 && len(from.order) > 0 {
		return errAt(pos, dberr.WindowingError, "cannot override ORDER BY clause of window \"%s\"", from.name)
	}
	if from.hasFrame {
		e := errAt(pos, dberr.WindowingError, "cannot copy window \"%s\" because it has a frame clause", from.name)
		if w.name == "" && len(w.order) == 0 && w.def.FrameOptions&frameNonDefault == 0 {
			return e.WithHint("Omit the parentheses in this OVER clause.")
		}
		return e
	}
	w.partition = from.partition
	if len(w.order) == 0 {
		w.order = from.order
	}
	return nil
}

// rangeKeys: how RANGE offsets work for a sort column's type: the type in which keys are compared and the type of the offset.
var rangeKeys = map[uint32][2]*value.Type{
	value.Int2.OID: {value.Int8, value.Int8}, value.Int4.OID: {value.Int8, value.Int8}, value.Int8.OID: {value.Int8, value.Int8},
	value.Float4.OID: {value.Float8, value.Float8}, value.Float8.OID: {value.Float8, value.Float8}, value.Numeric.OID: {value.Numeric, value.Numeric},
	value.Date.OID: {value.Timestamp, value.IntervalT}, value.Timestamp.OID: {value.Timestamp, value.IntervalT},
	value.TimestampTZ.OID: {value.TimestampTZ, value.IntervalT}, value.IntervalT.OID: {value.IntervalT, value.IntervalT},
	value.Time.OID: {value.Time, value.IntervalT}, value.TimeTZT.OID: {value.TimeTZT, value.IntervalT},
}

// bindFrame binds the frame clause.
func (b *binder) bindFrame(s *scope, w *window) error {
	o, pos := w.def.FrameOptions, loc(w.def.Location)
	f := &w.frame
	has := func(bit int32) bool { return o&bit != 0 }
	switch {
	case has(frameRows):
		f.Mode = 'r'
	case has(frameGroups):
		f.Mode = 'g'
	default:
		f.Mode = 'v'
	}
	f.Start.Kind = boundKind(o, frameStartUnboundedPreceding, frameStartOffsetPreceding, frameStartCurrentRow, frameStartOffsetFollowing)
	f.End.Kind = boundKind(o, frameEndUnboundedPreceding, frameEndOffsetPreceding, frameEndCurrentRow, frameEndOffsetFollowing)
	switch {
	case has(frameExcludeCurrentRow):
		f.Exclude = 'c'
	case has(frameExcludeGroup):
		f.Exclude = 'g'
	case has(frameExcludeTies):
		f.Exclude = 't'
	}
	if f.Mode == 'g' && len(w.order) == 0 {
		return errAt(pos, dberr.WindowingError, "GROUPS mode requires an ORDER BY clause")
	}
	if w.def.StartOffset == nil && w.def.EndOffset == nil {
		return nil
	}
	var keyType *value.Type
	if f.Mode == 'v' {
		if len(w.order) != 1 {
			return errAt(pos, dberr.WindowingError, "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column")
		}
		keyType = w.order[0].Expr.Type()
		at := w.def.StartOffset
		if at == nil {
			at = w.def.EndOffset
		}
		if err := b.rangeFrame(w, astPos(at)); err != nil {
			return err
		}
	}
	var err error
	if f.Start.Offset, err = b.frameOffset(s, w, w.def.StartOffset, keyType); err != nil {
		return err
	}
	f.End.Offset, err = b.frameOffset(s, w, w.def.EndOffset, keyType)
	return err
}

func boundKind(o int32, unbounded, preceding, current, following int32) byte {
	switch {
	case o&unbounded != 0:
		return 'u'
	case o&preceding != 0:
		return 'p'
	case o&current != 0:
		return 'c'
	case o&following != 0:
		return 'f'
	}
	return 'U'
}

// rangeFrame makes the sort key comparable with key ± offset.
func (b *binder) rangeFrame(w *window, pos int) error {
	key := &w.order[0]
	t := key.Expr.Type()
	ts, ok := rangeKeys[baseType(t).OID]
	if !ok {
		return errAt(pos, dberr.FeatureNotSupported, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s", t.SQL)
	}
	if !same(t, ts[0]) {
		e, err := b.implicitly(key.Expr, ts[0])
		if err != nil {
			return err
		}
		order := append([]plan.SortKey(nil), w.order...)
		order[0].Expr = b.at(e, b.posOf(key.Expr))
		w.order = order
	}
	w.frame.Plus, w.frame.Minus = b.opFunc("+", ts[0], ts[1]), b.opFunc("-", ts[0], ts[1])
	return nil
}

// frameOffset binds the n of n PRECEDING.
func (b *binder) frameOffset(s *scope, w *window, n *pg_query.Node, keyType *value.Type) (plan.Expr, error) {
	if n == nil {
		return nil, nil
	}
	name := map[byte]string{'r': "ROWS", 'g': "GROUPS", 'v': "RANGE"}[w.frame.Mode]
	var e plan.Expr
	err := s.in(inFrame, func() error {
		var err error
		e, err = b.expr(s, n)
		return err
	})
	if err != nil {
		return nil, err
	}
	if w.frame.Mode == 'v' {
		t := rangeKeys[baseType(keyType).OID]
		from := e
		if isUnknown(e.Type()) && keyType.Category == 'N' {
			if e, err = b.implicitly(e, keyType); err != nil {
				return nil, err
			}
		}
		e, ok, err := b.coerce(e, t[1], -1, functions.Implicit, plan.ImplicitCastStyle, -1)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, errAt(b.posOf(from), dberr.FeatureNotSupported, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s and offset type %s",
				keyType.SQL, from.Type().SQL).WithHint("Cast the offset value to an appropriate type.")
		}
		return e, b.noVars(s, e, name)
	}
	if e, err = b.specific(e, value.Int8, name); err != nil {
		return nil, err
	}
	return e, b.noVars(s, e, name)
}

// noVars refuses columns of the query itself in LIMIT, OFFSET and frame offsets.
func (b *binder) noVars(s *scope, e plan.Expr, construct string) error {
	for id := range plan.RefsOf(e) {
		if b.ownerOf(id) == s {
			return errAt(b.posOf(e), dberr.InvalidColumnRef, "argument of %s must not contain variables", construct)
		}
	}
	return nil
}

// winCall makes a window function call, or an aggregate's over a window.
func (b *binder) winCall(s *scope, x *pg_query.FuncCall, c *call, r *resolved) (plan.Expr, error) {
	if err := b.checkWinCall(s, x, c, r); err != nil {
		return nil, err
	}
	for _, a := range r.args {
		if err := notInWindow(a); err != nil {
			return nil, err
		}
	}
	e := &winExpr{Typed: plan.Typed{T: r.ret, M: -1}, name: c.name, pos: c.pos}
	agg := r.agg
	if agg != nil && r.user != nil {
		var err error
		if agg, err = b.aggInstance(r.user, agg, types(r.args)); err != nil {
			return nil, err
		}
	}
	e.call = plan.WinCall{Col: plan.Col{Name: c.name, Type: r.ret, Mod: -1}, Fn: r.win, Agg: agg, Args: r.args}
	if collatable(r.ret) {
		coll, err := b.callCollation(r.args, c.pos)
		if err != nil {
			return nil, err
		}
		e.call.Col.Coll = coll
	}
	if x.AggFilter != nil {
		err := s.in(inFilter, func() error {
			f, err := b.expr(s, x.AggFilter)
			if err == nil {
				e.call.Filter, err = b.boolean(f, "FILTER")
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	w := &window{def: x.Over}
	if x.Over.Name != "" {
		var err error
		if w, err = b.windowNamed(s, x.Over.Name, nil, loc(x.Over.Location)); err != nil {
			return nil, err
		}
	} else if err := b.bindWindow(s, w); err != nil {
		return nil, err
	}
	e.partition, e.order, e.call.Frame = w.partition, w.order, w.frame
	s.hasWindow = true
	return b.at(e, c.pos), nil
}

func (b *binder) checkWinCall(s *scope, x *pg_query.FuncCall, c *call, r *resolved) error {
	switch {
	case r.win != nil && x.Over == nil:
		return errAt(c.pos, dberr.WrongObjectType, "window function %s requires an OVER clause", c.name)
	case r.win != nil && x.AggWithinGroup:
		return errAt(c.pos, dberr.WrongObjectType, "window function %s cannot have WITHIN GROUP", c.name)
	case r.agg != nil && r.agg.OrderedSet:
		return errAt(c.pos, dberr.FeatureNotSupported, "OVER is not supported for ordered-set aggregate %s", c.name)
	case x.AggDistinct:
		return errAt(c.pos, dberr.FeatureNotSupported, "DISTINCT is not implemented for window functions")
	case r.agg != nil && len(c.args) == 0 && !x.AggStar:
		return errAt(c.pos, dberr.WrongObjectType, "%s(*) must be used to call a parameterless aggregate function", c.name)
	case r.win != nil && x.AggStar:
		return errAt(c.pos, dberr.WrongObjectType, "%s(*) specified, but %s is not an aggregate function", c.name, c.name)
	case len(x.AggOrder) > 0:
		return errAt(c.pos, dberr.FeatureNotSupported, "aggregate ORDER BY is not implemented for window functions")
	case r.win != nil && x.AggFilter != nil:
		return errAt(c.pos, dberr.FeatureNotSupported, "FILTER is not implemented for non-aggregate window functions")
	case s == nil || !clauseRules[s.clause].win:
		name := clauseRules[inOther].name
		if s != nil {
			name = clauseRules[s.clause].name
		}
		if s != nil && (s.clause == inPartition || s.clause == inWindowOrder || s.clause == inFrame) {
			return errAt(c.pos, dberr.WindowingError, "window functions are not allowed in window definitions")
		}
		return errAt(c.pos, dberr.WindowingError, "window functions are not allowed in %s", name)
	}
	return nil
}

// notInWindow refuses what may not stand in a window call's arguments.
func notInWindow(a plan.Expr) (err error) {
	plan.Walk(a, func(x plan.Expr) bool {
		switch n := x.(type) {
		case *winExpr:
			err = errAt(n.pos, dberr.WindowingError, "window function calls cannot be nested")
		case *setExpr:
			err = errAt(n.pos, dberr.FeatureNotSupported, "window function calls cannot contain set-returning function calls").
				WithHint("You might be able to move the set-returning function into a LATERAL FROM item.")
		}
		return err == nil
	})
	return err
}
