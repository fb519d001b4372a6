package catalog

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/value"
)

var noTypes = func(uint32) *value.Type { return nil }

// fill sets every field of a descriptor to something that is not zero, so that a field that the codec forgets shows.
func fill(v reflect.Value, r *rand.Rand) {
	if v.Type() == reflect.TypeFor[*value.Type]() {
		v.Set(reflect.ValueOf([]*value.Type{value.Int4, value.Text, value.JSONB, value.ArrayOf(value.Int8)}[r.IntN(4)]))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1 + r.Int64N(100))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1 + r.Uint64N(100))
	case reflect.String:
		v.SetString(fmt.Sprint("s", r.IntN(1000)))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), r)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), r)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf("v"))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), r)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), r)
		}
	}
}

func TestEveryFieldSurvives(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range []Descriptor{&Database{}, &Schema{}, &Relation{}, &Index{}, &Role{}} {
		fill(reflect.ValueOf(d).Elem(), r)
		if rel, ok := d.(*Relation); ok {
			rel.Shape = rel.Version
		}
		checkRoundTrip(t, d)
	}
	// Column types keep what only the catalog of types knows, so a Field's Table and Attr are not part of it.
	checkRoundTrip(t, &Type{ID: 20000, Schema: 2200, Name: "mood", Owner: 10, NotNull: true, Default: "'ok'", UnderMod: -1, Comment: "c",
		Checks: []Check{{ID: 1, Name: "n", Expr: "e", Cols: []int16{1}}},
		Def: &value.Type{OID: 20000, Name: "mood", SQL: "mood", Kind: value.KindInt, Class: value.Enum, Category: 'E', Len: 4, ArrayOID: 20001,
			Elem: value.Int4, Under: value.Text, Labels: []string{"sad", "ok"}, Namespace: 2200,
			Fields: value.Schema{{Name: "a", Type: value.Int4, Mod: -1}, {Name: "b", Type: value.Varchar, Mod: 14}}}})
}

func checkRoundTrip(t *testing.T, d Descriptor) {
	t.Helper()
	stored, err := Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	var published, version = reflect.ValueOf(d).Elem().FieldByName("Published").Uint(), uint64(0)
	if v := reflect.ValueOf(d).Elem().FieldByName("Version"); v.IsValid() {
		version = v.Uint()
	}
	back, err := Decode(d.Class(), stored, kv.LSN(published), version, noTypes)
	if err != nil {
		t.Fatalf("%T: %v", d, err)
	}
	samePointer := cmp.Comparer(func(a, b *value.Type) bool { return a.OID == b.OID })
	opts := cmp.Options{cmpopts.EquateEmpty()}
	if _, isType := d.(*Type); !isType {
		opts = append(opts, samePointer)
	}
	if diff := cmp.Diff(d, back, opts); diff != "" {
		t.Errorf("%T changed by encoding:\n%s", d, diff)
	}
}

func TestDecodeRefuses(t *testing.T) {
	good, err := Encode(&Relation{ID: 1, Name: "t", Columns: []Column{{Num: 1, Name: "a", Type: value.Int4}}})
	if err != nil {
		t.Fatal(err)
	}
	replace := func(key string, v doc.Value) doc.Doc {
		out, start := doc.BeginDocument(nil)
		for it := good.Elements(); ; {
			k, old, ok := it.Next()
			if !ok {
				return doc.EndDocument(out, start)
			}
			if string(k) == key {
				old = v
			}
			out = doc.AppendElement(out, string(k), old)
		}
	}
	for name, bad := range map[string]doc.Doc{
		"newer version":    replace("v", doc.NumberFromInt64(2)),
		"a name that is 1": replace("name", doc.NumberFromInt64(1)),
		"an id too large":  replace("id", doc.NumberFromInt64(1<<40)),
		"columns no array": replace("cols", doc.NumberFromInt64(1)),
		"empty":            {5, 0, 0, 0, 0},
	} {
		if d, err := Decode(RelationClass, bad, 1, 1, noTypes); err == nil {
			t.Errorf("%s: accepted as %+v", name, d)
		}
	}
}
