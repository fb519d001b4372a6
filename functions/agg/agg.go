// Package agg holds the aggregate functions, a file per family.
package agg

import "github.com/omgdb/omgdb/functions"

// Families lists the families of aggregates.
func Families() [][]functions.AggDef { return nil }
