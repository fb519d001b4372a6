package value

import "strconv"

// Class is pg_type.typtype.
type Class byte

// The classes of types.
const (
	Base       Class = 'b'
	Composite  Class = 'c'
	Domain     Class = 'd'
	Enum       Class = 'e'
	Pseudo     Class = 'p'
	RangeClass Class = 'r'
	MultiClass Class = 'm'
)

// Type is a SQL type. Two Types are the same type when their OIDs are equal; a type modifier travels beside it.
type Type struct {
	OID       uint32
	Name      string // pg_type.typname
	SQL       string // the name that format_type shows, without modifier
	Kind      Kind
	Class     Class
	Category  byte // pg_type.typcategory
	Preferred bool
	Len       int16 // pg_type.typlen
	ArrayOID  uint32
	Elem      *Type    // of an array; of a range or multirange the subtype
	Under     *Type    // of a domain its base type …
	UnderMod  int32    // … and that type's modifier, -1 for none
	Labels    []string // of an enum, in sort order
	// Places gives each label the number by which keys of indexes order it, which stays when others are added before it; nil when that is
	// its position.
	Places    []float64
	Fields    Schema // of a composite
	Namespace uint32 // 0 means pg_catalog
}

// IsArray tells whether t is an array type.
func (t *Type) IsArray() bool { return t.Category == 'A' && t.Elem != nil }

// Parts gives the elements of a type that is subscripted like an array from 0 without being one, and how many they are; nil for others.
func (t *Type) Parts() (elem *Type, n int64) {
	switch t.OID {
	case Name.OID:
		return Char, 64
	case PointT.OID:
		return Float8, 2
	case LsegT.OID, BoxT.OID:
		return PointT, 2
	case LineT.OID:
		return Float8, 3
	}
	return nil, 0
}

// Place is the number by which keys order the label at a position of an enum.
func (t *Type) Place(position int64) float64 {
	if position < 0 || position >= int64(len(t.Places)) {
		return float64(position)
	}
	return t.Places[position]
}

// IsPoly tells whether t is one of the polymorphic pseudo-types.
func (t *Type) IsPoly() bool {
	switch t.OID {
	case AnyElement.OID, AnyArray.OID, AnyNonArray.OID, AnyEnum.OID, AnyRange.OID, AnyCompatible.OID, AnyCompatibleArray.OID,
		AnyCompatibleNonArray.OID, AnyCompatibleRange.OID, AnyMultirange.OID, AnyCompatibleMultirange.OID:
		return true
	}
	return false
}

func (t *Type) String() string { return t.SQL }

// builtin collects the built-in types while the package's variables are made; ByOID reads it.
var builtin = map[uint32]*Type{}

func base(oid uint32, name, sql string, k Kind, cat byte, pref bool, size int16, array uint32) *Type {
	t := &Type{OID: oid, Name: name, SQL: sql, Kind: k, Class: Base, Category: cat, Preferred: pref, Len: size, ArrayOID: array}
	builtin[oid] = t
	if array != 0 {
		builtin[array] = &Type{OID: array, Name: "_" + name, SQL: sql + "[]", Kind: KindBox, Class: Base, Category: 'A', Len: -1, Elem: t}
	}
	return t
}

// pseudoLens are the lengths that pg_type gives pseudo-types; those that are not listed have -1.
var pseudoLens = map[string]int16{
	"unknown": -2, "cstring": -2, "any": 4, "language_handler": 4, "fdw_handler": 4, "tsm_handler": 4, "event_trigger": 4, "index_am_handler": 4, "table_am_handler": 4, "void": 4, "trigger": 4, "internal": 8, "pg_ddl_command": 8, "anyelement": 4, "anynonarray": 4, "anyenum": 4,
	"anycompatible": 4, "anycompatiblenonarray": 4,
}

func pseudo(oid uint32, name string, k Kind) *Type {
	t := &Type{OID: oid, Name: name, SQL: name, Kind: k, Class: Pseudo, Category: 'P', Len: -1}
	if n := pseudoLens[name]; n != 0 {
		t.Len = n
	}
	builtin[oid] = t
	return t
}

func rangeOf(oid uint32, name string, elem *Type, array, multi, multiArray uint32) *Type {
	t := base(oid, name, name, KindBox, 'R', false, -1, array)
	t.Class, t.Elem = RangeClass, elem
	mname := map[string]string{"int4range": "int4multirange", "numrange": "nummultirange", "tsrange": "tsmultirange", "tstzrange": "tstzmultirange", "daterange": "datemultirange", "int8range": "int8multirange"}[name]
	m := base(multi, mname, mname, KindBox, 'R', false, -1, multiArray)
	m.Class, m.Elem = MultiClass, elem
	return t
}

// The built-in types with PostgreSQL's OIDs; pgvector's have OIDs of ours (16000–16383): clients take what is below
// 10000 for a type they know, and never ask the catalog how to read it.
var (
	Boolean       = base(16, "bool", "boolean", KindBool, 'B', true, 1, 1000)
	Bytea         = base(17, "bytea", "bytea", KindString, 'U', false, -1, 1001)
	Char          = base(18, "char", `"char"`, KindString, 'Z', false, 1, 1002)
	Name          = base(19, "name", "name", KindString, 'S', false, 64, 1003)
	Int8          = base(20, "int8", "bigint", KindInt, 'N', false, 8, 1016)
	Int2          = base(21, "int2", "smallint", KindInt, 'N', false, 2, 1005)
	Int2Vector    = vectorType(22, "int2vector", Int2, 1006)
	Int4          = base(23, "int4", "integer", KindInt, 'N', false, 4, 1007)
	RegProc       = base(24, "regproc", "regproc", KindInt, 'N', false, 4, 1008)
	Text          = base(25, "text", "text", KindString, 'S', true, -1, 1009)
	OID           = base(26, "oid", "oid", KindInt, 'N', true, 4, 1028)
	TID           = base(27, "tid", "tid", KindInt, 'U', false, 6, 1010)
	XID           = base(28, "xid", "xid", KindInt, 'U', false, 4, 1011)
	CID           = base(29, "cid", "cid", KindInt, 'U', false, 4, 1012)
	OIDVector     = vectorType(30, "oidvector", OID, 1013)
	JSON          = base(114, "json", "json", KindString, 'U', false, -1, 199)
	XML           = base(142, "xml", "xml", KindString, 'U', false, -1, 143)
	PgNodeTree    = base(194, "pg_node_tree", "pg_node_tree", KindString, 'Z', false, -1, 0)
	PointT        = base(600, "point", "point", KindBox, 'G', false, 16, 1017)
	LsegT         = base(601, "lseg", "lseg", KindBox, 'G', false, 32, 1018)
	PathT         = base(602, "path", "path", KindBox, 'G', false, -1, 1019)
	BoxT          = base(603, "box", "box", KindBox, 'G', false, 32, 1020)
	PolygonT      = base(604, "polygon", "polygon", KindBox, 'G', false, -1, 1027)
	LineT         = base(628, "line", "line", KindBox, 'G', false, 24, 629)
	CircleT       = base(718, "circle", "circle", KindBox, 'G', false, 24, 719)
	Float4        = base(700, "float4", "real", KindFloat, 'N', false, 4, 1021)
	Float8        = base(701, "float8", "double precision", KindFloat, 'N', true, 8, 1022)
	Macaddr8      = base(774, "macaddr8", "macaddr8", KindBox, 'U', false, 8, 775)
	Macaddr       = base(829, "macaddr", "macaddr", KindBox, 'U', false, 6, 1040)
	Inet          = base(869, "inet", "inet", KindBox, 'I', true, -1, 1041)
	CIDR          = base(650, "cidr", "cidr", KindBox, 'I', false, -1, 651)
	ACLItem       = base(1033, "aclitem", "aclitem", KindString, 'U', false, 12, 1034)
	BPChar        = base(1042, "bpchar", "character", KindString, 'S', false, -1, 1014)
	Varchar       = base(1043, "varchar", "character varying", KindString, 'S', false, -1, 1015)
	Date          = base(1082, "date", "date", KindInt, 'D', false, 4, 1182)
	Time          = base(1083, "time", "time without time zone", KindInt, 'D', false, 8, 1183)
	Timestamp     = base(1114, "timestamp", "timestamp without time zone", KindInt, 'D', false, 8, 1115)
	TimestampTZ   = base(1184, "timestamptz", "timestamp with time zone", KindInt, 'D', true, 8, 1185)
	IntervalT     = base(1186, "interval", "interval", KindBox, 'T', true, 16, 1187)
	TimeTZT       = base(1266, "timetz", "time with time zone", KindBox, 'D', false, 12, 1270)
	Bit           = base(1560, "bit", "bit", KindString, 'V', false, -1, 1561)
	VarBit        = base(1562, "varbit", "bit varying", KindString, 'V', true, -1, 1563)
	Numeric       = base(1700, "numeric", "numeric", KindBox, 'N', false, -1, 1231)
	RefCursor     = base(1790, "refcursor", "refcursor", KindString, 'U', false, -1, 2201)
	RegOper       = base(2203, "regoper", "regoper", KindInt, 'N', false, 4, 2208)
	RegOperator   = base(2204, "regoperator", "regoperator", KindInt, 'N', false, 4, 2209)
	RegClass      = base(2205, "regclass", "regclass", KindInt, 'N', false, 4, 2210)
	RegType       = base(2206, "regtype", "regtype", KindInt, 'N', false, 4, 2211)
	RegProcedure  = base(2202, "regprocedure", "regprocedure", KindInt, 'N', false, 4, 2207)
	RegNamespace  = base(4089, "regnamespace", "regnamespace", KindInt, 'N', false, 4, 4090)
	RegRole       = base(4096, "regrole", "regrole", KindInt, 'N', false, 4, 4097)
	RegCollation  = base(4191, "regcollation", "regcollation", KindInt, 'N', false, 4, 4192)
	RegConfig     = base(3734, "regconfig", "regconfig", KindInt, 'N', false, 4, 3735)
	RegDictionary = base(3769, "regdictionary", "regdictionary", KindInt, 'N', false, 4, 3770)
	UUID          = base(2950, "uuid", "uuid", KindString, 'U', false, 16, 2951)
	PgLSN         = base(3220, "pg_lsn", "pg_lsn", KindInt, 'U', false, 8, 3221)
	TSVector      = base(3614, "tsvector", "tsvector", KindBox, 'U', false, -1, 3643)
	TSQuery       = base(3615, "tsquery", "tsquery", KindBox, 'U', false, -1, 3645)
	JSONB         = base(3802, "jsonb", "jsonb", KindString, 'U', false, -1, 3807)
	JSONPath      = base(4072, "jsonpath", "jsonpath", KindString, 'U', false, -1, 4073)
	XID8          = base(5069, "xid8", "xid8", KindInt, 'U', false, 8, 271)
	Vector        = base(16000, "vector", "vector", KindString, 'U', false, -1, 16001)
	HalfVec       = base(16002, "halfvec", "halfvec", KindString, 'U', false, -1, 16003)
	SparseVec     = base(16004, "sparsevec", "sparsevec", KindString, 'U', false, -1, 16005)

	Int4Range = rangeOf(3904, "int4range", Int4, 3905, 4451, 6150)
	NumRange  = rangeOf(3906, "numrange", Numeric, 3907, 4532, 6151)
	TSRange   = rangeOf(3908, "tsrange", Timestamp, 3909, 4533, 6152)
	TSTZRange = rangeOf(3910, "tstzrange", TimestampTZ, 3911, 4534, 6153)
	DateRange = rangeOf(3912, "daterange", Date, 3913, 4535, 6155)
	Int8Range = rangeOf(3926, "int8range", Int8, 3927, 4536, 6157)

	Unknown                 = pseudo(705, "unknown", KindString)
	RecordType              = pseudo(2249, "record", KindBox)
	CString                 = pseudo(2275, "cstring", KindString)
	Any                     = pseudo(2276, "any", KindBox)
	AnyArray                = pseudo(2277, "anyarray", KindBox)
	Void                    = pseudo(2278, "void", KindString)
	DDLCommand              = pseudo(32, "pg_ddl_command", KindString)
	Trigger                 = pseudo(2279, "trigger", KindString)
	Internal                = pseudo(2281, "internal", KindString)
	LanguageHandler         = pseudo(2280, "language_handler", KindString)
	FDWHandler              = pseudo(3115, "fdw_handler", KindString)
	TSMHandler              = pseudo(3310, "tsm_handler", KindString)
	EventTrigger            = pseudo(3838, "event_trigger", KindString)
	IndexAMHandler          = pseudo(325, "index_am_handler", KindString)
	TableAMHandler          = pseudo(269, "table_am_handler", KindString)
	AnyElement              = pseudo(2283, "anyelement", KindBox)
	RecordArray             = recordArray()
	AnyNonArray             = pseudo(2776, "anynonarray", KindBox)
	AnyEnum                 = pseudo(3500, "anyenum", KindInt)
	AnyRange                = pseudo(3831, "anyrange", KindBox)
	AnyMultirange           = pseudo(4537, "anymultirange", KindBox)
	AnyCompatible           = pseudo(5077, "anycompatible", KindBox)
	AnyCompatibleArray      = pseudo(5078, "anycompatiblearray", KindBox)
	AnyCompatibleNonArray   = pseudo(5079, "anycompatiblenonarray", KindBox)
	AnyCompatibleRange      = pseudo(5080, "anycompatiblerange", KindBox)
	AnyCompatibleMultirange = pseudo(4538, "anycompatiblemultirange", KindBox)
)

func vectorType(oid uint32, name string, elem *Type, array uint32) *Type {
	t := base(oid, name, name, KindBox, 'A', false, -1, array)
	t.Elem = elem
	return t
}

func recordArray() *Type {
	t := &Type{OID: 2287, Name: "_record", SQL: "record[]", Kind: KindBox, Class: Pseudo, Category: 'P', Len: -1, Elem: RecordType}
	builtin[t.OID] = t
	RecordType.ArrayOID = t.OID
	return t
}

// ByOID gives a built-in type (arrays included), nil when there is none. User-made types are found through the catalog.
func ByOID(oid uint32) *Type { return builtin[Renumbered(oid)] }

// Renumbered gives the present OID of a type that had another one: stores written before name pgvector's types 8000 to 8005.
// Any other OID is returned as it is.
func Renumbered(oid uint32) uint32 {
	if oid-formerVector <= 5 {
		return oid - formerVector + Vector.OID
	}
	return oid
}

const formerVector = 8000

// ArrayOf gives the array type over a built-in element type, nil when it has none.
// For an array type it gives the type itself: PostgreSQL's arrays have any number of dimensions.
func ArrayOf(elem *Type) *Type {
	if elem.IsArray() {
		return elem
	}
	if t := builtin[elem.ArrayOID]; t != nil || elem.ArrayOID == 0 {
		return t
	}
	return &Type{OID: elem.ArrayOID, Name: "_" + elem.Name, SQL: elem.SQL + "[]", Kind: KindBox, Class: Base, Category: 'A', Len: -1, Elem: elem,
		Namespace: elem.Namespace}
}

// Builtins lists the built-in types in no fixed order.
func Builtins() []*Type {
	out := make([]*Type, 0, len(builtin))
	for _, t := range builtin {
		out = append(out, t)
	}
	return out
}

// FormatMod gives the SQL name with its modifier, as format_type does: varchar(10), numeric(8,3), timestamp(3) …
func FormatMod(t *Type, mod int32) string {
	if t.IsArray() && t.OID != Int2Vector.OID && t.OID != OIDVector.OID {
		return FormatMod(t.Elem, mod) + "[]"
	}
	if mod < 0 || mod < 4 && (t.OID == Varchar.OID || t.OID == BPChar.OID || t.OID == Numeric.OID) || mod == 4 && t.OID != Numeric.OID && t.Category == 'S' {
		return t.SQL
	}
	n := strconv.Itoa
	switch t.OID {
	case Varchar.OID, BPChar.OID:
		return t.SQL + "(" + n(int(mod-4)) + ")"
	case Numeric.OID:
		p, s := int((mod-4)>>16&0xffff), int((mod-4)&0x7ff)
		if s >= 1024 {
			s -= 2048
		}
		return "numeric(" + n(p) + "," + n(s) + ")"
	case Time.OID, Timestamp.OID:
		return t.Name + "(" + n(int(mod)) + ") without time zone"
	case TimestampTZ.OID:
		return "timestamp(" + n(int(mod)) + ") with time zone"
	case TimeTZT.OID:
		return "time(" + n(int(mod)) + ") with time zone"
	case IntervalT.OID:
		return formatInterval(mod)
	case Bit.OID, VarBit.OID, Vector.OID, HalfVec.OID, SparseVec.OID:
		return t.SQL + "(" + n(int(mod)) + ")"
	}
	return t.SQL
}

// intervalFields maps the range bits of an interval's modifier (pg's INTERVAL_MASK values) to its field names.
var intervalFields = map[int32]string{
	1 << 2: " year", 1 << 1: " month", 1<<2 | 1<<1: " year to month", 1 << 3: " day", 1 << 10: " hour", 1 << 11: " minute", 1 << 12: " second",
	1<<3 | 1<<10: " day to hour", 1<<3 | 1<<10 | 1<<11: " day to minute", 1<<3 | 1<<10 | 1<<11 | 1<<12: " day to second",
	1<<10 | 1<<11: " hour to minute", 1<<10 | 1<<11 | 1<<12: " hour to second", 1<<11 | 1<<12: " minute to second",
}

func formatInterval(mod int32) string {
	s := "interval" + intervalFields[mod>>16&0x7fff]
	if p := mod & 0xffff; p != 0xffff {
		s += "(" + strconv.Itoa(int(p)) + ")"
	}
	return s
}
