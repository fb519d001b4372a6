package pgwire

// phase is what a connection is ready for.
type phase uint8

const (
	// ready: any request is welcome, within a transaction or not.
	ready phase = iota
	// skipping: a message of the extended protocol has failed, and what the client had sent behind it is thrown away up to Sync.
	skipping
	// copyIn: the client streams COPY data; the statement that takes it is running and reads these messages itself.
	copyIn
)

// step is what a message does in a phase.
type step struct {
	do  func(c *conn, msg []byte) error
	why string
}

// rules is the state machine of a connection after start-up: what each message does in each phase. A message that is not listed ends the
// connection, for nothing can be known of the client's state any more (in copyIn the copy fails first).
var rules = map[phase]map[byte]step{
	ready: {
		'Q': {(*conn).query, "a simple query: its statements run, and ReadyForQuery follows whatever happens"},
		'P': {(*conn).parse, "prepares a statement"},
		'B': {(*conn).bind, "makes a portal of a statement and parameter values"},
		'D': {(*conn).describe, "tells the shape of a statement or portal"},
		'E': {(*conn).execute, "runs a portal, or goes on with it"},
		'C': {(*conn).close, "forgets a statement or portal"},
		'H': {(*conn).flushNow, "sends what has been answered so far"},
		'S': {(*conn).sync, "ends an implicit transaction; ReadyForQuery follows"},
		'F': {(*conn).functionCall, "the old function call interface; ReadyForQuery follows"},
		'X': {(*conn).terminate, "the client says goodbye"},
		'd': {ignore, "data of a copy that has failed: the client had not heard of it yet"},
		'c': {ignore, "the end of a copy that has failed"},
		'f': {ignore, "the client gives up a copy that has failed"},
	},
	skipping: {
		'S': {(*conn).sync, "the run ends here: ReadyForQuery, and all is well again"},
		'X': {(*conn).terminate, "the client says goodbye"},
		'Q': {ignore, "not executed: it was sent before the client knew of the error"},
		'P': {ignore, "part of the failed run"},
		'B': {ignore, "part of the failed run"},
		'D': {ignore, "part of the failed run"},
		'E': {ignore, "part of the failed run"},
		'C': {ignore, "part of the failed run"},
		'H': {ignore, "part of the failed run; there is nothing to send before ReadyForQuery"},
		'F': {ignore, "part of the failed run"},
		'd': {ignore, "data of a copy that has failed"},
		'c': {ignore, "the end of a copy that has failed"},
		'f': {ignore, "the client gives up a copy that has failed"},
	},
	copyIn: {
		'd': {nil, "data for the copy"},
		'c': {nil, "the data is complete"},
		'f': {nil, "the client gives up: the copy fails with the client's words"},
		'H': {ignore, "means nothing here"},
		'S': {ignore, "means nothing here; libraries send it blindly behind Execute"},
	},
}

// machine is rules by message type.
var machine = func() (m [3][256]*step) {
	for p, steps := range rules {
		for typ, s := range steps {
			m[p][typ] = &s
		}
	}
	return m
}()

func ignore(*conn, []byte) error { return nil }
