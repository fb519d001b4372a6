// Command reword asks the questions of psql's backslash commands in other words: psql's own catalog queries, as it shows them with -E, are
// reformatted, given other aliases and wrapped, and must give the rows of the original. A server that knows the queries by their text
// would not.
//
//	go run ./sqltest/with -- go run ./sqltest/reword -a {dsn}
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/omgdb/omgdb/sqltest/floors"
)

// objects are what the commands have to show.
const objects = `
DROP SCHEMA IF EXISTS reword CASCADE;
CREATE SCHEMA reword;
SET search_path = reword, public;
CREATE TYPE reword.mood AS ENUM ('sad', 'ok');
CREATE TABLE reword.parent (id int PRIMARY KEY, name text NOT NULL DEFAULT 'x', at timestamptz, m reword.mood, n numeric(8,2) CHECK (n > 0));
CREATE TABLE reword.child (id serial PRIMARY KEY, parent int REFERENCES reword.parent ON DELETE CASCADE, tags text[], UNIQUE (parent, id));
CREATE INDEX child_tags ON reword.child USING gin (tags);
CREATE INDEX parent_lower ON reword.parent (lower(name)) WHERE id > 0;
CREATE VIEW reword.both AS SELECT p.id, c.tags FROM reword.parent p JOIN reword.child c ON c.parent = p.id;
CREATE FUNCTION reword.twice(x int) RETURNS int LANGUAGE sql AS 'SELECT $1 * 2';
COMMENT ON TABLE reword.parent IS 'the parent';
COMMENT ON COLUMN reword.parent.name IS 'its name';`

var commands = []string{
	`\d`, `\d+`, `\dt`, `\dt+`, `\dt reword.*`, `\di`, `\di+`, `\dv`, `\ds`, `\d reword.parent`, `\d+ reword.parent`, `\d reword.child`, `\d+ reword.both`,
	`\d reword.child_tags`, `\d reword.child_id_seq`, `\df reword.*`, `\df+ reword.*`, `\df abs`, `\da min`, `\do ->>`, `\dT+ reword.*`, `\dn`, `\dn+`, `\du`, `\du+`,
	`\l`, `\l+`, `\dp reword.*`, `\ddp`, `\dx`, `\dC int4`, `\dD`, `\db`, `\dL`, `\conninfo`, `\sf reword.twice`, `\sv reword.both`,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dsn := flag.String("a", "", "connection string")
	figures := flag.String("figures", "", "folder to write the figures to")
	flag.Parse()
	failed, err := run(ctx, *dsn, *figures)
	if err != nil {
		fmt.Fprintln(os.Stderr, "reword:", err)
		os.Exit(2)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

func run(ctx context.Context, dsn, figures string) (failed int, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, objects, pgx.QueryExecModeSimpleProtocol); err != nil {
		return 0, err
	}
	passed, queries, seen := 0, 0, map[string]bool{}
	for _, command := range commands {
		asked, err := queriesOf(ctx, dsn, command)
		if err != nil {
			return 0, err
		}
		for _, q := range asked {
			if seen[q] {
				continue
			}
			seen[q] = true
			queries++
			want, err := rows(ctx, conn, q)
			if err != nil {
				return 0, fmt.Errorf("%s: %w\n%s", command, err, q)
			}
			for name, say := range rewordings {
				got, err := rows(ctx, conn, say(q))
				if err == nil && got == want {
					passed++
					continue
				}
				failed++
				fmt.Printf("DIFFERENT %s, %s: %v\n%s\n  is:\n%s  was:\n%s", command, name, err, say(q), got, want)
			}
		}
	}
	if queries < len(commands) {
		return failed, errors.New("psql showed fewer queries than commands")
	}
	fmt.Printf("%d queries of %d commands: %d rewordings with the same rows, %d with others\n", queries, len(commands), passed, failed)
	if figures != "" {
		err = floors.WriteFigures(figures, "reword", floors.Figures{"pass": float64(passed), "failed": float64(failed)})
	}
	return failed, err
}

var shown = regexp.MustCompile(`(?s)\*+ QUERY \*+\n(.*?)\n\*+\n`)

// queriesOf are the queries that psql sends for a command.
func queriesOf(ctx context.Context, dsn, command string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "psql", "-X", "-E", "-d", dsn, "-c", "SET search_path = reword, public", "-c", command)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", command, err, out)
	}
	var list []string
	for _, m := range shown.FindAllStringSubmatch(string(out), -1) {
		list = append(list, strings.TrimSuffix(strings.TrimSpace(m[1]), ";"))
	}
	return list, nil
}

var (
	blanks = regexp.MustCompile(`\s+`)
	used   = regexp.MustCompile(`\b([a-z][a-z0-9]{0,2})\.`)
	words  = regexp.MustCompile(`'(?:[^']|'')*'|"[^"]*"|\b[a-z]\w*\b`)
)

// otherAliases gives the relations of a query other aliases.
func otherAliases(q string) string {
	aliases := map[string]bool{}
	for _, m := range used.FindAllStringSubmatch(q, -1) {
		aliases[m[1]] = true
	}
	return words.ReplaceAllStringFunc(q, func(w string) string {
		if aliases[w] {
			return "zz_" + w
		}
		return w
	})
}

// rewordings say a query otherwise. None of psql's texts has blanks in a string that count.
var rewordings = map[string]func(string) string{
	"on one line":    func(q string) string { return blanks.ReplaceAllString(q, " ") },
	"wrapped":        func(q string) string { return "WITH w AS (" + q + ") SELECT * FROM w" },
	"with a comment": func(q string) string { return "/* who asks */ " + strings.ReplaceAll(q, "\n", " -- so\n\t") },
	"other aliases":  otherAliases,
}

// rows gives the answer as text.
func rows(ctx context.Context, conn *pgx.Conn, q string) (string, error) {
	res, err := conn.PgConn().Exec(ctx, q).ReadAll()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, r := range res {
		for _, row := range r.Rows {
			fmt.Fprintf(&b, "    %q\n", row)
		}
	}
	return b.String(), nil
}
