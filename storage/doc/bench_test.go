package doc

import (
	"testing"
)

// benchDoc is a document of about 200 bytes, like those of the performance jobs.
const benchJSON = `{"_id":{"$oid":"65a1b2c3d4e5f60718293a4b"},"sku":"sku-004711","tenant":"tenant-17","status":"shipped","price":129.95,"qty":3,` +
	`"user":{"name":"Ada Lovelace","city":"London","age":36},"tags":["red","sale","new"],"created":"2024-03-05T10:11:12Z"}`

func BenchmarkProject2(b *testing.B) {
	d := must(ParseDocument([]byte(benchJSON)))
	p := NewProjector(Keys("status"), Keys("price"))
	var out [2]Value
	b.ReportAllocs()
	for b.Loop() {
		p.Project(d, out[:])
	}
}

func BenchmarkProject2Deep(b *testing.B) {
	d := must(ParseDocument([]byte(benchJSON)))
	p := NewProjector(Keys("user", "city"), Path{Key("tags"), Index(1)})
	var out [2]Value
	b.ReportAllocs()
	for b.Loop() {
		p.Project(d, out[:])
	}
}

func BenchmarkProject2Last(b *testing.B) {
	d := must(ParseDocument([]byte(benchJSON)))
	p := NewProjector(Keys("created"), Keys("missing"))
	var out [2]Value
	b.ReportAllocs()
	for b.Loop() {
		p.Project(d, out[:])
	}
}

func BenchmarkParseJSONB(b *testing.B) {
	src := []byte(benchJSON)
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = AppendParsedJSONB(buf[:0], src)
	}
}

func BenchmarkParseExtJSON(b *testing.B) {
	src := []byte(benchJSON)
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = AppendParsedExtJSON(buf[:0], src)
	}
}

func BenchmarkAppendJSONB(b *testing.B) {
	v := must(ParseExtJSON([]byte(benchJSON)))
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = v.AppendJSONB(buf[:0])
	}
}

func BenchmarkAppendJSONBInOrder(b *testing.B) {
	v := must(ParseJSONB([]byte(benchJSON)))
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = v.AppendJSONB(buf[:0])
	}
}

func BenchmarkAppendCanonical(b *testing.B) {
	v := must(ParseExtJSON([]byte(benchJSON)))
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = v.AppendCanonical(buf[:0])
	}
}

func BenchmarkCompareEqualObjects(b *testing.B) {
	v, w := must(ParseExtJSON([]byte(benchJSON))), must(ParseJSONB([]byte(benchJSON)))
	b.ReportAllocs()
	for b.Loop() {
		Compare(v, w)
	}
}

func BenchmarkHash(b *testing.B) {
	v := must(ParseExtJSON([]byte(benchJSON)))
	b.ReportAllocs()
	for b.Loop() {
		Hash(v)
	}
}

func BenchmarkContains(b *testing.B) {
	v, w := must(ParseExtJSON([]byte(benchJSON))), must(ParseJSONB([]byte(`{"status":"shipped","user":{"city":"London"}}`)))
	b.ReportAllocs()
	for b.Loop() {
		if !Contains(v, w) {
			b.Fatal("not contained")
		}
	}
}

func BenchmarkNumberText(b *testing.B) {
	v := must(NumberFromText([]byte("129.95")))
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = v.AppendNumber(buf[:0])
	}
}

func BenchmarkFind(b *testing.B) {
	d := must(ParseDocument([]byte(benchJSON)))
	f := NewPathFinder(Keys("status"))
	b.ReportAllocs()
	for b.Loop() {
		if f.Find(d).Type != TypeString {
			b.Fatal("not found")
		}
	}
}

func BenchmarkValidateJSON(b *testing.B) {
	src := []byte(benchJSON)
	b.ReportAllocs()
	for b.Loop() {
		if err := ValidateJSON(src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSetPath(b *testing.B) {
	v := must(ParseExtJSON([]byte(benchJSON)))
	path, x := Texts("user", "age"), NumberFromInt64(37)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := SetPath(v, path, x, true); err != nil {
			b.Fatal(err)
		}
	}
}
