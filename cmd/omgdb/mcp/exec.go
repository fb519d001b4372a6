package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// result reads what a statement gives, row by row, as it comes. The driver has the like, but waits for ever when a statement turns out to
// be a COPY. The connection serves for one statement only.
type result struct {
	fields []pgproto3.FieldDescription
	vals   [][]byte // of the current row, valid until the next
	tag    string

	conn *pgconn.PgConn
	err  error
	done bool
	stop func()
}

// start sends a statement by the extended protocol, which takes one statement only. Parameters and results are in text form.
func start(ctx context.Context, conn *pgx.Conn, sql string, params []*string) (*result, error) {
	vals := make([][]byte, len(params))
	for i, p := range params {
		if p != nil {
			vals[i] = []byte(*p)
		}
	}
	r := &result{conn: conn.PgConn()}
	r.stop = watch(ctx, r.conn)
	fe := r.conn.Frontend()
	fe.SendParse(&pgproto3.Parse{Query: sql})
	fe.SendBind(&pgproto3.Bind{Parameters: vals})
	fe.SendDescribe(&pgproto3.Describe{ObjectType: 'P'})
	fe.SendExecute(&pgproto3.Execute{})
	fe.SendSync(&pgproto3.Sync{})
	if err := fe.Flush(); err != nil {
		r.stop()
		return nil, err
	}
	return r, nil
}

// watch asks the server to cancel the statement when ctx ends, and cuts the connection off when it doesn't.
func watch(ctx context.Context, conn *pgconn.PgConn) (stop func()) {
	off := context.AfterFunc(ctx, func() {
		cancelling, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.CancelRequest(cancelling)
		_ = conn.Conn().SetReadDeadline(time.Now().Add(2 * time.Second))
	})
	return func() { off() }
}

// errCopy is the answer for statements that want to exchange data with the client.
var errCopy = errors.New("COPY with the client's data is not possible here; use INSERT or SELECT")

// next goes to the next row; false at the end, see close.
func (r *result) next() bool {
	fe := r.conn.Frontend()
	for !r.done {
		msg, err := fe.Receive()
		if err != nil {
			r.fail(err)
			r.done = true
			break
		}
		switch m := msg.(type) {
		case *pgproto3.RowDescription:
			r.fields = append([]pgproto3.FieldDescription(nil), m.Fields...)
			for i := range r.fields {
				r.fields[i].Name = append([]byte(nil), r.fields[i].Name...)
			}
		case *pgproto3.DataRow:
			r.vals = m.Values
			return true
		case *pgproto3.CommandComplete:
			r.tag = string(m.CommandTag)
		case *pgproto3.ErrorResponse:
			r.fail(pgconn.ErrorResponseToPgError(m))
		case *pgproto3.CopyInResponse:
			r.fail(errCopy)
			fe.Send(&pgproto3.CopyFail{Message: "no data"})
			fe.SendSync(&pgproto3.Sync{})
			if err := fe.Flush(); err != nil {
				r.done = true
			}
		case *pgproto3.CopyOutResponse, *pgproto3.CopyBothResponse:
			r.fail(errCopy)
			r.done = true // what comes is not read: the connection ends here
		case *pgproto3.ReadyForQuery:
			r.done = true
		}
	}
	return false
}

// fail keeps the first error.
func (r *result) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// close reads what is left and gives the statement's error.
func (r *result) close() error {
	for r.next() {
	}
	r.stop()
	return r.err
}

// abandon ends the connection instead of reading what is left.
func (r *result) abandon() {
	r.stop()
	r.done = true
	_ = r.conn.Conn().Close()
}
