// Package pgwire is the PostgreSQL door: it speaks the frontend/backend protocol, version 3.0, and turns it into calls of a
// session.Session. It never sees a plan.
//
// A connection's life: Server.Serve accepts it and gives it a goroutine. startup.go answers requests for encryption, reads the
// start-up message and opens the session. Then conn.loop reads one message after the other (framing.go) and does what the table in
// machine.go says for the phase that the connection is in. A simple query is the extended protocol's parse, bind, execute and sync in a
// row (query.go); rows go from a batch's columns straight into the write buffer (rows.go, package pgenc), which is sent once a round
// trip, or whenever it is full: a slow reader thereby stops the query. copy.go moves COPY data.
//
// One goroutine does all of a connection's work. Others wake it from its wait for the client by a read deadline in the past
// (notifications, shutdown), never by writing to the connection themselves.
//
// dial.go is the door's other side: it connects to a store's server, or opens the store and serves it in this process over a pipe.
package pgwire
