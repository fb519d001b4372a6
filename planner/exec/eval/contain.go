package eval

import (
	"fmt"
	"runtime/debug"
)

// Panic is the cause behind the error of a contained panic, for logs.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v\n%s", p.Value, p.Stack) }

func stack() []byte { return debug.Stack() }
