package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/omgdb/omgdb/functions/contextsvc"
	"github.com/omgdb/omgdb/pgwire"
	"github.com/omgdb/omgdb/storage/dberr"
)

// call is one call of a tool.
type call struct {
	ctx    context.Context
	srv    *Server
	tool   *tool
	args   arguments
	cursor cursor
	note   string // told beside the answer
}

// handler carries out the calls of a tool. Whatever goes wrong is the tool's answer, so that the model sees it.
func (s *Server) handler(t *tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		c := &call{ctx: ctx, srv: s, tool: t}
		a, err := c.answer(req.Params.Arguments)
		if err != nil {
			return c.failure(err), nil
		}
		return c.success(a), nil
	}
}

func (c *call) answer(raw json.RawMessage) (*answer, error) {
	var err error
	if c.args, err = parseArguments(c.tool.params, raw); err != nil {
		return nil, err
	}
	if err := c.cursor.read(c.tool, c.args); err != nil {
		return nil, err
	}
	if c.tool.run != nil {
		return c.tool.run(c)
	}
	params := make([]*string, len(c.tool.args))
	for i, name := range c.tool.args {
		params[i] = c.args[name]
	}
	return c.query(c.tool.sql, params...)
}

// query runs a statement in the store of the call's path.
func (c *call) query(sql string, params ...*string) (*answer, error) {
	path, err := c.srv.root.resolveStore(c.args.text(pPath.name))
	if err != nil {
		return nil, &argError{pPath.name, err}
	}
	return c.queryIn(path, pgwire.DialOptions{Create: c.tool.create}, sql, params...)
}

// statementTimeout bounds a call's statement, in milliseconds; indexing a large directory takes as long as it takes.
const statementTimeout = "120000"

// queryIn runs a statement in the store at a path. A connection that is lost (the process that served the store has gone) is made once
// more when the statement has done nothing yet or only reads.
func (c *call) queryIn(path string, o pgwire.DialOptions, sql string, params ...*string) (*answer, error) {
	a, err := c.try(path, o, sql, params)
	if lost(err) && c.ctx.Err() == nil && (!c.tool.writes || pgconn.SafeToRetry(err)) {
		a, err = c.try(path, o, sql, params)
	}
	return a, err
}

// lost tells whether an error is that of a connection that ended rather than the server's answer.
func lost(err error) bool {
	var pg *pgconn.PgError
	if err == nil {
		return false
	}
	if errors.As(err, &pg) {
		return slices.Contains([]string{"57P01", "57P02", "57P03"}, pg.Code)
	}
	return pgconn.SafeToRetry(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

func (c *call) try(path string, o pgwire.DialOptions, sql string, params []*string) (*answer, error) {
	o.Application = "omgdb mcp " + c.tool.name
	scope := Read
	if c.tool.writes || o.Create {
		scope = c.srv.opt.Scope
	}
	o.Settings = map[string]string{"omgdb.scope": scope.String()}
	if !o.Create {
		o.Settings["statement_timeout"] = statementTimeout
	}
	if scope == Read {
		o.Settings["default_transaction_read_only"] = "on"
	}
	conn, done, err := c.srv.stores.connect(c.ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer done()
	return c.exec(conn, sql, params)
}

// exec runs the statement and makes its rows the answer.
func (c *call) exec(conn *pgx.Conn, sql string, params []*string) (*answer, error) {
	r, err := start(c.ctx, conn, sql, params)
	if err != nil {
		return nil, err
	}
	a, err := c.collect(conn, r)
	if err != nil {
		r.abandon()
	}
	return a, err
}

// blame finds the argument to which an error of SQL belongs: one that its code can come from, rather the one that its text quotes.
func (c *call) blame(err error) error {
	code, msg := dberr.Code(err), err.Error()
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		code = pg.Code
	}
	var guilty *param
	for i := range c.tool.params {
		p := &c.tool.params[i]
		if v := c.args[p.name]; code != "" && v != nil && slices.Contains(p.codes, code) {
			if strings.Contains(msg, `"`+*v+`"`) {
				return &argError{p.name, err}
			}
			if guilty == nil {
				guilty = p
			}
		}
	}
	if guilty == nil {
		return err
	}
	return &argError{guilty.name, err}
}

// failure is the answer of a call that failed.
func (c *call) failure(err error) *sdk.CallToolResult {
	var text strings.Builder
	var arg *argError
	if !errors.As(err, &arg) {
		err = c.blame(err)
		errors.As(err, &arg)
	}
	var pg *pgconn.PgError
	var own *dberr.Error
	msg, detail, hint := err.Error(), "", ""
	switch {
	case errors.As(err, &pg):
		msg, detail, hint = pg.Message, pg.Detail, pg.Hint
	case errors.As(err, &own):
		msg, detail, hint = own.Message, own.Detail, own.Hint
	case arg != nil:
		msg = arg.err.Error()
	}
	if arg != nil {
		msg = `argument "` + arg.name + `": ` + msg
	}
	text.WriteString(msg)
	for _, more := range []string{detail, hint} {
		if more != "" {
			text.WriteString("\n" + more)
		}
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text.String()}}}
}

// runGet reads a document by the text of its _id.
func runGet(c *call) (*answer, error) {
	name := c.args.text(pCollection.name)
	a, err := c.query(`SELECT omgdb.canonical_json(doc) FROM `+pgx.Identifier{name}.Sanitize()+` WHERE _id = $1`, c.args[pID.name])
	if schema, rest, ok := strings.Cut(name, "."); ok && isCode(err, dberr.UndefinedTable) {
		a, err = c.query(`SELECT omgdb.canonical_json(doc) FROM `+pgx.Identifier{schema, rest}.Sanitize()+` WHERE _id = $1`, c.args[pID.name])
	}
	if err == nil && a.empty() {
		err = badArg(pID.name, "collection %q has no document with this _id", clip(name))
	}
	return a, err
}

func isCode(err error, code string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}

// runSQL runs the statement of the caller.
func runSQL(c *call) (*answer, error) { return c.query(c.args.text("statement")) }

// runContext indexes or asks a directory.
func runContext(c *call) (*answer, error) {
	dir, err := c.srv.root.resolve(c.args.text("directory"))
	if err != nil {
		return nil, &argError{"directory", err}
	}
	dir, store, err := contextsvc.StorePath(dir)
	if err != nil {
		return nil, err
	}
	if err := noLinks(store); err != nil {
		return nil, &argError{"directory", err}
	}
	if c.args.text("operation") == "index" {
		if c.srv.opt.Scope < Write {
			return nil, badArg("operation", "index needs a server with --scope write")
		}
		return c.queryIn(store, pgwire.DialOptions{Create: true}, `SELECT omgdb.context_index($1, $2, NULL, true)`, &dir, c.args["embedder"])
	}
	if c.args["query"] == nil {
		return nil, badArg("query", "required by the operation query")
	}
	a, err := c.queryIn(store, pgwire.DialOptions{}, `SELECT omgdb.context_query($1, $2, $3, $4, $5, $6)`,
		&dir, c.args["query"], c.args["mode"], c.args["match"], c.args["lines"], c.args["limit"])
	if pgwire.IsUnmade(err) {
		return nil, badArg("directory", "%q is not indexed; call context with operation index first", dir)
	}
	return a, err
}
