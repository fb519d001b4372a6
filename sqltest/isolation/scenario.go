package main

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// scenario is a few sessions that get in each other's way, each with one transaction. In its file, one statement a line:
//
//	what it is about
//	possible: the levels at which some interleaving is not serial, or "never"
//	differs: the levels at which outcomes other than PostgreSQL's are right, too, and why; may be missing
//	-- schema --   run once
//	-- reset --    run before each interleaving
//	-- a --        the statements of session a; COMMIT follows unless the last one is ROLLBACK
//	-- b --        …
//	-- final --    the query that tells what the sessions left
type scenario struct {
	name     string
	about    string
	possible []level
	differs  []level
	schema   []string
	reset    []string
	sessions []transaction
	final    string
}

type transaction struct {
	name  string
	steps []string
}

//go:embed testdata/*.txtar
var files embed.FS

func readScenarios() ([]scenario, error) {
	entries, err := files.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	var all []scenario
	for _, e := range entries {
		text, err := files.ReadFile("testdata/" + e.Name())
		if err != nil {
			return nil, err
		}
		s, err := parseScenario(strings.TrimSuffix(e.Name(), ".txtar"), text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		all = append(all, s)
	}
	return all, nil
}

func parseScenario(name string, text []byte) (scenario, error) {
	a := txtar.Parse(text)
	s := scenario{name: name}
	said := false
	for _, line := range lines(string(a.Comment)) {
		if names, ok := strings.CutPrefix(line, "possible: "); ok {
			s.possible, said = levelsIn(names), true
		} else if names, ok := strings.CutPrefix(line, "differs: "); ok {
			s.differs = levelsIn(names)
		} else {
			s.about += line + " "
		}
	}
	for _, f := range a.Files {
		steps := lines(string(f.Data))
		switch f.Name {
		case "schema":
			s.schema = steps
		case "reset":
			s.reset = steps
		case "final":
			s.final = strings.Join(steps, " ")
		default:
			if steps[len(steps)-1] != "ROLLBACK" {
				steps = append(steps, "COMMIT")
			}
			s.sessions = append(s.sessions, transaction{f.Name, steps})
		}
	}
	if !said || s.final == "" || len(s.sessions) < 2 {
		return s, fmt.Errorf("possible, final or sessions are missing")
	}
	return s, nil
}

func levelsIn(text string) []level {
	var out []level
	for _, l := range levels {
		if strings.Contains(text, strings.ToLower(string(l))) {
			out = append(out, l)
		}
	}
	return out
}

func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(strings.TrimSpace(line), ";"); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// interleaving says whose step comes next, by number of the session.
type interleaving []int

func (i interleaving) describe(s *scenario) string {
	var b strings.Builder
	for _, n := range i {
		b.WriteString(s.sessions[n].name)
	}
	return b.String()
}

// interleavings gives all of a scenario's, or most of them, drawn, when there are more.
func (s *scenario) interleavings(most int, rng *rand.Rand) []interleaving {
	left := make([]int, len(s.sessions))
	total := 0
	for i, t := range s.sessions {
		left[i] = len(t.steps)
		total += len(t.steps)
	}
	var all []interleaving
	var extend func(so interleaving)
	extend = func(so interleaving) {
		if len(so) == total {
			all = append(all, slices.Clone(so))
			return
		}
		for i := range left {
			if left[i] > 0 {
				left[i]--
				extend(append(so, i))
				left[i]++
			}
		}
	}
	extend(make(interleaving, 0, total))
	if most == 0 || len(all) <= most {
		return all
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:most]
}
