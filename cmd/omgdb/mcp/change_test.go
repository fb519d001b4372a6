package mcp

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestMutation plans a change, applies it, takes it back, and reads the history of a document that it touched.
func TestMutation(t *testing.T) {
	w := newWorld(t, Write)
	const p = `"path":"app.omgdb"`
	answer := func(tool, args string, failed bool) map[string]any {
		t.Helper()
		text, bad := w.call(tool, args)
		if bad != failed {
			t.Fatalf("%s %s: %s", tool, args, text)
		}
		if bad {
			return map[string]any{"text": text}
		}
		var m map[string]any
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	drafts := func() float64 {
		return float64(len(answer("find", `{`+p+`,"collection":"docs","filter":{"status":"draft"}}`, false)["documents"].([]any)))
	}
	planned := answer("plan_mutation", `{`+p+`,"collection":"docs","filter":{"status":"draft"},"operation":"update","update":{"$set":{"status":"done"}},"preview":1}`, false)
	if planned["matched"] != 2.0 || len(planned["preview"].([]any)) != 1 || drafts() != 2 {
		t.Fatalf("the plan is %v", planned)
	}
	id := `{` + p + `,"plan":"` + planned["plan"].(string) + `"}`
	if a := answer("apply_mutation", id, false); a["modified"] != 2.0 || drafts() != 0 {
		t.Errorf("applied: %v", a)
	}
	versions := answer("history", `{`+p+`,"collection":"docs","id":"b"}`, false)["versions"].([]any)
	if newest := versions[0].(map[string]any); len(versions) != 2 || newest["plan"] != planned["plan"] || newest["operation"] != "update" || newest["application"] != "omgdb mcp apply_mutation" {
		t.Errorf("the history of b is %v", versions)
	}
	if a := answer("rollback_mutation", id, false); a["state"] != "rolled back" || drafts() != 2 {
		t.Errorf("rolled back: %v", a)
	}
	if text := answer("apply_mutation", id, true)["text"].(string); !strings.Contains(text, "is rolled back and cannot be applied") {
		t.Errorf("applied again: %s", text)
	}
	stale := answer("plan_mutation", `{`+p+`,"collection":"docs","filter":{"status":"draft"},"operation":"delete"}`, false)
	answer("update", `{`+p+`,"collection":"docs","filter":{"_id":"c"},"update":{"$set":{"n":1}}}`, false)
	text := answer("apply_mutation", `{`+p+`,"plan":"`+stale["plan"].(string)+`"}`, true)["text"].(string)
	if !strings.Contains(text, "not the same ones with the same content") || drafts() != 2 {
		t.Errorf("a stale plan: %s", text)
	}
}
