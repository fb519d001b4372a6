// Package jsonpath is the SQL/JSON path language (PostgreSQL manual, section 9.16.2): its syntax tree, its reader and its canonical text.
// What a path means is computed in functions/jsonpath.
package jsonpath

import "github.com/omgdb/omgdb/storage/typeio/num"

// Op tells what a node is.
type Op uint8

// The kinds of nodes. Binary operators stand from Or to Mod, from the loosest to the tightest.
const (
	Null Op = iota
	Bool
	Number
	String
	Variable
	Root    // $
	Current // @
	Last    // last

	Or
	And
	Equal
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
	StartsWith
	Add
	Sub
	Mul
	Div
	Mod

	Plus
	Minus
	Not
	IsUnknown
	Exists
	LikeRegex

	Key
	AnyKey     // .*
	AnyElement // [*]
	Subscripts
	AnyDepth // .**
	Filter

	Type
	Size
	Double
	Ceiling
	Floor
	Abs
	KeyValue
	Datetime
)

// Path is a whole path expression. It is immutable.
type Path struct {
	Strict bool
	Expr   *Node
}

// Node is a step or an operator. Steps of a path are chained by Next: each is applied to what the one before gives.
type Node struct {
	Op          Op
	Text        string   // of strings, variables, keys; the pattern of LikeRegex; the template of Datetime when HasText
	HasText     bool     // of Datetime
	True        bool     // of Bool
	Num         *num.Dec // of Number
	Regex       RegexFlags
	Left, Right *Node // operands; Left alone for prefix operators, filters and predicates with one operand
	Subs        []Subscript
	First, To   uint32 // levels of AnyDepth; Deepest stands for the leaves
	Next        *Node

	depth int
}

// Deepest is the level `last` of AnyDepth.
const Deepest = 1<<32 - 1

// Subscript is an index, or a range of them when To is there.
type Subscript struct{ From, To *Node }

// RegexFlags are the flags of like_regex.
type RegexFlags struct{ Fold, DotAll, Lines, Spaces, Quote bool }

// symbols are the operators as they are written, with their precedence.
var symbols = [...]struct {
	text string
	prio int
}{
	Or: {"||", 0}, And: {"&&", 1},
	Equal: {"==", 2}, NotEqual: {"!=", 2}, Less: {"<", 2}, LessEqual: {"<=", 2}, Greater: {">", 2}, GreaterEqual: {">=", 2}, StartsWith: {"starts with", 2},
	Add: {"+", 3}, Sub: {"-", 3}, Mul: {"*", 4}, Div: {"/", 4}, Mod: {"%", 4}, Plus: {"+", 5}, Minus: {"-", 5},
}

// Symbol is the operator as it is written.
func (o Op) Symbol() string {
	if int(o) < len(symbols) {
		return symbols[o].text
	}
	return ""
}

func (o Op) prio() int {
	if int(o) < len(symbols) && symbols[o].text != "" {
		return symbols[o].prio
	}
	return 6
}

// methods are the item methods without arguments.
var methods = map[Op]string{
	Type: "type", Size: "size", Double: "double", Ceiling: "ceiling", Floor: "floor", Abs: "abs", KeyValue: "keyvalue", Datetime: "datetime",
}

// Method is the name of an item method, "" for other nodes.
func (o Op) Method() string { return methods[o] }

// predicate tells whether the node gives a truth value by itself.
func (n *Node) predicate() bool {
	switch n.Op {
	case Not, IsUnknown, Exists, LikeRegex:
		return n.Next == nil
	}
	return n.Op >= Or && n.Op <= StartsWith && n.Next == nil
}
