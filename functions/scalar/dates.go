package scalar

// dateComparisons compare dates with timestamps and timestamps of both kinds.
func dateComparisons() []def { return nil }
