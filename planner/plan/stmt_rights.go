package plan

// AlterDefaults is ALTER DEFAULT PRIVILEGES: what its grant says of a kind of objects will hold for those that the roles make later.
type AlterDefaults struct {
	Owners  []string // the session's role when empty
	Schemas []string // every schema when empty
	Grant   *Grant
}

// CommandTag implements Statement.
func (*AlterDefaults) CommandTag() string { return "ALTER DEFAULT PRIVILEGES" }

// Owned is REASSIGN OWNED and DROP OWNED.
type Owned struct {
	Roles   []string
	To      string // of REASSIGN
	Drop    bool
	Cascade bool
}

// CommandTag implements Statement.
func (s *Owned) CommandTag() string {
	if s.Drop {
		return "DROP OWNED"
	}
	return "REASSIGN OWNED"
}

// StartSetting is ALTER ROLE … SET and ALTER DATABASE … SET: settings that sessions of a role, in a database, begin with.
type StartSetting struct {
	Role     string    // "" for every role
	Database string    // "" for every database
	Change   Statement // a Set or a Reset
}

// CommandTag implements Statement.
func (s *StartSetting) CommandTag() string {
	if s.Role == "" {
		return "ALTER DATABASE"
	}
	return "ALTER ROLE"
}
