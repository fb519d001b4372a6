// Package session is what every door of OMGDB opens: a Server over one store, and Sessions of it that prepare statements, bind them
// to portals and fetch from these. A door (package pgwire, in the end) never sees a plan.
//
// A statement's life in a session:
//
//	text ── Script (simple query) or Parse (extended) ──▶ Stmt ── Bind ──▶ Portal ── Fetch ──▶ batches
//	              │ plan cache by text; a miss parses, binds, optimises        │
//	              └──────────── utility statements: one row of a table each ───┘
//	Sync ends what is not in a block; Fail tells the session that the door has reported an error; Events lists what the client
//	has to hear of beside its results.
//
// One goroutine at a time drives a Session. From others only Server.Cancel, the NOTIFY hub and the views of activity reach it,
// through state with locks of its own (interrupt, inbox, activity). Between Enter and Leave a session counts as running: only then a cancel
// request does something.
//
// Files: server.go, session.go (lives), txn.go (transaction state table), setting*.go, settings_table.go, vars.go, live.go (configuration),
// stmt.go, plancache.go, portal.go, script.go (statements), utility*.go (what is not a query), cursor.go, copy*.go, events.go,
// notify.go, activity.go, env.go (what functions see of a session).
package session
