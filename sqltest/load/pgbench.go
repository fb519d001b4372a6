package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

var (
	tps    = regexp.MustCompile(`tps = ([0-9.]+)`)
	failed = regexp.MustCompile(`number of failed transactions: (\d+)`)
)

// pgbench runs PostgreSQL's own load: once initialised, 8 clients, and the balances compared with the history.
func pgbench(ctx context.Context, o options, dsn string, round int) (float64, string, error) {
	if round == 0 {
		if out, err := exec.CommandContext(ctx, o.pgbench, "-i", "-q", "-s", "2", dsn).CombinedOutput(); err != nil {
			return 0, "", fmt.Errorf("pgbench -i: %w\n%s", err, out)
		}
	}
	seconds := strconv.Itoa(max(int(o.span.Seconds()), 1))
	out, err := exec.CommandContext(ctx, o.pgbench, "-n", "-c", "8", "-j", "2", "-T", seconds, dsn).CombinedOutput()
	if err != nil {
		return 0, "", fmt.Errorf("pgbench: %w\n%s", err, out)
	}
	if m := failed.FindSubmatch(out); m == nil || string(m[1]) != "0" || strings.Contains(string(out), "ERROR") {
		return 0, "", fmt.Errorf("pgbench was not clean:\n%s", out)
	}
	m := tps.FindSubmatch(out)
	if m == nil {
		return 0, "", fmt.Errorf("pgbench gave no rate:\n%s", out)
	}
	rate, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		return 0, "", err
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return 0, "", err
	}
	defer conn.Close(ctx)
	var accounts, tellers, branches, history int64
	err = conn.QueryRow(ctx, `SELECT (SELECT sum(abalance) FROM pgbench_accounts), (SELECT sum(tbalance) FROM pgbench_tellers),
		(SELECT sum(bbalance) FROM pgbench_branches), (SELECT sum(delta) FROM pgbench_history)`).Scan(&accounts, &tellers, &branches, &history)
	if err == nil && (accounts != history || tellers != history || branches != history) {
		err = fmt.Errorf("accounts have %d, tellers %d, branches %d, the history %d", accounts, tellers, branches, history)
	}
	return rate, fmt.Sprintf("%.0f transactions a second, balances agree at %d", rate, history), err
}
