// Package wire plays scripts of protocol messages against a server over a raw socket and compares what comes back,
// message by message, with a transcript that PostgreSQL 15 gave (go run ./sqltest/wire/cmd -rewrite makes it).
//
// A script is lines of commands. Transcript lines are indented and follow the read that gathered them:
//
//	# comment
//	open [NAME] [KEY=VALUE …]   connect, start up, and drop the replies up to ReadyForQuery
//	dial [NAME]                 connect only
//	on NAME                     later commands mean this connection
//	> MESSAGE …                 send; > lines in a row travel in one write
//	read [[COUNT] WHAT]         gather replies up to the COUNT-th message of type WHAT (default: 1 Z)
//	                            WHAT may be close, end (close, whatever comes before), byte (one byte that is no
//	                            message), or quiet (nothing arrives)
//	cancel NAME                 send CancelRequests for NAME until it gets an answer; each must be closed in silence
//	close                       close the socket
//
// Names may be left out: the connection is then called main.
//
// # Frontend messages
//
//	Q("sql")  P("name","sql",oid…)  B("portal","statement",(values…),pf(formats…),rf(formats…))
//	D(S,"name")  D(P,"name")  E("portal",max)  C(S,"name")  C(P,"name")  H  S  X
//	d("data")  c  f("reason")  startup(version,"key","value",…)  ssl  gss  cancelkey(NAME,xor)
//	msg("Q",x"body bytes")  raw(x"bytes")
//
// A value is "text" with Go escapes, x"hex" or NULL. startup adds user and database when they are not given.
//
// # Backend messages
//
// 1 2 3 n s I c as they are; t[oids]; T[name:oid:length:modifier:format table.column, …]; D("text",x"binary",NULL);
// C[tag]; Z[status]; E[…] and N[…] with the fields but file, line and routine; S(name=value); K(key length); R(kind);
// v(version; names); G/H[format; column formats]; d("data"); A("channel","payload"). What varies from server to server
// is normalised: process ids, keys, the server's minor version, OIDs of users' objects.
//
// Record over PostgreSQL's unix socket: over TCP a server that was built with GSSAPI offers it (W02).
package wire
