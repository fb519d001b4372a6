package session

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/pgcatalog"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/lock"
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/value"
)

// systemRows are the relations of pg_catalog whose rows only sessions know.
func systemRows() map[string]pgcatalog.Rows {
	return map[string]pgcatalog.Rows{
		"pg_settings":                   settingRows,
		"pg_stat_activity":              activityRows,
		"pg_stat_progress_create_index": buildRows,
		"pg_prepared_statements":        preparedRows,
		"pg_cursors":                    cursorRows,
		"pg_locks":                      lockRows,
		"pg_timezone_names":             zoneRows,
		"pg_timezone_abbrevs":           abbrevRows,
	}
}

type addRow = func(row map[string]value.Value) error

// textOrNull is NULL for an empty text.
func textOrNull(s string) value.Value {
	if s == "" {
		return value.Null
	}
	return value.String(s)
}

func timeOrNull(t time.Time) value.Value {
	if t.IsZero() {
		return value.Null
	}
	return value.Int(pgMicros(t))
}

func settingRows(_ context.Context, env *functions.Env, add addRow) error {
	for _, r := range env.Session.(*Session).SettingRows() {
		row := map[string]value.Value{
			"name": value.String(r.Name), "setting": value.String(r.Value), "unit": textOrNull(r.Unit), "category": value.String(r.Category),
			"short_desc": value.String(r.Descr), "context": value.String(r.Context), "vartype": value.String(r.Type), "source": value.String(r.Source),
			"min_val": textOrNull(r.Min), "max_val": textOrNull(r.Max), "boot_val": value.String(r.Boot), "reset_val": value.String(r.Reset),
			"pending_restart": value.Bool(false),
		}
		if r.Enum != nil {
			elems := make([]value.Value, len(r.Enum))
			for i, e := range r.Enum {
				elems[i] = value.String(e)
			}
			row["enumvals"] = value.Box(value.NewArray(value.Text, elems))
		}
		if err := add(row); err != nil {
			return err
		}
	}
	return nil
}

func activityRows(_ context.Context, env *functions.Env, add addRow) error {
	roles := map[string]catalog.ID{}
	for _, r := range env.Txn.Catalog().Roles() {
		roles[r.Name] = r.ID
	}
	for _, a := range env.Session.(*Session).srv.Activity() {
		row := map[string]value.Value{
			"datid": value.Int(int64(a.DatabaseID)), "datname": value.String(a.Database), "pid": value.Int(int64(a.PID)),
			"usesysid": value.Int(int64(cmp.Or(roles[a.User], catalog.SuperRole))), "usename": value.String(a.User), "application_name": value.String(a.Application),
			"backend_start": timeOrNull(a.BackendStart), "xact_start": timeOrNull(a.XactStart), "query_start": timeOrNull(a.QueryStart),
			"state_change": timeOrNull(a.StateChange), "state": value.String(a.State), "query": value.String(a.Query), "backend_type": value.String("client backend"),
		}
		if a.State != "active" {
			row["wait_event_type"], row["wait_event"] = value.String("Client"), value.String("ClientRead")
		}
		row["client_port"] = value.Int(-1)
		if tcp, ok := a.Remote.(*net.TCPAddr); ok {
			if ip, ok := netip.AddrFromSlice(tcp.IP); ok {
				ip = ip.Unmap()
				row["client_addr"], row["client_port"] = value.Box(netip.PrefixFrom(ip, ip.BitLen())), value.Int(int64(tcp.Port))
			}
		}
		if err := add(row); err != nil {
			return err
		}
	}
	return nil
}

// buildRows shows the indexes that are being built. Rows are counted, not blocks.
func buildRows(_ context.Context, env *functions.Env, add addRow) error {
	s := env.Session.(*Session)
	for _, b := range s.srv.db.IndexBuilds() {
		row := map[string]value.Value{
			"pid": value.Int(int64(b.PID)), "relid": value.Int(int64(b.Relation)), "index_relid": value.Int(int64(b.Index)),
			"command": value.String("CREATE INDEX"), "phase": value.String("building index: scanning table"),
			"tuples_total": value.Int(b.Rows), "tuples_done": value.Int(b.Done),
		}
		for _, zero := range []string{"lockers_total", "lockers_done", "current_locker_pid", "blocks_total", "blocks_done", "partitions_total", "partitions_done"} {
			row[zero] = value.Int(0)
		}
		if b.Again {
			row["command"] = value.String("REINDEX")
		}
		if b.Writing {
			row["phase"] = value.String("building index: loading tuples in tree")
		}
		for _, a := range s.srv.Activity() {
			if a.PID == b.PID {
				row["datid"], row["datname"] = value.Int(int64(a.DatabaseID)), value.String(a.Database)
			}
		}
		if err := add(row); err != nil {
			return err
		}
	}
	return nil
}

func preparedRows(_ context.Context, env *functions.Env, add addRow) error {
	for _, r := range env.Session.(*Session).Prepared() {
		types := make([]value.Value, len(r.Params))
		for i, t := range r.Params {
			types[i] = value.Int(int64(t.OID))
		}
		err := add(map[string]value.Value{
			"name": value.String(r.Name), "statement": value.String(r.Text), "prepare_time": value.Int(r.Created), "from_sql": value.Bool(r.BySQL),
			"parameter_types": value.Box(value.NewArray(value.RegType, types)), "generic_plans": value.Int(r.Runs), "custom_plans": value.Int(0),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func cursorRows(_ context.Context, env *functions.Env, add addRow) error {
	for _, r := range env.Session.(*Session).Cursors() {
		err := add(map[string]value.Value{
			"name": value.String(r.Name), "statement": value.String(r.Text), "is_holdable": value.Bool(r.Hold), "is_binary": value.Bool(r.Binary),
			"is_scrollable": value.Bool(r.Scroll), "creation_time": value.Int(r.Created),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lockTypes are pg_locks.locktype.
var lockTypes = map[lock.Class]string{lock.Table: "relation", lock.Row: "tuple", lock.Name: "object", lock.Advisory: "advisory"}

func lockRows(_ context.Context, env *functions.Env, add addRow) error {
	for _, l := range env.DB.Locks() {
		row := map[string]value.Value{
			"locktype": value.String(lockTypes[l.Tag.Class]), "database": value.Int(int64(catalog.MainDatabase)), "pid": value.Int(int64(l.PID)),
			"mode": value.String(lock.ModeName(l.Tag.Class, l.Mode)), "granted": value.Bool(l.Granted), "fastpath": value.Bool(false),
			"virtualtransaction": value.String("0/0"),
		}
		switch l.Tag.Class {
		case lock.Table, lock.Row:
			row["relation"] = value.Int(int64(l.Tag.Object))
		case lock.Advisory:
			key, pair := l.Tag.AdvisoryKey()
			row["classid"], row["objid"], row["objsubid"] = value.Int(int64(uint32(key>>32))), value.Int(int64(uint32(key))), value.Int(1)
			if pair {
				row["objsubid"] = value.Int(2)
			}
		}
		if err := add(row); err != nil {
			return err
		}
	}
	return nil
}

func zoneRow(name, abbrev string, offset int, dst bool) map[string]value.Value {
	row := map[string]value.Value{
		"abbrev": value.String(abbrev), "utc_offset": value.Box(value.Interval{Micros: int64(offset) * 1e6}), "is_dst": value.Bool(dst),
	}
	if name != "" {
		row["name"] = value.String(name)
	}
	return row
}

func zoneRows(_ context.Context, env *functions.Env, add addRow) error {
	now := pgMicros(env.StatementTime)
	for _, name := range dt.ZoneNames() {
		loc := dt.Named(name)
		if loc == nil {
			continue
		}
		offset, abbrev, dst := dt.OffsetAt(loc, now)
		if err := add(zoneRow(name, abbrev, offset, dst)); err != nil {
			return err
		}
	}
	return nil
}

func abbrevRows(_ context.Context, env *functions.Env, add addRow) error {
	for name, a := range dt.Abbrevs() {
		offset, dst := a.Offset, a.DST
		if a.Zone != "" {
			if loc := dt.Named(a.Zone); loc != nil {
				offset, _, dst = dt.OffsetAt(loc, pgMicros(env.StatementTime))
			}
		}
		if err := add(zoneRow("", name, offset, dst)); err != nil {
			return err
		}
	}
	return nil
}
