// Package window holds the pure window functions.
package window

import "github.com/omgdb/omgdb/functions"

// Functions lists the window functions.
func Functions() []functions.WinDef { return nil }
