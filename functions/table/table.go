// Package table holds the generic set-returning functions.
package table

import "github.com/omgdb/omgdb/functions"

// Families lists the families of table functions.
func Families() [][]functions.TableDef { return [][]functions.TableDef{series(), arrays()} }
