package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// score counts a file's statements by kind.
type score struct{ same, total [kinds]int }

func (s score) share() float64 {
	same, total := 0, 0
	for k := range kinds {
		same, total = same+s.same[k], total+s.total[k]
	}
	return float64(same) / float64(max(total, 1))
}

// report gathers what differed, by class.
type report struct {
	verbose bool
	files   []score
	classes map[string]int
}

func (r *report) file(name string, s score) {
	r.files = append(r.files, s)
	fmt.Printf("%-20s %5.1f %%", name, 100*s.share())
	for k := range kinds {
		fmt.Printf("   %s %d/%d", kindNames[k], s.same[k], s.total[k])
	}
	fmt.Println()
}

// difference notes one; the class is what our server said, or what differs.
func (r *report) difference(file string, st step, why string, peer, ours result) {
	if r.classes == nil {
		r.classes = map[string]int{}
	}
	class := why
	if ours.code != "" {
		class = ours.code + " " + ours.text
	}
	r.classes[class]++
	if r.verbose {
		fmt.Printf("-- %s:%d %s\n%s\n  peer %s\n  ours %s\n", file, st.line, why, clip(st.sql, 600), show(peer), show(ours))
	}
}

func show(r result) string {
	var out []string
	for _, s := range r.sets {
		out = append(out, fmt.Sprintf("%s %q (%d rows)", s.tag, s.columns, len(s.rows)))
		for _, row := range s.rows {
			out = append(out, clip(strings.ReplaceAll(row, fieldMark, " | "), 300))
			if len(out) > 12 {
				break
			}
		}
	}
	if r.code != "" {
		out = append(out, "ERROR "+r.code+" "+r.text)
	}
	return strings.Join(out, "\n       ")
}

func clip(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}

func (r *report) mean() float64 {
	sum := 0.0
	for _, f := range r.files {
		sum += f.share()
	}
	return sum / float64(max(len(r.files), 1))
}

func (r *report) all() (s score) {
	for _, f := range r.files {
		for k := range kinds {
			s.same[k] += f.same[k]
			s.total[k] += f.total[k]
		}
	}
	return s
}

func (r *report) share() float64 { return r.all().share() }

// print ends the report with the sums and the largest classes of difference.
func (r *report) print() {
	all := r.all()
	fmt.Printf("\nmean of %d files %.1f %%, of all statements %.1f %%:", len(r.files), 100*r.mean(), 100*r.share())
	for k := range kinds {
		fmt.Printf("   %s %d/%d", kindNames[k], all.same[k], all.total[k])
	}
	fmt.Println()
	names := slices.SortedFunc(maps.Keys(r.classes), func(a, b string) int {
		return cmp.Or(r.classes[b]-r.classes[a], strings.Compare(a, b))
	})
	for _, name := range names[:min(len(names), 60)] {
		fmt.Printf("%5d  %s\n", r.classes[name], clip(name, 140))
	}
}
