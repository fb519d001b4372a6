package typeio

import "testing"

// The shortest digits of float4 are PostgreSQL's, also where they would lie halfway to a neighbour.
func TestFloat4Text(t *testing.T) {
	for in, want := range map[string]string{
		"1.5e10": "1.5000001e+10", "16777216": "1.6777216e+07", "33554435": "3.3554436e+07", "1e10": "1e+10", "33554434": "3.3554432e+07",
		"67108870": "6.710887e+07", "1e15": "1e+15", "-1.5e10": "-1.5000001e+10", "0.1": "0.1", "3.4028235e38": "3.4028235e+38", "123456.7": "123456.7",
	} {
		f, err := ParseFloat(in, 32)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(AppendFloat(nil, f, 32, 1)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
