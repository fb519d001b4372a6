package bind

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// Vector indexes are declared as pgvector's hnsw and ivfflat, or as vector. They are all the same inside: what the declaration says is
// checked and kept, so that tools read back what they wrote.

// vectorOption is an option of an access method with its limits.
type vectorOption struct {
	method, name string
	min, max     int
}

var vectorOptions = []vectorOption{{"hnsw", "m", 2, 100}, {"hnsw", "ef_construction", 4, 1000}, {"ivfflat", "lists", 1, 32768}}

func checkVectorOptions(method string, options map[string]string) error {
	if method == "vector" {
		for name := range options {
			if name != "embedder" && name != "distance" {
				return unknownOption(name)
			}
		}
		return nil
	}
	given := map[string]int{"m": 16, "ef_construction": 64}
	for name, text := range options {
		i := slices.IndexFunc(vectorOptions, func(o vectorOption) bool { return o.method == method && o.name == name })
		if i < 0 {
			return unknownOption(name)
		}
		o := vectorOptions[i]
		n, err := strconv.Atoi(text)
		if err != nil {
			return dberr.New(dberr.InvalidParameterValue, "invalid value for integer option \"%s\": %s", name, text)
		}
		if n < o.min || n > o.max {
			return dberr.New(dberr.InvalidParameterValue, "value %s out of bounds for option \"%s\"", text, name).
				WithDetail("Valid values are between \"%d\" and \"%d\".", o.min, o.max)
		}
		given[name] = n
	}
	if method == "hnsw" && given["ef_construction"] < 2*given["m"] {
		return dberr.New(dberr.InvalidParameterValue, "ef_construction must be greater than or equal to 2 * m")
	}
	return nil
}

func unknownOption(name string) error {
	return dberr.New(dberr.InvalidParameterValue, "unrecognized parameter \"%s\"", name)
}

// vectorClass is an operator class of vector indexes: what it is for, and which access method has it.
type vectorClass struct {
	name    string
	t       *value.Type
	methods string
}

var vectorClasses = []vectorClass{
	{"vector_l2_ops", value.Vector, "vector hnsw ivfflat"}, {"vector_ip_ops", value.Vector, "vector hnsw ivfflat"},
	{"vector_cosine_ops", value.Vector, "vector hnsw ivfflat"}, {"vector_l1_ops", value.Vector, "vector hnsw"},
	{"halfvec_l2_ops", value.HalfVec, "vector hnsw ivfflat"}, {"halfvec_ip_ops", value.HalfVec, "vector hnsw ivfflat"},
	{"halfvec_cosine_ops", value.HalfVec, "vector hnsw ivfflat"}, {"halfvec_l1_ops", value.HalfVec, "vector hnsw"},
	{"sparsevec_l2_ops", value.SparseVec, "hnsw"}, {"sparsevec_ip_ops", value.SparseVec, "hnsw"},
	{"sparsevec_cosine_ops", value.SparseVec, "hnsw"}, {"sparsevec_l1_ops", value.SparseVec, "hnsw"},
	{"bit_hamming_ops", value.Bit, "hnsw ivfflat"}, {"bit_jaccard_ops", value.Bit, "hnsw"},
}

// vectorKey checks a key of a vector index, whose type has the modifier mod, and completes its operator class.
func vectorKey(ix *catalog.Index, k *catalog.IndexKey, mod int32) error {
	method := ix.AccessMethod()
	if len(ix.Keys) > 0 {
		return dberr.New(dberr.FeatureNotSupported, "access method \"%s\" does not support multicolumn indexes", method)
	}
	t := baseType(k.Type)
	if ix.Options["embedder"] != "" {
		if t.OID != value.Text.OID && t.OID != value.Varchar.OID {
			return dberr.New(dberr.DatatypeMismatch, "an index with an embedder is over text, not over type %s", k.Type.SQL)
		}
		k.OpClass = cmp.Or(k.OpClass, "vector_cosine_ops")
		return nil
	}
	if err := vectorClassOf(method, k, t); err != nil {
		return err
	}
	if mod < 1 && t.OID != value.SparseVec.OID {
		return dberr.New(dberr.InvalidParameterValue, "column does not have dimensions").WithHint("Declare them, as in %s(384).", t.SQL)
	}
	if limit := vectorLimits[t.OID]; method != "vector" && mod > limit && limit > 0 {
		return dberr.New(dberr.ProgramLimitExceeded, "column cannot have more than %d dimensions for %s index", limit, method)
	}
	k.Mod = max(mod, 0)
	return nil
}

// vectorClassOf checks the operator class of a key of type t, or sets the default one.
func vectorClassOf(method string, k *catalog.IndexKey, t *value.Type) error {
	class := strings.TrimPrefix(k.OpClass, "public.")
	if class == "" {
		if method == "hnsw" || t.OID != value.Vector.OID && (method == "ivfflat" || t.OID != value.HalfVec.OID) {
			return dberr.New(dberr.UndefinedObject, "data type %s has no default operator class for access method \"%s\"", t.SQL, method).
				WithHint("You must specify an operator class for the index or define a default operator class for the data type.")
		}
		k.OpClass = map[bool]string{true: t.Name + "_l2_ops", false: t.Name + "_cosine_ops"}[method == "ivfflat"]
		return nil
	}
	i := slices.IndexFunc(vectorClasses, func(c vectorClass) bool { return c.name == class && slices.Contains(strings.Fields(c.methods), method) })
	switch {
	case i < 0:
		return dberr.New(dberr.UndefinedObject, "operator class \"%s\" does not exist for access method \"%s\"", class, method)
	case vectorClasses[i].t.OID == value.Bit.OID && t.OID == value.VarBit.OID:
		return dberr.New(dberr.FeatureNotSupported, "type not supported for %s index", method)
	case vectorClasses[i].t.OID != t.OID:
		return dberr.New(dberr.DatatypeMismatch, "operator class \"%s\" does not accept data type %s", class, t.SQL)
	}
	return nil
}

// vectorLimits are the most dimensions that pgvector's indexes take of each type; a declaration beyond them is refused as there.
var vectorLimits = map[uint32]int32{value.Vector.OID: 2000, value.HalfVec.OID: 4000, value.Bit.OID: 64000}
