package catalog

import (
	"slices"
	"strconv"
	"strings"
)

// Rights is a set of privileges.
type Rights uint16

// The privileges; a set is written with the letters of PostgreSQL's aclitem, in this order.
const (
	RightInsert Rights = 1 << iota
	RightSelect
	RightUpdate
	RightDelete
	RightTruncate
	RightReferences
	RightTrigger
	RightExecute
	RightUsage
	RightCreate
	RightTemporary
	RightConnect
)

const rightLetters = "arwdDxtXUCTc"

// rightNames are the privileges as SQL names them, by bit.
var rightNames = []string{"INSERT", "SELECT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "EXECUTE", "USAGE", "CREATE", "TEMPORARY", "CONNECT"}

// RightNamed finds a privilege by its SQL name, 0 when there is none.
func RightNamed(name string) Rights {
	if name = strings.ToUpper(name); name == "TEMP" {
		name = "TEMPORARY"
	}
	if i := slices.Index(rightNames, name); i >= 0 {
		return 1 << i
	}
	return 0
}

// Names lists the privileges of the set as SQL names them.
func (r Rights) Names() []string {
	var out []string
	for i, n := range rightNames {
		if r&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return out
}

// Guarded is a kind of object that rights are given on; the letters are those of pg_default_acl and acldefault.
type Guarded byte

// The kinds of objects with rights.
const (
	GuardTable    Guarded = 'r'
	GuardSequence Guarded = 's'
	GuardColumn   Guarded = 'c'
	GuardDatabase Guarded = 'd'
	GuardFunction Guarded = 'f'
	GuardSchema   Guarded = 'n'
	GuardType     Guarded = 'T'
)

// allRights are the privileges that a kind of object knows: its owner has them.
var allRights = map[Guarded]Rights{
	GuardTable:    RightInsert | RightSelect | RightUpdate | RightDelete | RightTruncate | RightReferences | RightTrigger,
	GuardSequence: RightSelect | RightUpdate | RightUsage,
	GuardColumn:   RightInsert | RightSelect | RightUpdate | RightReferences,
	GuardDatabase: RightCreate | RightTemporary | RightConnect,
	GuardFunction: RightExecute,
	GuardSchema:   RightUsage | RightCreate,
	GuardType:     RightUsage,
}

// publicRights are what everybody has on an object that no right was given on.
var publicRights = map[Guarded]Rights{GuardDatabase: RightTemporary | RightConnect, GuardFunction: RightExecute, GuardType: RightUsage}

// All gives the privileges that the kind knows.
func (k Guarded) All() Rights { return allRights[k] }

// Grant is what one role was given on an object by another.
type Grant struct {
	Role    ID // 0: everybody
	Rights  Rights
	Options Rights // which of them it may give on
	Grantor ID
}

// ACL lists what roles may do with an object. nil means that nothing was ever given or taken: the owner has all, everybody what the kind
// gives; see ACLOf.
type ACL []Grant

// ACLOf reads a stored list: items "role=letters/grantor" with OIDs for names, * behind a right that may be given on. For a list that is
// absent it gives what holds then.
func ACLOf(kind Guarded, owner ID, stored []string) ACL {
	if stored == nil {
		return DefaultACL(kind, owner)
	}
	var out ACL
	for _, s := range stored {
		if g, ok := parseGrant(s); ok {
			out = append(out, g)
		}
	}
	return out
}

// DefaultACL is what holds for an object that no right was given on or taken from.
func DefaultACL(kind Guarded, owner ID) ACL {
	var out ACL
	if p := publicRights[kind]; p != 0 {
		out = append(out, Grant{Rights: p, Grantor: owner})
	}
	if kind == GuardColumn {
		return out
	}
	return append(out, Grant{Role: owner, Rights: kind.All(), Grantor: owner})
}

// Rights are the stored rights on a schema. Everybody can use one called public until rights on it are given or taken.
func (s *Schema) Rights() []string {
	if s.ACL != nil || s.Name != "public" {
		return s.ACL
	}
	return ACL{{Role: s.Owner, Rights: GuardSchema.All(), Grantor: s.Owner}, {Rights: RightUsage, Grantor: s.Owner}}.Stored()
}

func parseGrant(s string) (g Grant, ok bool) {
	role, rest, ok := strings.Cut(s, "=")
	letters, grantor, ok2 := strings.Cut(rest, "/")
	if !ok || !ok2 {
		return g, false
	}
	n, _ := strconv.ParseUint(role, 10, 32)
	by, _ := strconv.ParseUint(grantor, 10, 32)
	g.Role, g.Grantor = ID(n), ID(by)
	for i := range len(letters) {
		if letters[i] == '*' {
			continue
		}
		bit := Rights(1) << max(strings.IndexByte(rightLetters, letters[i]), 0)
		g.Rights |= bit
		if i+1 < len(letters) && letters[i+1] == '*' {
			g.Options |= bit
		}
	}
	return g, true
}

// Letters writes the rights of a grant.
func (g Grant) Letters() string {
	var b strings.Builder
	for i := range len(rightLetters) {
		if bit := Rights(1) << i; g.Rights&bit != 0 {
			b.WriteByte(rightLetters[i])
			if g.Options&bit != 0 {
				b.WriteByte('*')
			}
		}
	}
	return b.String()
}

// Stored writes a list in the form that descriptors keep; it is never nil.
func (a ACL) Stored() []string {
	out := make([]string, 0, len(a)+1)
	for _, g := range a {
		out = append(out, strconv.Itoa(int(g.Role))+"="+g.Letters()+"/"+strconv.Itoa(int(g.Grantor)))
	}
	if len(out) == 0 {
		out = append(out, "") // nobody may do anything: not the same as an absent list
	}
	return out
}

// With gives a role rights; option lets it give them on.
func (a ACL) With(role, grantor ID, rights Rights, option bool) ACL {
	out := slices.Clone(a)
	i := slices.IndexFunc(out, func(g Grant) bool { return g.Role == role && g.Grantor == grantor })
	if i < 0 {
		out = append(out, Grant{Role: role, Grantor: grantor})
		i = len(out) - 1
	}
	out[i].Rights |= rights
	if option {
		out[i].Options |= rights
	}
	return out
}

// Without takes rights from a role; optionOnly leaves it the rights and takes that it may give them on.
func (a ACL) Without(role, grantor ID, rights Rights, optionOnly bool) ACL {
	var out ACL
	for _, g := range a {
		if g.Role == role && g.Grantor == grantor {
			g.Options &^= rights
			if !optionOnly {
				g.Rights &^= rights
			}
		}
		if g.Rights != 0 {
			out = append(out, g)
		}
	}
	return out
}

// Same tells whether two lists say the same, in whatever order.
func (a ACL) Same(b ACL) bool {
	x, y := a.Stored(), b.Stored()
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// Reowned is a stored list after an object has passed from one owner to another: what the old one had and gave is the new one's.
func Reowned(stored []string, from, to ID) []string {
	if stored == nil || from == to {
		return stored
	}
	var out ACL
	for _, g := range ACLOf(GuardTable, from, stored) {
		if g.Role == from {
			g.Role = to
		}
		if g.Grantor == from {
			g.Grantor = to
		}
		out = out.With(g.Role, g.Grantor, g.Rights, false)
		out = out.With(g.Role, g.Grantor, g.Options, true)
	}
	return out.Stored()
}

// Member tells whether role is group or, directly or through others, a member of it whose rights it has.
func (v *View) Member(role, group ID) bool { return v.memberOf(role, group, true) }

// MayBecome is Member without regard to NOINHERIT: SET ROLE asks it.
func (v *View) MayBecome(role, group ID) bool { return v.memberOf(role, group, false) }

func (v *View) memberOf(role, group ID, inherit bool) bool {
	if role == group {
		return true
	}
	seen := map[ID]bool{role: true}
	for todo := []ID{role}; len(todo) > 0; todo = todo[1:] {
		r := v.RoleByID(todo[0])
		if r == nil || inherit && !r.Inherit {
			continue
		}
		for _, m := range r.MemberOf {
			if m.Role == group {
				return true
			}
			if !seen[m.Role] {
				seen[m.Role] = true
				todo = append(todo, m.Role)
			}
		}
	}
	return false
}

// IsSuper tells whether a role is a superuser.
func (v *View) IsSuper(role ID) bool {
	r := v.RoleByID(role)
	return r != nil && r.Super
}

// Owns tells whether a role may do with an object what its owner may.
func (v *View) Owns(role, owner ID) bool { return v.IsSuper(role) || v.Member(role, owner) }

// Held gives the rights among want that a role has on an object, by its own grants and by those of its groups and of everybody. An owner
// can always give on what is the owner's: options counts that.
func (v *View) Held(role ID, kind Guarded, owner ID, stored []string, want Rights) (rights, options Rights) {
	if v.IsSuper(role) {
		return want & kind.All(), want & kind.All()
	}
	for _, g := range ACLOf(kind, owner, stored) {
		if g.Role == 0 || v.Member(role, g.Role) {
			rights |= g.Rights & want
			options |= g.Options & want
		}
	}
	if owner != 0 && v.Member(role, owner) {
		options |= want & kind.All()
	}
	return rights, options
}

// Allowed tells whether a role has all the rights on an object.
func (v *View) Allowed(role ID, kind Guarded, owner ID, stored []string, want Rights) bool {
	got, _ := v.Held(role, kind, owner, stored, want)
	return got == want
}

// Guarded is the kind of object that the relation is for rights.
func (r *Relation) Guarded() Guarded {
	if r.Kind == Sequence {
		return GuardSequence
	}
	return GuardTable
}
