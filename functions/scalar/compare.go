package scalar

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// cmpOp is one of the six comparisons: the suffix of its function's name and what it says of an order.
type cmpOp struct {
	suffix string
	holds  func(c int) bool
	kind   kernelOp
}

var cmpOps = []cmpOp{
	{"eq", func(c int) bool { return c == 0 }, opEq},
	{"ne", func(c int) bool { return c != 0 }, opNe},
	{"lt", func(c int) bool { return c < 0 }, opLt},
	{"le", func(c int) bool { return c <= 0 }, opLe},
	{"gt", func(c int) bool { return c > 0 }, opGt},
	{"ge", func(c int) bool { return c >= 0 }, opGe},
}

// cmpFamily is a type with the prefix of its comparison functions' names.
type cmpFamily struct {
	prefix string
	args   string
	cmp    func(a, b val) int
	kernel func(op kernelOp) functions.KernelFunc
	only   string // suffixes that exist, "" for all six
}

func ordered(prefix, typ string, t *value.Type) cmpFamily {
	return cmpFamily{prefix: prefix, args: typ + "," + typ, cmp: typeio.Comparer(t), kernel: kernelFor(t)}
}

// cmpFamilies lists PostgreSQL's comparison functions by name prefix.
func cmpFamilies() []cmpFamily {
	fams := []cmpFamily{
		ordered("bool", "bool", value.Boolean), ordered("char", "char", value.Char), ordered("name", "name", value.Name),
		ordered("int2", "int2", value.Int2), ordered("int4", "int4", value.Int4), ordered("int8", "int8", value.Int8),
		ordered("float4", "float4", value.Float4), ordered("float8", "float8", value.Float8), ordered("numeric_", "numeric", value.Numeric),
		ordered("text", "text", value.Text), ordered("text_", "text", value.Text), ordered("bpchar", "bpchar", value.BPChar),
		ordered("bytea", "bytea", value.Bytea), ordered("uuid_", "uuid", value.UUID), ordered("oid", "oid", value.OID),
		ordered("oidvector", "oidvector", value.OIDVector),
		ordered("date_", "date", value.Date), ordered("time_", "time", value.Time), ordered("timestamp_", "timestamp", value.Timestamp),
		ordered("timestamptz_", "timestamptz", value.TimestampTZ), ordered("interval_", "interval", value.IntervalT), ordered("timetz_", "timetz", value.TimeTZT),
		ordered("jsonb_", "jsonb", value.JSONB), ordered("pg_lsn_", "pg_lsn", value.PgLSN), ordered("xid8", "xid8", value.XID8),
		ordered("xid", "xid", value.XID), ordered("cid", "cid", value.CID),
		ordered("bit", "bit", value.Bit), ordered("varbit", "varbit", value.VarBit), ordered("network_", "inet", value.Inet),
		ordered("macaddr_", "macaddr", value.Macaddr), ordered("macaddr8_", "macaddr8", value.Macaddr8),
		ordered("text_pattern_", "text", value.Text), ordered("bpchar_pattern_", "bpchar", value.BPChar),
		ordered("tid", "tid", value.TID),
	}
	for _, x := range []struct{ prefix, args string }{
		{"int24", "int2,int4"}, {"int42", "int4,int2"}, {"int28", "int2,int8"}, {"int82", "int8,int2"}, {"int48", "int4,int8"}, {"int84", "int8,int4"},
	} {
		fams = append(fams, cmpFamily{prefix: x.prefix, args: x.args, cmp: typeio.Comparer(value.Int8), kernel: intKernel})
	}
	for _, x := range []struct{ prefix, args string }{{"float48", "float4,float8"}, {"float84", "float8,float4"}} {
		fams = append(fams, cmpFamily{prefix: x.prefix, args: x.args, cmp: typeio.Comparer(value.Float8), kernel: floatKernel})
	}
	for _, x := range []struct{ prefix, suffix, args string }{{"name", "text", "name,text"}, {"text", "name", "text,name"}} {
		for _, op := range cmpOps {
			fams = append(fams, cmpFamily{prefix: x.prefix + op.suffix + x.suffix, args: x.args, cmp: typeio.Comparer(value.Text), kernel: textKernel, only: op.suffix})
		}
	}
	return append(fams, polyFamilies()...)
}

// polyFamilies are the comparisons of containers, which find their order in the value.
func polyFamilies() []cmpFamily {
	return []cmpFamily{
		{prefix: "array_", args: "anyarray,anyarray", cmp: typeio.Comparer(value.AnyArray)},
		{prefix: "record_", args: "record,record", cmp: typeio.Comparer(value.RecordType)},
		{prefix: "range_", args: "anyrange,anyrange", cmp: typeio.Comparer(value.Int4Range)},
		{prefix: "multirange_", args: "anymultirange,anymultirange", cmp: typeio.Comparer(value.ByOID(4451))},
		{prefix: "enum_", args: "anyenum,anyenum", cmp: typeio.Comparer(value.Int8), kernel: intKernel},
	}
}

// comparisons gives =, <>, <, <=, >, >= for all types.
func comparisons() []def {
	var out []def
	for _, f := range cmpFamilies() {
		for _, op := range cmpOps {
			name := f.prefix + op.suffix
			switch f.only {
			case "":
			case op.suffix:
				name = f.prefix
			default:
				continue
			}
			sig := name + "(" + f.args + ")"
			if !functions.Known(sig) { // texteq, but text_lt: not every prefix has all six
				continue
			}
			d := def{Sig: sig, Eval: cmpEval(f.cmp, op.holds)}
			if f.prefix == "array_" {
				d.Eval = equating(d.Eval)
			}
			if f.kernel != nil {
				d.Kernel = f.kernel(op.kind)
			}
			out = append(out, d)
		}
	}
	return append(out, dateComparisons()...)
}

func cmpEval(cmp func(a, b val) int, holds func(int) bool) eval {
	return pure(func(a []val) val { return value.Bool(holds(cmp(a[0], a[1]))) })
}

// kernelFor picks the kernel for a type's comparisons; nil when there is none.
func kernelFor(t *value.Type) func(kernelOp) functions.KernelFunc {
	switch t.OID {
	case value.OID.OID, value.XID.OID, value.CID.OID: // compared as unsigned
		return nil
	case value.Text.OID, value.Name.OID, value.Bytea.OID, value.UUID.OID:
		return textKernel
	}
	switch t.Kind {
	case value.KindInt:
		return intKernel
	case value.KindFloat:
		return floatKernel
	}
	return nil
}

// moreComparisons gives comparisons whose names follow no family, and the larger and smaller of some types.
func moreComparisons() []def {
	eq := cmpEval(typeio.Comparer(value.XID), cmpOps[0].holds)
	ne := cmpEval(typeio.Comparer(value.XID), cmpOps[1].holds)
	out := []def{
		{Sig: "xidneq(xid,xid)", Eval: ne}, {Sig: "xideqint4(xid,int4)", Eval: eq}, {Sig: "xidneqint4(xid,int4)", Eval: ne},
	}
	blanks := typeio.Comparer(value.BPChar)
	for _, b := range []struct {
		name string
		sign int
	}{{"larger", 1}, {"smaller", -1}} { // of equal ones the first
		out = append(out, def{Sig: "bpchar_" + b.name + "(bpchar,bpchar)", Eval: pure(func(a []val) val {
			if blanks(a[0], a[1])*b.sign >= 0 {
				return a[0]
			}
			return a[1]
		})})
	}
	for _, t := range []struct {
		name string
		t    *value.Type
	}{{"oid", value.OID}, {"interval_", value.IntervalT}, {"timetz_", value.TimeTZT}, {"xid8_", value.XID8}, {"tid", value.TID}} {
		two := "(" + t.t.Name + "," + t.t.Name + ")"
		cmp := typeio.Comparer(t.t)
		out = append(out,
			def{Sig: t.name + "larger" + two, Eval: pure(func(a []val) val { return pickBy(a, 1, cmp) })},
			def{Sig: t.name + "smaller" + two, Eval: pure(func(a []val) val { return pickBy(a, -1, cmp) })})
	}
	return out
}
