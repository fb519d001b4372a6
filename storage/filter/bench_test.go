package filter

import (
	"testing"

	"github.com/omgdb/omgdb/storage/doc"
)

const benchJSON = `{"_id":{"$oid":"65a1b2c3d4e5f60718293a4b"},"sku":"sku-004711","tenant":"tenant-17","status":"shipped","price":129.95,"qty":3,` +
	`"user":{"name":"Ada Lovelace","city":"London","age":36},"tags":["red","sale","new"],"created":"2024-03-05T10:11:12Z"}`

// benchFilters are the predicates whose cost a scan pays for each document. All match.
func benchFilters(t testing.TB) map[string]Expr {
	mongo := func(s string) Expr {
		e, err := ParseJSON([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	return map[string]Expr{
		"mongo/eq":        mongo(`{"status":"shipped"}`),
		"mongo/range":     mongo(`{"price":{"$gte":100,"$lt":200}}`),
		"mongo/in":        mongo(`{"status":{"$in":["new","paid","packed","shipped","done"]}}`),
		"mongo/dotted":    mongo(`{"user.city":"London"}`),
		"mongo/tag":       mongo(`{"tags":"sale"}`),
		"mongo/and3":      mongo(`{"status":"shipped","qty":{"$gt":1},"user.age":{"$lt":40}}`),
		"mongo/or":        mongo(`{"$or":[{"status":"new"},{"qty":3}]}`),
		"mongo/elemMatch": mongo(`{"tags":{"$elemMatch":{"$gte":"s","$lt":"t"}}}`),
		"mongo/prefix":    mongo(`{"sku":{"$regex":"^sku-00"}}`),
		"mongo/regex":     mongo(`{"sku":{"$regex":"00[0-9]+1$"}}`),
		"mongo/exists":    mongo(`{"user.name":{"$exists":true},"gone":{"$exists":false}}`),
		"mongo/not":       mongo(`{"status":{"$ne":"new"},"tags":{"$nin":["old","blue"]},"qty":{"$not":{"$gt":5}}}`),
		"mongo/expr":      mongo(`{"$expr":{"$gt":["$price","$qty"]}}`),
		"sql/contains":    &Contains{DocRef(nil), jsonb(`{"status":"shipped"}`)},
		"sql/contains2":   &Contains{DocRef(nil), jsonb(`{"status":"shipped","user":{"city":"London"}}`)},
		"sql/texteq":      &TextCmp{keys("status"), EQ, "shipped"},
		"sql/textin":      &TextIn{keys("status"), []string{"new", "shipped"}, false},
		"sql/numeric":     &CastCmp{keys("price"), CastNumeric, GT, jsonb("100")},
		"sql/float8":      &CastCmp{keys("price"), CastFloat8, GT, jsonb("100")},
		"sql/int4":        &CastCmp{keys("qty"), CastInt4, EQ, jsonb("3")},
		"sql/jsoncmp":     &JSONCmp{keys("price"), LT, jsonb("129.96")},
		"sql/notnull":     &Not{&IsNull{keys("user", "city"), true}},
		"sql/like":        &TextLike{keys("sku"), "sku-00%"},
		"sql/haskey":      &HasKeys{keys("tags"), HasKey, []string{"sale"}},
		"sql/fieldcmp":    &FieldCmp{FieldRef("qty", "qty", nil), ClassInt, GE, jsonb("3")},
	}
}

func BenchmarkMatch(b *testing.B) {
	d, err := doc.ParseDocument([]byte(benchJSON))
	if err != nil {
		b.Fatal(err)
	}
	for name, e := range benchFilters(b) {
		m, err := Compile(e)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := m.Match(d); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

// TestNoAllocations: matching the usual predicates allocates nothing.
func TestNoAllocations(t *testing.T) {
	d, err := doc.ParseDocument([]byte(benchJSON))
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range benchFilters(t) {
		m, err := Compile(e)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { m.Match(d) }); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	text := []byte(`{"status":"shipped","qty":{"$gt":1},"user.age":{"$lt":40}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseJSON(text); err != nil {
			b.Fatal(err)
		}
	}
}
